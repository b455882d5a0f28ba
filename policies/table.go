package policies

import (
	"context"
	"slices"

	"pigpen/env"
	"pigpen/policies/exact"
)

// A Table is a policy that rolls or holds for sure, one bit for each number of
// its layout. Set must not be called while others read.
type Table struct {
	layout Layout
	bits   []byte // bit i%8 of byte i/8 is 1 where the policy rolls
}

// NewTable returns a table that holds everywhere.
func NewTable(l Layout) *Table {
	return &Table{layout: l, bits: make([]byte, tableBytes(l.entries))}
}

func tableBytes(entries int) int { return (entries + 7) / 8 }

// TableOf returns the table of a policy: it rolls where the policy does with a
// chance of one half or more. o.Progress is told which part of the table is
// done. The error is ctx.Err().
func TableOf(ctx context.Context, l Layout, p Policy, o exact.Options) (*Table, error) {
	if s, ok := p.(*exact.Solution); ok {
		if err := s.Prepare(ctx, exact.Options{Workers: o.Workers}); err != nil {
			return nil, err
		}
	}
	t := NewTable(l)
	chances := make([]float64, l.width)
	reported := 0
	for start, s := range l.Turns() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.Set(start, true)
		s.TurnTotal = 1
		turn := chances[:l.width-1-int(s.Scores[s.Seat])]
		rollChances(p, s, turn)
		for i, chance := range turn {
			t.Set(start+1+i, chance >= 0.5)
		}
		if o.Progress != nil && start-reported >= reportEntries {
			reported = start
			o.Progress(float64(start) / float64(l.entries))
		}
	}
	if o.Progress != nil {
		o.Progress(1)
	}
	return t, nil
}

// reportEntries is the number of entries between reports of progress.
const reportEntries = 1 << 16

// rollChances sets each chances[i] to p's chance of rolling in s with i added to
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
func (t *Table) Clone() *Table { return &Table{layout: t.layout, bits: slices.Clone(t.bits)} }

// Layout returns the numbering of the table's states.
func (t *Table) Layout() Layout { return t.layout }

// Set makes the policy roll, or hold, in the states of number i.
func (t *Table) Set(i int, roll bool) {
	if roll {
		t.bits[i>>3] |= 1 << (i & 7)
	} else {
		t.bits[i>>3] &^= 1 << (i & 7)
	}
}

// Rolls reports whether the policy rolls in the states of number i.
func (t *Table) Rolls(i int) bool { return t.bits[i>>3]>>(i&7)&1 == 1 }

// RollChance implements [Policy]; it is 0 or 1.
func (t *Table) RollChance(s env.State) float64 { return exact.Certain(t.Rolls(t.layout.Index(&s))) }

// RollChances implements [exact.TurnPlayer].
func (t *Table) RollChances(s env.State, chances []float64) {
	start, last := t.layout.Turn(&s)
	for i := range chances {
		n := start + int(s.TurnTotal) + i
		if t.layout.afterRound {
			n = min(n, last)
		}
		chances[i] = exact.Certain(t.Rolls(n))
	}
}
