package serve

import "pigpen/cmd/pigpen/internal/wire"

// stateOp returns a snapshot of an environment.
func stateOp() op {
	return newOp("state", wire.Schema[envRequest]{requiredEnv}, (*session).state, results("states")...)
}

func (s *session) state(q *envRequest) ([]wire.Field, *Error) {
	e, wrong := s.begun(q.env)
	if wrong != nil {
		return nil, wrong
	}
	b, err := e.vec.MarshalBinary()
	if err != nil {
		panic(err) // it never fails
	}
	return []wire.Field{named("states", wire.Blob(b))}, nil
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
