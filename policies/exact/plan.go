package exact

import (
	"sync"
	"sync/atomic"
)

// A plan is what a role does in every state while everybody has banked less
// than the target. A turn begins with rolling, and goes on so up to some turn
// total; it may be right to roll again from a higher one on, close to the
// target. So few numbers tell a whole turn.
type plan struct {
	// switches are the turn totals at which the action changes, those of all
	// turns one after the other; first[other·target + own] is where a turn's
	// begin.
	switches []uint16
	first    []uint32
	last     int // the highest score at which it rolls
}

// rolls reports whether the plan is to roll.
func (p *plan) rolls(own, other, turnTotal int, r *rules) bool {
	if other >= r.target {
		// The last player to move wins by going past the other.
		held := own + turnTotal
		return held < other || held == other && r.chase[0] > share(0, 0)
	}
	roll := true
	for _, at := range p.turn(own, other, r) {
		if turnTotal < int(at) {
			break
		}
		roll = !roll
	}
	return roll
}

// turn returns the turn totals of a turn at which the action changes; other is
// below the target.
func (p *plan) turn(own, other int, r *rules) []uint16 {
	i := other*r.target + own
	return p.switches[p.first[i]:p.first[i+1]]
}

// plan works through every turn once more, now that all values are known.
func (s *Solution) plan() {
	roles := 1
	if s.rules.afterRound {
		roles = 2
	}
	for role := range roles {
		b := s.boards[min(role, len(s.boards)-1)]
		parts := make([]plan, len(b.passed[role]))
		var wg sync.WaitGroup
		var next atomic.Int64
		for range s.options.workers() {
			wg.Go(func() {
				t := newTurn(s.rules, 0)
				for other := int(next.Add(1)) - 1; other < len(parts); other = int(next.Add(1)) - 1 {
					parts[other] = b.plan(&t, role, other)
				}
			})
		}
		wg.Wait()
		whole := &s.plans[role]
		for _, part := range parts {
			for _, i := range part.first {
				whole.first = append(whole.first, uint32(len(whole.switches))+i)
			}
			whole.switches = append(whole.switches, part.switches...)
			whole.last = max(whole.last, part.last)
		}
		whole.first = append(whole.first, uint32(len(whole.switches)))
	}
}

// plan returns the part of a role's plan for one score of the other player.
func (b *board) plan(t *turn, role, other int) plan {
	var p plan
	for own := range b.target {
		p.first = append(p.first, uint32(len(p.switches)))
		top := b.target - 1
		bust, wiped := b.failed(role, own, other)
		if b.afterRound && role == 0 {
			top = b.lastRoll(other, bust)
		}
		row := b.row(t, role, other, top+b.maxGain)
		t.best(own, row, top, bust, wiped, bust, b.margin)
		rolling, end := true, top
		if b.afterRound {
			end++ // where it holds
		}
		for h := own + 1; h <= end; h++ {
			if roll := t.value[h] != row[h]; roll != rolling {
				p.switches = append(p.switches, uint16(h-own))
				rolling = roll
			}
			if rolling {
				p.last = max(p.last, h)
			}
		}
	}
	return p
}
