package policies

import (
	"context"
	"math"

	"pigpen/env"
	"pigpen/policies/exact"
)

// A Valuer is a policy that knows what both actions are worth, such as an
// [*exact.Solution], or estimates it, as a [ValuedTable] does.
type Valuer interface {
	Policy
	// Values returns what holding and rolling are worth to the player to move in s, a
	// state of the game that is not over: win probabilities or, with one player, minus
	// the expected number of turns yet to begin. hold is NaN where Hold is not legal.
	Values(s env.State) (hold, roll float64)
}

// NewValuer returns perfect play of g or, if against is not nil, the best response to
// that policy in all other seats. The error wraps [exact.ErrPlayers] if g cannot be
// solved or responded to, or is ctx.Err().
func NewValuer(ctx context.Context, g env.Game, against Policy, o exact.Options) (Valuer, error) {
	o.Prepare = true // so that later calls of the policy do not compute
	var (
		s   *exact.Solution
		err error
	)
	if against == nil || g.Players() == 1 {
		s, err = exact.Solve(ctx, g, o)
	} else if err = exact.Responds(g); err == nil {
		s, err = exact.BestResponse(ctx, g, against, o)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Advice is what to do in a state, and what both actions are worth.
type Advice struct {
	Action env.Action
	// Hold and Roll are what the actions are worth; see [Valuer].
	Hold, Roll float64
	// HoldAt is the least turn total, from that of the state on, at which to hold; 0 if
	// there is none.
	HoldAt int
}

// Advise returns the advice of v in s, a state of g that is not over.
func Advise(g env.Game, v Valuer, s env.State) Advice {
	a := Advice{Action: env.Roll}
	a.Hold, a.Roll = v.Values(s)
	if g.Legal(s).Has(env.Hold) && v.RollChance(s) < 0.5 {
		a.Action = env.Hold
	}
	a.HoldAt, _ = HoldAt(g, v, s)
	return a
}

// Loss returns what action a gives away in s by the values of v: what the better action
// is worth, less what a is worth. It is 0 where Hold is not legal.
func Loss(v Valuer, s env.State, a env.Action) float64 {
	hold, roll := v.Values(s)
	switch {
	case math.IsNaN(hold):
		return 0
	case a == env.Hold:
		return max(0, roll-hold)
	}
	return max(0, hold-roll)
}

// HoldAt returns the least turn total, from that of s and from 1 on, at which p holds in
// the turn of s, and whether p rolls again at a higher one. p holds where its chance of
// rolling is below 0.5. turnTotal is 0 if p does not hold before it reaches the target
// or, in games that end after a round, before it is [BeyondTarget] points beyond the
// target and every other score.
func HoldAt(g env.Game, p Policy, s env.State) (turnTotal int, rollsAgain bool) {
	s.TurnTotal, s.MustRoll = max(1, s.TurnTotal), false
	limit := g.Target()
	if g.Variant().Ending == env.AfterRound {
		for _, score := range s.Scores[:g.Players()] {
			limit = max(limit, int(score))
		}
		limit += BeyondTarget
	}
	n := limit - int(s.Scores[s.Seat]) - int(s.TurnTotal)
	if n <= 0 {
		return 0, false
	}
	chances := make([]float64, n)
	rollChances(p, s, chances)
	for i, chance := range chances {
		switch {
		case turnTotal == 0 && chance < 0.5:
			turnTotal = int(s.TurnTotal) + i
		case turnTotal > 0 && chance >= 0.5:
			return turnTotal, true
		}
	}
	return turnTotal, false
}
