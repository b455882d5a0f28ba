package main

import (
	"math"
	"sync"

	"pigpen/env"
)

// A valuer is a policy that knows what both actions are worth, as that of
// package exact does.
type valuer interface {
	Values(s env.State) (hold, roll float64)
}

// act decides in a state, or in many.
func (s *session) act(q *request) ([]field, *replyError) {
	one, many := q.has("observation"), q.has("observations")
	switch {
	case s.policy == nil:
		return nil, wrongf(codeNoPolicy, "no policy is served; name one on the command line, as in 'pigpen serve optimal'")
	case one == many:
		return nil, wrongf(codeBadRequest, "act takes either an observation or observations")
	}
	d := decider{session: s, sample: s.sample}
	if q.has("sample") {
		d.sample = q.sample
	}
	if q.values {
		var ok bool
		if d.valuer, ok = s.policy.policy.(valuer); !ok {
			return nil, wrongf(codeBadRequest, "the values of %s are not known; those of optimal are", s.policy.name)
		}
	}
	columns := s.game.NumColumns()
	if one {
		if len(q.observation) != columns {
			return nil, wrongf(codeBadRequest, "an observation of %v has %d columns, not %d", s.game, columns, len(q.observation))
		}
		return d.one(q.observation)
	}
	states := q.observations
	if states.columns != 0 && states.columns != columns {
		return nil, wrongf(codeBadRequest, "an observation of %v has %d columns, not %d", s.game, columns, states.columns)
	}
	if len(states.values)%columns != 0 {
		return nil, wrongf(codeBadRequest, "%d numbers are no whole number of observations; one of %v has %d columns", len(states.values), s.game, columns)
	}
	return d.many(states.values, columns)
}

// A decider answers one request.
type decider struct {
	*session
	sample bool
	valuer valuer // nil if no values are asked for
}

// one decides in the state that shows an observation.
func (d *decider) one(observation []int16) ([]field, *replyError) {
	state, err := d.game.StateOf(observation)
	if err != nil {
		return nil, &replyError{codeBadState, oneLine(err)}
	}
	legal := d.game.Legal(state)
	actions := []int{}
	for a := range env.Action(env.NumActions) {
		if legal.Has(a) {
			actions = append(actions, int(a))
		}
	}
	chance := d.chance(state)
	action := likelier(chance)
	if d.sample {
		action = env.Choose(d.policy.policy, state, &d.rand)
	}
	fields := []field{{"action", int(action)}, {"action_name", action.String()}, {"roll_chance", chance}, {"legal", actions}}
	if d.valuer != nil {
		hold, roll := d.valuer.Values(state)
		fields = append(fields, field{"win_hold", number(hold)}, field{"win_roll", number(roll)})
	}
	return fields, nil
}

// number is x, or nil if it is none.
func number(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// chance returns the chance of rolling, 1 where nothing else is legal.
func (d *decider) chance(state env.State) float64 {
	if state.TurnTotal == 0 {
		return 1
	}
	return d.policy.policy.RollChance(state)
}

// likelier returns the action that is taken without a draw.
func likelier(rollChance float64) env.Action {
	if rollChance >= 0.5 {
		return env.Roll
	}
	return env.Hold
}

// rowsPerWorker is how many states are worth a goroutine.
const rowsPerWorker = 512

// many decides in the states that show rows of observations. A draw depends on
// the seed, the number of batches before and the row, not on the workers.
func (d *decider) many(values []int16, columns int) ([]field, *replyError) {
	n := len(values) / columns
	actions, chances := make([]uint8, n), make([]float64, n)
	var holds, rolls []float64
	if d.valuer != nil {
		holds, rolls = make([]float64, n), make([]float64, n)
	}
	seed := env.SeedAt(d.seed, d.batches)
	errs := inParts(n, rowsPerWorker, d.workers, func(from, to int) *replyError {
		// A state is copied with wide loads, which wait for narrow stores just
		// before; so some are read before the first is decided in.
		var states [64]env.State
		for ; from < to; from += len(states) {
			n := min(to-from, len(states))
			for k := range n {
				row := from + k
				if err := d.game.ReadState(values[row*columns:(row+1)*columns], &states[k]); err != nil {
					return wrongf(codeBadState, "row %d: %s", row, oneLine(err))
				}
			}
			for k := range n {
				row := from + k
				chances[row] = d.chance(states[k])
				action := likelier(chances[row])
				if d.sample {
					r := env.NewRand(env.SeedAt(seed, uint64(row)))
					action = env.Choose(d.policy.policy, states[k], &r)
				}
				actions[row] = uint8(action)
				if d.valuer != nil {
					holds[row], rolls[row] = d.valuer.Values(states[k])
				}
			}
		}
		return nil
	})
	for _, wrong := range errs {
		if wrong != nil {
			return nil, wrong
		}
	}
	if d.sample {
		d.batches++
	}
	fields := []field{{"actions", column{actions, 0}}, {"roll_chance", column{chances, 0}}}
	if d.valuer != nil {
		fields = append(fields, field{"win_hold", column{holds, 0}}, field{"win_roll", column{rolls, 0}})
	}
	return fields, nil
}

// inParts calls do for each part of [0, n), at once where there are several: as
// many as the workers allow, none much smaller than least. It returns what do
// returned, in order.
func inParts[T any](n, least, workers int, do func(from, to int) T) []T {
	parts := max(1, min(workers, n/least))
	results := make([]T, parts)
	var wg sync.WaitGroup
	for k := 1; k < parts; k++ {
		wg.Go(func() { results[k] = do(n*k/parts, n*(k+1)/parts) })
	}
	results[0] = do(0, n/parts)
	wg.Wait()
	return results
}
