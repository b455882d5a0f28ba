package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"pigpen/env"
)

// protocolVersion is major.minor: a minor step adds, a major one breaks.
// PROTOCOL.md beside this file is its description.
const protocolVersion = "1.0"

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
	codeLimit         = "limit"          // more environments or games than a session holds
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
	{"step", []string{"env", "actions"}, nil},
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

// rows are equally long rows of numbers, one after the other. Where the framing
// does not tell how long they are, columns is 0.
type rows struct {
	values  []int16
	columns int
}

// A fieldKind is how a field's value is read.
type fieldKind struct {
	what string // what it should be
	read func(n notation, value []byte, q *request) bool
	// batch tells that it may be as long as a frame. Others may have smallField
	// bytes, and so take no more memory than that, however they are read.
	batch bool
}

const smallField = 1 << 16

// numberIn reads a whole number in a range.
func numberIn(low, high int64, to func(q *request) *int64) fieldKind {
	what := fmt.Sprintf("an integer in [%d, %d]", low, high)
	return fieldKind{what: what, read: func(n notation, value []byte, q *request) bool {
		x, ok := n.integer(value)
		*to(q) = x
		return ok && x >= low && x <= high
	}}
}

// word reads one of some words.
func word(words []string, set func(q *request, i int)) fieldKind {
	return fieldKind{what: fmt.Sprintf("one of %q", words), read: func(n notation, value []byte, q *request) bool {
		text, ok := n.text(value)
		i := slices.Index(words, text)
		if ok && i >= 0 {
			set(q, i)
		}
		return ok && i >= 0
	}}
}

func boolean(to func(q *request) *bool) fieldKind {
	return fieldKind{what: "true or false", read: func(n notation, value []byte, q *request) (ok bool) {
		*to(q), ok = n.boolean(value)
		return ok
	}}
}

// The words of make's fields, in the order of the constants that they stand
// for.
var (
	firstWords     = []string{"seat0", "random"}
	autoresetWords = []string{"next_step", "same_step", "disabled"}
	illegalWords   = []string{"error", "noop"}
)

// kinds are the fields of all ops.
var kinds = map[string]fieldKind{
	"observation": {what: "a list of 16-bit integers", read: func(n notation, value []byte, q *request) (ok bool) {
		q.observation, ok = int16s(n, value)
		return ok
	}},
	"observations": {what: "rows of 16-bit integers, all of one length", batch: true, read: func(n notation, value []byte, q *request) (ok bool) {
		q.observations, ok = int16Rows(n, value)
		return ok
	}},
	"values": boolean(func(q *request) *bool { return &q.values }),
	"sample": boolean(func(q *request) *bool { return &q.sample }),
	"variant": {what: "a string", read: func(n notation, value []byte, q *request) (ok bool) {
		q.variant, ok = n.text(value)
		return ok
	}},
	"players":  numberIn(math.MinInt32, math.MaxInt32, func(q *request) *int64 { return &q.players }),
	"target":   numberIn(math.MinInt32, math.MaxInt32, func(q *request) *int64 { return &q.target }),
	"options":  {what: "a map from names to true or false", read: readOptions},
	"num_envs": numberIn(1, math.MaxInt32, func(q *request) *int64 { return &q.numEnvs }),
	"opponents": {what: "a list of strings", read: func(n notation, value []byte, q *request) bool {
		inside, ok := n.list(value)
		if !ok {
			return false
		}
		for element, rest := n.cut(inside); element != nil; element, rest = n.cut(rest) {
			name, ok := n.text(element)
			if !ok {
				return false
			}
			q.opponents = append(q.opponents, name)
		}
		return true
	}},
	"seat": {what: `a seat's number or "rotate"`, read: func(n notation, value []byte, q *request) (ok bool) {
		if text, ok := n.text(value); ok {
			q.rotate = text == "rotate"
			return q.rotate
		}
		q.seat, ok = n.integer(value)
		return ok
	}},
	"first":      word(firstWords, func(q *request, i int) { q.first = env.First(i) }),
	"step_limit": numberIn(0, math.MaxInt32, func(q *request) *int64 { return &q.stepLimit }),
	"autoreset":  word(autoresetWords, func(q *request, i int) { q.autoreset = env.Autoreset(i) }),
	"illegal":    word(illegalWords, func(q *request, i int) { q.ignoreIllegal = i == 1 }),
	"env":        numberIn(0, math.MaxInt64, func(q *request) *int64 { return &q.env }),
	"seed": {what: "an integer in [0, 2^64)", read: func(n notation, value []byte, q *request) (ok bool) {
		q.seed, ok = n.natural(value)
		return ok
	}},
	"seeds":   {what: "a list of integers in [0, 2^64)", batch: true, read: readSeeds},
	"mask":    {what: "a list of true and false, or of 1 and 0", batch: true, read: readMask},
	"action":  numberIn(0, 1, func(q *request) *int64 { return &q.action }),
	"actions": {what: "a list of actions, each a number in [0, 255]", batch: true, read: readActions},
	"states": {what: "bytes", batch: true, read: func(n notation, value []byte, q *request) (ok bool) {
		q.states, ok = n.blob(value)
		return ok
	}},
}

