package agents

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
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
		var recipes []string
		for _, r := range k.Recipes {
			if r.Name == "" || r.Doc == "" || slices.Contains(recipes, r.Name) {
				t.Errorf("%s has the recipe %q with doc %q, want unique names and docs", k.Name, r.Name, r.Doc)
			}
			recipes = append(recipes, r.Name)
		}
		if slices.Contains(recipes, Textbook) {
			if last := k.Recipes[len(k.Recipes)-1]; last.Name != Textbook || last.MaxPlayers != env.MaxPlayers {
				t.Errorf("the recipes of %s end with %s for up to %d players, want %s for %d", k.Name, last.Name, last.MaxPlayers, Textbook, env.MaxPlayers)
			}
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
		{"qlearing", `agents: unknown agent "qlearing"; ` + all},
		{"monte-carlo", `agents: unknown agent "monte-carlo"; ` + all},
		{"QLearning", `agents: unknown agent "QLearning"; ` + all},
		{"x", `agents: unknown agent "x"; ` + all},
		{"", `agents: unknown agent ""; ` + all},
	} {
		k, err := Lookup(test.name)
		if k.Name != "" || !errors.Is(err, ErrUnknown) || err.Error() != test.text {
			t.Errorf("Lookup(%q) = %+v, %v, want error %s", test.name, k, err, test.text)
		}
	}
}

// TestRecipeLookup looks up recipes by name and by what suits a game.
func TestRecipeLookup(t *testing.T) {
	for _, test := range []struct {
		kind, name string
		players    int
		want, text string // one of them
	}{
		{"qlearning", "", 1, "curriculum", ""},
		{"qlearning", "", 2, "curriculum", ""},
		{"qlearning", "", 3, "curriculum", ""},
		{"qlearning", "", 10, "curriculum", ""},
		{"qlearning", "curriculum", 2, "curriculum", ""},
		{"qlearning", "textbook", 1, "textbook", ""},
		{"montecarlo", "", 1, "rounds", ""},
		{"montecarlo", "", 2, "rounds", ""},
		{"montecarlo", "", 3, "textbook", ""},
		{"montecarlo", "rounds", 1, "rounds", ""},
		{"montecarlo", "textbook", 2, "textbook", ""},
		{"dyna", "", 2, "sweeps", ""},
		{"dyna", "", 3, "", "agents: no such recipe for pig, 3 players, target 100: dyna is for up to 2 players"},
		{"qlearning", "curriculum", 3, "curriculum", ""},
		{"montecarlo", "rounds", 4, "", "agents: no such recipe for pig, 4 players, target 100: rounds of montecarlo is for up to 2 players"},
		{"qlearning", "curiculum", 2, "", `agents: no such recipe "curiculum"; those of qlearning are curriculum, textbook`},
		{"montecarlo", "Textbook", 3, "", `agents: no such recipe "Textbook"; those of montecarlo are rounds, textbook`},
		{"qlearning", "rounds", 2, "", `agents: no such recipe "rounds"; it is one of montecarlo; those of qlearning are curriculum, textbook`},
	} {
		k, err := Lookup(test.kind)
		if err != nil {
			t.Fatal(err)
		}
		r, err := k.Recipe(test.name, game("pig", test.players, 100))
		if test.text == "" && (err != nil || r.Name != test.want) {
			t.Errorf("Recipe(%q) of %s for %d players = %s, %v, want %s", test.name, test.kind, test.players, r.Name, err, test.want)
		}
		if test.text != "" && (r.Name != "" || !errors.Is(err, ErrRecipe) || err.Error() != test.text) {
			t.Errorf("Recipe(%q) of %s for %d players = %s, %v, want error %s", test.name, test.kind, test.players, r.Name, err, test.text)
		}
	}
}

// TestBytesPerEntry adds up the slices of an agent that has learned which grow
// with its index.
func TestBytesPerEntry(t *testing.T) {
	racedetector.Skip(t)
	index := pigIndex(2, 100)
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		for _, workers := range []int{1, 2, 5} {
			agent := newAgent(r, Config{Index: index, Seed: 1, StepLimit: 1000})
			for range 3 {
				agent.Learn(workers)
			}
			var bytes uintptr
			seen := make(map[uintptr]bool)
			var add func(v reflect.Value)
			add = func(v reflect.Value) {
				switch v.Kind() {
				case reflect.Pointer, reflect.Interface:
					if v.IsNil() || v.Type() == reflect.TypeFor[*policies.Table]() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
						return // the table takes a bit
					}
					if v.Kind() == reflect.Pointer {
						seen[v.Pointer()] = true
					}
					add(v.Elem())
				case reflect.Struct:
					for i := range v.NumField() {
						add(v.Field(i))
					}
				case reflect.Slice:
					if v.Cap() >= index.Size() && !seen[v.Pointer()] {
						seen[v.Pointer()] = true
						bytes += uintptr(v.Cap()) * v.Type().Elem().Size()
					}
					if k := v.Type().Elem().Kind(); k == reflect.Pointer || k == reflect.Struct {
						for i := range v.Len() {
							add(v.Index(i))
						}
					}
				}
			}
			add(reflect.ValueOf(agent))
			// A part of a byte counts as a whole one.
			if want := uintptr(r.BytesPerEntry(r.Defaults(index.Game()), workers) * index.Size()); bytes > want || bytes+uintptr(index.Size()) < want {
				t.Errorf("after Learn(%d) it takes %d bytes for %d entries, want %d for each: %d", workers, bytes, index.Size(), r.BytesPerEntry(r.Defaults(index.Game()), workers), want)
			}
		}
	})
}

