package main

import "slices"

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
