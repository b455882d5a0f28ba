package policies_test

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/internal/policytest"
)

// checkRolls checks every entry of a table.
func checkRolls(t *testing.T, what string, table *policies.Table, rolls func(i int) bool) {
	t.Helper()
	index := table.Index()
	for i := range index.Size() {
		if got := table.Rolls(i); got != rolls(i) {
			t.Fatalf("%s: Rolls(%d) = %t, want %t", what, i, got, !got)
		}
	}
}

// TestTable sets every entry of a table alone, which must leave all others.
func TestTable(t *testing.T) {
	index := policytest.Index(t, pig(2, 3), policies.FullAbstraction)
	table := policies.NewTable(index)
	if table.Index() != index {
		t.Errorf("Index() = %v, want %v", table.Index(), index)
	}
	checkRolls(t, "a new table", table, func(int) bool { return false })
	for set := range index.Size() {
		table.Set(set, true)
		table.Set(set, true)
		checkRolls(t, "one set", table, func(i int) bool { return i == set })
		table.Set(set, false)
		table.Set(set, false)
		checkRolls(t, "none set", table, func(int) bool { return false })
	}
	for i := range index.Size() {
		table.Set(i, true)
	}
	for cleared := range index.Size() {
		table.Set(cleared, false)
		checkRolls(t, "one cleared", table, func(i int) bool { return i != cleared })
		table.Set(cleared, true)
	}
}

// TestTableRollChance compares a table that copies hold-3 in every state with
// hold-3.
func TestTableRollChance(t *testing.T) {
	g := pig(3, 6)
	want := named(t, "hold-3", g)
	for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
		index := policytest.Index(t, g, abstraction)
		table := policies.NewTable(index)
		allStates(g, func(s env.State) { table.Set(index.Of(&s), want.RollChance(s) == 1) })
		allStates(g, func(s env.State) {
			for shift := range g.Players() {
				s := seated(g, s, shift)
				if got := table.RollChance(s); got != want.RollChance(s) {
					t.Fatalf("%s states: RollChance(%+v) = %v, want %v", abstraction, s, got, want.RollChance(s))
				}
			}
		})
	}
}

// TestTableChances compares a table of chances, set in any order and set again, with a
// slice of them, by every method that tells chances.
func TestTableChances(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range []env.Game{pig(2, 6), game("pig-last-round", 2, 3)} {
		index := policytest.Index(t, g, policies.FullAbstraction)
		table, want := policies.NewTable(index), make([]float64, index.Size())
		r := env.NewRand(7)
		for range 3 * index.Size() {
			i, chance := int(r.Below(uint32(index.Size()))), float64(r.Below(9))/8
			if want[i] = chance; r.Below(3) == 0 {
				want[i] = float64(r.Below(2))
				table.Set(i, want[i] == 1)
			} else {
				table.SetChance(i, chance)
			}
		}
		clone := table.Clone()
		mixed, chances := 0, make([]float64, index.Width())
		for i, s := range index.All() {
			if want[i] != 0 && want[i] != 1 {
				mixed++
			}
			if got, rolls := table.Chance(i), table.Rolls(i); got != want[i] || rolls != (want[i] >= 0.5) || table.RollChance(s) != want[i] {
				t.Fatalf("%v: entry %d has chance %v and rolls: %t, want %v", g, i, got, rolls, want[i])
			}
			start, last := index.Turn(&s)
			turn := want[start+1 : last+1]
			if s.TurnTotal == 1 {
				table.RollChances(s, chances[:len(turn)])
				if !slices.Equal(chances[:len(turn)], turn) {
					t.Fatalf("%v: RollChances(%+v) = %v, want %v", g, s, chances[:len(turn)], turn)
				}
			}
			at, ok := table.HoldsAt(&s)
			k := slices.Index(turn, 0)
			if k < 0 {
				k = len(turn)
			}
			threshold := !slices.ContainsFunc(turn[:k], func(c float64) bool { return c < 1 }) && !slices.ContainsFunc(turn[k:], func(c float64) bool { return c > 0 })
			switch {
			case ok != threshold:
				t.Fatalf("%v: HoldsAt(%+v) says it has a threshold: %t; chances are %v", g, s, ok, turn)
			case ok && at != k+1 && !(k == len(turn) && at > k):
				t.Fatalf("%v: HoldsAt(%+v) = %d; chances are %v", g, s, at, turn)
			}
		}
		if table.Mixed() != mixed {
			t.Errorf("%v: Mixed() = %d, want %d", g, table.Mixed(), mixed)
		}
		for i := range index.Size() {
			table.Set(i, false)
		}
		if table.Mixed() != 0 || clone.Mixed() != mixed {
			t.Errorf("%v: %d mixed entries after all hold, %d in the clone, want 0 and %d", g, table.Mixed(), clone.Mixed(), mixed)
		}
	}
}

// TestSetChancePanics sets what is no chance.
func TestSetChancePanics(t *testing.T) {
	table := policies.NewTable(policytest.Index(t, pig(2, 3), policies.FullAbstraction))
	for _, chance := range []float64{-1e-300, 1 + 1e-15, math.NaN(), math.Inf(1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("SetChance(1, %v) does not panic", chance)
				}
			}()
			table.SetChance(1, chance)
		}()
	}
}

// TestEquilibriumAsTable makes tables of equilibria, which have their chances in every
// state, those that no game comes to included, also when they are saved and read again.
// With -long there is one with mixed decisions, whose exact figures stay the same.
func TestEquilibriumAsTable(t *testing.T) {
	racedetector.Skip(t)
	games := []env.Game{pig(3, 6), pig(4, 4), game("pig-last-round", 3, 3), game("cochon", 3, 10)}
	every := 7 // states that are compared
	if *long {
		games, every = []env.Game{pig(3, 70), game("pig-last-round", 3, 13)}, 101
	}
	for _, g := range games {
		s, err := exact.Solve(t.Context(), g, exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table, err := policies.TableOf(t.Context(), policytest.Index(t, g, policies.FullAbstraction), s, exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := policies.Read(bytes.NewReader(policytest.Bytes(t, policies.File{Table: table})))
		if err != nil {
			t.Fatal(err)
		}
		index, mixed := table.Index(), 0
		for i, state := range index.All() {
			got := f.Table.Chance(i)
			if got > 0 && got < 1 {
				mixed++
			} else if i%every != 0 {
				continue
			}
			if want := s.RollChance(state); got != want && state.TurnTotal > 0 {
				t.Fatalf("%v: the table rolls with chance %v in %+v, want %v", g, got, state, want)
			}
		}
		if (mixed > 0) != *long || (s.Mixed() > 0) != *long || f.Table.Mixed() != mixed {
			t.Errorf("%v: %d mixed entries, want %d; the equilibrium has mixed decisions in %d blocks, and with -long some", g, f.Table.Mixed(), mixed, s.Mixed())
		}
		if !exact.Evaluates(g) || s.Mixed() == 0 {
			continue
		}
		for _, other := range []policies.Policy{f.Table, named(t, "race", g)} {
			a, err := exact.Compare(t.Context(), g, s, other, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := exact.Compare(t.Context(), g, f.Table, other, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%v: the table comes to %v, want %v as of the equilibrium", g, b, a)
			}
		}
	}
}