// TestUntrained checks that an agent that has learned nothing rolls where it
// must and holds elsewhere; where holding loses the game, which nobody has to
// learn, it may do either.
func TestUntrained(t *testing.T) {
	forEachSmallGame(t, func(t *testing.T, index policies.StateIndex) {
		forEachRecipe(t, func(t *testing.T, r Recipe) {
			if index.Game().Players() > r.MaxPlayers {
				return
			}
			agent := newAgent(r, Config{Index: index, Seed: 1})
			greedy, metrics := agent.Greedy(), agent.Metrics()
			if greedy.Index() != index {
				t.Errorf("Greedy().Index() = %+v, want %+v", greedy.Index(), index)
			}
			for i, s := range index.All() {
				loses := s.TurnTotal > 0 && index.Game().Return(index.Game().AfterHold(s), 0) < 0
				if got, want := greedy.Rolls(i), s.TurnTotal == 0; got != want && !loses {
					t.Fatalf("Greedy() of a new agent rolls in %+v: %t, want %t", s, got, want)
				}
			}
			if want := (Metrics{Epsilon: startEpsilon(r, index.Game())}); metrics != want {
				t.Errorf("Metrics() of a new agent = %+v, want %+v", metrics, want)
			}
		})
	})
}

// startEpsilon returns the chance of exploring with which r begins to learn g by
// default.
func startEpsilon(r Recipe, g env.Game) float64 {
	if _, ok := r.Setting("epsilon"); !ok {
		return 0
	}
	return r.Defaults(g).Epsilon().At(0)
}

// A course is a game to learn, and a number of calls of Learn in which every
// recipe comes past the end of a pass or a round.
type course struct {
	index policies.StateIndex
	calls int
}

// courses returns some for a recipe.
func courses(r Recipe) (all []course) {
	quick := []env.Game{game("pig", 2, 12), game("pig-last-round", 2, 2), game("pig", 3, 6)}
	for _, g := range sized(quick, append(quick, game("pig", 1, 12), game("pig-snake-eyes", 2, 6))) {
		if g.Players() > r.MaxPlayers {
			continue
		}
		c := course{indexOf(g, policies.FullAbstraction), 60} // a first round takes 50
		if r.Name == Textbook {
			c.calls = 3000
		}
		all = append(all, c)
	}
	return all
}

// outcome is all that an agent comes to.
type outcome struct {
	played  Played
	metrics Metrics
	state   []byte
	greedy  *policies.Table
	values  []uint32 // the bits of the estimates
}

func (o outcome) equal(p outcome) bool {
	return slices.Equal(o.values, p.values) && o.played == p.played && o.metrics == p.metrics && bytes.Equal(o.state, p.state) && reflect.DeepEqual(o.greedy, p.greedy)
}

// follow has an agent learn, with the number of workers that each call is told.
func follow(t *testing.T, a Agent, calls int, workers func(call int) int) (o outcome) {
	t.Helper()
	for call := range calls {
		o.played = o.played.add(a.Learn(workers(call)))
	}
	o.metrics, o.state, o.greedy, o.values = a.Metrics(), savedState(t, a), a.Greedy(), estimatedBits(a)
	return o
}

// estimatedBits returns the bits of the estimates of a, so that two of them that are NaN
// are equal.
func estimatedBits(a Agent) (bits []uint32) {
	v := a.(Estimator).Estimates()
	index := v.Index()
	for i := range index.Size() {
		hold, roll := v.At(i)
		bits = append(bits, math.Float32bits(hold), math.Float32bits(roll))
	}
	return bits
}

func always(workers int) func(int) int { return func(int) int { return workers } }

func changing(call int) int { return []int{5, 1, 2, 3, 1}[call%5] }

// TestDeterminism checks that the seed decides everything that is learned, and
// the number of workers nothing.
func TestDeterminism(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		t.Parallel()
		for _, c := range courses(r) {
			train := func(seed uint64, workers func(call int) int) outcome {
				return follow(t, newAgent(r, Config{Index: c.index, Seed: seed, StepLimit: 1000}), c.calls, workers)
			}
			g := c.index.Game()
			one := train(1, always(1))
			counts := map[string]func(call int) int{"1": always(1), "changing": changing}
			if *long {
				counts["2"], counts["5"] = always(2), always(5)
			}
			for name, workers := range counts {
				if o := train(1, workers); !o.equal(one) {
					t.Errorf("%v: with %s workers Learn comes to something else than with 1", g, name)
				}
			}
			if other := train(2, always(1)); bytes.Equal(other.state, one.state) {
				t.Errorf("%v: Learn comes to the same from different seeds", g)
			}
		}
	})
}

