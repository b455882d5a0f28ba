package policies_test

import (
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

func pointsOf(t *testing.T, g env.Game) *policies.DecisionPoints {
	t.Helper()
	points, err := policies.NewDecisionPoints(g)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

// TestDecisions has a policy that rolls or holds by chance give away half of what the
// worse action costs: in piglet to 2, holding at 0, 0, 1 costs 4/35 (see
// TestAdvisePiglet).
func TestDecisions(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "piglet", Target: 2}))
	v := valuer(t, g, nil)
	var got []policies.Decision
	for d := range policies.Decisions(pointsOf(t, g), named(t, "random", g), v) {
		got = append(got, d.Clone())
	}
	// The only decision points are a turn total of 1 with 0 banked.
	want := [][]int16{{0, 1, 0}, {0, 1, 1}}
	if len(got) != len(want) {
		t.Fatalf("%d decision points, want %d", len(got), len(want))
	}
	for i, d := range got {
		if !slices.Equal(d.Observation, want[i]) || d.RollChance != 0.5 || d.Action() != env.Roll {
			t.Errorf("decision %d: %+v", i, d)
		}
	}
	if loss := got[0].Loss; math.Abs(loss-4.0/35/2) > 1e-12 {
		t.Errorf("rolling or holding at random gives away %v at 0, 0, 1, want 2/35", loss)
	}
}

func TestDifferences(t *testing.T) {
	g := env.Must(env.New(env.Config{Target: 30}))
	v, points := valuer(t, g, nil), pointsOf(t, g)
	list, err := policies.Differences(points, named(t, "hold-20", g), v, v, policies.DifferenceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("hold-20 is perfect")
	}
	for i, d := range list {
		if d.Other == d.RollChance || d.Loss < 0 || i > 0 && d.Loss > list[i-1].Loss {
			t.Errorf("difference %d: %+v", i, d)
		}
		if i == 0 && math.Abs(d.Loss-math.Abs(d.Hold-d.Roll)) > 1e-15 {
			t.Errorf("the loss of %+v is not what the actions differ by", d)
		}
	}
	few, err := policies.Differences(points, named(t, "hold-20", g), v, v, policies.DifferenceOptions{Most: 3})
	if err != nil || len(few) != 3 || few[2].Loss != list[2].Loss {
		t.Errorf("the costliest three: %+v, %v", few, err)
	}
	none, err := policies.Differences(points, v, v, v, policies.DifferenceOptions{})
	if err != nil || len(none) != 0 {
		t.Errorf("perfect play differs from itself in %d states: %v", len(none), err)
	}
}
