package exact

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"pigpen/env"
)

// A switchPolicy is the optimal policy of a role in all states in which every player
// has banked less than the target, as the switch points of each turn. A turn begins
// with Roll, up to a first turn total at which the action changes; close to the
// target the action may change again.
type switchPolicy struct {
	// switches has the turn totals at which the action changes, of all turns one
	// after the other; those of a turn begin at offsets[other·target + own].
	switches    []uint16
	offsets     []uint32
	highestRoll int // the highest score at which it rolls
}

// rolls reports whether the policy rolls with own banked, other banked by the other
// player and the given turn total.
func (p *switchPolicy) rolls(own, other, turnTotal int, r *rules) bool {
	if other >= r.target {
		return turnTotal < p.lastHold(own, other, r)
	}
	roll := true
	for _, at := range p.turnSwitches(own, other, r) {
		if turnTotal < int(at) {
			break
		}
		roll = !roll
	}
	return roll
}

// lastHold returns the turn total at which the policy holds in the last turn of a game
// that ends after a round, with other banked by the other player, who has reached the
// target. The last player to move wins by going past the other.
func (p *switchPolicy) lastHold(own, other int, r *rules) int {
	if r.catchUp[0] > winShare(0, 0) {
		other++
	}
	return other - own
}

// turnSwitches returns, in ascending order, the turn totals of a turn at which the
// action changes. other must be below the target.
func (p *switchPolicy) turnSwitches(own, other int, r *rules) []uint16 {
	i := other*r.target + own
	return p.switches[p.offsets[i]:p.offsets[i+1]]
}

// Prepare computes the action in every state, unless that has been done. Without it
// the first call of RollChance, RollChances or LastRoll does so. It takes a fraction
// of the time of [Solve]. The error is ctx.Err(); then the solution can be used as
// before.
func (s *Solution) Prepare(ctx context.Context, o Options) error {
	select {
	case s.preparing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.preparing }()
	if s.policies.Load() == nil && s.multi == nil {
		policies, err := s.extractPolicy(ctx, o)
		if err != nil {
			return err
		}
		s.policies.Store(policies)
	}
	if o.Progress != nil {
		o.Progress(1)
	}
	return nil
}

// prepared returns the policies by role of the mover, and computes them if necessary.
func (s *Solution) prepared() *[2]switchPolicy {
	if policies := s.policies.Load(); policies != nil {
		return policies
	}
	s.Prepare(context.Background(), Options{Workers: s.workers}) // it cannot fail
	return s.policies.Load()
}

// prepareAll calls Prepare for those of the players that are Solutions, and returns
// the options for the rest of the work.
func prepareAll(ctx context.Context, o Options, players ...env.Player) (Options, error) {
	var todo []*Solution
	for _, p := range players {
		if s, ok := p.(*Solution); ok && s.multi == nil && s.policies.Load() == nil && !slices.Contains(todo, s) {
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

// extractPolicy returns the greedy policy of each role for the values of s.
func (s *Solution) extractPolicy(ctx context.Context, o Options) (*[2]switchPolicy, error) {
	roles := 1
	if s.rules.afterRound {
		roles = 2
	}
	var policies [2]switchPolicy
	for role := range roles {
		b := s.tables[min(role, len(s.tables)-1)]
		parts := make([]switchPolicy, len(b.afterPass[role]))
		part := o.Part(float64(role)/float64(roles), float64(role+1)/float64(roles))
		var (
			wg   sync.WaitGroup
			next atomic.Int64
			mu   sync.Mutex
			done int
		)
		for range min(o.numWorkers(), len(parts)) {
			wg.Go(func() {
				t := newTurn(s.rules, 0)
				for ctx.Err() == nil {
					other := int(next.Add(1)) - 1
					if other >= len(parts) {
						break
					}
					parts[other] = b.greedyPolicy(&t, role, other)
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
		whole := &policies[role]
		for _, part := range parts {
			for _, i := range part.offsets {
				whole.offsets = append(whole.offsets, uint32(len(whole.switches))+i)
			}
			whole.switches = append(whole.switches, part.switches...)
			whole.highestRoll = max(whole.highestRoll, part.highestRoll)
		}
		whole.offsets = append(whole.offsets, uint32(len(whole.switches)))
	}
	return &policies, nil
}

// greedyPolicy returns the policy of role in the turns with other banked by the other
// player.
func (b *valueTable) greedyPolicy(t *turn, role, other int) switchPolicy {
	var p switchPolicy
	for own := range b.target {
		p.offsets = append(p.offsets, uint32(len(p.switches)))
		top := b.target - 1
		bust, wiped := b.failureValues(role, own, other)
		if b.afterRound && role == 0 {
			top = b.lastRoll(other, bust)
		}
		row := b.afterPassRow(t, role, other, top+b.maxGain)
		t.backup(own, row, top, bust, wiped, bust, b.margin)
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
				p.highestRoll = max(p.highestRoll, h)
			}
		}
	}
	return p
}
