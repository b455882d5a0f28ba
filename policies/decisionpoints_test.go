package policies_test

import (
	"errors"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// TestDecisionPoints compares the decision points of small games with all combinations
// of columns that the rules let a player choose in.
func TestDecisionPoints(t *testing.T) {
	racedetector.Skip(t)
	for _, c := range []env.Config{
		{Variant: "pig", Players: 1, Target: 7}, {Variant: "pig", Target: 6}, {Variant: "pig", Players: 4, Target: 4}, {Variant: "cochon"},
		{Variant: "pig-last-round", Target: 3}, {Variant: "pig-last-round", Players: 3, Target: 2},
	} {
		g := env.Must(env.New(c))
		width, last := g.Target(), 0
		if g.Variant().Ending == env.AfterRound {
			width, last = g.Target()+policies.BeyondTarget, g.Players()-1
		}
		var want [][]int16
		row := make([]int16, g.NumColumns())
		var fill func(column int)
		fill = func(column int) {
			if column == g.Players()+1 {
				if s, err := g.StateOf(row); err == nil && g.Legal(s) == env.HoldOrRoll {
					want = append(want, slices.Clone(row))
				}
				return
			}
			scores := width
			switch {
			case column == 1:
				scores -= int(row[0])
			case last > 1 && column == 0:
				scores = g.Target() + 1 // beyond it no state is valid, which two players show
			}
			for score := range scores {
				row[column] = int16(score)
				fill(column + 1)
			}
		}
		for after := range last + 1 {
			if last > 0 {
				row[g.Players()+1] = int16(after)
			}
			fill(0)
		}
		d, err := policies.NewDecisionPoints(g)
		if err != nil || d.Len() != len(want) {
			t.Fatalf("%v: %d decision points, %v, want %d", g, d.Len(), err, len(want))
		}
		for i, w := range want {
			if got := d.Observation([]int16{9}, i); got[0] != 9 || !slices.Equal(got[1:], w) {
				t.Fatalf("%v: decision point %d is %v, want %v", g, i, got, w)
			}
		}
	}
}

// TestDecisionPointsCounts checks numbers of decision points, the first and the last.
func TestDecisionPointsCounts(t *testing.T) {
	for _, test := range []struct {
		config env.Config
		want   int
		last   []int16
	}{
		{env.Config{Variant: "pig"}, 495_000, []int16{98, 1, 99}},
		{env.Config{Variant: "pig", Players: 3}, 49_500_000, []int16{98, 1, 99, 99}},
		{env.Config{Variant: "pig", Target: 2}, 2, []int16{0, 1, 1}},
		{env.Config{Variant: "pig-last-round"}, 9_950 * (150 + 100), []int16{99, 50, 99, 1}},
	} {
		g := env.Must(env.New(test.config))
		d, err := policies.NewDecisionPoints(g)
		if err != nil || d.Len() != test.want {
			t.Errorf("%v: %d decision points, %v, want %d", g, d.Len(), err, test.want)
			continue
		}
		if got := d.Observation(nil, d.Len()-1); !slices.Equal(got, test.last) {
			t.Errorf("%v: the last decision point is %v, want %v", g, got, test.last)
		}
	}
	if _, err := policies.NewDecisionPoints(env.Must(env.New(env.Config{Players: 10}))); !errors.Is(err, policies.ErrStateIndex) {
		t.Errorf("ten players: %v, want ErrStateIndex", err)
	}
}
