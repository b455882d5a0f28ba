package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errFrameTooLarge tells that a frame was longer than allowed and skipped.
var errFrameTooLarge = errors.New("frame too large")

// A lineReader reads frames that end with a line break, in bounded memory.
type lineReader struct {
	r     *bufio.Reader
	limit int // bytes of the longest frame, line break not counted
	frame []byte
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReader(r), limit: limit}
}

// next returns the next frame that is not blank, without its line break, valid
// until the next call. A frame over the limit is skipped to its end and gives
// errFrameTooLarge, after which next may be called again; any other error is
// final. A last frame without line break counts; io.EOF follows it.
func (l *lineReader) next() ([]byte, error) {
	l.frame = l.frame[:0]
	tooLarge := false
	for {
		part, err := l.r.ReadSlice('\n')
		done := err == nil
		if done {
			part = part[:len(part)-1]
		}
		if tooLarge = tooLarge || len(l.frame)+len(part) > l.limit; !tooLarge {
			l.frame = append(l.frame, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(l.frame) > 0 || tooLarge):
			done = true
		case err != nil:
			return nil, err
		}
		if tooLarge {
			return nil, fmt.Errorf("%w: at most %d bytes are allowed", errFrameTooLarge, l.limit)
		}
		if done && len(bytes.TrimSpace(l.frame)) > 0 {
			return l.frame, nil
		}
		l.frame = l.frame[:0]
	}
}
