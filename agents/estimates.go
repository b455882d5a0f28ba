package agents

import (
	"math"

	"pigpen/env"
	"pigpen/policies"
)

// An Estimator is an agent that tells its estimates. Those of all recipes of [Kinds] do.
type Estimator interface {
	Agent
	// Estimates returns what the agent estimates both actions to be worth to the player
	// to move, if all seats go on by the policy that it learns: win probabilities or,
	// with one player, minus the number of turns that begin after the current one. A
	// value is NaN where no sample bears on it and, of holding, where that is not legal.
	Estimates() *policies.Values
}

var unsampled = float32(math.NaN())

// worth returns what an expected return of r is worth to a player of g, who is or is not at
// the start of a turn: the win probability, by the inverse of [env.Game.Return], or minus
// the number of turns after the current one, which r counts if it has not begun. It is
// unsampled if r is infinite, which follows from absurd numbers in a checkpoint alone.
func worth(g env.Game, r float32, start bool) float32 {
	n := float64(g.Players())
	switch {
	case math.IsInf(float64(r), 0):
		return unsampled
	case n > 1:
		return float32((float64((n-1)*float64(r)) + 1) / n)
	case start:
		return r + 1
	}
	return r
}

// estimates returns the estimates where value[i] is the value of rolling in the states with
// index i and sampled reports whether it has samples. Holding has the samples of the state
// that it leads to.
func (a *afterstates) estimates(value func(i int) float32, sampled func(i int) bool) *policies.Values {
	e := policies.NewValues(a.index)
	for i, s := range a.index.All() {
		hold, roll := unsampled, unsampled
		if sampled(i) {
			roll = worth(a.game, value(i), s.TurnTotal == 0)
		}
		if s.TurnTotal > 0 {
			next := a.game.AfterHold(s)
			if next.Over {
				hold = worth(a.game, float32(a.game.Return(next, int(s.Seat))), false)
			} else if after := a.index.Of(&next); sampled(after) {
				hold = worth(a.game, a.waiting(value(after), &next, s.Seat), false)
			}
		}
		e.Set(i, hold, roll)
	}
	return e
}

// Estimates implements [Estimator].
func (q *curriculum) Estimates() *policies.Values {
	return q.estimates(
		func(i int) float32 { return q.value[i] },
		func(i int) bool { return q.count[i] > 0 })
}

// Estimates implements [Estimator]. In states without samples of their own it tells
// nothing, though the policy decides there by those of their neighbours.
func (mc *rounds) Estimates() *policies.Values {
	mc.improve()
	return mc.estimates(
		func(i int) float32 { return mc.base[i] + mc.advantage[i] }, // base is 0 where a turn begins
		func(i int) bool { return mc.total.count[i] > 0 })
}

// Estimates implements [Estimator]. Its values are those of a plan with all rolls so far,
// which every roll bears on.
func (d *dyna) Estimates() *policies.Values {
	e := policies.NewValues(d.index)
	m, value, planned := d.newestPlan()
	if !planned {
		return e
	}
	d.eachTurn(m, value, func(start int, t *turnValues) {
		e.Set(start, unsampled, worth(d.game, float32(t.best[0]), true))
		for k := 1; k < t.n; k++ {
			e.Set(start+k, worth(d.game, float32(t.hold[k]), false), worth(d.game, float32(t.roll[k]), false))
		}
	})
	return e
}

// Estimates implements [Estimator].
func (v *values) Estimates() *policies.Values {
	e := policies.NewValues(v.index)
	of := func(i int, a env.Action, start bool) float32 {
		cell := env.NumActions*i + int(a)
		if v.updates[cell] == 0 {
			return unsampled
		}
		return worth(v.index.Game(), v.q[cell], start)
	}
	for i, s := range v.index.All() {
		e.Set(i, of(i, env.Hold, false), of(i, env.Roll, s.TurnTotal == 0))
	}
	return e
}
