// Package policyfile reads and writes the file of a learned policy: a header
// that names the game and says how the policy was made, the bits of its table,
// and a checksum. The package checks form, sizes and checksum. Whether a header
// suits its game is for the caller to check, which is package policies.
//
// The file is one msgpack map with string keys in a fixed order, every integer in
// its shortest form, so that equal policies are equal bytes:
//
//	format       "pigpen-policy"
//	version      1, 2 for a policy with mixed decisions, or 3 for one with values
//	variant      ID of the game's variant
//	players      number of seats
//	target       score that ends the game
//	options      map of the variant's options, names in order, to booleans
//	fingerprint  env.Game.Fingerprint
//	agent        learner that made the policy
//	settings     map of the learner's settings, names in order, to strings
//	seed         of the training
//	steps        decisions in the training
//	episodes     games in the training
//	program      version of the program that made it
//	states       abstraction of the states: which of them the table tells apart
//	entries      size of the table: number of its entries
//	mixed        (version 2, 3) number of entries with a chance of rolling other than 0 and 1
//	table        (entries+7)/8 bytes; bit i%8 of byte i/8 is 1 to roll in entry i with
//	             a chance of 0.5 or more
//	chances      (version 2, 3) 16·mixed bytes: for each mixed entry, in increasing order,
//	             its number (uint64) and chance of rolling (float64), both little-endian
//	values       (version 3) 8·entries bytes: for each entry the estimated values of
//	             holding and of rolling (float32, little-endian) to the player to move,
//	             which are win probabilities or, with one player, minus the number of turns
//	             that begin after the current one. A value is finite, or NaN, with the bits
//	             0x7fc00000, where there is no estimate or holding is not legal
//	checksum     SHA-256 of every byte before this value
//
// History: version 1 is the first. Version 2 adds mixed decisions; mixed is then at least
// 1. Version 3 adds values; mixed may be 0. A policy is written in the first version that
// can hold it.
package policyfile

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"pigpen/env"
)

const (
	formatName   = "pigpen-policy"
	pureVersion  = 1
	mixedVersion = 2
	valueVersion = 3
	pureKeys     = 17
	mixedKeys    = 19
	valueKeys    = 20
)

const (
	maxHeader   = 1 << 16 // bytes before the table; the limits below keep it under 54,000
	maxSettings = 64
	maxText     = 256     // bytes of any string in the header
	maxTable    = 1 << 30 // bytes of the table, of the chances, and of the values
	mixedBytes  = 16      // of one mixed entry
	maxMixed    = maxTable / mixedBytes
	valueBytes  = 4 * env.NumActions // of one entry
)

// MaxValued is the largest number of entries of a table with values.
const MaxValued = maxTable / valueBytes

var (
	// ErrForeign is returned for a file that is not a policy file.
	ErrForeign = errors.New("not a pigpen policy file")
	// ErrVersion is returned for a file of a later version of the format.
	ErrVersion = errors.New("a policy file of a later version")
	// ErrTruncated is returned for a policy file that ends too early.
	ErrTruncated = errors.New("a policy file cut short")
	// ErrCorrupt is returned for a policy file that contradicts itself.
	ErrCorrupt = errors.New("a damaged policy file")
	// ErrLimit is returned by [Write] for a header or a table that exceeds the
	// limits of the format.
	ErrLimit = errors.New("policyfile: outside the format's limits")
)

// Provenance says how a policy was made.
type Provenance struct {
	Agent    string            // learner
	Settings map[string]string // at most 64; names and values of at most 256 bytes
	Seed     uint64
	Steps    int64 // decisions
	Episodes int64
	Program  string // version of the program
}

// A Table is what a policy decides in each of its entries.
type Table struct {
	// Bits has bit i%8 of byte i/8 set if the chance of rolling in entry i is 0.5 or more.
	Bits []byte
	// Mixed has the entries whose chance is neither 0 nor 1, by increasing number.
	Mixed []Mixed
	// Values, if not nil, has for each entry i the estimated values of holding, Values[2i],
	// and of rolling, Values[2i+1]; each is finite or NaN.
	Values []float32
}

