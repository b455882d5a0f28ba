package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// errFrameTooLarge tells that a frame was longer than allowed and skipped.
var errFrameTooLarge = errors.New("frame too large")

// tooLarge says what is allowed.
func tooLarge(limit int) error {
	return fmt.Errorf("%w: at most %d bytes are allowed", errFrameTooLarge, limit)
}

// jsonLines is the framing with one JSON object on each line.
type jsonLines struct {
	r     *bufio.Reader
	limit int // bytes of the longest frame, line break not counted
	frame []byte
	line  int // number of the last line, from 1
	// hasty has a frame that is too long be told at once, not after its end.
	hasty bool
}

func newJSONLines(r io.Reader, limit int) *jsonLines {
	return &jsonLines{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// byteOrderMark may stand before the first line of a text in UTF-8.
var byteOrderMark = []byte("\uFEFF")

// next implements [framing]. Blank lines are no frames; a last frame without
// line break counts; a byte order mark before the first line does not.
func (l *jsonLines) next() ([]byte, error) {
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
		case skip && l.hasty:
			l.line++
			return nil, tooLarge(l.limit)
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(l.frame) > 0 || skip):
			done = true
		case err != nil:
			return nil, err
		}
		l.line++
		if skip {
			return nil, tooLarge(l.limit)
		}
		frame := l.frame
		if l.line == 1 {
			frame = bytes.TrimPrefix(frame, byteOrderMark)
		}
		if done && len(bytes.TrimSpace(frame)) > 0 {
			return frame, nil
		}
		l.frame = l.frame[:0]
	}
}

// decode implements [framing].
func (l *jsonLines) decode(frame []byte) (request, *replyError) {
	const should = "a frame is one JSON object on one line"
	if !validJSON(frame) {
		return request{}, &replyError{codeBadFrame, should}
	}
	return decode(jsonNotation{}, bytes.TrimSpace(frame), should)
}

func validJSON(frame []byte) bool { return utf8.Valid(frame) && json.Valid(frame) }

// jsonNotation reads JSON values without space around them.
type jsonNotation struct{}

// list implements [notation].
func (jsonNotation) list(value []byte) ([]byte, bool) { return value[1:], value[0] == '[' }

// object implements [notation].
func (jsonNotation) object(value []byte) ([]byte, bool) { return value[1:], value[0] == '{' }

// cut implements [notation]. An inside ends with its bracket; values are apart
// by a comma or a colon.
func (jsonNotation) cut(inside []byte) (first, rest []byte) {
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

// text implements [notation].
func (jsonNotation) text(value []byte) (text string, ok bool) {
	if value[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), true
	}
	return text, json.Unmarshal(value, &text) == nil
}

// boolean implements [notation].
func (jsonNotation) boolean(value []byte) (on, ok bool) {
	on = string(value) == "true"
	return on, on || string(value) == "false"
}

// integer implements [notation].
func (jsonNotation) integer(value []byte) (int64, bool) {
	x, err := strconv.ParseInt(string(value), 10, 64)
	return x, err == nil
}

// natural implements [notation].
func (jsonNotation) natural(value []byte) (uint64, bool) {
	x, err := strconv.ParseUint(string(value), 10, 64)
	return x, err == nil
}

// packed implements [notation]; JSON writes lists as lists.
func (jsonNotation) packed([]byte) ([]byte, bool) { return nil, false }

// blob implements [notation]: a string in base 64.
func (n jsonNotation) blob(value []byte) ([]byte, bool) {
	text, ok := n.text(value)
	if !ok {
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}

// encode implements [framing].
func (l *jsonLines) encode(b *bytes.Buffer, r reply) {
	id := r.id
	if id == nil {
		id = []byte("null")
	}
	b.WriteString(`{"id":`)
	b.Write(id)
	if r.wrong != nil {
		b.WriteString(`,"ok":false,"error":`)
		writeJSON(b, r.wrong)
	} else {
		b.WriteString(`,"ok":true`)
	}
	for _, f := range r.fields {
		b.WriteString(`,"` + f.name + `":`)
		switch value := f.value.(type) {
		case column:
			b.Write(value.appendJSON(b.AvailableBuffer()))
		case blob:
			b.WriteByte('"')
			b.Write(base64.StdEncoding.AppendEncode(b.AvailableBuffer(), value))
			b.WriteByte('"')
		default:
			writeJSON(b, value)
		}
	}
	b.WriteString("}\n")
}

// writeJSON writes what encoding/json does, without a line break.
func writeJSON(b *bytes.Buffer, value any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // replies hold nothing that JSON does not have
	}
	b.Truncate(b.Len() - 1)
}

// appendJSON writes a column as a list of numbers or, where it is wider, of
// lists.
func (c column) appendJSON(b []byte) []byte {
	switch values := c.values.(type) {
	case []bool:
		return appendList(b, values, c.width, strconv.AppendBool)
	case []uint8:
		return appendList(b, values, c.width, func(b []byte, x uint8) []byte { return strconv.AppendUint(b, uint64(x), 10) })
	case []int8:
		return appendList(b, values, c.width, func(b []byte, x int8) []byte { return strconv.AppendInt(b, int64(x), 10) })
	case []int16:
		return appendList(b, values, c.width, func(b []byte, x int16) []byte { return strconv.AppendInt(b, int64(x), 10) })
	case []float32:
		return appendList(b, values, c.width, func(b []byte, x float32) []byte { return appendNumber(b, float64(x), 32) })
	case []float64:
		return appendList(b, values, c.width, func(b []byte, x float64) []byte { return appendNumber(b, x, 64) })
	}
	panic(fmt.Sprintf("no column of %T", c.values))
}

// appendNumber writes a number in its shortest form; NaN, which JSON does not
// have, is null.
func appendNumber(b []byte, x float64, bits int) []byte {
	if math.IsNaN(x) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, x, 'g', -1, bits)
}

func appendList[T any](b []byte, values []T, width int, write func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, x := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if width > 0 && i%width == 0 {
			b = append(b, '[')
		}
		b = write(b, x)
		if width > 0 && i%width == width-1 {
			b = append(b, ']')
		}
	}
	return append(b, ']')
}
