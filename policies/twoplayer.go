package policies

import (
	"context"
	"fmt"

	"pigpen/env"
	"pigpen/policies/exact"
)

// TwoPlayer is the name of perfect play for two, which looks at the leader alone, a fixed
// policy.
const TwoPlayer = "two-player"

// A twoPlayer plays a game of any number of players as if the leader of the others were
// the only one: perfectly, if there were two.
type twoPlayer struct {
	view
	perfect *exact.Solution // of the game for two
}

// newTwoPlayer solves v.game for two players.
func newTwoPlayer(ctx context.Context, v view, _ int, o exact.Options) (Policy, error) {
	c := v.game.Config()
	c.Players = 2
	two, err := env.New(c, v.game.Variant())
	if err != nil {
		return nil, fmt.Errorf("%w: no %s policy: %w", ErrUnavailable, TwoPlayer, err)
	}
	o.Prepare = true // so that no later call of the policy has to compute
	perfect, err := exact.Solve(ctx, two, o)
	if err != nil {
		return nil, err
	}
	return &twoPlayer{v, perfect}, nil
}

// pair returns the state of the game for two in which the mover of s plays against the
// leader of the others. In games that end after a round the mover acts last in it if
// nobody acts after the mover of s, or if the leader has banked the target.
func (p *twoPlayer) pair(s *env.State) env.State {
	own, leader := p.scores(s)
	pair := env.State{TurnTotal: s.TurnTotal, MustRoll: s.MustRoll}
	if p.afterRound && (leader >= p.target || p.game.SeatsAfter(s, int(s.Seat)) == 0) {
		pair.Seat = 1
	}
	pair.Scores[pair.Seat], pair.Scores[1-pair.Seat] = int16(own), int16(leader)
	return pair
}

// RollChance implements [Policy]; it is 0 or 1.
func (p *twoPlayer) RollChance(s env.State) float64 { return p.perfect.RollChance(p.pair(&s)) }

// RollChances implements [exact.TurnPlayer].
func (p *twoPlayer) RollChances(s env.State, chances []float64) {
	p.perfect.RollChances(p.pair(&s), chances)
}

// HoldsAt implements [env.ThresholdPlayer].
func (p *twoPlayer) HoldsAt(s *env.State) (turnTotal int, ok bool) {
	pair := p.pair(s)
	return p.perfect.HoldsAt(&pair)
}
