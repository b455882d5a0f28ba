package env

import (
	"fmt"
	"slices"
)

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

// Columns describes the columns of the game's observations, which are the same in every
// environment and in the protocol: the observer's banked score, the turn total, the
// banked scores of the others in turn order from the next seat on, and, in games that
// end after a round, the number of seats that act after the observer in this round.
//
// In games that end at the target, Max is a tight or nearly tight bound of the scores
// at the end. In games that end after a round the rules do not bound scores, and Max is
// the largest score that [Game.Validate] accepts.
func (g Game) Columns() []Column {
	top := maxHeld
	if g.variant.Ending == AtTarget {
		top = 0
		for held, row := range g.table.merged {
			if held >= int(g.target) {
				break
			}
			if g.table.stride == 0 {
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

// maxTurnTotal returns the largest turn total of a state that is not over.
func maxTurnTotal(g Game) int {
	if g.variant.Ending == AtTarget {
		return int(g.target) - 1
	}
	return maxHeld
}

// NumColumns returns len(g.Columns()) without allocating.
func (g Game) NumColumns() int {
	n := int(g.players) + 1
	if g.variant.Ending == AfterRound {
		n++
	}
	return n
}

// Observe appends to dst the observation of the given seat in s, with the columns of
// [Game.Columns], and returns the extended slice. The turn total is 0 for seats that
// are not to move.
func (g Game) Observe(dst []int16, s State, seat int) []int16 {
	n, columns := len(dst), g.NumColumns()
	dst = slices.Grow(dst, columns)[:n+columns]
	g.observe(dst[n:], &s, seat)
	return dst
}

// observe writes the observation of a seat to row, whose length is NumColumns.
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

// StateOf returns a state in which the observation of the player to move is
// observation. It inverts [Game.Observe] up to a rotation of the seats: the mover is
// seat 0 or, in games that end after a round, the seat that follows from the last
// column if seat 0 is first. The error wraps [ErrState].
func (g Game) StateOf(observation []int16) (s State, err error) {
	err = g.ReadState(observation, &s)
	return s, err
}

// ReadState is StateOf with the result written to *s. It avoids copying a State whose
// fields were just written one by one, which is slower than the rest of the work.
// After an error *s is undefined.
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
