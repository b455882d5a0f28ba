package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// A MsgpackReader reads one msgpack value as it arrives, part by part, without
// holding it. Errors of its methods end the reading.
type MsgpackReader struct {
	r       *bufio.Reader
	limit   uint64
	tooLong error
}

// NewMsgpackReader returns a reader of in. A value that declares more than limit
// bytes, or more than limit values, gives the error tooLong.
func NewMsgpackReader(in io.Reader, limit int64, tooLong error) *MsgpackReader {
	return &MsgpackReader{bufio.NewReaderSize(in, BufferSize), uint64(limit), tooLong}
}

// AtEnd reports whether the input has ended.
func (m *MsgpackReader) AtEnd() (bool, error) {
	_, err := m.r.Peek(1)
	if err == io.EOF {
		return true, nil
	}
	return false, err
}

// head reads the first bytes of a value: how it begins, and how many bytes and
// then values follow.
func (m *MsgpackReader) head() (c byte, payload, values uint64, err error) {
	c, err = m.r.ReadByte()
	if err != nil {
		return 0, 0, 0, cutShort(err)
	}
	if c == neverUsed {
		return 0, 0, 0, errNeverUsed()
	}
	var length [4]byte
	n := lengthBytes(c)
	if _, err := io.ReadFull(m.r, length[:n]); err != nil {
		return 0, 0, 0, cutShort(err)
	}
	payload, values = follows(c, lengthOf(length[:n]))
	if payload > m.limit || values > m.limit { // each value has a byte at least
		return 0, 0, 0, m.tooLong
	}
	return c, payload, values, nil
}

// Map begins a map. The names and values of its pairs follow. It is false if the
// value is no map.
func (m *MsgpackReader) Map() (pairs uint64, ok bool, err error) {
	c, _, values, err := m.head()
	return values / 2, isMap(c), err
}

// Text reads a string, and returns at most its first most bytes; the rest stays
// unread. It is false if the value is no string.
func (m *MsgpackReader) Text(most int) (text string, ok bool, err error) {
	c, payload, _, err := m.head()
	if err != nil || !isText(c) {
		return "", false, err
	}
	b := make([]byte, min(payload, uint64(most)))
	_, err = io.ReadFull(m.r, b)
	return string(b), true, cutShort(err)
}

// Int reads an integer. It is false if the value is no integer in [low, high].
func (m *MsgpackReader) Int(low, high int64) (x int64, ok bool, err error) {
	c, payload, values, err := m.head()
	if err != nil || values > 0 || payload > 8 || lengthBytes(c) > 0 {
		return 0, false, err
	}
	var value [9]byte
	value[0] = c
	if _, err := io.ReadFull(m.r, value[1:1+payload]); err != nil {
		return 0, false, cutShort(err)
	}
	x, ok = msgpackNotation{}.Int(value[:1+payload])
	return x, ok && x >= low && x <= high, nil
}

// List begins a list. Its n elements follow, or n bytes if it is packed. It is
// false if the value is neither a list nor bytes.
func (m *MsgpackReader) List() (n uint64, packed, ok bool, err error) {
	c, payload, values, err := m.head()
	if isBytes(c) {
		return payload, true, true, err
	}
	return values, false, isList(c), err
}

// Byte reads one byte of a packed list.
func (m *MsgpackReader) Byte() (byte, error) {
	b, err := m.r.ReadByte()
	return b, cutShort(err)
}

// Float64 reads one number of a packed list of 64-bit floats, little-endian.
func (m *MsgpackReader) Float64() (float64, error) {
	var b [8]byte
	_, err := io.ReadFull(m.r, b[:])
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:])), cutShort(err)
}

// Int16s reads len(row) numbers of a packed list, little-endian. They have at most
// [BufferSize] bytes.
func (m *MsgpackReader) Int16s(row []int16) error {
	b, err := m.r.Peek(2 * len(row))
	if err != nil {
		return cutShort(err)
	}
	for k := range row {
		row[k] = int16(binary.LittleEndian.Uint16(b[2*k:]))
	}
	_, err = m.r.Discard(len(b))
	return err
}

// cutShort returns the error of an input that ends inside a value.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: the input ends inside a value", ErrFramingLost)
	}
	return err
}

// errNeverUsed returns the error of a byte that begins no value.
func errNeverUsed() error {
	return fmt.Errorf("%w: a byte %#x, with which no msgpack value begins", ErrFramingLost, neverUsed)
}
