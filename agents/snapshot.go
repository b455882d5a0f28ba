package agents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrSnapshot is wrapped by an agent's UnmarshalBinary.
var ErrSnapshot = errors.New("agents: bad snapshot")

// appendParts appends numbers and slices of numbers, little-endian and without
// their lengths, which the layout tells.
func appendParts(b []byte, parts ...any) ([]byte, error) {
	var err error
	for _, part := range parts {
		if b, err = binary.Append(b, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readParts reads what appendParts wrote into pointers to numbers and slices
// of the same lengths. The error wraps [ErrSnapshot]; then some may have been
// read.
func readParts(b []byte, parts ...any) error {
	r := bytes.NewReader(b)
	for _, part := range parts {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return fmt.Errorf("%w: it is too short", ErrSnapshot)
		}
	}
	if r.Len() > 0 {
		return fmt.Errorf("%w: it is too long", ErrSnapshot)
	}
	return nil
}