func readOptions(n notation, value []byte, q *request) bool {
	inside, ok := n.object(value)
	if !ok {
		return false
	}
	q.options = make(map[string]bool)
	for key, rest := n.cut(inside); key != nil; key, rest = n.cut(rest) {
		value, rest = n.cut(rest)
		name, ok1 := n.text(key)
		on, ok2 := n.boolean(value)
		if _, twice := q.options[name]; twice || !ok1 || !ok2 {
			return false
		}
		q.options[name] = on
	}
	return true
}

func readSeeds(n notation, value []byte, q *request) bool {
	if packed, ok := n.packed(value); ok {
		q.seeds = make([]uint64, len(packed)/8)
		for i := range q.seeds {
			q.seeds[i] = binary.LittleEndian.Uint64(packed[8*i:])
		}
		return len(packed)%8 == 0
	}
	inside, ok := n.list(value)
	if !ok {
		return false
	}
	q.seeds = []uint64{}
	for element, rest := n.cut(inside); element != nil; element, rest = n.cut(rest) {
		seed, ok := n.natural(element)
		if !ok {
			return false
		}
		q.seeds = append(q.seeds, seed)
	}
	return true
}

func readMask(n notation, value []byte, q *request) bool {
	if packed, ok := n.packed(value); ok {
		q.mask = make([]bool, len(packed))
		for i, b := range packed {
			if b > 1 {
				return false
			}
			q.mask[i] = b == 1
		}
		return true
	}
	inside, ok := n.list(value)
	if !ok {
		return false
	}
	q.mask = []bool{}
	for element, rest := n.cut(inside); element != nil; element, rest = n.cut(rest) {
		on, ok := n.boolean(element)
		if !ok {
			x, isNumber := n.integer(element)
			if !isNumber || x < 0 || x > 1 {
				return false
			}
			on = x == 1
		}
		q.mask = append(q.mask, on)
	}
	return true
}

func readActions(n notation, value []byte, q *request) bool {
	if packed, ok := n.packed(value); ok {
		q.actions = make([]env.Action, len(packed))
		for i, b := range packed {
			q.actions[i] = env.Action(b)
		}
		return true
	}
	inside, ok := n.list(value)
	if !ok {
		return false
	}
	q.actions = []env.Action{}
	for element, rest := n.cut(inside); element != nil; element, rest = n.cut(rest) {
		x, ok := n.integer(element)
		if !ok || x < 0 || x > math.MaxUint8 {
			return false
		}
		q.actions = append(q.actions, env.Action(x))
	}
	return true
}

// int16s reads a list of 16-bit integers, packed little-endian or not.
func int16s(n notation, value []byte) ([]int16, bool) {
	if packed, ok := n.packed(value); ok {
		list := make([]int16, len(packed)/2)
		for i := range list {
			list[i] = int16(binary.LittleEndian.Uint16(packed[2*i:]))
		}
		return list, len(packed)%2 == 0
	}
	return appendInt16s([]int16{}, n, value)
}

// appendInt16s reads a list that is not packed.
func appendInt16s(list []int16, n notation, value []byte) ([]int16, bool) {
	inside, ok := n.list(value)
	if !ok {
		return list, false
	}
	for element, rest := n.cut(inside); element != nil; element, rest = n.cut(rest) {
		x, ok := n.integer(element)
		if !ok || x < math.MinInt16 || x > math.MaxInt16 {
			return list, false
		}
		list = append(list, int16(x))
	}
	return list, true
}

