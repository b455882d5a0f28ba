package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"

	"github.com/vmihailenco/msgpack/v5"
)

// errFramingLost tells that it cannot be known where the next frame begins.
var errFramingLost = errors.New("framing lost")

// msgpackStream is the framing with msgpack values back to back. Its frames
// are found, and skipped, by the lengths that they declare, a part at a time,
// without trust in these lengths and without recursion.
type msgpackStream struct {
	r     *bufio.Reader
	limit int // bytes of the longest frame
	frame []byte
	e     *msgpack.Encoder
}

func newMsgpackStream(r io.Reader, limit int) *msgpackStream {
	e := msgpack.NewEncoder(nil)
	e.SetCustomStructTag("json")
	e.SetSortMapKeys(true)
	e.UseCompactInts(true)
	return &msgpackStream{r: bufio.NewReaderSize(r, readBuffer), limit: limit, e: e}
}

// lengthBytes returns how many bytes of length follow the first byte of a
// value.
func lengthBytes(c byte) int {
	switch c {
	case 0xc4, 0xc7, 0xd9: // bin 8, ext 8, str 8
		return 1
	case 0xc5, 0xc8, 0xda, 0xdc, 0xde: // bin 16, ext 16, str 16, array 16, map 16
		return 2
	case 0xc6, 0xc9, 0xdb, 0xdd, 0xdf: // the same of 32 bits
		return 4
	}
	return 0
}

// goesOn returns what follows the first byte of a value and its length: so many
// bytes, and then so many values. No value begins with neverUsed.
func goesOn(c byte, length uint64) (payload, values uint64) {
	switch {
	case c < 0x80 || c >= 0xe0: // small integers
	case c < 0x90: // small map
		return 0, 2 * uint64(c&15)
	case c < 0xa0: // small array
		return 0, uint64(c & 15)
	case c < 0xc0: // small str
		return uint64(c & 31), 0
	case c <= 0xc3: // nil, false, true
	case c <= 0xc6: // bin
		return length, 0
	case c <= 0xc9: // ext, with a byte of type
		return length + 1, 0
	case c <= 0xcb: // float 32 and 64
		return 4 << (c - 0xca), 0
	case c <= 0xcf: // uint 8 to 64
		return 1 << (c - 0xcc), 0
	case c <= 0xd3: // int 8 to 64
		return 1 << (c - 0xd0), 0
	case c <= 0xd8: // ext of 1 to 16, with a byte of type
		return 1 + 1<<(c-0xd4), 0
	case c <= 0xdb: // str
		return length, 0
	case c <= 0xdd: // array
		return 0, length
	default: // map
		return 0, 2 * length
	}
	return 0, 0
}

const neverUsed = 0xc1

// lengthOf reads a length of 0, 1, 2 or 4 bytes, big-endian.
func lengthOf(b []byte) (length uint64) {
	for _, x := range b {
		length = length<<8 | uint64(x)
	}
	return length
}

// next implements [framing].
func (m *msgpackStream) next() ([]byte, error) {
	m.frame = m.frame[:0]
	skip := false
	take := func(n uint64) error { // the next n bytes of the frame
		if skip = skip || n > uint64(m.limit-len(m.frame)); skip {
			m.frame = m.frame[:0]
			for n > 0 {
				k, err := m.r.Discard(int(min(n, 1<<30)))
				if err != nil {
					return err
				}
				n -= uint64(k)
			}
			return nil
		}
		for n > 0 { // take what has arrived: memory follows the input, not what it declares
			if _, err := m.r.Peek(1); err != nil {
				return err
			}
			part, err := m.r.Peek(int(min(n, uint64(m.r.Buffered()))))
			if err != nil {
				return err
			}
			m.frame = append(m.frame, part...)
			n -= uint64(len(part))
			if _, err := m.r.Discard(len(part)); err != nil {
				return err
			}
		}
		return nil
	}
	for values := uint64(1); values > 0; {
		head, err := m.r.Peek(1)
		if err != nil {
			if err == io.EOF && (len(m.frame) > 0 || skip) {
				err = fmt.Errorf("%w: the input ends inside a value", errFramingLost)
			}
			return nil, err
		}
		c := head[0]
		if c == neverUsed {
			return nil, fmt.Errorf("%w: a byte %#x, with which no msgpack value begins", errFramingLost, c)
		}
		n := 1 + lengthBytes(c)
		head, err = m.r.Peek(n)
		if err == nil {
			payload, more := goesOn(c, lengthOf(head[1:]))
			values += more - 1
			err = take(uint64(n) + payload)
		}
		if err == io.EOF {
			return nil, fmt.Errorf("%w: the input ends inside a value", errFramingLost)
		} else if err != nil {
			return nil, err
		}
		if values > math.MaxInt64 {
			return nil, fmt.Errorf("%w: values without end", errFramingLost)
		}
	}
	if skip {
		return nil, tooLarge(m.limit)
	}
	return m.frame, nil
}

