package exact

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"pigpen/env"
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

// Prepare works out the action in every state, which else the first call of
// RollChance, RollChances or LastRoll does, and which takes a part of the time of
// [Solve]. Nothing is done if that has been done. The error is ctx.Err(), after
// which the solution can be used as before.
func (s *Solution) Prepare(ctx context.Context, o Options) error {
	select {
	case s.planning <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.planning }()
	if s.plans.Load() == nil {
		plans, err := s.plan(ctx, o)
		if err != nil {
			return err
		}
		s.plans.Store(plans)
	}
	if o.Progress != nil {
		o.Progress(1)
	}
	return nil
}

// prepared returns the plans by role of the mover.
func (s *Solution) prepared() *[2]plan {
	if plans := s.plans.Load(); plans != nil {
		return plans
	}
	s.Prepare(context.Background(), Options{Workers: s.workers}) // it cannot fail
	return s.plans.Load()
}

// prepare prepares the solutions among the policies that are about to be
// asked, and returns the options of what is left to do.
func prepare(ctx context.Context, o Options, players ...env.Player) (Options, error) {
	var todo []*Solution
	for _, p := range players {
		if s, ok := p.(*Solution); ok && s.plans.Load() == nil && !slices.Contains(todo, s) {
			todo = append(todo, s)
		}
	}
	n := float64(len(todo) + 1)
	for i, s := range todo {
		if err := s.Prepare(ctx, o.Part(float64(i)/n, float64(i+1)/n)); err != nil {
			return o, err
		}
	}
	return o.Part((n-1)/n, 1), nil
}

// plan works through every turn once more, now that all values are known.
func (s *Solution) plan(ctx context.Context, o Options) (*[2]plan, error) {
	roles := 1
	if s.rules.afterRound {
		roles = 2
	}
	var plans [2]plan
	for role := range roles {
		b := s.boards[min(role, len(s.boards)-1)]
		parts := make([]plan, len(b.passed[role]))
		part := o.Part(float64(role)/float64(roles), float64(role+1)/float64(roles))
		var (
			wg   sync.WaitGroup
			next atomic.Int64
			mu   sync.Mutex
			done int
		)
		for range min(o.workers(), len(parts)) {
			wg.Go(func() {
				t := newTurn(s.rules, 0)
				for ctx.Err() == nil {
					other := int(next.Add(1)) - 1
					if other >= len(parts) {
						break
					}
					parts[other] = b.plan(&t, role, other)
					if part.Progress != nil {
						mu.Lock()
						done++
						part.Progress(float64(done) / float64(len(parts)))
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		whole := &plans[role]
		for _, part := range parts {
			for _, i := range part.first {
				whole.first = append(whole.first, uint32(len(whole.switches))+i)
			}
			whole.switches = append(whole.switches, part.switches...)
			whole.last = max(whole.last, part.last)
		}
		whole.first = append(whole.first, uint32(len(whole.switches)))
	}
	return &plans, nil
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