// TestSeedsDiffer checks that different seeds lead to different policies, as
// long as these are not perfect.
func TestSeedsDiffer(t *testing.T) {
	racedetector.Skip(t)
	index := pigIndex(2, 30)
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		greedy := func(seed uint64) *policies.Table {
			a := newAgent(r, Config{Index: index, Seed: seed, StepLimit: 1000})
			until := int64(300_000)
			if steps := r.Steps(index.Game(), r.Defaults(index.Game()), index.Size()); steps < leastSteps {
				until = steps / 10_000 // more would be perfect
			}
			for steps := int64(0); steps < until; {
				steps += a.Learn(1).Steps
			}
			return a.Greedy()
		}
		if reflect.DeepEqual(greedy(1), greedy(2)) {
			t.Error("Learn comes to the same policy from different seeds")
		}
	})
}

// TestLookingChangesNothing checks that Greedy, Metrics, Estimates and snapshots do not
// change what is learned.
func TestLookingChangesNothing(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		t.Parallel()
		for _, c := range courses(r) {
			seen := newAgent(r, Config{Index: c.index, Seed: 1, StepLimit: 1000})
			unseen := newAgent(r, Config{Index: c.index, Seed: 1, StepLimit: 1000})
			want := follow(t, unseen, c.calls, always(2))
			var last outcome
			for call := range c.calls {
				played := seen.Learn(2)
				last.played = last.played.add(played)
				if r.Name != Textbook || call%100 == 0 {
					last.metrics, last.greedy, last.values = seen.Metrics(), seen.Greedy(), estimatedBits(seen)
					if again := seen.Greedy(); !reflect.DeepEqual(again, last.greedy) || seen.Metrics() != last.metrics || !slices.Equal(estimatedBits(seen), last.values) {
						t.Fatalf("%v: Greedy, Metrics or Estimates differs from itself after call %d of Learn", c.index.Game(), call)
					}
					savedState(t, seen)
				}
			}
			last.metrics, last.state, last.greedy, last.values = seen.Metrics(), savedState(t, seen), seen.Greedy(), estimatedBits(seen)
			if !last.equal(want) {
				t.Errorf("%v: an agent that is looked at comes to something else", c.index.Game())
			}
		}
	})
}

// TestLearnAllocatesLittle bounds the allocations of a call of Learn, whatever
// the number of its episodes. A new policy at the end of a round is apart.
func TestLearnAllocatesLittle(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		for players := 1; players <= min(3, r.MaxPlayers); players++ {
			agent := newAgent(r, Config{Index: pigIndex(players, 20), Seed: 1, StepLimit: 1000})
			// An agent may keep what its longest episode took.
			episodes := int64(0)
			for range 20 {
				episodes += agent.Learn(2).Episodes
			}
			for episodes < 2000 {
				episodes += agent.Learn(2).Episodes
			}
			episodes = 0
			n := testing.AllocsPerRun(15, func() { episodes += agent.Learn(2).Episodes })
			most := 0.0
			if episodes/16 >= 16 {
				most = 40 // for lists of jobs and goroutines
			}
			if n > most {
				t.Errorf("%d players: Learn allocates %v times for %d episodes, want %v at most", players, n, episodes/16, most)
			}
		}
	})
}

// TestStepLimit checks that the limit cuts episodes off.
func TestStepLimit(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, r Recipe) {
		for _, limit := range []int{1, 2, 7} {
			agent := newAgent(r, Config{Index: pigIndex(2, 12), Seed: 1, StepLimit: limit})
			o := follow(t, agent, 60, always(2))
			if o.played.Episodes == 0 || o.played.Steps > int64(limit)*o.played.Episodes {
				t.Errorf("with step limit %d Learn plays %+v", limit, o.played)
			}
		}
	})
}

// TestMetricsByHand takes the means of estimates by hand.
func TestMetricsByHand(t *testing.T) {
	weight := func(n uint16) float64 { return 1 / float64(n) }
	for _, test := range []struct {
		counts []uint16
		want   Metrics
	}{
		{[]uint16{0, 0, 0}, Metrics{}},
		{[]uint16{0, 2, 0, 4}, Metrics{StepSize: 0.375, Coverage: 0.5}},
		{[]uint16{1, 1}, Metrics{StepSize: 1, Coverage: 1}},
	} {
		if got := metrics(test.counts, weight); got != test.want {
			t.Errorf("metrics(%v) = %+v, want %+v", test.counts, got, test.want)
		}
	}
}
