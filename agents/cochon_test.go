package agents

import (
	"fmt"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// TestCochonControl trains on the game in which rolling is never wrong: where
// an agent has tried both actions often enough to tell, it rolls. Q-learning
// with its default settings ends at exactly always-roll. With -long it has more
// players, and tries.
func TestCochonControl(t *testing.T) {
	racedetector.Skip(t)
	average := Settings{"step-size": "1/n", "step-size-floor": "0", "epsilon": "0.5", "starts": "exploring"}
	type control struct {
		name     string
		recipe   Recipe
		settings Settings
		players  int
		steps    int64
		tried    uint16 // times that each action was tried
		states   int    // that were, at least
	}
	for _, test := range sized([]control{
		{"qlearning", qLearningTextbook, nil, 2, 1_000_000, 50, 150},
		{"qlearning", qLearningTextbook, average, 3, 2_000_000, 300, 40},
		{"montecarlo", monteCarloTextbook, average, 2, 5_000_000, 2_500, 15},
	}, []control{
		{"qlearning", qLearningTextbook, nil, 2, 3_000_000, 1, 450},
		{"qlearning", qLearningTextbook, average, 3, 10_000_000, 300, 400},
		{"qlearning", qLearningTextbook, average, 4, 20_000_000, 300, 500},
		{"montecarlo", monteCarloTextbook, average, 2, 60_000_000, 10_000, 80},
	}) {
		t.Run(fmt.Sprintf("%s, %d players", test.name, test.players), func(t *testing.T) {
			t.Parallel()
			g := env.Must(env.New(env.Config{Variant: "cochon", Players: test.players}))
			index, err := policies.NewStateIndex(g, policies.FullAbstraction)
			if err != nil {
				t.Fatal(err)
			}
			v := valuesOf(learn(test.recipe, index, test.settings, test.steps))
			states := 0
			for i := range index.Size() {
				n := min(v.updates[2*i], v.updates[2*i+1]) // 0 where a turn begins
				if n < test.tried {
					continue
				}
				states++
				if !v.rolls(i) {
					t.Errorf("entry %d: holding is estimated at %v and rolling at %v after %d tries, want rolling above", i, v.q[2*i], v.q[2*i+1], n)
				}
			}
			if states < test.states {
				t.Errorf("both actions were tried %d times in %d states, want %d", test.tried, states, test.states)
			}
		})
	}
}

// TestCochonDefaults has the default recipes learn the game in which rolling is
// never wrong: they end at always-roll, but for states in which rolling is
// hardly better.
func TestCochonDefaults(t *testing.T) {
	racedetector.Skip(t)
	g := game("cochon", 2, 10)
	index, perfect := indexOf(g, policies.FullAbstraction), perfectPlay(t, g)
	for _, test := range []struct {
		recipe   Recipe
		settings Settings
		steps    int64
		most     int // states in which it holds
	}{
		{curriculumRecipe, nil, sized[int64](2_000_000, 5_000_000), 5},
		{curriculumRecipe, Settings{"update": "expected"}, 1_000_000, 0},
		{roundsRecipe, nil, sized[int64](5_000_000, 30_000_000), 0},
	} {
		greedy := learn(test.recipe, index, test.settings, test.steps).Greedy()
		holds := 0
		for i := range index.Size() {
			if !greedy.Rolls(i) {
				holds++
			}
		}
		if win := compare(t, greedy, perfect).WinMean(); holds > test.most || win < 0.4999 {
			t.Errorf("%s, %v: Greedy() holds in %d of %d states and wins %.5f, want %d at most, 0.4999 or more", test.recipe.Name, test.settings, holds, index.Size(), win, test.most)
		}
	}
}
