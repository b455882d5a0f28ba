package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Kind is a kind of value and how it is read.
type Kind[V any] struct {
	Want  string // see [SchemaField]
	DType string // see [SchemaField]
	// Long values may be as long as a frame. Others have at most 64 KiB, and so
	// take little memory however they are read.
	Long bool
	// Read reads a value. It returns false if the value is of another kind.
	Read func(n Notation, value []byte) (V, bool)
}

// Text is a string.
func Text() Kind[string] { return Kind[string]{Want: "a string", Read: Notation.Text} }

// Bool is a boolean.
func Bool() Kind[bool] { return Kind[bool]{Want: "true or false", Read: Notation.Bool} }

// Int is an integer in [low, high].
func Int(low, high int64) Kind[int64] {
	return Kind[int64]{Want: fmt.Sprintf("an integer in [%d, %d]", low, high), Read: func(n Notation, value []byte) (int64, bool) {
		x, ok := n.Int(value)
		return x, ok && x >= low && x <= high
	}}
}

// Uint is an integer in [0, 2^64).
func Uint() Kind[uint64] {
	return Kind[uint64]{Want: "an integer in [0, 2^64)", Read: Notation.Uint}
}

// Word is one of some words. It is read as the index of the word.
func Word[V ~uint8](words []string) Kind[V] {
	return Kind[V]{Want: fmt.Sprintf("one of %q", words), Read: func(n Notation, value []byte) (V, bool) {
		text, ok := n.Text(value)
		i := slices.Index(words, text)
		return V(max(0, i)), ok && i >= 0
	}}
}

// Pointer is k, read into a new variable, so that nil stands for an absent field.
func Pointer[V any](k Kind[V]) Kind[*V] {
	return Kind[*V]{Want: k.Want, DType: k.DType, Long: k.Long, Read: func(n Notation, value []byte) (*V, bool) {
		v, ok := k.Read(n, value)
		return &v, ok
	}}
}

// Bytes is a [Blob].
func Bytes() Kind[[]byte] { return Kind[[]byte]{Want: "bytes", Long: true, Read: Notation.Blob} }

// TextList is a list of strings. It is not read as nil.
func TextList() Kind[[]string] {
	return Kind[[]string]{Want: "a list of strings", Read: func(n Notation, value []byte) ([]string, bool) {
		return appendList([]string{}, n, value, n.Text)
	}}
}

// BoolMap is a map from names to booleans. It is not read as nil.
func BoolMap() Kind[map[string]bool] {
	return Kind[map[string]bool]{Want: "a map from names to true or false", Read: func(n Notation, value []byte) (map[string]bool, bool) {
		inside, ok := n.Map(value)
		if !ok {
			return nil, false
		}
		all := make(map[string]bool)
		for key, rest := n.Cut(inside); key != nil; key, rest = n.Cut(rest) {
			value, rest = n.Cut(rest)
			name, ok1 := n.Text(key)
			on, ok2 := n.Bool(value)
			if _, twice := all[name]; twice || !ok1 || !ok2 {
				return nil, false
			}
			all[name] = on
		}
		return all, true
	}}
}

// Int16List is a list of 16-bit integers. It is not read as nil.
func Int16List() Kind[[]int16] {
	return Kind[[]int16]{Want: "a list of 16-bit integers", DType: "<i2", Read: func(n Notation, value []byte) ([]int16, bool) {
		if packed, ok := n.Packed(value); ok {
			return unpackInt16s(packed)
		}
		return appendList([]int16{}, n, value, int16In(n))
	}}
}

// Rows are equally long rows of numbers, one after the other. Width is the number
// of columns, or 0 if the encoding does not state it.
type Rows struct {
	Values []int16
	Width  int
}

// Int16Rows is rows of 16-bit integers. The values are not read as nil.
func Int16Rows() Kind[Rows] {
	return Kind[Rows]{Want: "rows of 16-bit integers, all of one length", DType: "<i2", Long: true, Read: func(n Notation, value []byte) (Rows, bool) {
		if packed, ok := n.Packed(value); ok {
			values, ok := unpackInt16s(packed)
			return Rows{Values: values}, ok
		}
		inside, ok := n.List(value)
		if !ok {
			return Rows{}, false
		}
		r, number := Rows{Values: []int16{}}, int16In(n)
		for element, rest := n.Cut(inside); element != nil; element, rest = n.Cut(rest) {
			before := len(r.Values)
			r.Values, ok = appendList(r.Values, n, element, number)
			width := len(r.Values) - before
			if !ok || width == 0 || r.Width > 0 && width != r.Width {
				return Rows{}, false
			}
			r.Width = width
		}
		return r, true
	}}
}

