package policies_test

import (
	"errors"
	"math"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/internal/policytest"
)

// valued returns perfect play of g with its values, each changed by change, as a table with
// estimates.
func valued(t *testing.T, g env.Game, change func(i int, hold, roll float64) (float64, float64)) policies.ValuedTable {
	t.Helper()
	perfect := valuer(t, g, nil)
	index := policytest.Index(t, g, policies.FullAbstraction)
	table, err := policies.TableOf(t.Context(), index, perfect, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := policies.NewValues(index)
	for i, s := range index.All() {
		if g.Validate(s) == nil {
			hold, roll := perfect.Values(s)
			hold, roll = change(i, hold, roll)
			v.Set(i, float32(hold), float32(roll))
		}
	}
	return policies.ValuedTable{Table: table, Estimates: v}
}

func unchanged(_ int, hold, roll float64) (float64, float64) { return hold, roll }

// TestValuedTable checks that a table with the values of perfect play tells those in every
// state, in whatever seat the mover sits, and has the decisions of the table.
func TestValuedTable(t *testing.T) {
	for _, g := range []env.Game{pig(1, 12), pig(2, 12), game("pig-last-round", 2, 4)} {
		perfect, v := valuer(t, g, nil), valued(t, g, unchanged)
		var p policies.Policy = v
		if _, ok := p.(env.ThresholdPlayer); !ok {
			t.Error("a table with values plays slower than one without")
		}
		index := v.Index()
		for _, s := range index.All() {
			if g.Validate(s) != nil {
				continue
			}
			for seat := range g.Players() {
				s := seated(g, s, seat)
				hold, roll := v.Values(s)
				wantHold, wantRoll := perfect.Values(s)
				if same := math.IsNaN(hold) && math.IsNaN(wantHold) || near(hold, wantHold, 1e-6); !same || !near(roll, wantRoll, 1e-6) {
					t.Fatalf("%v: Values(%+v) = %v, %v, want %v, %v", g, s, hold, roll, wantHold, wantRoll)
				}
				if s.TurnTotal > 0 && p.RollChance(s) != perfect.RollChance(s) {
					t.Fatalf("%v: RollChance(%+v) = %v, want %v", g, s, p.RollChance(s), perfect.RollChance(s))
				}
			}
		}
	}
	if n := policytest.Valued(policytest.Index(t, pig(2, 5), policies.FullAbstraction)).Known(); n != 75-19 {
		t.Errorf("%d of 75 entries have a value of rolling, want all but every fourth", n)
	}
	_, err := policies.Simulate(t.Context(), pig(2, 13), valued(t, pig(2, 12), unchanged), named(t, "hold-5", pig(2, 13)), policies.SimulateOptions{Games: 2, Workers: 1})
	if !errors.Is(err, policies.ErrGame) {
		t.Errorf("Simulate with a table of another game: %v, want %v", err, policies.ErrGame)
	}
}

// TestFilePolicy checks that a file with values gives a policy that tells them.
func TestFilePolicy(t *testing.T) {
	d := newFolder(t)
	v := valued(t, pig(2, 8), unchanged)
	d.save(d.join("valued.msgpack"), policies.File{Table: v.Table, Values: v.Estimates})
	d.save(d.join("plain.msgpack"), policies.File{Table: v.Table})
	for name, want := range map[string]bool{"valued.msgpack": true, "plain.msgpack": false} {
		p, err := policies.Find(t.Context(), d.join(name), pig(2, 8), exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := p.(policies.Valuer); ok != want {
			t.Errorf("the policy of %s tells values: %t, want %t", name, ok, want)
		}
	}
}

// TestValueError checks the error of estimates that are wrong by known amounts where a turn
// begins, and by others elsewhere.
func TestValueError(t *testing.T) {
	errorOf := func(v policies.ValuedTable) *policies.ValueError {
		t.Helper()
		e, err := policies.ValueErrorOf(t.Context(), v, exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, g := range []env.Game{pig(1, 12), pig(2, 12), game("pig-last-round", 2, 4), game("cochon", 2, 10)} {
		if e := errorOf(valued(t, g, unchanged)); !(e.Max < 1e-6) {
			t.Errorf("%v: exact values miss by %+v", g, *e)
		}
		// No roll of pig leads to a banked score of 1, which decides nothing.
		n, highest := 0, math.MaxInt
		if g.Variant().Ending == env.AfterRound {
			highest = g.Target() + policies.BeyondTarget - 1 // which stands for all higher ones
		}
		starts := make(map[int]bool)
		index := policytest.Index(t, g, policies.FullAbstraction)
		reach := policies.NewReach(g)
		for i, s := range index.Turns() {
			if starts[i] = reach.Banked(s.Scores[:g.Players()]...); starts[i] && g.Validate(s) == nil && int(s.Scores[1]) < highest {
				n++
			}
		}
		changed := 0
		e := errorOf(valued(t, g, func(i int, hold, roll float64) (float64, float64) {
			switch {
			case !starts[i]:
				return hold + 7, roll - 7
			case changed == 0:
				roll += 0.5
			case changed == 1:
				roll -= 0.25
			case changed == 2:
				roll, n = math.NaN(), n-1
			}
			changed++
			return hold, roll
		}))
		if want := 0.75 / float64(n); !near(e.Mean, want, 1e-6) || !near(e.Max, 0.5, 1e-6) {
			t.Errorf("%v: values of %d states miss by %+v, want %v in the mean, 0.5 at most", g, n, *e, want)
		}
	}
	v := valued(t, pig(2, 12), unchanged)
	v.Estimates = policies.NewValues(v.Index())
	if e := errorOf(v); e != nil {
		t.Errorf("no values miss by %+v", *e)
	}
	three := policytest.Index(t, pig(3, 5), policies.FullAbstraction)
	if _, err := policies.ValueErrorOf(t.Context(), policies.ValuedTable{Table: policies.NewTable(three), Estimates: policies.NewValues(three)}, exact.Options{}); !errors.Is(err, exact.ErrPlayers) {
		t.Errorf("with three players: %v, want %v", err, exact.ErrPlayers)
	}
	for _, infinite := range []float32{float32(math.Inf(1)), float32(math.Inf(-1))} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Set takes %v", infinite)
				}
			}()
			v.Estimates.Set(0, 0, infinite)
		}()
	}
}
