package serve

import (
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// A stateRequest asks for a snapshot of an environment.
type stateRequest struct {
	env       int64
	everySeat bool // the snapshot is to be one of an environment without opponents
}

// stateOp returns a snapshot of an environment.
func stateOp() op {
	return newOp("state", wire.Schema[stateRequest]{
		wire.Required("env", envNumber, func(q *stateRequest) *int64 { return &q.env }),
		wire.Optional("every_seat", wire.Bool(), func(q *stateRequest) *bool { return &q.everySeat }),
	}, (*session).state, result{name: "states"}, result{"steps", "<i8"}, result{"live", "|b1"})
}

func (s *session) state(q *stateRequest) ([]wire.Field, *Error) {
	e, wrong := s.begun(q.env)
	if wrong != nil {
		return nil, wrong
	}
	b, err := e.vec.MarshalBinary()
	if err != nil {
		panic(err) // it never fails
	}
	if !q.everySeat {
		return []wire.Field{named("states", wire.Blob(b))}, nil
	}
	if !e.solo {
		return nil, errorf(CodeBadRequest, "every_seat is for environments with opponents, and in this one every seat is yours")
	}
	matches, steps, live, err := env.SplitSoloSnapshot(b)
	if err != nil {
		panic(err) // b is such a snapshot
	}
	return []wire.Field{named("states", wire.Blob(matches)), named("steps", list(steps)), named("live", list(live))}, nil
}

// A restoreRequest brings an environment to the states of a snapshot.
type restoreRequest struct {
	env    int64
	states []byte
}

// restoreOp takes a snapshot up.
func restoreOp() op {
	return newOp("restore", wire.Schema[restoreRequest]{
		wire.Required("env", envNumber, func(q *restoreRequest) *int64 { return &q.env }),
		wire.Required("states", wire.Bytes(), func(q *restoreRequest) *[]byte { return &q.states }),
	}, (*session).restore, shownResults...)
}

func (s *session) restore(q *restoreRequest) ([]wire.Field, *Error) {
	e, wrong := s.environment(q.env)
	if wrong != nil {
		return nil, wrong
	}
	if err := e.vec.UnmarshalBinary(q.states); err != nil { // no game has changed
		return nil, s.failed(CodeBadState, err)
	}
	return e.shown(e.vec.Show(e.batch)), nil
}