// decode implements [framing].
func (m *msgpackStream) decode(frame []byte) (request, *replyError) {
	return decode(msgpackNotation{}, frame, "a frame is one map")
}

// msgpackNotation reads msgpack values.
type msgpackNotation struct{}

// extent returns the number of bytes of the value with which b begins.
func extent(b []byte) int {
	at := 0
	for values := uint64(1); values > 0; values-- {
		n := lengthBytes(b[at])
		payload, more := goesOn(b[at], lengthOf(b[at+1:at+1+n]))
		at += 1 + n + int(payload)
		values += more
	}
	return at
}

// list implements [notation].
func (msgpackNotation) list(value []byte) ([]byte, bool) {
	c := value[0]
	return value[1+lengthBytes(c):], c&0xf0 == 0x90 || c == 0xdc || c == 0xdd
}

// object implements [notation].
func (msgpackNotation) object(value []byte) ([]byte, bool) {
	c := value[0]
	return value[1+lengthBytes(c):], c&0xf0 == 0x80 || c == 0xde || c == 0xdf
}

// cut implements [notation].
func (msgpackNotation) cut(inside []byte) (first, rest []byte) {
	if len(inside) == 0 {
		return nil, nil
	}
	n := extent(inside)
	return inside[:n], inside[n:]
}

// text implements [notation].
func (msgpackNotation) text(value []byte) (string, bool) {
	c := value[0]
	if c&0xe0 != 0xa0 && (c < 0xd9 || c > 0xdb) {
		return "", false
	}
	return string(value[1+lengthBytes(c):]), true
}

// boolean implements [notation].
func (msgpackNotation) boolean(value []byte) (on, ok bool) {
	return value[0] == 0xc3, value[0] == 0xc2 || value[0] == 0xc3
}

// integer implements [notation].
func (n msgpackNotation) integer(value []byte) (int64, bool) {
	switch c := value[0]; {
	case c >= 0xe0:
		return int64(int8(c)), true
	case c >= 0xd0 && c <= 0xd3: // signed, as many bits as there are
		unused := 64 - 8*(len(value)-1)
		return int64(lengthOf(value[1:])<<unused) >> unused, true
	}
	x, ok := n.natural(value)
	return int64(x), ok && x <= math.MaxInt64
}

// natural implements [notation].
func (n msgpackNotation) natural(value []byte) (uint64, bool) {
	switch c := value[0]; {
	case c < 0x80:
		return uint64(c), true
	case c >= 0xcc && c <= 0xcf:
		return lengthOf(value[1:]), true
	case c >= 0xd0 && c <= 0xd3:
		x, _ := n.integer(value)
		return uint64(x), x >= 0
	}
	return 0, false
}

// packed implements [notation].
func (msgpackNotation) packed(value []byte) ([]byte, bool) {
	c := value[0]
	return value[1+lengthBytes(c):], c >= 0xc4 && c <= 0xc6
}

// blob implements [notation].
func (n msgpackNotation) blob(value []byte) ([]byte, bool) { return n.packed(value) }

// encode implements [framing].
func (m *msgpackStream) encode(b *bytes.Buffer, r reply) {
	e := m.e
	e.ResetWriter(b)
	fields := len(r.fields) + 2
	if r.wrong != nil {
		fields++
	}
	e.EncodeMapLen(fields) // writing to a bytes.Buffer cannot fail
	e.EncodeString("id")
	if r.id == nil {
		e.EncodeNil()
	} else {
		b.Write(r.id)
	}
	e.EncodeString("ok")
	e.EncodeBool(r.wrong == nil)
	if r.wrong != nil {
		e.EncodeString("error")
		m.value(r.wrong)
	}
	for _, f := range r.fields {
		e.EncodeString(f.name)
		switch value := f.value.(type) {
		case column:
			e.EncodeBytes(value.packed())
		case blob:
			e.EncodeBytes(value)
		default:
			m.value(value)
		}
	}
}

// value writes anything else.
func (m *msgpackStream) value(value any) {
	if err := m.e.Encode(value); err != nil {
		panic(err) // replies hold nothing that msgpack does not have
	}
}

// packed returns a column's numbers, little-endian. Where they lie so in memory,
// the bytes are those of the column itself: a frame of thousands of games is
// then copied as fast as memory goes.
func (c column) packed() []byte {
	if !littleEndian {
		b, err := binary.Append(nil, binary.LittleEndian, c.values)
		if err != nil {
			panic(err) // every column is of a fixed size
		}
		return b
	}
	switch values := c.values.(type) {
	case []bool:
		return memory(values)
	case []uint8:
		return values
	case []int8:
		return memory(values)
	case []int16:
		return memory(values)
	case []float32:
		return memory(values)
	case []float64:
		return memory(values)
	}
	panic(fmt.Sprintf("no column of %T", c.values))
}

// littleEndian tells that the machine is.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// memory returns the bytes of a list.
func memory[T bool | int8 | int16 | float32 | float64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}