// A Mixed is an entry in which a policy rolls with a chance strictly between 0 and 1.
type Mixed struct {
	Entry  int64
	Chance float64
}

// A Header is everything that stands before the bytes of a table.
type Header struct {
	Game        env.Config // with all options spelled out
	Fingerprint string     // env.Game.Fingerprint
	Provenance  Provenance
	Abstraction string // name of the abstraction of the states
	Size        int64  // entries of the table
	Mixed       int64  // mixed entries; [Write] sets it
	TableBytes  int64  // (Size+7)/8
	Valued      bool   // whether the table has values; [Write] sets it
}

// Write writes a policy file to w. The error wraps [ErrLimit], and nothing has
// been written, if h or t exceeds the limits of the format or a value is infinite; else it
// is that of w. It panics if there are values, but not two for each entry.
func Write(w io.Writer, h Header, t Table) error {
	h.Mixed, h.Valued = int64(len(t.Mixed)), t.Values != nil
	if err := h.check(); err != nil {
		return err
	}
	if err := h.checkValues(t.Values); err != nil {
		return err
	}
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	parts := [][]byte{h.encode(), t.Bits}
	if h.Mixed > 0 || h.Valued {
		parts = append(parts, binaryKey("chances", h.Mixed*mixedBytes), encodeMixed(t.Mixed))
	}
	if h.Valued {
		parts = append(parts, binaryKey("values", h.Size*valueBytes))
	}
	for _, part := range parts {
		if _, err := both.Write(part); err != nil {
			return err
		}
	}
	if err := writeValues(both, t.Values); err != nil {
		return err
	}
	if _, err := both.Write(checksumKey()); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// check returns an error if [Read] would refuse h for its sizes.
func (h Header) check() error {
	p := h.Provenance
	if p.Steps < 0 || p.Episodes < 0 {
		return fmt.Errorf("%w: %d steps and %d episodes; neither may be negative", ErrLimit, p.Steps, p.Episodes)
	}
	if h.TableBytes > maxTable {
		return fmt.Errorf("%w: a table of %d bytes is larger than a policy file holds, %d", ErrLimit, h.TableBytes, maxTable)
	}
	if h.Mixed > maxMixed {
		return fmt.Errorf("%w: %d mixed decisions are more than a policy file holds, %d", ErrLimit, h.Mixed, maxMixed)
	}
	if h.Valued && h.Size > MaxValued {
		return fmt.Errorf("%w: values of %d entries are more than a policy file holds, %d", ErrLimit, h.Size, MaxValued)
	}
	if len(p.Settings) > maxSettings {
		return fmt.Errorf("%w: %d settings are more than a policy file holds, %d", ErrLimit, len(p.Settings), maxSettings)
	}
	texts := []string{p.Agent, p.Program}
	for name, value := range p.Settings {
		texts = append(texts, name, value)
	}
	for _, text := range texts {
		if len(text) > maxText {
			return fmt.Errorf("%w: a text of %d bytes is longer than a policy file holds, %d: %.40q…", ErrLimit, len(text), maxText, text)
		}
	}
	return nil
}

// Read reads a policy file and returns its header and its table.
//
// check compares the header with its game before the table is read. If the error
// of check wraps [ErrCorrupt], Read returns it at once. Any other error of check
// is returned only if the checksum confirms the header; a wrong checksum takes
// precedence.
//
// size is the size of the file in bytes, or 0 if it is not known. A table that
// fits into size is allocated at once; else no more is allocated than about twice
// what has been read, at most 1 GiB each for the bits, for mixed entries and for values.
//
// The error wraps [ErrForeign], [ErrVersion], [ErrTruncated] or [ErrCorrupt], or is
// that of check or of r.
func Read(r io.Reader, size int64, check func(Header) error) (Header, Table, error) {
	br := bufio.NewReaderSize(r, maxHeader)
	head, err := br.Peek(maxHeader)
	if err != nil && err != io.EOF {
		return Header{}, Table{}, err
	}
	h, n, err := decodeHeader(head)
	if err != nil {
		return Header{}, Table{}, err
	}
	refused := check(h)
	if refused == nil && !bytes.Equal(h.encode(), head[:n]) {
		refused = fmt.Errorf("%w: its header is not in the form that this format has", ErrCorrupt)
	}
	if refused == nil && h.TableBytes != (h.Size+7)/8 {
		refused = fmt.Errorf("%w: %d entries in %d bytes", ErrCorrupt, h.Size, h.TableBytes)
	}
	if refused == nil && (h.Mixed > h.Size || h.Mixed > maxMixed) {
		refused = fmt.Errorf("%w: %d mixed entries of %d", ErrCorrupt, h.Mixed, h.Size)
	}
	if refused == nil && h.Valued && h.Size > MaxValued {
		refused = fmt.Errorf("%w: values of %d entries, and at most %d are allowed", ErrCorrupt, h.Size, MaxValued)
	}
	if errors.Is(refused, ErrCorrupt) {
		return Header{}, Table{}, refused
	}
	if h.TableBytes > maxTable {
		return Header{}, Table{}, fmt.Errorf("%w: its table of %d bytes is more than a policy file holds, %d", ErrCorrupt, h.TableBytes, maxTable)
	}
	sum := sha256.New()
	sum.Write(head[:n])
	if _, err := br.Discard(n); err != nil {
		return Header{}, Table{}, err
	}
	var table bytes.Buffer
	to := io.Writer(&table)
	if refused != nil {
		to = io.Discard // the table is read for its checksum only
	} else if h.TableBytes <= size {
		table.Grow(int(h.TableBytes))
	}
	if _, err := io.CopyN(io.MultiWriter(to, sum), br, h.TableBytes); err == io.EOF {
		return Header{}, Table{}, fmt.Errorf("%w: it ends inside its table of %d bytes", ErrTruncated, h.TableBytes)
	} else if err != nil {
		return Header{}, Table{}, err
	}
	t := Table{Bits: table.Bytes()}
	var wrong error // with the mixed entries or the values
	if h.Mixed > 0 || h.Valued {
		if t.Mixed, wrong, err = readMixed(br, sum, h, size, refused == nil, t.Bits); err != nil {
			return Header{}, Table{}, err
		}
	}
	if h.Valued {
		var bad error
		if t.Values, bad, err = readValues(br, sum, h, size, refused == nil); err != nil {
			return Header{}, Table{}, err
		}
		wrong = cmp.Or(wrong, bad)
	}
	if err := checkEnd(br, sum); err != nil {
		return Header{}, Table{}, err
	}
	if refused != nil {
		return Header{}, Table{}, refused
	}
	if spare := h.Size & 7; spare != 0 && t.Bits[len(t.Bits)-1]>>spare != 0 {
		return Header{}, Table{}, fmt.Errorf("%w: bits follow its last entry", ErrCorrupt)
	}
	if wrong != nil {
		return Header{}, Table{}, wrong
	}
	return h, t, nil
}

// checkEnd reads what follows a table and compares the checksum with sum, the hash
// of everything before it.
func checkEnd(r *bufio.Reader, sum hash.Hash) error {
	key := checksumKey()
	end := make([]byte, len(key)+sha256.Size)
	if n, err := io.ReadFull(r, end); err == io.EOF || err == io.ErrUnexpectedEOF {
		if n = min(n, len(key)); bytes.Equal(end[:n], key[:n]) {
			return fmt.Errorf("%w: it ends inside its checksum", ErrTruncated)
		}
	} else if err != nil {
		return err
	}
	sum.Write(key)
	switch {
	case !bytes.Equal(end[:len(key)], key):
		return fmt.Errorf("%w: no checksum follows its table", ErrCorrupt)
	case !bytes.Equal(end[len(key):], sum.Sum(nil)):
		return fmt.Errorf("%w: its checksum does not match", ErrCorrupt)
	}
	if _, err := r.ReadByte(); err == nil {
		return fmt.Errorf("%w: bytes follow its checksum", ErrCorrupt)
	} else if err != io.EOF {
		return err
	}
	return nil
}
