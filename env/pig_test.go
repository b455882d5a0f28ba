package env_test

import (
	"math"
	"testing"

	"pigpen/env"
)

// rollFaces rolls one die after another from s.
func rollFaces(t *testing.T, g env.Game, s env.State, faces ...int) env.State {
	t.Helper()
	for _, face := range faces {
		o, err := g.OutcomeOf(s, face)
		if err != nil {
			t.Fatalf("OutcomeOf(%+v, %d): %v", s, face, err)
		}
		s = g.AfterRoll(s, o)
	}
	return s
}

// TestPigScoring plays single turns by their faces, from 10 banked points of
// seat 0 and 20 of seat 1 towards a target of 50. The first two are the
// scoring examples of the rule sheet: T. Grist, "Rules of Pig the Dice Game".
func TestPigScoring(t *testing.T) {
	g := pigGame(2, 50)
	start := env.State{Scores: [env.MaxPlayers]int16{10, 20}}
	for _, test := range []struct {
		name  string
		faces []int
		hold  bool
		want  env.State
	}{
		{"Sherri earns 0 points", []int{3, 6, 6, 6, 4, 5, 6, 1}, false, env.State{Scores: [env.MaxPlayers]int16{10, 20}, Seat: 1}},
		{"Craig earns 21 points", []int{6, 3, 4, 2, 6}, true, env.State{Scores: [env.MaxPlayers]int16{31, 20}, Seat: 1}},
		{"before the hold", []int{6, 3, 4, 2, 6}, false, env.State{Scores: [env.MaxPlayers]int16{10, 20}, TurnTotal: 21}},
		{"bust at once", []int{1}, false, env.State{Scores: [env.MaxPlayers]int16{10, 20}, Seat: 1}},
		{"one short of the target", []int{6, 6, 6, 6, 6, 6, 3}, false, env.State{Scores: [env.MaxPlayers]int16{10, 20}, TurnTotal: 39}},
		{"exactly the target", []int{6, 6, 6, 6, 6, 6, 4}, false, env.State{Scores: [env.MaxPlayers]int16{50, 20}, Over: true}},
		{"over the target", []int{6, 6, 6, 6, 6, 5, 2, 6}, false, env.State{Scores: [env.MaxPlayers]int16{53, 20}, Over: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := rollFaces(t, g, start, test.faces...)
			if test.hold {
				s = g.AfterHold(s)
			}
			if s != test.want {
				t.Errorf("after %v, hold %t: %+v, want %+v", test.faces, test.hold, s, test.want)
			}
		})
	}
}

// TestPigTurnOrder passes the turn by holds and by busts through two rounds.
func TestPigTurnOrder(t *testing.T) {
	for players := 2; players <= 10; players++ {
		g := pigGame(players, 100)
		for first := range players {
			s := g.Start(first)
			for turn := range 2 * players {
				if want := (first + turn) % players; int(s.Seat) != want {
					t.Fatalf("%v, seat %d first: turn %d is of seat %d, want %d", g, first, turn, s.Seat, want)
				}
				if turn%2 == 0 {
					s = rollFaces(t, g, s, 1)
				} else {
					s = g.AfterHold(rollFaces(t, g, s, 2))
				}
			}
		}
	}
}

// turnScores returns the chance of each score of one turn that is held at a
// turn total, by going through every sequence of rolls.
func turnScores(g env.Game, s env.State, hold int16, chance float64, scores map[int16]float64) {
	switch {
	case s.Seat != 0:
		scores[s.Scores[0]] += chance
	case s.TurnTotal >= hold:
		turnScores(g, g.AfterHold(s), hold, chance, scores)
	default:
		for _, c := range g.Outcomes(s) {
			turnScores(g, g.AfterRoll(s, c.Outcome), hold, chance*float64(c.Weight)/float64(g.Rolls()), scores)
		}
	}
}

// TestPigTurnScores checks published chances: T. Neller and others, "Pig",
// Nifty Assignments 2010, "turn outcomes".
func TestPigTurnScores(t *testing.T) {
	g := pigGame(2, 100)
	published := map[int16]float64{
		0: .624541, 20: .099713, 21: .094991, 22: .074189, 23: .054196, 24: .035198, 25: .017173,
	}
	for _, hold := range []int16{20, 21} {
		scores := make(map[int16]float64)
		turnScores(g, g.Start(0), hold, 1, scores)
		mean, sum := 0.0, 0.0
		for score, chance := range scores {
			mean += float64(score) * chance
			sum += chance
			if hold == 20 && math.Abs(chance-published[score]) > 0.6e-6 {
				t.Errorf("holding at 20, a turn scores %d with chance %.7f, want %.6f", score, chance, published[score])
			}
		}
		if hold == 20 && len(scores) != len(published) {
			t.Errorf("holding at 20, turns have %d different scores, want %d", len(scores), len(published))
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(mean-8.1418) > 0.5e-4 {
			t.Errorf("holding at %d: mean score %.5f, total chance %v, want 8.1418 and 1", hold, mean, sum)
		}
	}
}
