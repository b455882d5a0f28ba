package policies_test

import (
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestReach compares the reach of small games with the states that a search of all
// sequences of actions and rolls comes to.
func TestReach(t *testing.T) {
	for _, v := range env.Variants() {
		g := env.Must(env.New(env.Config{Variant: v.ID, Target: max(v.Target.Min, min(v.Target.Max, 12))}))
		beyond := g.Target()
		if v.Ending == env.AfterRound {
			beyond += policies.BeyondTarget
		}
		type key [4]int16
		want := make(map[key]bool)
		seen := make(map[env.State]bool)
		queue := []env.State{g.Start(0)}
		for len(queue) > 0 {
			s := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			if seen[s] || s.Over || int(s.Scores[s.Seat]+s.TurnTotal) >= beyond {
				continue
			}
			seen[s] = true
			if g.Legal(s) == env.HoldOrRoll {
				var k key
				copy(k[:], g.Observe(nil, s, int(s.Seat)))
				want[k] = true
				queue = append(queue, g.AfterHold(s))
			}
			for _, o := range g.Outcomes(s) {
				queue = append(queue, g.AfterRoll(s, o.Outcome))
			}
		}
		points, err := policies.NewDecisionPoints(g)
		if err != nil {
			t.Fatal(err)
		}
		reach := policies.NewReach(g)
		var o []int16
		for i := range points.Len() {
			o = points.Observation(o[:0], i)
			var k key
			copy(k[:], o)
			if reach.Decides(o) != want[k] {
				t.Errorf("%v: %v reached: %t, want %t", g, o, reach.Decides(o), want[k])
			}
		}
	}
}

// TestComesTo compares the states that a policy comes to in a turn with those that a search
// of all rolls in the game itself comes to.
func TestComesTo(t *testing.T) {
	for _, v := range env.Variants() {
		g := env.Must(env.New(env.Config{Variant: v.ID, Target: max(v.Target.Min, min(v.Target.Max, 12))}))
		p := named(t, "hold-3", g)
		points, err := policies.NewDecisionPoints(g)
		if err != nil {
			t.Fatal(err)
		}
		met := 0
		for i := range points.Len() {
			o := points.Observation(nil, i)
			total := o[1]
			var s, start env.State
			if err := g.ReadState(o, &s); err != nil {
				t.Fatal(err)
			}
			o[1] = 0
			if err := g.ReadState(o, &start); err != nil {
				t.Fatal(err)
			}
			want := false
			type place struct {
				total int16
				must  bool
			}
			seen := make(map[place]bool)
			for queue := []env.State{start}; len(queue) > 0 && !want; {
				at := queue[len(queue)-1]
				queue = queue[:len(queue)-1]
				if seen[place{at.TurnTotal, at.MustRoll}] {
					continue
				}
				seen[place{at.TurnTotal, at.MustRoll}] = true
				choice := g.Legal(at) == env.HoldOrRoll
				want = choice && at.TurnTotal == total
				if at.TurnTotal >= total || choice && p.RollChance(at) == 0 {
					continue
				}
				for _, o := range g.Outcomes(at) {
					if next := g.AfterRoll(at, o.Outcome); next.Seat == at.Seat && !next.Over && next.TurnTotal > at.TurnTotal {
						queue = append(queue, next)
					}
				}
			}
			if got := policies.ComesTo(g, p, s); got != want {
				t.Errorf("%v: comes to %+v: %t, want %t", g, s, got, want)
			}
			if want {
				met++
			}
		}
		if met == 0 || met == points.Len() {
			t.Errorf("%v: comes to %d of %d decision points", g, met, points.Len())
		}
	}
}
