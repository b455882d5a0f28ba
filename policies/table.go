package policies

import (
	"context"
	"math/bits"
	"slices"

	"pigpen/env"
	"pigpen/policies/exact"
)

// A Table is a deterministic policy with one bit for each entry of its index. Its
// methods may be called concurrently, except Set, which excludes all others.
type Table struct {
	index StateIndex
	bits  []byte // bit i%8 of byte i/8 is 1 where the policy rolls
}

// NewTable returns a table over x that holds in every state.
func NewTable(x StateIndex) *Table {
	return &Table{index: x, bits: make([]byte, tableBytes(x.size))}
}

// tableBytes returns the length of the bits of a table with the given number of entries.
func tableBytes(entries int) int { return (entries + 7) / 8 }

// TableOf returns a table over x that rolls where p rolls with probability 0.5 or
// more. o.Progress receives the fraction of the table that is done. The error is
// ctx.Err(), if ctx ends first.
func TableOf(ctx context.Context, x StateIndex, p Policy, o exact.Options) (*Table, error) {
	if s, ok := p.(*exact.Solution); ok {
		if err := s.Prepare(ctx, exact.Options{Workers: o.Workers}); err != nil {
			return nil, err
		}
	}
	t := NewTable(x)
	chances := make([]float64, x.width)
	reported := 0
	for start, s := range x.Turns() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.Set(start, true)
		s.TurnTotal = 1
		turn := chances[:x.width-1-int(s.Scores[s.Seat])]
		rollChances(p, s, turn)
		for i, chance := range turn {
			t.Set(start+1+i, chance >= 0.5)
		}
		if o.Progress != nil && start-reported >= reportEntries {
			reported = start
			o.Progress(float64(start) / float64(x.size))
		}
	}
	if o.Progress != nil {
		o.Progress(1)
	}
	return t, nil
}

// reportEntries is the least number of entries between two calls of Progress.
const reportEntries = 1 << 16

// rollChances sets chances[i] to the probability that p rolls in s with i added to
// the turn total.
func rollChances(p Policy, s env.State, chances []float64) {
	if p, ok := p.(exact.TurnPlayer); ok {
		p.RollChances(s, chances)
		return
	}
	for i := range chances {
		chances[i] = p.RollChance(s)
		s.TurnTotal++
	}
}

// Clone returns an independent copy.
func (t *Table) Clone() *Table { return &Table{index: t.index, bits: slices.Clone(t.bits)} }

// Index returns the index of the table.
func (t *Table) Index() StateIndex { return t.index }

// Set makes the policy roll (true) or hold (false) in the states with index i.
func (t *Table) Set(i int, roll bool) {
	if roll {
		t.bits[i>>3] |= 1 << (i & 7)
	} else {
		t.bits[i>>3] &^= 1 << (i & 7)
	}
}

// Rolls reports whether the policy rolls in the states with index i.
func (t *Table) Rolls(i int) bool { return t.bits[i>>3]>>(i&7)&1 == 1 }

// RollChance implements [Policy]; it is 0 or 1.
func (t *Table) RollChance(s env.State) float64 { return exact.Certain(t.Rolls(t.index.Of(&s))) }

// HoldsAt implements [env.ThresholdPlayer].
func (t *Table) HoldsAt(s *env.State) (turnTotal int, ok bool) {
	start, last := t.index.Turn(s)
	hold := t.next(start+1, last, false)
	switch {
	case hold > last:
		return toWin, true
	case t.next(hold+1, last, true) <= last:
		return 0, false
	}
	return hold - start, true
}

// next returns the first index in [i, last] at which the policy rolls or, if roll is
// false, holds; last+1 if there is none.
func (t *Table) next(i, last int, roll bool) int {
	flip := byte(0)
	if !roll {
		flip = 0xff
	}
	for i <= last {
		if rest := (t.bits[i>>3] ^ flip) >> (i & 7); rest != 0 {
			return min(i+bits.TrailingZeros8(rest), last+1)
		}
		i = i&^7 + 8
	}
	return last + 1
}

// RollChances implements [exact.TurnPlayer].
func (t *Table) RollChances(s env.State, chances []float64) {
	start, last := t.index.Turn(&s)
	for i := range chances {
		n := start + int(s.TurnTotal) + i
		if t.index.afterRound {
			n = min(n, last)
		}
		chances[i] = exact.Certain(t.Rolls(n))
	}
}
