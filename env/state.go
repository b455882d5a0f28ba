package env

import (
	"errors"
	"fmt"
	"strings"
)

// An Action is what a player decides: to hold or to roll.
type Action uint8

const (
	// Hold banks the turn total and ends the turn.
	Hold Action = 0
	// Roll rolls the dice.
	Roll Action = 1
)

// NumActions is the size of the action space.
const NumActions = 2

// String returns "hold" or "roll".
func (a Action) String() string {
	switch a {
	case Hold:
		return "hold"
	case Roll:
		return "roll"
	}
	return fmt.Sprintf("Action(%d)", uint8(a))
}

// Actions is a set of actions; bit a stands for action a. The zero value is
// the empty set.
type Actions uint8

// The sets that occur.
const (
	RollOnly   Actions = 1 << Roll
	HoldOrRoll Actions = 1<<Hold | 1<<Roll
)

// Has reports whether a is in the set.
func (l Actions) Has(a Action) bool { return a < NumActions && l>>a&1 == 1 }

// String lists the set in words: "hold or roll", "roll", "nothing".
func (l Actions) String() string {
	var names []string
	for a := range Action(NumActions) {
		if l.Has(a) {
			names = append(names, a.String())
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " or ")
}

// A State is everything that decides how a game goes on: small, comparable
// with ==, and free of history. Seats at and past the number of players have
// score 0.
type State struct {
	// Scores are the banked scores by seat.
	Scores [MaxPlayers]int16
	// TurnTotal is what the player to move has gained this turn and not yet
	// banked. It is 0 exactly until the first gain of the turn.
	TurnTotal int16
	// Seat is the player to move; once the game is over, the last who did.
	Seat int8
	// First is the seat that began the game, and begins each round.
	First int8
	// Over tells that the game has ended.
	Over bool

	// A copy of 32 bytes is two loads and two stores that do not overlap;
	// copying such a copy does not wait for them.
	_ [6]byte
}

// held is what the player to move would have banked after holding.
func (s *State) held() int { return int(s.Scores[s.Seat] + s.TurnTotal) }

func (s *State) bank() {
	s.Scores[s.Seat] += s.TurnTotal
	s.TurnTotal = 0
}

// ErrState is what [Game.Validate] wraps.
var ErrState = errors.New("env: no state of this game")

// maxHeld bounds banked score plus turn total in a state that comes from
// outside. In games that end at the target nothing comes near it. In the
// others a turn total has no bound in the rules; since every roll busts with
// chance 1/6 or more, going from here to the limit of int16 has a chance
// below 1e-200.
const maxHeld = 16000

// Validate returns an error wrapping [ErrState] if s cannot be a state of g: a
// seat out of range, a negative or impossible score or turn total, an end that
// does not agree with the scores. States that pass are safe for every other
// method. It does not demand that a sequence of rolls leads to s.
func (g Game) Validate(s State) error {
	for seat := int(g.players); seat < MaxPlayers; seat++ {
		if score := s.Scores[seat]; score != 0 {
			return g.badState("score %d of seat %d, where nobody sits", score, seat)
		}
	}
	if s.Seat < 0 || int16(s.Seat) >= g.players {
		return g.badState("seat %d is not in [0, %d)", s.Seat, g.players)
	}
	if s.First < 0 || int16(s.First) >= g.players {
		return g.badState("first seat %d is not in [0, %d)", s.First, g.players)
	}
	return g.validate(&s)
}

func (g *Game) badState(format string, args ...any) error {
	return fmt.Errorf("%w (%v): %s", ErrState, *g, fmt.Sprintf(format, args...))
}

// validate is Validate for a state whose seats are in range and whose scores
// are 0 where nobody sits.
func (g *Game) validate(s *State) error {
	scores := s.Scores[:g.players]
	best := int16(0)
	for seat, score := range scores {
		if score < 0 || score > maxHeld {
			return g.badState("score %d of seat %d is not in [0, %d]", score, seat, maxHeld)
		}
		best = max(best, score)
	}
	held := int(scores[s.Seat]) + int(s.TurnTotal)
	switch {
	case s.TurnTotal < 0 || held > maxHeld:
		return g.badState("turn total %d with %d banked is not in [0, %d]", s.TurnTotal, scores[s.Seat], maxHeld-int(scores[s.Seat]))
	case s.Over && s.TurnTotal != 0:
		return g.badState("the game is over with a turn total of %d", s.TurnTotal)
	}
	if best >= g.target {
		for seat, score := range scores {
			if err := g.validateReached(s, seat, score); err != nil {
				return err
			}
		}
	}
	switch {
	case !s.Over && g.variant.Ending == AtTarget && held >= int(g.target):
		return g.badState("banked score and turn total are %d and the game goes on", held)
	case s.Over && (best < g.target || g.variant.Ending == AfterRound && g.SeatsAfter(s, int(s.Seat)) != 0):
		return g.badState("the game is over before its end")
	}
	return nil
}

// validateReached checks a seat's score, which may have reached the target.
func (g *Game) validateReached(s *State, seat int, score int16) error {
	switch {
	case score < g.target:
	case g.variant.Ending == AtTarget && (!s.Over || seat != int(s.Seat)):
		return g.badState("seat %d has %d and has not ended the game", seat, score)
	case g.variant.Ending == AfterRound && !s.Over && g.place(seat, s) >= g.place(int(s.Seat), s):
		return g.badState("seat %d has %d before its turn of the last round", seat, score)
	}
	return nil
}

// place returns a seat's place in the order of a round, from 0.
func (g Game) place(seat int, s *State) int {
	return (seat - int(s.First) + int(g.players)) % int(g.players)
}

// SeatsAfter returns how many seats still act in this round after the given
// one, in [0, Players).
func (g Game) SeatsAfter(s *State, seat int) int {
	return int(g.players) - 1 - g.place(seat, s)
}

// NextSeat returns the seat that acts k places after the given one.
func (g Game) NextSeat(seat, k int) int { return (seat + k) % int(g.players) }
