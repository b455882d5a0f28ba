package env_test

import (
	"errors"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// TestStateOfCounts checks StateOf on every observation of the standard game
// and around it: it must take exactly the 505,000 decision points (own score,
// other score, turn total below what the mover lacks).
func TestStateOfCounts(t *testing.T) {
	racedetector.Skip(t)
	g := pigGame(2, 100)
	taken := 0
	for own := int16(-1); own <= 101; own++ {
		for other := int16(-1); other <= 101; other++ {
			for turnTotal := int16(-1); turnTotal <= max(0, 101-own); turnTotal++ {
				observation := []int16{own, turnTotal, other}
				s, err := g.StateOf(observation)
				valid := own >= 0 && other >= 0 && other < 100 && turnTotal >= 0 && own+turnTotal < 100
				if valid != (err == nil) || err != nil && !errors.Is(err, env.ErrState) {
					t.Fatalf("StateOf(%v) = %+v, %v", observation, s, err)
				}
				if valid {
					taken++
					if want := (env.State{Scores: scores(own, other), TurnTotal: turnTotal}); s != want {
						t.Fatalf("StateOf(%v) = %+v, want %+v", observation, s, want)
					}
				}
			}
		}
	}
	if taken != 505_000 {
		t.Errorf("StateOf takes %d observations, want 505,000", taken)
	}
}

func TestStateOfErrors(t *testing.T) {
	g := pigGame(3, 20)
	const prefix = "env: no state of this game (pig, 3 players, target 20): "
	for _, test := range []struct {
		observation []int16
		reason      string
	}{
		{nil, "an observation has 4 columns, not 0"},
		{[]int16{0, 0, 0}, "an observation has 4 columns, not 3"},
		{[]int16{0, 0, 0, 0, 0}, "an observation has 4 columns, not 5"},
		{[]int16{0, 0, 20, 0}, "the game is over"},
		{[]int16{24, 0, 0, 0}, "the game is over"},
		{[]int16{0, 0, 0, -1}, "score -1 of seat 2 is not in [0, 16000]"},
		{[]int16{0, 20, 0, 0}, "banked score and turn total are 20 and the game goes on"},
		{[]int16{19, 32767, 0, 0}, "turn total 32767 with 19 banked is not in [0, 15981]"},
	} {
		if s, err := g.StateOf(test.observation); !errors.Is(err, env.ErrState) || err.Error() != prefix+test.reason {
			t.Errorf("StateOf(%v) = %+v, %v, want error %s%s", test.observation, s, err, prefix, test.reason)
		}
	}
}

func TestStateOfLastRound(t *testing.T) {
	g := afterRoundGame(t)
	won := int16(g.Target())
	for _, test := range []struct {
		observation []int16
		want        env.State
	}{
		{[]int16{1, 0, 2, 3, 2}, env.State{Scores: scores(1, 2, 3)}},
		{[]int16{0, 9, 1, won, 1}, env.State{Scores: scores(won, 0, 1), TurnTotal: 9, Seat: 1}},
		{[]int16{0, 9, won, 1, 0}, env.State{Scores: scores(won, 1, 0), TurnTotal: 9, Seat: 2}},
	} {
		if s, err := g.StateOf(test.observation); err != nil || s != test.want {
			t.Errorf("StateOf(%v) = %+v, %v, want %+v", test.observation, s, err, test.want)
		}
	}
	for _, observation := range [][]int16{
		{0, 0, 0, 0, -1}, {0, 0, 0, 0, 3}, // seats after the mover
		{0, 0, 0, won, 2}, {won, 0, 0, 0, 0}, // the target banked too early
	} {
		if s, err := g.StateOf(observation); !errors.Is(err, env.ErrState) {
			t.Errorf("StateOf(%v) = %+v, %v, want %v", observation, s, err, env.ErrState)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, test := range []struct {
		game env.Game
		want []env.Column
	}{
		{pigGame(2, 100), []env.Column{
			{Name: "own_score", Max: 105, Doc: "banked points of the observer"},
			{Name: "turn_total", Max: 99, Doc: "points gained this turn and not yet banked; 0 when another seat is to move"},
			{Name: "score_1", Max: 105, Doc: "banked points of the next seat"},
		}},
		{pigGame(3, 7), []env.Column{
			{Name: "own_score", Max: 12, Doc: "banked points of the observer"},
			{Name: "turn_total", Max: 6, Doc: "points gained this turn and not yet banked; 0 when another seat is to move"},
			{Name: "score_1", Max: 12, Doc: "banked points of the next seat"},
			{Name: "score_2", Max: 12, Doc: "banked points of the seat 2 places on"},
		}},
	} {
		if got := test.game.Columns(); !slices.Equal(got, test.want) {
			t.Errorf("Columns() of %v = %+v, want %+v", test.game, got, test.want)
		}
	}
}
