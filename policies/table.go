package policies

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"pigpen/env"
	"pigpen/policies/exact"
	"pigpen/policies/policyfile"
)

// A Table is a policy with one bit for each entry of its index, and a chance for each
// of those in which it neither always rolls nor always holds. Its methods may be called
// concurrently, except Set and SetChance, which exclude all others.
type Table struct {
	index StateIndex
	bits  []byte             // bit i%8 of byte i/8 is 1 where the chance of rolling is 0.5 or more
	mixed []policyfile.Mixed // in the order of the entries
}

// NewTable returns a table over x that holds in every state.
func NewTable(x StateIndex) *Table {
	return &Table{index: x, bits: make([]byte, tableBytes(x.size))}
}

// tableBytes returns the length of the bits of a table with the given number of entries.
func tableBytes(entries int) int { return (entries + 7) / 8 }

// TableOf returns a table over x with the chances of p. o.Progress receives the fraction of the table that is done. The error is
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
			t.SetChance(start+1+i, chance)
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
func (t *Table) Clone() *Table {
	return &Table{index: t.index, bits: slices.Clone(t.bits), mixed: slices.Clone(t.mixed)}
}

// Index returns the index of the table.
func (t *Table) Index() StateIndex { return t.index }

// Mixed returns the number of entries whose chance of rolling is neither 0 nor 1.
func (t *Table) Mixed() int { return len(t.mixed) }

// Set makes the policy roll (true) or hold (false) in the states with index i.
func (t *Table) Set(i int, roll bool) {
	if len(t.mixed) > 0 {
		if k, found := t.findMixed(i); found {
			t.mixed = slices.Delete(t.mixed, k, k+1)
		}
	}
	t.setBit(i, roll)
}

// SetChance makes the policy roll with the given chance in the states with index i. It
// panics unless chance is in [0, 1]. Chances other than 0 and 1 are set fastest in
// increasing order of i: each moves those of larger indices.
func (t *Table) SetChance(i int, chance float64) {
	switch {
	case chance == 0 || chance == 1:
		t.Set(i, chance == 1)
		return
	case !(chance > 0 && chance < 1):
		panic(fmt.Sprintf("policies: SetChance(%d, %v): the chance is not in [0, 1]", i, chance))
	}
	t.setBit(i, chance >= 0.5)
	if k, found := t.findMixed(i); found {
		t.mixed[k].Chance = chance
	} else {
		t.mixed = slices.Insert(t.mixed, k, policyfile.Mixed{Entry: int64(i), Chance: chance})
	}
}

func (t *Table) setBit(i int, roll bool) {
	if roll {
		t.bits[i>>3] |= 1 << (i & 7)
	} else {
		t.bits[i>>3] &^= 1 << (i & 7)
	}
}

// findMixed returns the place in t.mixed of entry i, or where it would have to stand.
func (t *Table) findMixed(i int) (k int, found bool) {
	return slices.BinarySearchFunc(t.mixed, int64(i), func(m policyfile.Mixed, i int64) int { return cmp.Compare(m.Entry, i) })
}

// Rolls reports whether the policy rolls in the states with index i with a chance of 0.5
// or more.
func (t *Table) Rolls(i int) bool { return t.bits[i>>3]>>(i&7)&1 == 1 }

// Chance returns the chance of rolling in the states with index i.
func (t *Table) Chance(i int) float64 {
	if len(t.mixed) > 0 {
		if k, found := t.findMixed(i); found {
			return t.mixed[k].Chance
		}
	}
	return exact.Certain(t.Rolls(i))
}

// RollChance implements [Policy].
func (t *Table) RollChance(s env.State) float64 { return t.Chance(t.index.Of(&s)) }

// HoldsAt implements [env.ThresholdPlayer].
func (t *Table) HoldsAt(s *env.State) (turnTotal int, ok bool) {
	start, last := t.index.Turn(s)
	if t.mixes(start+1, last) {
		return 0, false
	}
	hold := t.next(start+1, last, false)
	switch {
	case hold > last:
		return toWin, true
	case t.next(hold+1, last, true) <= last:
		return 0, false
	}
	return hold - start, true
}

// mixes reports whether an entry in [first, last] is mixed.
func (t *Table) mixes(first, last int) bool {
	if len(t.mixed) == 0 {
		return false
	}
	k, _ := t.findMixed(first)
	return k < len(t.mixed) && t.mixed[k].Entry <= int64(last)
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
	mixes := t.mixes(start+1, last)
	for i := range chances {
		n := start + int(s.TurnTotal) + i
		if t.index.afterRound {
			n = min(n, last)
		}
		if mixes {
			chances[i] = t.Chance(n)
		} else {
			chances[i] = exact.Certain(t.Rolls(n))
		}
	}
}
