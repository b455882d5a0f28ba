package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"pigpen/env"
)

// protocolVersion is major.minor: a minor step adds, a major one breaks.
// PROTOCOL.md beside this file is its description.
const protocolVersion = "0.1"

// The codes of errors.
const (
	codeFrameTooLarge = "frame_too_large" // longer than the limit; it was skipped
	codeBadFrame      = "bad_frame"       // not one JSON object
	codeBadRequest    = "bad_request"     // a field is missing, unknown or of the wrong type
	codeUnknownOp     = "unknown_op"
	codeBadState      = "bad_state" // the observation is no state to decide in
)

// A request is one frame from the client.
type request struct {
	ID          json.RawMessage `json:"id"`
	Op          string          `json:"op"`
	Observation []int16         `json:"observation"`
}

// A reply answers one request. Its ID is the request's, null where that could
// not be read.
type reply struct {
	ID    json.RawMessage `json:"id"`
	OK    bool            `json:"ok"`
	Error *replyError     `json:"error,omitempty"`
	*helloReply
	*actReply
}

// fieldTypes says what belongs in a request's fields.
var fieldTypes = map[string]string{
	"op":          "a string",
	"observation": "an array of 16-bit integers",
}

type replyError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *replyError) Error() string { return e.Code + ": " + e.Message }

type helloReply struct {
	Protocol string `json:"protocol"`
	Program  string `json:"program"`
	gameResult
	Fingerprint string       `json:"fingerprint"`
	Policy      string       `json:"policy"`
	Sample      bool         `json:"sample"`
	Actions     []string     `json:"actions"`
	DType       string       `json:"dtype"`
	Observation []env.Column `json:"observation"`
	MaxFrame    int          `json:"max_frame"`
}

type actReply struct {
	Action     env.Action `json:"action"`
	ActionName string     `json:"action_name"`
	RollChance float64    `json:"roll_chance"`
	Legal      []int      `json:"legal"`
}

// A session answers the requests of one client.
type session struct {
	game     env.Game
	policy   player
	sample   bool
	rand     env.Rand
	seed     uint64
	maxFrame int
}

// answer returns the reply to one frame, and whether it ends the session.
func (s *session) answer(frame []byte) (r reply, quit bool) {
	var q request
	err := decode(frame, &q)
	r = reply{ID: q.ID}
	if err == nil {
		switch q.Op {
		case "hello":
			r.helloReply = s.hello()
		case "act":
			r.actReply, err = s.act(q.Observation)
		case "quit":
			quit = true
		case "":
			err = &replyError{codeBadRequest, `the field "op" is missing; it is hello, act or quit`}
		default:
			err = &replyError{codeUnknownOp, fmt.Sprintf("op %.40q; it is hello, act or quit", q.Op)}
		}
	}
	if err == nil {
		r.OK = true
		return r, quit
	}
	r.Error = err.(*replyError)
	return r, false
}

// decode reads one request. Where the frame is a JSON object with an ID, the
// ID is set even if the error, a *replyError, is not nil.
func decode(frame []byte, q *request) error {
	d := json.NewDecoder(bytes.NewReader(frame))
	d.DisallowUnknownFields()
	err := d.Decode(q)
	if err == nil {
		if _, extra := d.Token(); extra != io.EOF {
			err = fmt.Errorf("more than one value in a frame")
		}
	}
	if err == nil && bytes.HasPrefix(bytes.TrimSpace(frame), []byte("{")) {
		return nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(frame, &object) != nil || object == nil {
		*q = request{}
		return &replyError{codeBadFrame, "a frame is one JSON object on one line"}
	}
	q.ID = object["id"]
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return &replyError{codeBadRequest, fmt.Sprintf("the field %q is %v where it should be %s", wrong.Field, wrong.Value, fieldTypes[wrong.Field])}
	}
	return &replyError{codeBadRequest, strings.TrimPrefix(err.Error(), "json: ")}
}

func (s *session) hello() *helloReply {
	return &helloReply{
		Protocol: protocolVersion, Program: "pigpen " + version,
		gameResult: resultOf(s.game, s.seed), Fingerprint: s.game.Fingerprint(),
		Policy: s.policy.name, Sample: s.sample,
		Actions: []string{env.Hold.String(), env.Roll.String()},
		DType:   "int16", Observation: s.game.Columns(), MaxFrame: s.maxFrame,
	}
}

// act decides in the state that shows the given observation.
func (s *session) act(observation []int16) (*actReply, error) {
	state, err := s.game.StateOf(observation)
	if err != nil {
		return nil, &replyError{codeBadState, oneLine(err)}
	}
	r := &actReply{RollChance: 1}
	legal := s.game.Legal(state)
	for a := range env.Action(env.NumActions) {
		if legal.Has(a) {
			r.Legal = append(r.Legal, int(a))
		}
	}
	if legal.Has(env.Hold) {
		r.RollChance = s.policy.policy.RollChance(state)
	}
	switch {
	case s.sample:
		r.Action = env.Choose(s.policy.policy, state, &s.rand)
	case r.RollChance >= 0.5:
		r.Action = env.Roll
	default:
		r.Action = env.Hold
	}
	r.ActionName = r.Action.String()
	return r, nil
}
