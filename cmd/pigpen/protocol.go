package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

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
	id          json.RawMessage
	op          string
	observation []int16
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
	q, wrong := decode(frame)
	r = reply{ID: q.id}
	if wrong == nil {
		switch q.op {
		case "hello":
			r.helloReply = s.hello()
		case "act":
			r.actReply, wrong = s.act(q.observation)
		case "quit":
			quit = true
		}
	}
	r.OK, r.Error = wrong == nil, wrong
	return r, quit
}

// fields are those that each op has beside id and op.
var fields = map[string][]string{"hello": {}, "act": {"observation"}, "quit": {}}

// decode reads one request. Where the frame is a JSON object with an ID, the
// ID is set even if there is an error.
func decode(frame []byte) (request, *replyError) {
	object, wrong := decodeObject(frame)
	if object == nil {
		return request{}, wrong
	}
	q := request{id: object["id"]}
	if wrong != nil {
		return q, wrong
	}
	raw, ok := object["op"]
	if !ok {
		return q, &replyError{codeBadRequest, `the field "op" is missing; it is hello, act or quit`}
	}
	if raw[0] != '"' || json.Unmarshal(raw, &q.op) != nil {
		return q, &replyError{codeBadRequest, `the field "op" is no string; it is hello, act or quit`}
	}
	allowed, ok := fields[q.op]
	if !ok {
		return q, &replyError{codeUnknownOp, fmt.Sprintf("op %.40q; it is hello, act or quit", q.op)}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "id" && name != "op" && !slices.Contains(allowed, name) {
			return q, &replyError{codeBadRequest, fmt.Sprintf("%s has no field %.40q", q.op, name)}
		}
	}
	if !slices.Contains(allowed, "observation") {
		return q, nil
	}
	raw, ok = object["observation"]
	if !ok {
		return q, &replyError{codeBadRequest, `the field "observation" is missing`}
	}
	var columns []*int16 // pointers tell null, which is no number, from 0
	if raw[0] != '[' || json.Unmarshal(raw, &columns) != nil || slices.Contains(columns, nil) {
		return q, &replyError{codeBadRequest, `the field "observation" is no array of 16-bit integers`}
	}
	for _, c := range columns {
		q.observation = append(q.observation, *c)
	}
	return q, nil
}

// decodeObject reads a frame as a JSON object with its names as they are
// written. A name that comes twice is an error beside the object.
func decodeObject(frame []byte) (map[string]json.RawMessage, *replyError) {
	bad := &replyError{codeBadFrame, "a frame is one JSON object on one line"}
	if !utf8.Valid(frame) || !json.Valid(frame) {
		return nil, bad
	}
	d := json.NewDecoder(bytes.NewReader(frame))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, bad
	}
	var twice *replyError
	object := make(map[string]json.RawMessage)
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, bad
		}
		if _, again := object[name]; again && twice == nil {
			twice = &replyError{codeBadRequest, fmt.Sprintf("the field %.40q comes twice", name)}
		}
		object[name] = value
	}
	return object, twice
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
func (s *session) act(observation []int16) (*actReply, *replyError) {
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