// Kinds of lists with a number for each game take at most most numbers, so that a
// frame of many small numbers takes no multiple of its size.

// Uint64List is a list of at most most integers in [0, 2^64). It is not read as
// nil.
func Uint64List(most int) Kind[[]uint64] {
	want := fmt.Sprintf("a list of integers in [0, 2^64), at most %d", most)
	return Kind[[]uint64]{Want: want, DType: "<u8", Long: true, Read: func(n Notation, value []byte) ([]uint64, bool) {
		if packed, ok := n.Packed(value); ok {
			if len(packed)/8 > most || len(packed)%8 != 0 {
				return nil, false
			}
			list := make([]uint64, len(packed)/8)
			for i := range list {
				list[i] = binary.LittleEndian.Uint64(packed[8*i:])
			}
			return list, true
		}
		return appendAtMost([]uint64{}, most, n, value, n.Uint)
	}}
}

// BoolList is a list of at most most booleans, which may be ones and zeros. It is
// not read as nil.
func BoolList(most int) Kind[[]bool] {
	want := fmt.Sprintf("a list of true and false, or of 1 and 0, at most %d", most)
	return Kind[[]bool]{Want: want, DType: "|b1", Long: true, Read: func(n Notation, value []byte) ([]bool, bool) {
		if packed, ok := n.Packed(value); ok {
			if len(packed) > most {
				return nil, false
			}
			list := make([]bool, len(packed))
			for i, b := range packed {
				if b > 1 {
					return nil, false
				}
				list[i] = b == 1
			}
			return list, true
		}
		return appendAtMost([]bool{}, most, n, value, func(element []byte) (bool, bool) {
			if on, ok := n.Bool(element); ok {
				return on, true
			}
			x, ok := n.Int(element)
			return x == 1, ok && x >= 0 && x <= 1
		})
	}}
}

// Uint8List is a list of at most most integers in [0, 255]. It is not read as nil.
func Uint8List[V ~uint8](most int) Kind[[]V] {
	want := fmt.Sprintf("a list of integers in [0, 255], at most %d", most)
	return Kind[[]V]{Want: want, DType: "|u1", Long: true, Read: func(n Notation, value []byte) ([]V, bool) {
		if packed, ok := n.Packed(value); ok {
			if len(packed) > most {
				return nil, false
			}
			list := make([]V, len(packed))
			for i, b := range packed {
				list[i] = V(b)
			}
			return list, true
		}
		return appendAtMost([]V{}, most, n, value, func(element []byte) (V, bool) {
			x, ok := n.Int(element)
			return V(x), ok && x >= 0 && x <= math.MaxUint8
		})
	}}
}

// appendList appends the elements of a list that is not packed.
func appendList[V any](list []V, n Notation, value []byte, read func(element []byte) (V, bool)) ([]V, bool) {
	return appendAtMost(list, math.MaxInt, n, value, read)
}

// appendAtMost appends the elements of a list that is not packed, until list has
// most elements; one more is an error.
func appendAtMost[V any](list []V, most int, n Notation, value []byte, read func(element []byte) (V, bool)) ([]V, bool) {
	inside, ok := n.List(value)
	if !ok {
		return list, false
	}
	for element, rest := n.Cut(inside); element != nil; element, rest = n.Cut(rest) {
		x, ok := read(element)
		if !ok || len(list) == most {
			return list, false
		}
		list = append(list, x)
	}
	return list, true
}

// int16In returns a function that reads a 16-bit integer.
func int16In(n Notation) func(value []byte) (int16, bool) {
	return func(value []byte) (int16, bool) {
		x, ok := n.Int(value)
		return int16(x), ok && x >= math.MinInt16 && x <= math.MaxInt16
	}
}

// unpackInt16s copies little-endian numbers.
func unpackInt16s(packed []byte) ([]int16, bool) {
	list := make([]int16, len(packed)/2)
	if littleEndian {
		copy(bytesOf(list), packed)
	} else {
		for i := range list {
			list[i] = int16(binary.LittleEndian.Uint16(packed[2*i:]))
		}
	}
	return list, len(packed)%2 == 0
}
