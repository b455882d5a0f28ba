package serve

import (
	"fmt"
	"strings"

	"pigpen/cmd/pigpen/internal/wire"
)

// ops returns the ops of the protocol. To add an op, write a function like
// [stepOp] in a file of its own, call it here, and describe the op in PROTOCOL.md.
func ops() []op {
	return []op{helloOp(), actOp(), makeOp(), resetOp(), stepOp(), stateOp(), restoreOp(), viewsOp(), statesOp(), closeOp(), quitOp()}
}

// An op is one kind of request: what fields the request has, how it is answered,
// and what fields the reply has.
type op struct {
	name    string
	request []param // beside id and op
	reply   []result
	ends    bool // the session, after the reply
	answer  func(s *session, o wire.Object) ([]wire.Field, *Error)
}

// A param describes a field of a request.
type param struct {
	name     string
	required bool
	dtype    string // of a column; see [result]
}

// A result describes a field of a reply.
type result struct {
	name string
	// dtype is the type that numpy has for the numbers of a column, as in "<i2"; ""
	// for fields that are no columns.
	dtype string
}

// newOp returns an op with the name. A request has the fields of the schema, which
// are read into a Q, and handle answers it with the reply's fields, in the order
// of reply; fields that depend on the request may be absent.
func newOp[Q any](name string, request wire.Schema[Q], handle func(s *session, q *Q) ([]wire.Field, *Error), reply ...result) op {
	o := op{name: name, reply: reply}
	for _, f := range request {
		o.request = append(o.request, param{f.Name, f.Required, f.DType})
	}
	o.answer = func(s *session, object wire.Object) ([]wire.Field, *Error) {
		q := new(Q)
		if err := request.Read(object, name, q); err != nil {
			return nil, &Error{CodeBadRequest, err.Error()}
		}
		return handle(s, q)
	}
	return o
}

// results returns descriptions of fields that are no columns.
func results(names ...string) []result {
	var list []result
	for _, name := range names {
		list = append(list, result{name: name})
	}
	return list
}

// named returns a field of a reply.
func named(name string, value any) wire.Field { return wire.Field{Name: name, Value: value} }

// list and rows return columns with one value for each game or state, or width
// values.
func list(values any) wire.Column            { return wire.Column{Values: values} }
func rows(values any, width int) wire.Column { return wire.Column{Values: values, Width: width} }

// dtypes returns the dtype of each column of the ops, by name. One name has one
// dtype in all ops.
func dtypes(ops []op) map[string]string {
	all := make(map[string]string)
	for _, o := range ops {
		for _, p := range o.request {
			if p.dtype != "" {
				all[p.name] = p.dtype
			}
		}
		for _, r := range o.reply {
			if r.dtype != "" {
				all[r.name] = r.dtype
			}
		}
	}
	return all
}

// opNames lists the ops in a sentence.
func opNames(ops []op) string {
	var names []string
	for _, o := range ops {
		names = append(names, o.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// takeOp removes the name of the op from a request and returns the op.
func (s *session) takeOp(o *wire.Object) (*op, *Error) {
	value := o.Take("op")
	if value == nil {
		return nil, &Error{CodeBadRequest, `the field "op" is missing; it is ` + opNames(s.ops)}
	}
	name, ok := o.Notation.Text(value)
	if !ok {
		return nil, &Error{CodeBadRequest, `the field "op" is no string; it is ` + opNames(s.ops)}
	}
	for i := range s.ops {
		if s.ops[i].name == name {
			return &s.ops[i], nil
		}
	}
	return nil, errorf(CodeUnknownOp, "op %.40q; it is %s", name, opNames(s.ops))
}

// An Error is the error of a reply.
type Error struct {
	Code    string `json:"code"` // one of the codes below
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// errorf returns an error with a code.
func errorf(code, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// The codes of errors.
const (
	CodeFrameTooLarge = "frame_too_large" // longer than the limit; it was skipped
	CodeBadFrame      = "bad_frame"       // not one object, or map
	CodeBadRequest    = "bad_request"     // a field is missing, unknown, there twice or not what it should be
	CodeUnknownOp     = "unknown_op"
	CodeNoPolicy      = "no_policy"      // act in a session that serves none
	CodeBadState      = "bad_state"      // an observation is no state to decide in, or a snapshot none of the environment
	CodeBadGame       = "bad_game"       // no such game can be played
	CodeBadPolicy     = "bad_policy"     // no such opponent for the game
	CodeLimit         = "limit"          // more environments, games or bytes of policies than a session holds
	CodeUnknownEnv    = "unknown_env"    // no environment is open under the number
	CodeNoEpisode     = "no_episode"     // the environment has not been reset
	CodeIllegalAction = "illegal_action" // in the game that the message names; nothing has changed
)
