package policyfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"
)

// encodeMixed returns the bytes of mixed entries.
func encodeMixed(list []Mixed) []byte {
	b := make([]byte, 0, len(list)*mixedBytes)
	for _, m := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(m.Entry))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.Chance))
	}
	return b
}

// readMixed reads the mixed entries that follow the bits of a table, adds their bytes to
// sum, and returns them if keep is set. wrong is what contradicts h or bits, which counts
// only if the checksum is right; err ends the reading.
func readMixed(r *bufio.Reader, sum hash.Hash, h Header, size int64, keep bool, bits []byte) (list []Mixed, wrong, err error) {
	truncated := fmt.Errorf("%w: it ends inside its %d chances", ErrTruncated, h.Mixed)
	if err := readKey(r, sum, "chances", h.Mixed*mixedBytes, truncated); err != nil {
		return nil, nil, err
	}
	if keep && h.Mixed*mixedBytes <= size {
		list = make([]Mixed, 0, h.Mixed)
	}
	var b [mixedBytes]byte
	last := int64(-1)
	for range h.Mixed {
		if _, err := io.ReadFull(r, b[:]); ended(err) {
			return nil, nil, truncated
		} else if err != nil {
			return nil, nil, err
		}
		sum.Write(b[:])
		if !keep || wrong != nil {
			continue
		}
		entry, chance := binary.LittleEndian.Uint64(b[:]), math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
		switch {
		case entry >= uint64(h.Size):
			wrong = fmt.Errorf("%w: a chance for entry %d of %d", ErrCorrupt, entry, h.Size)
		case int64(entry) <= last:
			wrong = fmt.Errorf("%w: a chance for entry %d follows that for entry %d", ErrCorrupt, entry, last)
		case !(chance > 0 && chance < 1):
			wrong = fmt.Errorf("%w: the chance %v in entry %d is not between 0 and 1", ErrCorrupt, chance, entry)
		case (chance >= 0.5) != (bits[entry>>3]>>(entry&7)&1 == 1):
			wrong = fmt.Errorf("%w: the chance %v in entry %d contradicts its table", ErrCorrupt, chance, entry)
		}
		last = int64(entry)
		list = append(list, Mixed{last, chance})
	}
	return list, wrong, nil
}
