package policies

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

	"pigpen/env"
)

// DecisionPoints lists the states of a game in which both actions are legal, as
// observations of the seat to move. Of scores in games that end after a round it lists
// those that a [StateIndex] distinguishes, up to W - 1. The list has every state that
// play can reach with such scores, and others that no sequence of rolls leads to.
//
// The observations are in order of the number of seats that act after the mover, if
// the game has that column, then of the first column, the second, and so on.
type DecisionPoints struct {
	game    env.Game
	first   []int // by own score, the number of pairs with a lower one
	blocks  []decisionBlock
	columns int
}

// A decisionBlock has the decision points with the same number of seats that act after
// the mover.
type decisionBlock struct {
	first  int // number of decision points before the block
	turn   int // number of decision points with the same own score and turn total
	values [env.MaxPlayers]int
}

// NewDecisionPoints returns the decision points of g. The error wraps [ErrStateIndex]
// if they are too many for an int.
func NewDecisionPoints(g env.Game) (*DecisionPoints, error) {
	d := &DecisionPoints{game: g, columns: g.NumColumns(), first: []int{0}}
	target, width, phases, n := g.Target(), g.Target(), 1, g.Players()
	if g.Variant().Ending == env.AfterRound {
		width, phases = target+BeyondTarget, n
	}
	for own := range target {
		d.first = append(d.first, d.first[own]+width-1-own)
	}
	size := 0
	for after := range phases {
		b := decisionBlock{first: size, turn: 1}
		for k := 1; k < n; k++ { // the seat k places on, which acts after the mover if k <= after
			b.values[k] = target
			if phases > 1 && k > after {
				b.values[k] = width
			}
			hi, lo := bits.Mul64(uint64(b.turn), uint64(b.values[k]))
			if hi != 0 || lo > math.MaxInt/uint64(d.first[target]*phases+1) {
				return nil, fmt.Errorf("%w: %v has more decision points than can be numbered", ErrStateIndex, g)
			}
			b.turn = int(lo)
		}
		size += d.first[target] * b.turn
		d.blocks = append(d.blocks, b)
	}
	d.blocks = append(d.blocks, decisionBlock{first: size})
	return d, nil
}

// Len returns the number of decision points.
func (d *DecisionPoints) Len() int { return d.blocks[len(d.blocks)-1].first }

// Observation appends to dst the observation of decision point i, in [0, Len), with the
// columns of [env.Game.Columns], and returns the extended slice.
func (d *DecisionPoints) Observation(dst []int16, i int) []int16 {
	after := sort.Search(len(d.blocks), func(k int) bool { return d.blocks[k].first > i }) - 1
	b := &d.blocks[after]
	i -= b.first
	pair, rest := i/b.turn, i%b.turn
	own := sort.SearchInts(d.first, pair+1) - 1
	n := d.game.Players()
	from := len(dst)
	for range d.columns {
		dst = append(dst, 0)
	}
	row := dst[from:]
	row[0], row[1] = int16(own), int16(1+pair-d.first[own])
	for k := n - 1; k >= 1; k-- {
		row[k+1], rest = int16(rest%b.values[k]), rest/b.values[k]
	}
	if d.columns > n+1 {
		row[n+1] = int16(after)
	}
	return dst
}
