package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"pigpen/env"
)

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
	"seeds":   {what: fmt.Sprintf("a list of integers in [0, 2^64), at most %d", maxGames), batch: true, read: readSeeds},
	"mask":    {what: fmt.Sprintf("a list of true and false, or of 1 and 0, at most %d", maxGames), batch: true, read: readMask},
	"action":  numberIn(0, 1, func(q *request) *int64 { return &q.action }),
	"actions": {what: fmt.Sprintf("a list of actions, each a number in [0, 255], at most %d", maxGames), batch: true, read: readActions},
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

// Lists of numbers for each game have at most maxGames, so that a frame of many
// small numbers takes no multiple of its size.

func readSeeds(n notation, value []byte, q *request) bool {
	if packed, ok := n.packed(value); ok {
		if len(packed)/8 > maxGames {
			return false
		}
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
		if !ok || len(q.seeds) == maxGames {
			return false
		}
		q.seeds = append(q.seeds, seed)
	}
	return true
}

func readMask(n notation, value []byte, q *request) bool {
	if packed, ok := n.packed(value); ok {
		if len(packed) > maxGames {
			return false
		}
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
		if len(q.mask) == maxGames {
			return false
		}
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
		if len(packed) > maxGames {
			return false
		}
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
		if !ok || x < 0 || x > math.MaxUint8 || len(q.actions) == maxGames {
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
		if littleEndian {
			copy(memory(list), packed)
		} else {
			for i := range list {
				list[i] = int16(binary.LittleEndian.Uint16(packed[2*i:]))
			}
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

// rows are equally long rows of numbers, one after the other. Where the framing
// does not tell how long they are, columns is 0.
type rows struct {
	values  []int16
	columns int
}
