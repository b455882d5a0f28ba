// Package wire reads and writes frames and the values in them, in two formats:
// JSON lines, where a frame is one JSON object on one line, and msgpack, where
// frames are maps back to back. Both have the same values; see [Field].
//
// A [Format] finds frames in a stream, without trust in the lengths that they
// declare, and takes each apart into an [Object]. A [Schema] declares the fields
// of an object and reads them into a struct. A [Notation] reads single values.
package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// BufferSize is the number of bytes that a format reads from its stream at a
// time.
const BufferSize = 64 << 10

var (
	// ErrFrameTooLarge is what Next wraps when a frame is longer than the limit
	// and was skipped. Next may be called again.
	ErrFrameTooLarge = errors.New("frame too large")
	// ErrFramingLost is what Next wraps when it cannot know where the next frame
	// begins.
	ErrFramingLost = errors.New("framing lost")
)

// frameTooLarge returns an error that states the limit in bytes.
func frameTooLarge(limit int) error {
	return fmt.Errorf("%w: at most %d bytes are allowed", ErrFrameTooLarge, limit)
}

// A Format reads frames from a stream, and encodes frames of the same format.
type Format interface {
	// Next returns the next frame, which is valid until the next call. At the end
	// of the stream the error is io.EOF. Only after an error that wraps
	// [ErrFrameTooLarge] may Next be called again.
	Next() ([]byte, error)
	// Object takes a frame apart. The object keeps parts of the frame. The error
	// is a [*NotObjectError] if the frame is anything but one object; after any
	// other error, [Object.Find] still works.
	Object(frame []byte) (Object, error)
	// Encode appends a frame to b, with the fields of each list in order. It
	// panics if a field's value is none that [Field] describes.
	Encode(b *bytes.Buffer, lists ...[]Field)
}

// Formats returns the names of the formats.
func Formats() []string { return []string{"jsonl", "msgpack"} }

// NewFormat returns the format called name, which reads frames of at most limit
// bytes from in. It panics if name is not one of [Formats].
func NewFormat(name string, in io.Reader, limit int) Format {
	switch name {
	case "jsonl":
		return NewJSONLines(in, limit)
	case "msgpack":
		return newMsgpackStream(in, limit)
	}
	panic("wire: no format " + name)
}

// A Field is a name and a value in a frame. The value is one of
//
//   - nil, a bool, a number or a string,
//   - a [Column] or a [Blob],
//   - a [Raw] value, which is copied,
//   - anything else that encoding/json encodes; msgpack encodes it with the same
//     struct tags.
type Field struct {
	Name  string
	Value any
}

// A Column holds numbers: a []bool, []uint8, []int8, []int16, []float32 or
// []float64. It stands for one list if Width is 0, else for rows of Width
// numbers, one after the other, and if Rows is not 0 for tables of Rows rows.
// JSON encodes it as a list, a list of rows or a list of tables, with null for NaN;
// msgpack as little-endian bytes.
type Column struct {
	Values      any
	Width, Rows int
}

// A Blob is bytes without structure: base64 in JSON, bin in msgpack.
type Blob []byte

// A Raw value is already encoded in the format of the frame.
type Raw []byte
