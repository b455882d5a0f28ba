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
