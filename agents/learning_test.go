package agents

import (
	"fmt"
	"math"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// A winTable holds the mover's chance of winning two-player pig, by own score,
// the other's score and turn total. The rules in it are written out by hand,
// and share nothing with those that the agents learn from.
type winTable [][][]float64

func newWinTable(target int) winTable {
	w := make(winTable, target)
	for own := range w {
		w[own] = make([][]float64, target)
		for other := range w[own] {
			w[own][other] = make([]float64, target-own)
		}
	}
	return w
}

// chances returns the mover's chances after rolling and after holding, when
// the other player's are in foe.
func (w winTable) chances(foe winTable, own, other, turnTotal int) (roll, hold float64) {
	roll = 1 - foe[other][own][0]
	for face := 2; face <= 6; face++ {
		if k := turnTotal + face; own+k >= len(w) {
			roll++
		} else {
			roll += w[own][other][k]
		}
	}
	return roll / 6, 1 - foe[other][own+turnTotal][0]
}

// A player tells whether it rolls, given the chances that either action has.
type player func(own, other, turnTotal int, roll, hold float64) bool

// perfect takes the better action.
func perfect(_, _, turnTotal int, roll, hold float64) bool { return turnTotal == 0 || roll > hold }

// sweep recomputes w, the chances of p, and returns the largest change.
func (w winTable) sweep(p player, foe winTable) (change float64) {
	for own := len(w) - 1; own >= 0; own-- {
		for other := len(w) - 1; other >= 0; other-- {
			for k := len(w) - own - 1; k >= 0; k-- {
				x, hold := w.chances(foe, own, other, k)
				if !p(own, other, k, x, hold) {
					x = hold
				}
				change = max(change, math.Abs(x-w[own][other][k]))
				w[own][other][k] = x
			}
		}
	}
	return change
}

// solve returns the chances of perfect play by value iteration.
func solve(target int) winTable {
	w := newWinTable(target)
	for w.sweep(perfect, w) > 1e-12 {
	}
	return w
}

// winMean returns how often p wins against perfect play, averaged over seats.
func winMean(target int, p player) float64 {
	optimum := solve(target)
	best := func(own, other, k int, _, _ float64) bool {
		roll, hold := optimum.chances(optimum, own, other, k)
		return perfect(own, other, k, roll, hold)
	}
	mine, its := newWinTable(target), newWinTable(target)
	for max(mine.sweep(p, its), its.sweep(best, mine)) > 1e-10 {
	}
	return (mine[0][0][0] + 1 - its[0][0][0]) / 2
}

// TestReferenceSolver checks the tests' own ground truth: at a target of 2 any face but
// 1 wins, so P = 5/6 + (1 - P)/6 = 6/7; perfect play wins half its games
// against itself, and at a target of 30 it never holds.
func TestReferenceSolver(t *testing.T) {
	racedetector.Skip(t)
	if got := solve(2)[0][0][0]; math.Abs(got-6.0/7) > 1e-9 {
		t.Errorf("solve(2): the first seat wins %v, want 6/7", got)
	}
	if got := winMean(30, func(int, int, int, float64, float64) bool { return true }); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("always-roll wins %v against perfect play to 30, want 0.5", got)
	}
	if got := winMean(30, func(_, _, k int, _, _ float64) bool { return k == 0 }); got > 0.45 {
		t.Errorf("holding after one roll wins %v against perfect play to 30, want less than 0.45", got)
	}
}

// stateOf returns the state of two players with seat 0 to move.
func stateOf(own, other, turnTotal int) env.State {
	return env.State{Scores: [env.MaxPlayers]int16{int16(own), int16(other)}, TurnTotal: int16(turnTotal)}
}

// forEachState calls f with each state of two-player pig, and the chances of
// perfect play after rolling and holding; where holding is not legal, -1.
func forEachState(target int, f func(own, other, turnTotal int, roll, hold float64)) {
	w := solve(target)
	for own := range target {
		for other := range target {
			for k := range target - own {
				roll, hold := w.chances(w, own, other, k)
				if k == 0 {
					hold = -1
				}
				f(own, other, k, roll, hold)
			}
		}
	}
}

// learn makes an agent and has it learn for so many decisions.
func learn(r Recipe, index policies.StateIndex, s Settings, steps int64) Agent {
	agent := newAgent(r, Config{Index: index, Settings: s, Seed: 1, StepLimit: 10_000})
	for n := int64(0); n < steps; {
		n += agent.Learn(1).Steps
	}
	return agent
}

