package agents

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
)

// ErrState is wrapped by an agent's ReadState.
var ErrState = errors.New("agents: bad state of an agent")

// pieceElements is how many elements of a slice are encoded at a time.
const pieceElements = 1 << 14

// sizeOf returns the number of bytes that writeParts writes.
func sizeOf(parts ...any) (size int64) {
	for _, part := range parts {
		size += int64(binary.Size(part))
	}
	return size
}

// forEachPiece calls do with each part or, if it is a slice, with slices of up to
// pieceElements of it in order, so that encoding takes little memory.
func forEachPiece(parts []any, do func(piece any) error) error {
	for _, part := range parts {
		v := reflect.ValueOf(part)
		if v.Kind() != reflect.Slice {
			if err := do(part); err != nil {
				return err
			}
			continue
		}
		for from := 0; from < v.Len(); from += pieceElements {
			if err := do(v.Slice(from, min(from+pieceElements, v.Len())).Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeParts writes pointers to numbers, and slices of numbers, little-endian
// and without their lengths, which the index tells.
func writeParts(w io.Writer, parts ...any) error {
	var buffer []byte
	return forEachPiece(parts, func(piece any) (err error) {
		if buffer, err = binary.Append(buffer[:0], binary.LittleEndian, piece); err != nil {
			return err
		}
		_, err = w.Write(buffer)
		return err
	})
}

// maxFloat bounds the numbers of a state: far above all that agents learn, and far enough
// below the largest float32 that sums of them stay finite.
const maxFloat = 1 << 100

// checkFloats returns an error, which wraps [ErrState], if numbers of a piece are NaN or
// not below maxFloat in magnitude. Pieces of integers pass.
func checkFloats(piece any) error {
	switch numbers := piece.(type) {
	case []float32:
		for _, x := range numbers {
			if !(math.Abs(float64(x)) < maxFloat) {
				return fmt.Errorf("%w: a number that is %v", ErrState, x)
			}
		}
	case []float64:
		for _, x := range numbers {
			if !(math.Abs(x) < maxFloat) {
				return fmt.Errorf("%w: a number that is %v", ErrState, x)
			}
		}
	}
	return nil
}

// readParts reads what writeParts wrote into parts of the same lengths, and checks the
// floating-point numbers. The error wraps [ErrState], or is the reader's own; then some
// may have been read.
func readParts(r io.Reader, parts ...any) error {
	var buffer []byte
	return forEachPiece(parts, func(piece any) error {
		if n := binary.Size(piece); cap(buffer) < n {
			buffer = make([]byte, n)
		} else {
			buffer = buffer[:n]
		}
		if _, err := io.ReadFull(r, buffer); err == io.EOF || err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%w: it is too short", ErrState)
		} else if err != nil {
			return err
		}
		if _, err := binary.Decode(buffer, binary.LittleEndian, piece); err != nil {
			return err
		}
		return checkFloats(piece)
	})
}

// readEnd returns an error, which wraps [ErrState], unless r has ended.
func readEnd(r io.Reader) error {
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("%w: it is too long", ErrState)
	default:
		return err
	}
}
