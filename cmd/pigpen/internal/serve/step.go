package serve

import (
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
	}, (*session).step, slices.Concat(shownResults, []result{{"final_observations", "<i2"}, {"noops", "|u1"}})...)
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
	if i := e.refused(q.actions, q.mask); i >= 0 {
		if a := q.actions[i]; a != env.Hold {
			return nil, errorf(CodeIllegalAction, "game %d: %d; an action is 0 (hold) or 1 (roll)", i, a)
		}
		return nil, errorf(CodeIllegalAction, "game %d: hold before the first roll of the turn; a turn begins with a roll", i)
	}
	b := e.batch
	clear(b.Final)
	fields := e.shown(e.vec.StepSome(q.actions, q.mask, b))
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
	return fields, nil
}

// refused returns the first game whose action is not taken, or -1: a number above 1,
// or an illegal hold. It checks the games of which, all if which is nil. A game
// without legal actions, or one that ignores illegal actions, takes any hold.
func (e *environment) refused(actions []env.Action, which []bool) int {
	ignores := len(e.batch.Ignored) > 0
	for i, a := range actions {
		if which != nil && !which[i] {
			continue
		}
		if a >= env.NumActions || a == env.Hold && e.batch.Legal[env.NumActions*i+1] && !e.batch.Legal[env.NumActions*i] && !ignores {
			return i
		}
	}
	return -1
}
