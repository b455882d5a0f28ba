package env

import (
	"errors"
	"fmt"
	"strings"
)

// An Action is a decision of a player: hold or roll.
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

// Actions is a set of actions: bit a is set if it contains action a. The zero value is
// the empty set.
type Actions uint8

// The nonempty sets that [Game.Legal] returns.
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

// A State is the state of a game between decisions. It is Markov: the rest of the game
// depends on nothing else. States are comparable with ==. The scores of seats from
// the number of players on are 0.
type State struct {
	// Scores are the banked scores by seat.
	Scores [MaxPlayers]int16
	// TurnTotal is the number of points that the player to move has gained in this
	// turn and not yet banked. It is 0 if and only if the turn has had no gain yet.
	TurnTotal int16
	// Seat is the seat to move or, if the game is over, the seat that moved last.
	Seat int8
	// First is the seat that moves first in the game and in each round.
	First int8
	// Over says whether the game has ended.
	Over bool
	// MustRoll says that the last roll was an [Again], so that only Roll is legal.
	MustRoll bool

	// The padding makes a State 32 bytes long, so that a copy is two loads and two
	// stores that do not overlap and a copy of the copy does not stall on them.
	_ [5]byte
}

// held returns the banked score plus the turn total of the player to move.
func (s *State) held() int { return int(s.Scores[s.Seat] + s.TurnTotal) }

// bank adds the turn total to the banked score of the player to move and clears it.
func (s *State) bank() {
	s.Scores[s.Seat] += s.TurnTotal
	s.TurnTotal = 0
}

// ErrState is wrapped by the errors of [Game.Validate].
var ErrState = errors.New("env: no state of this game")

// maxHeld is the largest banked score plus turn total that Validate accepts. Games
// that end at the target stay far below it. In games that end after a round the rules
// do not bound a turn total, but every roll busts with probability 1/6 or more, so a
// player reaches the limit of int16 from maxHeld with a probability below 1e-200.
const maxHeld = 16000

// Validate returns an error that wraps [ErrState] if s is not a valid state of g: if a
// seat is out of range, a score or turn total is negative or impossible, or Over
// contradicts the scores. All methods of Game accept a state that is valid. Validate
// does not check that a sequence of rolls leads to s.
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

// badState returns an error that wraps [ErrState], names the game and says what is wrong.
func (g *Game) badState(format string, args ...any) error {
	return fmt.Errorf("%w (%v): %s", ErrState, *g, fmt.Sprintf(format, args...))
}

// validate is Validate for a state whose seats are in range and whose scores from seat
// Players on are 0.
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
	case s.MustRoll && (s.TurnTotal == 0 || !g.table.again):
		return g.badState("a roll that must follow another, which the rules do not ask for")
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

// validateReached returns an error if score, the banked score of seat, has reached the
// target while the rest of s says that the seat cannot have done so.
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

// place returns the position of a seat in the order of a round, from 0.
func (g Game) place(seat int, s *State) int {
	return (seat - int(s.First) + int(g.players)) % int(g.players)
}

// SeatsAfter returns the number of seats that act after the given one in a round, in
// [0, Players).
func (g Game) SeatsAfter(s *State, seat int) int {
	return int(g.players) - 1 - g.place(seat, s)
}

// NextSeat returns the seat that acts k places after the given one.
func (g Game) NextSeat(seat, k int) int { return (seat + k) % int(g.players) }
