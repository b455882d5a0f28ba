package policyfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"

	"pigpen/env"
)

// unknownBits are the bits of NaN in a file, where every value has one form.
const unknownBits = 0x7fc00000

// valuesAtOnce is the number of values that are encoded or decoded at a time.
const valuesAtOnce = 1 << 12

// checkValues returns an error that wraps [ErrLimit] if a value is infinite.
func (h Header) checkValues(values []float32) error {
	if values != nil && int64(len(values)) != env.NumActions*h.Size {
		panic(fmt.Sprintf("policyfile: %d values for %d entries", len(values), h.Size))
	}
	for k, v := range values {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("%w: the value of %s", ErrLimit, infinite(k, v))
		}
	}
	return nil
}

// infinite describes value k, which is infinite.
func infinite(k int, v float32) string {
	return fmt.Sprintf("action %v in entry %d is %v; it is finite or NaN", env.Action(k%env.NumActions), k/env.NumActions, v)
}

// writeValues writes the bytes of values.
func writeValues(w io.Writer, values []float32) error {
	var b []byte
	for len(values) > 0 {
		n := min(len(values), valuesAtOnce)
		b = b[:0]
		for _, v := range values[:n] {
			bits := uint32(unknownBits)
			if v == v {
				bits = math.Float32bits(v)
			}
			b = binary.LittleEndian.AppendUint32(b, bits)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// readValues reads the values that follow the chances of a table, adds their bytes to sum,
// and returns them if keep is set. wrong is what contradicts the format, which counts only
// if the checksum is right; err ends the reading.
func readValues(r *bufio.Reader, sum hash.Hash, h Header, size int64, keep bool) (values []float32, wrong, err error) {
	truncated := fmt.Errorf("%w: it ends inside the values of its %d entries", ErrTruncated, h.Size)
	if err := readKey(r, sum, "values", h.Size*valueBytes, truncated); err != nil {
		return nil, nil, err
	}
	left := h.Size * env.NumActions
	if keep && h.Size*valueBytes <= size {
		values = make([]float32, 0, left)
	}
	b := make([]byte, 4*valuesAtOnce)
	for left > 0 {
		b = b[:4*min(left, valuesAtOnce)]
		left -= int64(len(b) / 4)
		if _, err := io.ReadFull(r, b); ended(err) {
			return nil, nil, truncated
		} else if err != nil {
			return nil, nil, err
		}
		sum.Write(b)
		for p := 0; p < len(b) && keep && wrong == nil; p += 4 {
			bits := binary.LittleEndian.Uint32(b[p:])
			v := math.Float32frombits(bits)
			switch k := len(values); {
			case math.IsInf(float64(v), 0):
				wrong = fmt.Errorf("%w: the value of %s", ErrCorrupt, infinite(k, v))
			case v != v && bits != unknownBits:
				wrong = fmt.Errorf("%w: the value of action %v in entry %d is a NaN of bits %#x, not %#x", ErrCorrupt, env.Action(k%env.NumActions), k/env.NumActions, bits, uint32(unknownBits))
			}
			values = append(values, v)
		}
	}
	return values, wrong, nil
}