func int16Rows(n notation, value []byte) (rows, bool) {
	if _, ok := n.packed(value); ok {
		list, ok := int16s(n, value)
		return rows{values: list}, ok
	}
	inside, ok := n.list(value)
	if !ok {
		return rows{}, false
	}
	r := rows{values: []int16{}}
	for element, rest := n.cut(inside); element != nil; element, rest = n.cut(rest) {
		before := len(r.values)
		r.values, ok = appendInt16s(r.values, n, element)
		columns := len(r.values) - before
		if !ok || columns == 0 || r.columns > 0 && columns != r.columns {
			return rows{}, false
		}
		r.columns = columns
	}
	return r, true
}

// A notation reads the values of one framing. Every value that it is given is
// well-formed.
type notation interface {
	// list and object return the inside of a list or of a map.
	list(value []byte) (inside []byte, ok bool)
	object(value []byte) (inside []byte, ok bool)
	// cut returns the first value of an inside, nil if there is none, and the
	// rest. In a map, names and values take turns.
	cut(inside []byte) (first, rest []byte)

	text(value []byte) (string, bool)
	boolean(value []byte) (bool, bool)
	integer(value []byte) (int64, bool)
	natural(value []byte) (uint64, bool)
	// packed returns the bytes of a list of numbers that is written as bytes,
	// which are part of value.
	packed(value []byte) ([]byte, bool)
	// blob returns bytes that are no numbers.
	blob(value []byte) ([]byte, bool)
}

// maxFields is more than any request has.
const maxFields = 32

// members takes a map apart into its ID, if it has one, and its other fields.
// Where there is an ID, it is set even if there is an error.
func members(n notation, frame []byte, should string) (id []byte, names []string, values [][]byte, wrong *replyError) {
	inside, ok := n.object(frame)
	if !ok {
		return nil, nil, nil, &replyError{codeBadFrame, should}
	}
	for key, rest := n.cut(inside); key != nil; key, rest = n.cut(rest) {
		var value []byte
		value, rest = n.cut(rest)
		name, ok := n.text(key)
		switch {
		case name == "id" && ok && id == nil:
			id = value
		case wrong != nil: // only the ID matters now
		case !ok:
			wrong = wrongf(codeBadRequest, "the name of a field is no string")
		case slices.Contains(names, name) || name == "id":
			wrong = wrongf(codeBadRequest, "the field %.40q comes twice", name)
		case len(names) == maxFields:
			wrong = wrongf(codeBadRequest, "there are more than %d fields", maxFields)
		default:
			names, values = append(names, name), append(values, value)
		}
	}
	return id, names, values, wrong
}

// read reads the fields of an op.
func (o op) read(n notation, names []string, values [][]byte, q *request) *replyError {
	for _, name := range names {
		if !slices.Contains(o.required, name) && !slices.Contains(o.optional, name) {
			return wrongf(codeBadRequest, "%s has no field %.40q", o.name, name)
		}
	}
	for _, name := range o.required {
		if !slices.Contains(names, name) {
			return wrongf(codeBadRequest, "the field %q is missing", name)
		}
	}
	for i, name := range names {
		kind := kinds[name]
		if !kind.batch && len(values[i]) > smallField || !kind.read(n, values[i], q) {
			return wrongf(codeBadRequest, "the field %q is not %s", name, kind.what)
		}
	}
	q.given = names
	return nil
}

// decode reads a request from one well-formed value, which should be a map. Where
// that has an ID, the ID is set even if there is an error.
func decode(n notation, frame []byte, should string) (request, *replyError) {
	id, names, values, wrong := members(n, frame, should)
	q := request{id: id}
	if wrong != nil {
		return q, wrong
	}
	i := slices.Index(names, "op")
	if i < 0 {
		return q, &replyError{codeBadRequest, `the field "op" is missing; it is ` + opNames()}
	}
	var ok bool
	if q.op, ok = n.text(values[i]); !ok {
		return q, &replyError{codeBadRequest, `the field "op" is no string; it is ` + opNames()}
	}
	k := slices.IndexFunc(ops, func(o op) bool { return o.name == q.op })
	if k < 0 {
		return q, wrongf(codeUnknownOp, "op %.40q; it is %s", q.op, opNames())
	}
	return q, ops[k].read(n, slices.Delete(names, i, i+1), slices.Delete(values, i, i+1), &q)
}

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
