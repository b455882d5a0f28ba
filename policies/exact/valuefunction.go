package exact

import (
	"context"
	"fmt"

	"pigpen/env"
)

// A ValueFunction has the values of a policy: what a turn that begins is worth to the
// player to move where all seats play by that policy. It must not be used by several
// goroutines at once.
type ValueFunction struct {
	table  *evaluationTable
	worker *worker
}

// NewValueFunction returns the values of p in g, a game of one or two players; what
// [Evaluate] demands of policies holds. The error wraps [ErrPlayers] if there are more, or
// is ctx.Err().
func NewValueFunction(ctx context.Context, g env.Game, p env.Player, o Options) (*ValueFunction, error) {
	if g.Players() > 2 {
		return nil, fmt.Errorf("%w: the values of a policy are known for one and two, not for %v", ErrPlayers, g)
	}
	o, err := prepareAll(ctx, o, p)
	if err != nil {
		return nil, err
	}
	e, err := evaluatePolicies(ctx, g, [2]env.Player{p, p}, o)
	if err != nil {
		return nil, err
	}
	return &ValueFunction{e, newWorkers(e.rules, Options{Workers: 1})[0]}, nil
}

// At returns what s is worth to the player to move in it, which is what the roll is worth that
// begins the turn: the win probability or, with one player, minus the expected number of
// turns yet to begin, as [Solution.Values] counts them: those after the turn of s. s must be
// a state in which a turn begins and the game goes on.
func (v *ValueFunction) At(s env.State) float64 {
	e := v.table
	own := int(s.Scores[s.Seat])
	if e.rules.players == 1 {
		return 1 - e.afterPass[0][0][own].turns
	}
	role, other := 0, int(s.Scores[1-s.Seat])
	if e.afterRound && e.game.SeatsAfter(&s, int(s.Seat)) == 0 {
		role = 1
	}
	if other >= e.target {
		return e.finalTurnFuture(v.worker, own, other).win[1]
	}
	return e.afterPass[1-role][own][other].win[role]
}
