package main

import (
	"fmt"
	"slices"
	"strings"

	"pigpen/env"
)

// protocolVersion is major.minor: a minor step adds, a major one breaks.
// PROTOCOL.md beside this file is its description.
const protocolVersion = "1.1"

// The codes of errors.
const (
	codeFrameTooLarge = "frame_too_large" // longer than the limit; it was skipped
	codeBadFrame      = "bad_frame"       // not one object, or map
	codeBadRequest    = "bad_request"     // a field is missing, unknown, there twice or not what it should be
	codeUnknownOp     = "unknown_op"
	codeNoPolicy      = "no_policy"      // act in a session that serves none
	codeBadState      = "bad_state"      // an observation is no state to decide in, or a snapshot none of the environment
	codeBadGame       = "bad_game"       // no such game can be played
	codeBadPolicy     = "bad_policy"     // no such opponent for the game
	codeLimit         = "limit"          // more environments, games or bytes of policies than a session holds
	codeUnknownEnv    = "unknown_env"    // no environment is open under the number
	codeNoEpisode     = "no_episode"     // the environment has not been reset
	codeIllegalAction = "illegal_action" // in the game that the message names; nothing has changed
)

// An op is one kind of request, with the fields that it has beside id and op.
type op struct {
	name               string
	required, optional []string
}

var ops = []op{
	{name: "hello"},
	{"act", nil, []string{"observation", "observations", "values", "sample"}},
	{"make", nil, []string{
		"variant", "players", "target", "options", "num_envs", "opponents", "seat", "first", "step_limit", "autoreset", "illegal",
	}},
	{"reset", []string{"env"}, []string{"seed", "seeds", "mask"}},
	{"step", []string{"env", "actions"}, []string{"mask"}},
	{"state", []string{"env"}, nil},
	{"restore", []string{"env", "states"}, nil},
	{"close", []string{"env"}, nil},
	{name: "quit"},
}

// opNames lists the ops in a sentence.
func opNames() string {
	var names []string
	for _, o := range ops {
		names = append(names, o.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// A request is one frame from the client, whatever the framing.
type request struct {
	id    []byte // as it was written
	op    string
	given []string // names of the fields that are there

	observation    []int16
	observations   rows
	values, sample bool

	variant            string
	players, target    int64
	options            map[string]bool
	numEnvs, stepLimit int64
	opponents          []string
	seat               int64
	rotate             bool
	first              env.First
	autoreset          env.Autoreset
	ignoreIllegal      bool
	env                int64
	seed               uint64
	seeds              []uint64
	mask               []bool
	actions            []env.Action
	states             []byte

	action int64 // of a line that is imported
}

// has reports whether a field is there.
func (q *request) has(field string) bool { return slices.Contains(q.given, field) }

// A reply answers one request. Its ID is the request's; nil stands for null,
// where there was none or it could not be read.
type reply struct {
	id     []byte
	wrong  *replyError // nil if all went well
	fields []field
}

type replyError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *replyError) Error() string { return e.Code + ": " + e.Message }

// wrongf returns an error.
func wrongf(code, format string, args ...any) *replyError {
	return &replyError{code, fmt.Sprintf(format, args...)}
}

// A field is what a reply says under a name: nil, a boolean, number or string;
// a column; blob; or what encoding/json writes and msgpack does with the same
// tags.
type field struct {
	name  string
	value any
}

// A column has one number for each game or state, or a row of so many, where
// width is not 0: a []bool, []uint8, []int8, []int16, []float32 or []float64.
// JSON writes it as a list, msgpack as little-endian bytes.
type column struct {
	values any
	width  int
}

// A blob is bytes that mean nothing to a client.
type blob []byte

// dtypes are what numpy calls the numbers of each column.
var dtypes = map[string]string{
	"observation": "<i2", "observations": "<i2", "final_observations": "<i2",
	"actions": "|u1", "roll_chance": "<f8", "win_hold": "<f8", "win_roll": "<f8",
	"action_mask": "|b1", "mask": "|b1", "seeds": "<u8", "terminated": "|b1", "truncated": "|b1", "noops": "|u1",
	"rewards": "<f4", "seats": "|i1",
}
