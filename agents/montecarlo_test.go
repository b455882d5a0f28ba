package agents

import (
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestMonteCarloByHand works updates of step size 1/2 by hand.
func TestMonteCarloByHand(t *testing.T) {
	for _, s := range []script{
		threeTurns("each decision earns what its seat does", map[cell]float32{
			{env.Roll, 0, 0, 0, 0}: 0.5,
			{env.Hold, 0, 2, 0, 0}: 0.75,
			{env.Roll, 0, 0, 2, 0}: -0.125,
			{env.Roll, 2, 0, 0, 0}: 0.25,
		}),
		{
			// Seat 0 busts; seat 1, in the same state, rolls 4 and wins.
			name: "every visit counts, the last first", players: 2, target: 4,
			faces:  []int{1, 4},
			before: map[cell]float32{{env.Roll, 0, 0, 0, 0}: 0},
			after:  map[cell]float32{{env.Roll, 0, 0, 0, 0}: -0.25}, // +1: 0.5; -1: -0.25
		},
		{
			// Seat 0 busts; seat 1 rolls 2 and holds; seat 2 rolls 6 and wins.
			name: "two of three lose by half", players: 3, target: 4,
			faces: []int{1, 2, 6},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0,
				{env.Hold, 0, 2, 0, 0}: 0.5, {env.Roll, 0, 2, 0, 0}: 0.25,
				{env.Roll, 0, 0, 0, 2}: 0,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -0.375, // seat 1's and seat 0's
				{env.Hold, 0, 2, 0, 0}: 0,
				{env.Roll, 0, 0, 0, 2}: 0.5,
			},
		},
		{
			// The player busts, rolls 2 and holds, rolls 3 and is done: three turns.
			name: "a player alone pays for each turn", players: 1, target: 4,
			faces: []int{1, 2, 3},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -2,
				{env.Hold, 0, 2, 0, 0}: -0.5, {env.Roll, 0, 2, 0, 0}: -1,
				{env.Roll, 2, 0, 0, 0}: -2,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -2.5,  // the second's return, -2, and the first's, -3
				{env.Hold, 0, 2, 0, 0}: -0.75, // halfway from -0.5 to -1
				{env.Roll, 2, 0, 0, 0}: -1.5,  // halfway from -2 to -1
			},
		},
		{
			name: "cut off, nothing is learned", players: 2, target: 4, stepLimit: 3,
			faces: []int{2, 1},
			before: map[cell]float32{
				{env.Hold, 0, 2, 0, 0}: 0.5, {env.Roll, 0, 2, 0, 0}: 0.25,
			},
		},
	} {
		t.Run(s.name, func(t *testing.T) { s.run(t, monteCarloTextbook) })
	}
}

// TestMonteCarloAgainstReference compares with Monte Carlo control as the
// textbook has it.
func TestMonteCarloAgainstReference(t *testing.T) {
	checkAgainstReference(t, monteCarloTextbook, func(r *reference, m *env.Match) {
		r.play(m, func(path []visit, terminated bool) {
			if !terminated {
				return
			}
			for k := len(path) - 1; k >= 0; k-- {
				r.update(path[k].choice, earned(path, k))
			}
		})
	})
}

// TestMonteCarloAverages checks that with step size 1/n each estimate is the
// average of the returns that followed.
func TestMonteCarloAverages(t *testing.T) {
	forEachSmallGame(t, func(t *testing.T, index policies.StateIndex) {
		s := tuning{StepSize: StepSize{Scale: 1, Power: 1}, Epsilon: Epsilon{Start: 0.3}, ExploringStarts: true}
		agent := newTextbookOf(monteCarloTextbook, index, s, 3, 40)
		mc, m := agent.learner.(*MonteCarlo), agent.match
		sum, n := make([]float64, len(mc.q)), make([]float64, len(mc.q))
		for range 5000 {
			agent.Learn(1)
			if !m.State().Over {
				continue
			}
			before := 0.0 // the end, with one player
			for _, d := range slices.Backward(mc.decided) {
				before += float64(d.reward)
				sum[d.cell] += index.Game().Return(m.State(), int(d.seat)) + before
				n[d.cell]++
			}
		}
		for c, got := range mc.q {
			if want := sum[c] / max(1, n[c]); math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("%v in state %d is estimated at %v after %v returns, want their average, %v", env.Action(c%2), c/2, got, n[c], want)
			}
		}
	})
}

// TestGreedyEpisode checks that without exploration an episode takes the
// action that is estimated as the better one, always.
func TestGreedyEpisode(t *testing.T) {
	index := pigIndex(2, 30)
	agent := newTextbookOf(monteCarloTextbook, index, tuning{StepSize: StepSize{Scale: 0.1}}, 1, 1000)
	mc := agent.learner.(*MonteCarlo)
	r := env.NewRand(2)
	held := 0
	for range 200 {
		for i := range mc.q {
			mc.q[i] = float32(r.Below(3))
		}
		greedy := mc.Greedy()
		agent.Learn(1)
		for _, d := range mc.decided {
			if roll := d.cell%2 == 1; roll != greedy.Rolls(d.cell/2) {
				t.Fatalf("Learn rolls in state %d: %t, which is not greedy", d.cell/2, roll)
			} else if !roll {
				held++
			}
		}
	}
	if held < 200 {
		t.Errorf("%d holds in 200 episodes, want one an episode at least", held)
	}
}
