package env_test

import (
	"errors"
	"strconv"
	"testing"

	"pigpen/env"
)

type badState struct {
	name   string
	state  env.State
	reason string
}

// checkBadStates checks that Validate refuses each, and why.
func checkBadStates(t *testing.T, g env.Game, tests []badState) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := "env: no state of this game (" + g.String() + "): " + test.reason
			if err := g.Validate(test.state); !errors.Is(err, env.ErrState) || err.Error() != want {
				t.Errorf("Validate(%+v) = %v, want %s", test.state, err, want)
			}
		})
	}
}

func scores(s ...int16) (all [env.MaxPlayers]int16) {
	copy(all[:], s)
	return all
}

func TestValidate(t *testing.T) {
	g := pigGame(3, 20)
	checkBadStates(t, g, []badState{
		{"seat below", env.State{Seat: -1}, "seat -1 is not in [0, 3)"},
		{"seat above", env.State{Seat: 3}, "seat 3 is not in [0, 3)"},
		{"first below", env.State{First: -1}, "first seat -1 is not in [0, 3)"},
		{"first above", env.State{First: 3}, "first seat 3 is not in [0, 3)"},
		{"negative score", env.State{Scores: scores(0, -1)}, "score -1 of seat 1 is not in [0, 16000]"},
		{"huge score", env.State{Scores: scores(0, 0, 16001)}, "score 16001 of seat 2 is not in [0, 16000]"},
		{"score of nobody", env.State{Scores: scores(0, 0, 0, 1)}, "score 1 of seat 3, where nobody sits"},
		{"negative turn total", env.State{Scores: scores(5), TurnTotal: -1}, "turn total -1 with 5 banked is not in [0, 15995]"},
		{"huge turn total", env.State{Scores: scores(16000), TurnTotal: 32767}, "turn total 32767 with 16000 banked is not in [0, 0]"},
		{"turn total at the end", env.State{Scores: scores(20), TurnTotal: 1, Over: true}, "the game is over with a turn total of 1"},
		{"mover has won", env.State{Scores: scores(20)}, "seat 0 has 20 and has not ended the game"},
		{"another has won", env.State{Scores: scores(0, 20)}, "seat 1 has 20 and has not ended the game"},
		{"another than the last mover has won", env.State{Scores: scores(0, 20), Over: true}, "seat 1 has 20 and has not ended the game"},
		{"two have won", env.State{Scores: scores(20, 0, 21), Over: true}, "seat 2 has 21 and has not ended the game"},
		{"turn total reaches the target", env.State{Scores: scores(8), TurnTotal: 12}, "banked score and turn total are 20 and the game goes on"},
		{"over without a winner", env.State{Scores: scores(19, 19, 19), Over: true}, "the game is over before its end"},
	})
	for _, s := range []env.State{
		{Scores: scores(19, 19, 19), Seat: 2, First: 1},
		{Scores: scores(0, 19, 3), TurnTotal: 19},
		{Scores: scores(0, 19, 25), Seat: 2, Over: true},
	} {
		if err := g.Validate(s); err != nil {
			t.Errorf("Validate(%+v) = %v, want nil", s, err)
		}
	}
}

// afterRoundGame returns a game for three players that ends after a round; it
// skips the test if no variant does.
func afterRoundGame(t *testing.T) env.Game {
	t.Helper()
	for _, v := range env.Variants() {
		if v.Ending == env.AfterRound {
			return env.Must(env.New(env.Config{Variant: v.ID, Players: 3}))
		}
	}
	t.Skip("no variant ends after a round")
	return env.Game{}
}

func TestValidateLastRound(t *testing.T) {
	g := afterRoundGame(t)
	won := int16(g.Target())
	checkBadStates(t, g, []badState{
		{"mover has banked the target", env.State{Scores: scores(won)}, "seat 0 has " + strconv.Itoa(g.Target()) + " before its turn of the last round"},
		{"one after the mover has", env.State{Scores: scores(0, 0, won), Seat: 1}, "seat 2 has " + strconv.Itoa(g.Target()) + " before its turn of the last round"},
		{"one after the mover, around the table", env.State{Scores: scores(won), Seat: 2, First: 1}, "seat 0 has " + strconv.Itoa(g.Target()) + " before its turn of the last round"},
		{"over in mid round", env.State{Scores: scores(won), Seat: 1, Over: true}, "the game is over before its end"},
		{"over without a winner", env.State{Scores: scores(won - 1), Seat: 2, Over: true}, "the game is over before its end"},
	})
	for _, s := range []env.State{
		{Scores: scores(won), Seat: 1},
		{Scores: scores(won, won+5, 0), TurnTotal: won + 9, Seat: 2},
		{Scores: scores(0, won, 0), Seat: 0, First: 1},
		{Scores: scores(won, won, won), Seat: 2, Over: true},
		{TurnTotal: 16000},
	} {
		if err := g.Validate(s); err != nil {
			t.Errorf("Validate(%+v) = %v, want nil", s, err)
		}
	}
}
