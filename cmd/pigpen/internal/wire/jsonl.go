package wire

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// JSONLines is the [Format] with one JSON object on each line.
type JSONLines struct {
	// Line is the number of the last line that Next has read, from 1.
	Line int
	// FailFast makes Next report a frame that is too long without skipping it; Next
	// must not be called again then.
	FailFast bool

	r     *bufio.Reader
	limit int // bytes of the longest frame, line feed not counted
	frame []byte
}

// NewJSONLines returns a format that reads lines of at most limit bytes from in,
// line feed not counted.
func NewJSONLines(in io.Reader, limit int) *JSONLines {
	return &JSONLines{r: bufio.NewReaderSize(in, BufferSize), limit: limit}
}

// byteOrderMark may stand before the first line of a text in UTF-8.
var byteOrderMark = []byte("\uFEFF")

// Next implements [Format]. It skips blank lines, and a byte order mark before the
// first line. The last frame may lack its line feed.
func (l *JSONLines) Next() ([]byte, error) {
	l.frame = l.frame[:0]
	skip := false
	for {
		part, err := l.r.ReadSlice('\n')
		done := err == nil
		if done {
			part = part[:len(part)-1]
		}
		if skip = skip || len(l.frame)+len(part) > l.limit; !skip {
			l.frame = append(l.frame, part...)
		}
		switch {
		case skip && l.FailFast:
			l.Line++
			return nil, frameTooLarge(l.limit)
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(l.frame) > 0 || skip):
			done = true
		case err != nil:
			return nil, err
		}
		l.Line++
		if skip {
			return nil, frameTooLarge(l.limit)
		}
		frame := l.frame
		if l.Line == 1 {
			frame = bytes.TrimPrefix(frame, byteOrderMark)
		}
		if done && len(bytes.TrimSpace(frame)) > 0 {
			return frame, nil
		}
		l.frame = l.frame[:0]
	}
}

// Object implements [Format].
func (l *JSONLines) Object(frame []byte) (Object, error) {
	const want = "one JSON object on one line"
	if !utf8.Valid(frame) || !json.Valid(frame) {
		return Object{Notation: jsonNotation{}}, &NotObjectError{want}
	}
	return newObject(jsonNotation{}, bytes.TrimSpace(frame), want)
}

// jsonNotation reads JSON values without space around them.
type jsonNotation struct{}

// List implements [Notation].
func (jsonNotation) List(value []byte) ([]byte, bool) { return value[1:], value[0] == '[' }

// Map implements [Notation].
func (jsonNotation) Map(value []byte) ([]byte, bool) { return value[1:], value[0] == '{' }

// Cut implements [Notation]. An inside ends with its closing bracket; a comma or a
// colon separates values.
func (jsonNotation) Cut(inside []byte) (first, rest []byte) {
	depth, inString := 0, false
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		if inString {
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '[', '{':
			depth++
		case ']', '}', ',', ':':
			if c == ']' || c == '}' {
				depth--
			}
			if depth < 0 || depth == 0 && (c == ',' || c == ':') {
				if first = bytes.TrimSpace(inside[:i]); len(first) == 0 {
					return nil, nil
				}
				return first, inside[i+1:]
			}
		}
	}
	return nil, nil
}

// Text implements [Notation].
func (jsonNotation) Text(value []byte) (text string, ok bool) {
	if value[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), true
	}
	return text, json.Unmarshal(value, &text) == nil
}

// Bool implements [Notation].
func (jsonNotation) Bool(value []byte) (on, ok bool) {
	on = string(value) == "true"
	return on, on || string(value) == "false"
}

// Int implements [Notation].
func (jsonNotation) Int(value []byte) (int64, bool) {
	x, err := strconv.ParseInt(string(value), 10, 64)
	return x, err == nil
}

// Uint implements [Notation].
func (jsonNotation) Uint(value []byte) (uint64, bool) {
	x, err := strconv.ParseUint(string(value), 10, 64)
	return x, err == nil
}

// Packed implements [Notation]; JSON writes lists as lists.
func (jsonNotation) Packed([]byte) ([]byte, bool) { return nil, false }

// Blob implements [Notation]: a string in base 64.
func (n jsonNotation) Blob(value []byte) ([]byte, bool) {
	text, ok := n.Text(value)
	if !ok {
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}

// Encode implements [Format].
func (l *JSONLines) Encode(b *bytes.Buffer, lists ...[]Field) {
	before := byte('{')
	for _, fields := range lists {
		for _, f := range fields {
			b.WriteByte(before)
			before = ','
			b.WriteByte('"')
			b.WriteString(f.Name)
			b.WriteString(`":`)
			switch value := f.Value.(type) {
			case nil:
				b.WriteString("null")
			case bool:
				b.Write(strconv.AppendBool(b.AvailableBuffer(), value))
			case Raw:
				b.Write(value)
			case Column:
				b.Write(value.appendJSON(b.AvailableBuffer()))
			case Blob:
				b.WriteByte('"')
				b.Write(base64.StdEncoding.AppendEncode(b.AvailableBuffer(), value))
				b.WriteByte('"')
			default:
				writeJSON(b, value)
			}
		}
	}
	if before == '{' {
		b.WriteByte(before)
	}
	b.WriteString("}\n")
}

// writeJSON writes value as encoding/json does, without a line feed.
func writeJSON(b *bytes.Buffer, value any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(fmt.Sprintf("wire: %T: %v", value, err))
	}
	b.Truncate(b.Len() - 1)
}

// appendJSON appends the column as a list, or as lists in a list.
func (c Column) appendJSON(b []byte) []byte {
	switch values := c.Values.(type) {
	case []bool:
		return appendRows(b, values, c, strconv.AppendBool)
	case []uint8:
		return appendRows(b, values, c, func(b []byte, x uint8) []byte { return strconv.AppendUint(b, uint64(x), 10) })
	case []int8:
		return appendRows(b, values, c, func(b []byte, x int8) []byte { return strconv.AppendInt(b, int64(x), 10) })
	case []int16:
		return appendRows(b, values, c, func(b []byte, x int16) []byte { return strconv.AppendInt(b, int64(x), 10) })
	case []int64:
		return appendRows(b, values, c, func(b []byte, x int64) []byte { return strconv.AppendInt(b, x, 10) })
	case []float32:
		return appendRows(b, values, c, func(b []byte, x float32) []byte { return appendNumber(b, float64(x), 32) })
	case []float64:
		return appendRows(b, values, c, func(b []byte, x float64) []byte { return appendNumber(b, x, 64) })
	}
	panic(fmt.Sprintf("wire: a column of %T", c.Values))
}

// appendNumber appends x in its shortest form, or null for NaN, which JSON lacks.
func appendNumber(b []byte, x float64, bits int) []byte {
	if math.IsNaN(x) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, x, 'g', -1, bits)
}

// appendRows appends values as a list, nested as c says.
func appendRows[T any](b []byte, values []T, c Column, write func([]byte, T) []byte) []byte {
	table := c.Width * c.Rows
	b = append(b, '[')
	for i, x := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if table > 0 && i%table == 0 {
			b = append(b, '[')
		}
		if c.Width > 0 && i%c.Width == 0 {
			b = append(b, '[')
		}
		b = write(b, x)
		if c.Width > 0 && i%c.Width == c.Width-1 {
			b = append(b, ']')
		}
		if table > 0 && i%table == table-1 {
			b = append(b, ']')
		}
	}
	return append(b, ']')
}
