package serve

import (
	"errors"
	"fmt"
	"slices"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// A stepRequest takes an action in each game of an environment.
type stepRequest struct {
	env     int64
	actions []env.Action
	mask    []bool // the games that take their actions; nil for all
}

// stepOp takes actions.
func stepOp() op {
	return newOp("step", wire.Schema[stepRequest]{
		wire.Required("env", envNumber, func(q *stepRequest) *int64 { return &q.env }),
		wire.Required("actions", actionList(), func(q *stepRequest) *[]env.Action { return &q.actions }),
		wire.Optional("mask", wire.BoolList(maxGames), func(q *stepRequest) *[]bool { return &q.mask }),
	}, (*session).step, slices.Concat(shownResults, []result{{"final_observations", "<i2"}, {"noops", "|u1"}}, eventResults)...)
}

// actionList is a list of actions, legal or not.
func actionList() wire.Kind[[]env.Action] {
	k := wire.Uint8List[env.Action](maxGames)
	k.Want = fmt.Sprintf("a list of actions, each a number in [0, 255], at most %d", maxGames)
	return k
}

func (s *session) step(q *stepRequest) ([]wire.Field, *Error) {
	e, wrong := s.begun(q.env)
	switch {
	case wrong != nil:
		return nil, wrong
	case len(q.actions) != e.games:
		return nil, wrongLength("actions", len(q.actions), e.games)
	case q.mask != nil && len(q.mask) != e.games:
		return nil, wrongLength("mask", len(q.mask), e.games)
	}
	b := e.batch
	clear(b.Final)
	err := e.vec.StepSome(q.actions, q.mask, b)
	if err != nil {
		if illegal := new(env.IllegalActionError); errors.As(err, &illegal) {
			return nil, errorf(CodeIllegalAction, "game %d: %s", illegal.Game, illegal.Reason())
		}
	}
	fields := e.shown(err)
	if len(b.Final) > 0 && (slices.Contains(b.Terminated, true) || slices.Contains(b.Truncated, true)) {
		fields = append(fields, named("final_observations", rows(b.Final, e.game.NumColumns())))
	}
	if slices.Contains(b.Ignored, true) {
		noops := make([]uint8, e.games)
		for i, ignored := range b.Ignored {
			if ignored {
				noops[i] = 1
			}
		}
		fields = append(fields, named("noops", list(noops)))
	}
	if b.Events != nil {
		fields = append(fields, eventFields(e.game, b.Events)...)
	}
	return fields, nil
}
