package agents

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

func TestKinds(t *testing.T) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == "" || k.Doc == "" || slices.Contains(names, k.Name) {
			t.Errorf("Kinds() has the name %q with doc %q, want unique names and docs", k.Name, k.Doc)
		}
		names = append(names, k.Name)
		if got, err := Lookup(k.Name); err != nil || got.Name != k.Name || got.Doc != k.Doc {
			t.Errorf("Lookup(%q) = %+v, %v, want %+v", k.Name, got, err, k)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	all := "the agents are " + strings.Join(names, ", ")
	for _, test := range []struct{ name, text string }{
		{"qlearing", `agents: unknown agent "qlearing"; did you mean "qlearning"? ` + all},
		{"monte-carlo", `agents: unknown agent "monte-carlo"; did you mean "montecarlo"? ` + all},
		{"QLearning", `agents: unknown agent "QLearning"; did you mean "qlearning"? ` + all},
		{"x", `agents: unknown agent "x"; ` + all},
		{"", `agents: unknown agent ""; ` + all},
	} {
		k, err := Lookup(test.name)
		if k.Name != "" || !errors.Is(err, ErrUnknown) || err.Error() != test.text {
			t.Errorf("Lookup(%q) = %+v, %v, want error %s", test.name, k, err, test.text)
		}
	}
}

// TestBytesPerEntry adds up the slices of a new agent that grow with its
// layout.
func TestBytesPerEntry(t *testing.T) {
	l := pigLayout(2, 100)
	for _, k := range Kinds() {
		var bytes uintptr
		var add func(v reflect.Value)
		add = func(v reflect.Value) {
			for i := range v.NumField() {
				switch f := v.Field(i); f.Kind() {
				case reflect.Slice:
					if f.Cap() >= l.Entries() {
						bytes += uintptr(f.Cap()) * f.Type().Elem().Size()
					}
				case reflect.Struct:
					add(f)
				}
			}
		}
		add(reflect.ValueOf(k.New(l, k.Defaults)).Elem())
		if want := uintptr(k.BytesPerEntry * l.Entries()); bytes != want {
			t.Errorf("a new %s takes %d bytes for %d entries, want %d for each: %d", k.Name, bytes, l.Entries(), k.BytesPerEntry, want)
		}
	}
}

// TestUntrained checks that an agent that has learned nothing rolls where it
// must and holds elsewhere.
func TestUntrained(t *testing.T) {
	forEachSmallGame(t, func(t *testing.T, l policies.Layout) {
		r := env.NewRand(1)
		for _, k := range Kinds() {
			greedy := k.New(l, k.Defaults).Greedy()
			for range 200 {
				s := l.Game().DrawStart(&r)
				if got, want := greedy.RollChance(s) == 1, s.TurnTotal == 0; got != want {
					t.Errorf("%s: Greedy() of a new agent rolls in %+v: %t, want %t", k.Name, s, got, want)
				}
			}
		}
	})
}

// TestDeterminism checks that the seed decides everything that is learned.
func TestDeterminism(t *testing.T) {
	l := pigLayout(2, 20)
	for _, k := range Kinds() {
		train := func(seed uint64) (*policies.Table, []float32) {
			agent := k.New(l, k.Defaults)
			m := env.NewMatch(l.Game(), env.MatchOptions{StepLimit: 1000})
			m.Reset(seed)
			for range 2000 {
				agent.Episode(m)
			}
			return agent.Greedy(), valuesOf(agent).q
		}
		table, q := train(1)
		again, sameQ := train(1)
		other, otherQ := train(2)
		if !reflect.DeepEqual(table, again) || !slices.Equal(q, sameQ) {
			t.Errorf("%s learns two different policies from one seed", k.Name)
		}
		if reflect.DeepEqual(table, other) || slices.Equal(q, otherQ) {
			t.Errorf("%s learns the same policy from different seeds", k.Name)
		}
	}
}

func TestEpisodeAllocatesNothing(t *testing.T) {
	for _, k := range Kinds() {
		for _, players := range []int{2, 3} {
			l := pigLayout(players, 20)
			agent, m := k.New(l, k.Defaults), env.NewMatch(l.Game(), env.MatchOptions{StepLimit: 1000})
			m.Reset(1)
			for range 1000 { // an agent may keep what its longest episode took
				agent.Episode(m)
			}
			if n := testing.AllocsPerRun(1000, func() { agent.Episode(m) }); n != 0 {
				t.Errorf("%s, %d players: Episode allocates %v times, want 0", k.Name, players, n)
			}
		}
	}
}
