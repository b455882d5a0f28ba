package serve

import "pigpen/cmd/pigpen/internal/wire"

// closeOp closes an environment.
func closeOp() op {
	return newOp("close", wire.Schema[envRequest]{requiredEnv}, (*session).close)
}

func (s *session) close(q *envRequest) ([]wire.Field, *Error) {
	e, wrong := s.environment(q.env)
	if wrong != nil {
		return nil, wrong
	}
	s.games -= e.games
	s.policies.release(e.opponents...)
	delete(s.environments, q.env)
	return nil, nil
}

// quitOp ends the session.
func quitOp() op {
	o := newOp("quit", nil, func(*session, *struct{}) ([]wire.Field, *Error) { return nil, nil })
	o.ends = true
	return o
}
