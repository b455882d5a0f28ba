package serve

import (
	"math"
	"sync"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
)

// valueKind returns what the values of a policy are, as hello tells it: "exact", "estimated"
// by the learner of a policy file, or nil if it has none.
func valueKind(p policies.Policy) any {
	switch p.(type) {
	case policies.ValuedTable:
		return "estimated"
	case policies.Valuer:
		return "exact"
	}
	return nil
}

// An actRequest asks what the policy does in one state or in many, of which one
// field is nil.
type actRequest struct {
	observation  []int16
	observations wire.Rows
	values       bool  // also return what both actions are worth
	sample       *bool // draw the action; nil for the session's default
}

// actOp asks the policy.
func actOp() op {
	return newOp("act", wire.Schema[actRequest]{
		wire.Optional("observation", wire.Int16List(), func(q *actRequest) *[]int16 { return &q.observation }),
		wire.Optional("observations", wire.Int16Rows(), func(q *actRequest) *wire.Rows { return &q.observations }),
		wire.Optional("values", wire.Bool(), func(q *actRequest) *bool { return &q.values }),
		wire.Optional("sample", wire.Pointer(wire.Bool()), func(q *actRequest) **bool { return &q.sample }),
	}, (*session).act,
		result{name: "action"}, result{name: "action_name"}, result{"actions", "|u1"},
		result{"roll_chance", "<f8"}, result{name: "legal"}, result{"win_hold", "<f8"}, result{"win_roll", "<f8"},
	)
}

func (s *session) act(q *actRequest) ([]wire.Field, *Error) {
	one, many := q.observation != nil, q.observations.Values != nil
	switch {
	case s.Policy == nil:
		return nil, errorf(CodeNoPolicy, "no policy is served; name one on the command line, as in 'pigpen serve optimal'")
	case one == many:
		return nil, errorf(CodeBadRequest, "act takes either an observation or observations")
	}
	d := decider{session: s, sample: s.Sample}
	if q.sample != nil {
		d.sample = *q.sample
	}
	if q.values {
		var ok bool
		if d.valuer, ok = s.Policy.Policy.(policies.Valuer); !ok {
			return nil, errorf(CodeBadRequest, "the values of %s are not known; those of optimal are, and of files that pigpen train --values has written", s.Policy.Name)
		}
	}
	columns := s.Game.NumColumns()
	if one {
		if len(q.observation) != columns {
			return nil, errorf(CodeBadRequest, "an observation of %v has %d columns, not %d", s.Game, columns, len(q.observation))
		}
		return d.one(q.observation)
	}
	states := q.observations
	if states.Width != 0 && states.Width != columns {
		return nil, errorf(CodeBadRequest, "an observation of %v has %d columns, not %d", s.Game, columns, states.Width)
	}
	if len(states.Values)%columns != 0 {
		return nil, errorf(CodeBadRequest, "%d numbers are no whole number of observations; one of %v has %d columns", len(states.Values), s.Game, columns)
	}
	return d.many(states.Values, columns)
}

// A decider answers one request.
type decider struct {
	*session
	sample bool
	valuer policies.Valuer // nil if no values are asked for
}

// one decides in the state that shows an observation.
func (d *decider) one(observation []int16) ([]wire.Field, *Error) {
	state, err := d.Game.StateOf(observation)
	if err != nil {
		return nil, d.failed(CodeBadState, err)
	}
	legal := d.Game.Legal(state)
	actions := []int{}
	for a := range env.Action(env.NumActions) {
		if legal.Has(a) {
			actions = append(actions, int(a))
		}
	}
	chance := rollChance(d.Policy.Policy, &state)
	action := likelier(chance)
	if d.sample {
		action = env.Choose(d.Policy.Policy, state, &d.rand)
	}
	fields := []wire.Field{named("action", int(action)), named("action_name", action.String()), named("roll_chance", chance), named("legal", actions)}
	if d.valuer != nil {
		hold, roll := d.valuer.Values(state)
		fields = append(fields, named("win_hold", orNil(hold)), named("win_roll", orNil(roll)))
	}
	return fields, nil
}

// orNil returns x, or nil for NaN.
func orNil(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// rollChance returns the chance with which policy rolls in state, 1 where nothing
// else is legal.
func rollChance(policy policies.Policy, state *env.State) float64 {
	if state.TurnTotal == 0 {
		return 1
	}
	return policy.RollChance(*state)
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
func (d *decider) many(values []int16, columns int) ([]wire.Field, *Error) {
	n := len(values) / columns
	actions, chances := make([]uint8, n), make([]float64, n)
	var holds, rolls []float64
	if d.valuer != nil {
		holds, rolls = make([]float64, n), make([]float64, n)
	}
	game, policy, sample, valuer := d.Game, d.Policy.Policy, d.sample, d.valuer
	seed := env.SeedAt(d.Seed, d.batches)
	errs := inParts(n, rowsPerWorker, d.Workers, func(from, to int) *Error {
		// A state is copied with wide loads, which wait for narrow stores just
		// before; so some are read before the first is decided in.
		var states [64]env.State
		for ; from < to; from += len(states) {
			n := min(to-from, len(states))
			for k := range n {
				row := from + k
				if err := game.ReadState(values[row*columns:(row+1)*columns], &states[k]); err != nil {
					return errorf(CodeBadState, "row %d: %s", row, d.Message(err))
				}
			}
			for k := range n {
				row := from + k
				chances[row] = rollChance(policy, &states[k])
				action := likelier(chances[row])
				if sample {
					r := env.NewRand(env.SeedAt(seed, uint64(row)))
					action = env.Choose(policy, states[k], &r)
				}
				actions[row] = uint8(action)
				if valuer != nil {
					holds[row], rolls[row] = valuer.Values(states[k])
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
	fields := []wire.Field{named("actions", list(actions)), named("roll_chance", list(chances))}
	if d.valuer != nil {
		fields = append(fields, named("win_hold", list(holds)), named("win_roll", list(rolls)))
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