// TestEveryRecipeLearns checks that the default settings of every recipe come
// close to perfect play of small games in a quarter of a million decisions: pig
// to 7, in which it never holds, and piglet to 7, in which never holding wins
// no more than 0.2.
func TestEveryRecipeLearns(t *testing.T) {
	racedetector.Skip(t)
	for _, test := range []struct {
		game  env.Game
		least float64 // wins against perfect play, or for one player its turns as a part of those taken
	}{
		{game("pig", 1, 7), 0.999}, {game("pig", 2, 7), 0.499}, {game("piglet", 2, 7), 0.45},
	} {
		perfect := perfectPlay(t, test.game)
		score := func(p policies.Policy) float64 {
			c := compare(t, p, perfect)
			if test.game.Players() == 1 {
				return perfect.FewestTurns() / c.Turns()
			}
			return c.WinMean()
		}
		if test.game.Variant().ID == "piglet" {
			p, err := policies.Named(t.Context(), "always-roll", test.game, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := score(p); got > 0.2 {
				t.Errorf("%v: always-roll wins %.4f against perfect play, want 0.2 at most", test.game, got)
			}
		}
		forEachRecipe(t, func(t *testing.T, r Recipe) {
			greedy := learn(r, indexOf(test.game, policies.FullAbstraction), nil, 250_000).Greedy()
			if got := score(greedy); got < test.least {
				t.Errorf("%v: Greedy() scores %.4f against perfect play, want %v or more", test.game, got, test.least)
			}
		})
	}
}

// TestQLearningFindsTheValues checks that the estimates of every action, in
// every state, come to what perfect play earns: 2P - 1.
func TestQLearningFindsTheValues(t *testing.T) {
	racedetector.Skip(t)
	const near = 0.05
	for _, target := range []int{2, 4, 6} {
		t.Run(fmt.Sprint("target ", target), func(t *testing.T) {
			t.Parallel()
			s := tuning{StepSize: StepSize{Scale: 1, Power: 0.875}, Epsilon: Epsilon{Start: 0.3}, ExploringStarts: true}
			v := valuesOf(learn(qLearningTextbook, pigIndex(2, target), s.of(qLearningTextbook), sized[int64](1_000_000, 2_000_000)))
			forEachState(target, func(own, other, k int, roll, hold float64) {
				s := stateOf(own, other, k)
				i := v.index.Of(&s)
				for a, p := range [env.NumActions]float64{env.Hold: hold, env.Roll: roll} {
					if got, want := float64(v.q[2*i+a]), 2*p-1; p >= 0 && math.Abs(got-want) > near {
						t.Errorf("%v at %d to %d with %d this turn is estimated at %.3f, want %.3f", env.Action(a), own, other, k, got, want)
					}
				}
			})
		})
	}
}

// TestGreedyFindsPerfectPlay checks that every agent's greedy policy is perfect
// play wherever the actions' returns differ by more than the noise.
func TestGreedyFindsPerfectPlay(t *testing.T) {
	racedetector.Skip(t)
	const margin = 0.05
	for k, r := range textbooks() {
		for _, target := range []int{2, 4, 7} {
			t.Run(fmt.Sprint(k, ", target ", target), func(t *testing.T) {
				t.Parallel()
				s := tuning{StepSize: StepSize{Scale: 1, Power: 0.8125}, Epsilon: Epsilon{Start: 0.2, Halving: 50_000}, ExploringStarts: true}
				greedy := learn(r, pigIndex(2, target), s.of(r), 500_000).Greedy()
				forEachState(target, func(own, other, k int, roll, hold float64) {
					if got, want := greedy.RollChance(stateOf(own, other, k)) == 1, roll > hold; got != want && 2*math.Abs(roll-hold) > margin {
						t.Errorf("Greedy() rolls at %d to %d with %d this turn: %t; rolling wins %.3f, holding %.3f", own, other, k, got, roll, hold)
					}
				})
			})
		}
	}
}

// TestPigletValues checks the estimates of every agent against Piglet to 2 points,
// which its authors solve by hand: T. Neller, C. Presser, "Optimal Play of the
// Dice Game Pig", UMAP Journal 25(1), 2004.
func TestPigletValues(t *testing.T) {
	racedetector.Skip(t)
	const near = 0.03
	index := indexOf(env.Must(env.New(env.Config{Variant: "piglet", Target: 2})), policies.FullAbstraction)
	for k, r := range textbooks() {
		s := tuning{StepSize: StepSize{Scale: 1, Power: 0.875}, Epsilon: Epsilon{Start: 0.2, Halving: 10_000}, ExploringStarts: true}
		v := valuesOf(learn(r, index, s.of(r), 500_000))
		for _, test := range []struct {
			own, other, turnTotal int
			win                   float64
		}{
			{0, 0, 0, 4.0 / 7}, {0, 0, 1, 5.0 / 7}, {0, 1, 0, 2.0 / 5},
			{0, 1, 1, 3.0 / 5}, {1, 0, 0, 4.0 / 5}, {1, 1, 0, 2.0 / 3},
		} {
			s := stateOf(test.own, test.other, test.turnTotal)
			if got, want := float64(v.best(&s, index.Of(&s))), 2*test.win-1; math.Abs(got-want) > near {
				t.Errorf("%s: %d to %d with %d this turn is estimated at %.3f, want %.3f", k, test.own, test.other, test.turnTotal, got, want)
			}
		}
	}
}

// TestThreePlayersStartValue checks the value of a game of three in which nobody has a
// choice: at a target of 2 the first seat wins with chance P = 5/6 + P/216,
// and earns P - (1-P)/2.
func TestThreePlayersStartValue(t *testing.T) {
	racedetector.Skip(t)
	p := (5.0 / 6) / (1 - 1.0/216)
	want := p - (1-p)/2
	for k, r := range textbooks() {
		if r.MaxPlayers > 0 && r.MaxPlayers < 3 {
			continue
		}
		agent := learn(r, pigIndex(3, 2), tuning{StepSize: StepSize{Scale: 1, Power: 1}}.of(r), 300_000)
		if got := float64(valuesOf(agent).q[env.Roll]); math.Abs(got-want) > 0.01 {
			t.Errorf("%s: the start is estimated at %v, want %v", k, got, want)
		}
	}
}

// fewestTurns returns the expected turns that a player alone still begins at
// best, by banked score and turn total, by value iteration.
func fewestTurns(target int) [][]float64 {
	turns := make([][]float64, target)
	for own := range turns {
		turns[own] = make([]float64, target-own)
	}
	for change := 1.0; change > 1e-12; {
		change = 0
		for own := target - 1; own >= 0; own-- {
			for k := target - own - 1; k >= 0; k-- {
				x := turns[own][0] / 6 // a bust, and then another turn
				for face := 2; face <= 6 && own+k+face < target; face++ {
					x += turns[own][k+face] / 6
				}
				if k == 0 {
					x++ // for the turn that begins
				} else {
					x = min(x, turns[own+k][0])
				}
				change = max(change, math.Abs(x-turns[own][k]))
				turns[own][k] = x
			}
		}
	}
	return turns
}

// TestOnePlayerValues checks the estimates of a player alone, who loses 1 with each turn.
// The first check is of the tests' own ground truth against the published one, for
// 100 points: H. Tijms, "Dice Games and Stochastic Dynamic Programming".
func TestOnePlayerValues(t *testing.T) {
	racedetector.Skip(t)
	if got := fewestTurns(100)[0][0]; math.Abs(got-12.545) > 0.0005 {
		t.Errorf("fewestTurns(100): %v turns, want 12.545", got)
	}
	const target, near = 12, 0.1
	for k, r := range textbooks() {
		s := tuning{StepSize: StepSize{Scale: 1, Power: 0.875}, Epsilon: Epsilon{Start: 0.2, Halving: 10_000}, ExploringStarts: true}
		v := valuesOf(learn(r, pigIndex(1, target), s.of(r), sized[int64](500_000, 1_000_000)))
		for own, row := range fewestTurns(target) {
			for turnTotal, turns := range row {
				s := env.State{Scores: [env.MaxPlayers]int16{int16(own)}, TurnTotal: int16(turnTotal)}
				if got := float64(v.best(&s, v.index.Of(&s))); math.Abs(got+turns) > near {
					t.Errorf("%s: %d points with %d this turn are estimated at %.3f, want %.3f", k, own, turnTotal, got, -turns)
				}
			}
		}
	}
}

// TestTextbookDefaultsLearn checks that the default settings come close to perfect
// play, by the exact chance of winning. To 30 points it never holds; to 40 it
// does, in places.
func TestTextbookDefaultsLearn(t *testing.T) {
	racedetector.Skip(t)
	type course struct {
		name   string
		recipe Recipe
		target int
		steps  int64
		least  float64
	}
	for _, test := range sized([]course{
		{"qlearning", qLearningTextbook, 20, 1_000_000, 0.49},
		{"qlearning", qLearningTextbook, 40, 2_000_000, 0.4},
		{"montecarlo", monteCarloTextbook, 20, 1_000_000, 0.49},
	}, []course{
		{"qlearning", qLearningTextbook, 30, 5_000_000, 0.49},
		{"qlearning", qLearningTextbook, 40, 5_000_000, 0.47},
		{"montecarlo", monteCarloTextbook, 30, 10_000_000, 0.49},
	}) {
		t.Run(fmt.Sprint(test.name, ", target ", test.target), func(t *testing.T) {
			t.Parallel()
			greedy := learn(test.recipe, pigIndex(2, test.target), nil, test.steps).Greedy()
			win := winMean(test.target, func(own, other, k int, _, _ float64) bool {
				return greedy.RollChance(stateOf(own, other, k)) == 1
			})
			if win < test.least || win > 0.5+1e-9 {
				t.Errorf("%s wins %.4f against perfect play to %d, want %v or more, 0.5 at most", test.name, win, test.target, test.least)
			}
		})
	}
}
