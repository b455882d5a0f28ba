package policies

import (
	"context"
	"math"
	"slices"

	"pigpen/policies/exact"
)

// A ValueError says how far a learner's estimates are from the exact values of its policy.
// It is over the states in which a turn begins, as far as rolls lead to their banked scores
// and there is an estimate: what every action is worth follows from these values. States
// that an entry holds together with others, at scores far beyond the target, are left out.
// Both figures are in win probability or, with one player, in turns, and each state counts
// the same.
type ValueError struct {
	Mean float64 `json:"mean" msgpack:"mean"` // of the absolute errors
	Max  float64 `json:"max" msgpack:"max"`   // the largest
}

// ValueErrorOf returns the error of the estimates of t, for a game of one or two players, or
// nil if there are none. The exact values are those of games that all seats play by t; one
// that is infinite, since such a game never ends, makes both figures infinite. The error
// wraps [exact.ErrPlayers], or is ctx.Err().
func ValueErrorOf(ctx context.Context, t ValuedTable, o exact.Options) (*ValueError, error) {
	g := t.index.game
	values, err := exact.NewValueFunction(ctx, g, t.Table, o)
	if err != nil {
		return nil, err
	}
	reach := NewReach(g)
	e, n := new(ValueError), 0
	for i, s := range t.index.Turns() {
		_, estimate := t.Estimates.At(i)
		scores := s.Scores[:g.Players()]
		shared := t.index.afterRound && int(slices.Max(scores)) == t.index.width-1
		if estimate != estimate || shared || !reach.Banked(scores...) || g.Validate(s) != nil {
			continue
		}
		miss := math.Abs(float64(estimate) - values.At(s))
		e.Mean += miss
		e.Max = max(e.Max, miss)
		n++
	}
	if n == 0 {
		return nil, nil
	}
	e.Mean /= float64(n)
	return e, nil
}
