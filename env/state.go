package env

import (
	"errors"
	"fmt"
	"slices"
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

// Column describes one column of an observation: every value is an integer
// in [Min, Max], held as an int16.
type Column struct {
	Name string `json:"name"`
	Min  int    `json:"min"`
	Max  int    `json:"max"`
	Doc  string `json:"doc"`
}

// MaxColumns is the largest number of columns of any game's observation.
const MaxColumns = MaxPlayers + 2

// Columns returns the layout of the game's observations, the same in every
// environment and on the wire: own banked score, turn total, the banked scores
// of the others in turn order from the next seat on, and, in games that end
// after a round, how many seats still act after the observer's in this round.
//
// Max is attained or nearly so at the end of games that end at the target;
// games that end after a round have no bound of their own, and Max is the
// largest value that a state from outside may have.
func (g Game) Columns() []Column {
	top := maxHeld
	if g.variant.Ending == AtTarget {
		top = 0
		for held, row := range g.chance.merged {
			if held >= int(g.target) {
				break
			}
			if g.chance.stride == 0 {
				held = int(g.target) - 1
			}
			for _, c := range row {
				top = max(top, held+int(c.Points))
			}
		}
	}
	columns := []Column{
		{Name: "own_score", Max: top, Doc: "banked " + g.variant.Unit + " of the observer"},
		{Name: "turn_total", Max: min(top, maxTurnTotal(g)), Doc: g.variant.Unit + " gained this turn and not yet banked; 0 when another seat is to move"},
	}
	for k := 1; k < int(g.players); k++ {
		doc := fmt.Sprintf("banked %s of the seat %d places on", g.variant.Unit, k)
		if k == 1 {
			doc = "banked " + g.variant.Unit + " of the next seat"
		}
		columns = append(columns, Column{Name: fmt.Sprintf("score_%d", k), Max: top, Doc: doc})
	}
	if g.variant.Ending == AfterRound {
		columns = append(columns, Column{Name: "seats_after", Max: int(g.players) - 1, Doc: "seats that still act after the observer's in this round"})
	}
	return columns
}

// maxTurnTotal is the largest turn total with which a game goes on.
func maxTurnTotal(g Game) int {
	if g.variant.Ending == AtTarget {
		return int(g.target) - 1
	}
	return maxHeld
}

// NumColumns returns len(g.Columns()) without making them.
func (g Game) NumColumns() int {
	n := int(g.players) + 1
	if g.variant.Ending == AfterRound {
		n++
	}
	return n
}

// Observe appends to dst what the given seat sees in s, laid out as
// [Game.Columns] says, and returns the extended slice. The turn total is
// shown only to the seat to move: to the others it is 0.
func (g Game) Observe(dst []int16, s State, seat int) []int16 {
	n, columns := len(dst), g.NumColumns()
	dst = slices.Grow(dst, columns)[:n+columns]
	g.observe(dst[n:], &s, seat)
	return dst
}

// observe is Observe into a row of the right length.
func (g *Game) observe(row []int16, s *State, seat int) {
	row[0], row[1] = s.Scores[seat], 0
	if seat == int(s.Seat) {
		row[1] = s.TurnTotal
	}
	other := seat
	for k := 2; k <= int(g.players); k++ {
		if other++; other == int(g.players) {
			other = 0
		}
		row[k] = s.Scores[other]
	}
	if g.variant.Ending == AfterRound {
		row[g.players+1] = int16(g.SeatsAfter(s, seat))
	}
}

// StateOf returns a state in which the player to move observes exactly the
// given columns, the inverse of [Game.Observe] up to a shift of the seats: the
// mover sits in seat 0 or, in games that end after a round, where the last
// column puts it with seat 0 first. The error wraps [ErrState].
func (g Game) StateOf(observation []int16) (s State, err error) {
	err = g.ReadState(observation, &s)
	return s, err
}

// ReadState is StateOf into a state of the caller's: copying one that was just
// written in parts costs more than the rest. After an error the state is not to
// be used.
func (g *Game) ReadState(observation []int16, s *State) error {
	n := int(g.players)
	columns, afterRound := n+1, g.variant.Ending == AfterRound
	if afterRound {
		columns++
	}
	if len(observation) != columns {
		return g.badState("an observation has %d columns, not %d", columns, len(observation))
	}
	*s = State{TurnTotal: observation[1]}
	seat := 0
	if afterRound {
		after := observation[n+1]
		if after < 0 || int(after) >= n {
			return g.badState("%d seats after mine are not in [0, %d)", after, n)
		}
		seat = n - 1 - int(after)
		s.Seat = int8(seat)
	}
	s.Scores[seat] = observation[0]
	for _, score := range observation[2 : n+1] {
		if seat++; seat == n {
			seat = 0
		}
		s.Scores[seat] = score
	}
	err := g.validate(s)
	if err != nil && !afterRound && g.best(s) >= g.target {
		err = g.badState("the game is over")
	}
	return err
}
