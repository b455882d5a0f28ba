package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unsafe"

	"github.com/vmihailenco/msgpack/v5"
)

// A msgpackStream is the [Format] with msgpack maps back to back. Next follows the
// lengths that values declare, a part at a time: it allocates no more than has
// arrived, and does not recurse.
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
	return &msgpackStream{r: bufio.NewReaderSize(r, BufferSize), limit: limit, e: e}
}

// A value that begins with c is a list, a map, a string, or bytes.
func isList(c byte) bool  { return c&0xf0 == 0x90 || c == 0xdc || c == 0xdd }
func isMap(c byte) bool   { return c&0xf0 == 0x80 || c == 0xde || c == 0xdf }
func isText(c byte) bool  { return c&0xe0 == 0xa0 || c >= 0xd9 && c <= 0xdb }
func isBytes(c byte) bool { return c >= 0xc4 && c <= 0xc6 }

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

// follows returns what follows the first byte c of a value and its length: payload
// bytes, and then values further values. No value begins with neverUsed.
func follows(c byte, length uint64) (payload, values uint64) {
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

// Next implements [Format].
func (m *msgpackStream) Next() ([]byte, error) {
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
			if len(m.frame) > 0 || skip {
				err = cutShort(err)
			}
			return nil, err
		}
		c := head[0]
		if c == neverUsed {
			return nil, errNeverUsed()
		}
		n := 1 + lengthBytes(c)
		head, err = m.r.Peek(n)
		if err == nil {
			payload, more := follows(c, lengthOf(head[1:]))
			values += more - 1
			err = take(uint64(n) + payload)
		}
		if err != nil {
			return nil, cutShort(err)
		}
		if values > math.MaxInt64 {
			return nil, fmt.Errorf("%w: values without end", ErrFramingLost)
		}
	}
	if skip {
		return nil, frameTooLarge(m.limit)
	}
	return m.frame, nil
}

// Object implements [Format].
func (m *msgpackStream) Object(frame []byte) (Object, error) {
	return newObject(msgpackNotation{}, frame, "one map")
}

// msgpackNotation reads msgpack values.
type msgpackNotation struct{}

// extent returns the number of bytes of the value with which b begins.
func extent(b []byte) int {
	at := 0
	for values := uint64(1); values > 0; values-- {
		n := lengthBytes(b[at])
		payload, more := follows(b[at], lengthOf(b[at+1:at+1+n]))
		at += 1 + n + int(payload)
		values += more
	}
	return at
}

// List implements [Notation].
func (msgpackNotation) List(value []byte) ([]byte, bool) {
	c := value[0]
	return value[1+lengthBytes(c):], isList(c)
}

// Map implements [Notation].
func (msgpackNotation) Map(value []byte) ([]byte, bool) {
	c := value[0]
	return value[1+lengthBytes(c):], isMap(c)
}

// Cut implements [Notation].
func (msgpackNotation) Cut(inside []byte) (first, rest []byte) {
	if len(inside) == 0 {
		return nil, nil
	}
	n := extent(inside)
	return inside[:n], inside[n:]
}

// Text implements [Notation].
func (msgpackNotation) Text(value []byte) (string, bool) {
	c := value[0]
	if !isText(c) {
		return "", false
	}
	return string(value[1+lengthBytes(c):]), true
}

// Bool implements [Notation].
func (msgpackNotation) Bool(value []byte) (on, ok bool) {
	return value[0] == 0xc3, value[0] == 0xc2 || value[0] == 0xc3
}

// Int implements [Notation].
func (n msgpackNotation) Int(value []byte) (int64, bool) {
	switch c := value[0]; {
	case c >= 0xe0:
		return int64(int8(c)), true
	case c >= 0xd0 && c <= 0xd3: // signed, as many bits as there are
		unused := 64 - 8*(len(value)-1)
		return int64(lengthOf(value[1:])<<unused) >> unused, true
	}
	x, ok := n.Uint(value)
	return int64(x), ok && x <= math.MaxInt64
}

// Uint implements [Notation].
func (n msgpackNotation) Uint(value []byte) (uint64, bool) {
	switch c := value[0]; {
	case c < 0x80:
		return uint64(c), true
	case c >= 0xcc && c <= 0xcf:
		return lengthOf(value[1:]), true
	case c >= 0xd0 && c <= 0xd3:
		x, _ := n.Int(value)
		return uint64(x), x >= 0
	}
	return 0, false
}

// Packed implements [Notation].
func (msgpackNotation) Packed(value []byte) ([]byte, bool) {
	c := value[0]
	return value[1+lengthBytes(c):], isBytes(c)
}

// Blob implements [Notation].
func (n msgpackNotation) Blob(value []byte) ([]byte, bool) { return n.Packed(value) }

// Encode implements [Format].
func (m *msgpackStream) Encode(b *bytes.Buffer, lists ...[]Field) {
	e := m.e
	e.ResetWriter(b)
	n := 0
	for _, fields := range lists {
		n += len(fields)
	}
	e.EncodeMapLen(n) // a write to a bytes.Buffer cannot fail
	for _, fields := range lists {
		for _, f := range fields {
			e.EncodeString(f.Name)
			switch value := f.Value.(type) {
			case nil:
				e.EncodeNil()
			case bool:
				e.EncodeBool(value)
			case Raw:
				b.Write(value)
			case Column:
				e.EncodeBytes(value.packed())
			case Blob:
				e.EncodeBytes(value)
			default:
				if err := e.Encode(value); err != nil {
					panic(fmt.Sprintf("wire: %T: %v", value, err))
				}
			}
		}
	}
}

// packed returns the column's numbers, little-endian. On a little-endian machine
// these are the bytes of the column itself, so that a frame of thousands of games
// is one copy.
func (c Column) packed() []byte {
	if !littleEndian {
		b, err := binary.Append(nil, binary.LittleEndian, c.Values)
		if err != nil {
			panic(err) // every column is of a fixed size
		}
		return b
	}
	switch values := c.Values.(type) {
	case []bool:
		return bytesOf(values)
	case []uint8:
		return values
	case []int8:
		return bytesOf(values)
	case []int16:
		return bytesOf(values)
	case []int64:
		return bytesOf(values)
	case []float32:
		return bytesOf(values)
	case []float64:
		return bytesOf(values)
	}
	panic(fmt.Sprintf("wire: a column of %T", c.Values))
}

// littleEndian tells whether the machine is little-endian.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of a list.
func bytesOf[T bool | int8 | int16 | int64 | float32 | float64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}
