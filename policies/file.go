package policies

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/env"
)

// A policy file is one msgpack map with string keys in a fixed order, every
// integer in its shortest form, so that equal policies are equal bytes:
//
//	format       "pigpen-policy"
//	version      1
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
//	states       what the table distinguishes; see States
//	entries      numbers of the Layout
//	table        (entries+7)/8 bytes; bit i%8 of byte i/8 is 1 to roll
//	checksum     SHA-256 of every byte before this value
//
// History: version 1 is the first.
const (
	fileFormat  = "pigpen-policy"
	fileVersion = 1
	fileKeys    = 17
)

const (
	maxHeader   = 1 << 16 // bytes before the table; the limits below keep it under 54,000
	maxSettings = 64
	maxText     = 256     // bytes of any string in the header
	maxTable    = 1 << 30 // bytes of the table
)

var (
	// ErrForeign says that a file is no policy file.
	ErrForeign = errors.New("not a pigpen policy file")
	// ErrVersion says that a file's format is newer than this program.
	ErrVersion = errors.New("a policy file of a later version")
	// ErrTruncated says that a policy file ends too early.
	ErrTruncated = errors.New("a policy file cut short")
	// ErrCorrupt says that a policy file contradicts itself.
	ErrCorrupt = errors.New("a damaged policy file")
	// ErrGame says that a policy is for another game than was asked for, or
	// for one whose rules this program does not know.
	ErrGame = errors.New("a policy for another game")
	// ErrMade says that a [Made] is more than a policy file holds.
	ErrMade = errors.New("policies: bad history")
)

// Made tells how a policy was made.
type Made struct {
	Agent    string            // learner
	Settings map[string]string // at most 64; names and values of at most 256 bytes
	Seed     uint64
	Steps    int64 // decisions
	Episodes int64
	Program  string // version of the program
}

// A File is a learned policy with its history.
type File struct {
	Table *Table
	Made  Made
}

// header is everything that stands before a table's bytes.
type header struct {
	config      env.Config
	fingerprint string
	made        Made
	states      States
	entries     int64
	bytes       int64 // of the table
}

// Write writes f to w in the format above.
func Write(w io.Writer, f File) error {
	h := f.header()
	if err := h.check(); err != nil {
		return err
	}
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	for _, part := range [][]byte{h.encode(), f.Table.bits, checksumKey()} {
		if _, err := both.Write(part); err != nil {
			return err
		}
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

func (f File) header() header {
	l := f.Table.layout
	return header{
		config: l.game.Config(), fingerprint: l.game.Fingerprint(), made: f.Made,
		states: l.states, entries: int64(l.entries), bytes: int64(len(f.Table.bits)),
	}
}

// check returns an error if h is more than a reader takes.
func (h header) check() error {
	if h.made.Steps < 0 || h.made.Episodes < 0 {
		return fmt.Errorf("%w: %d steps and %d episodes; neither may be negative", ErrMade, h.made.Steps, h.made.Episodes)
	}
	if h.bytes > maxTable {
		return fmt.Errorf("%w: a table of %d bytes is larger than a policy file holds, %d", ErrLayout, h.bytes, maxTable)
	}
	if len(h.made.Settings) > maxSettings {
		return fmt.Errorf("%w: %d settings are more than a policy file holds, %d", ErrMade, len(h.made.Settings), maxSettings)
	}
	texts := []string{h.made.Agent, h.made.Program}
	for name, value := range h.made.Settings {
		texts = append(texts, name, value)
	}
	for _, text := range texts {
		if len(text) > maxText {
			return fmt.Errorf("%w: a text of %d bytes is longer than a policy file holds, %d: %.40q…", ErrMade, len(text), maxText, text)
		}
	}
	return nil
}

// encode returns the bytes of the file up to the table's first.
func (h header) encode() []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b) // writing to a bytes.Buffer cannot fail
	text := func(key, value string) { e.EncodeString(key); e.EncodeString(value) }
	number := func(key string, value int64) { e.EncodeString(key); e.EncodeInt(value) }

	e.EncodeMapLen(fileKeys)
	text("format", fileFormat)
	number("version", fileVersion)
	text("variant", h.config.Variant)
	number("players", int64(h.config.Players))
	number("target", int64(h.config.Target))
	e.EncodeString("options")
	e.EncodeMapLen(len(h.config.Options))
	for _, name := range slices.Sorted(maps.Keys(h.config.Options)) {
		e.EncodeString(name)
		e.EncodeBool(h.config.Options[name])
	}
	text("fingerprint", h.fingerprint)
	text("agent", h.made.Agent)
	e.EncodeString("settings")
	e.EncodeMapLen(len(h.made.Settings))
	for _, name := range slices.Sorted(maps.Keys(h.made.Settings)) {
		text(name, h.made.Settings[name])
	}
	e.EncodeString("seed")
	e.EncodeUint(h.made.Seed)
	number("steps", h.made.Steps)
	number("episodes", h.made.Episodes)
	text("program", h.made.Program)
	text("states", string(h.states))
	number("entries", h.entries)
	e.EncodeString("table")
	e.EncodeBytesLen(int(h.bytes))
	return b.Bytes()
}

// checksumKey returns the bytes between the table and the checksum.
func checksumKey() []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.EncodeString("checksum")
	e.EncodeBytesLen(sha256.Size)
	return b.Bytes()
}

// Read reads a policy file. The error wraps [ErrForeign], [ErrVersion],
// [ErrGame], [ErrTruncated] or [ErrCorrupt], or is the reader's own. Sizes are
// checked against the game before anything is allocated, and no more is
// allocated than about twice what has been read, at most 1 GiB of a table.
func Read(r io.Reader) (File, error) { return read(r, 0) }

// read is Read from a file of a known size, or of at least 0 bytes: a table that
// fits in there is allocated at once, and so takes no more than its own bytes.
func read(r io.Reader, size int64) (File, error) {
	br := bufio.NewReaderSize(r, maxHeader)
	head, err := br.Peek(maxHeader)
	if err != nil && err != io.EOF {
		return File{}, err
	}
	h, n, err := decodeHeader(head)
	if err != nil {
		return File{}, err
	}
	l, wrong := h.layout()
	if wrong == nil && !bytes.Equal(h.encode(), head[:n]) {
		wrong = fmt.Errorf("%w: its header is not in the form that this format has", ErrCorrupt)
	}
	if errors.Is(wrong, ErrCorrupt) {
		return File{}, wrong
	}
	if h.bytes > maxTable {
		return File{}, fmt.Errorf("%w: its table of %d bytes is more than a policy file holds, %d", ErrCorrupt, h.bytes, maxTable)
	}
	sum := sha256.New()
	sum.Write(head[:n])
	if _, err := br.Discard(n); err != nil {
		return File{}, err
	}
	var table bytes.Buffer
	if h.bytes <= size && wrong == nil {
		table.Grow(int(h.bytes))
	}
	to := io.Writer(&table)
	if wrong != nil {
		to = io.Discard // only to learn from the checksum whether the header is to be believed
	}
	if _, err := io.CopyN(io.MultiWriter(to, sum), br, h.bytes); err == io.EOF {
		return File{}, fmt.Errorf("%w: it ends inside its table of %d bytes", ErrTruncated, h.bytes)
	} else if err != nil {
		return File{}, err
	}
	if err := checkEnd(br, sum); err != nil {
		return File{}, err
	}
	if wrong != nil {
		return File{}, wrong
	}
	t := &Table{layout: l, bits: table.Bytes()}
	if spare := l.entries & 7; spare != 0 && t.bits[len(t.bits)-1]>>spare != 0 {
		return File{}, fmt.Errorf("%w: bits follow its last entry", ErrCorrupt)
	}
	return File{Table: t, Made: h.made}, nil
}

// checkEnd reads what follows a table, and compares the checksum with that of
// all before.
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

// layout checks h against the game it names.
func (h header) layout() (Layout, error) {
	g, err := env.New(h.config)
	if err != nil {
		return Layout{}, fmt.Errorf("%w: %w", ErrGame, err)
	}
	if c := g.Config(); c.Variant != h.config.Variant || c.Players != h.config.Players || c.Target != h.config.Target || !maps.Equal(c.Options, h.config.Options) {
		return Layout{}, fmt.Errorf("%w: it does not spell out its game, %v", ErrCorrupt, g)
	}
	if print := g.Fingerprint(); print != h.fingerprint {
		return Layout{}, fmt.Errorf("%w: %v with other rules (fingerprint %.16q) than this program's (%q)", ErrGame, g, h.fingerprint, print)
	}
	l, err := NewLayout(g, h.states)
	if err != nil {
		return Layout{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if h.entries != int64(l.entries) || h.bytes != int64(tableBytes(l.entries)) {
		return Layout{}, fmt.Errorf("%w: %d entries in %d bytes, where %v with %s states has %d in %d", ErrCorrupt,
			h.entries, h.bytes, g, h.states, l.entries, tableBytes(l.entries))
	}
	return l, nil
}

// decodeHeader reads a header from the start of b and returns its length.
func decodeHeader(b []byte) (header, int, error) {
	in := bytes.NewReader(b)
	d := headerDecoder{in: in, msgpack: msgpack.NewDecoder(in)}

	// Only what begins like a policy file deserves to be called a broken one.
	if !beginsLikePolicy(b) {
		return header{}, 0, ErrForeign
	}
	keys := d.length("keys", math.MaxInt, d.msgpack.DecodeMapLen)
	d.text("format")
	if version := d.natural("version"); d.err == nil && version > fileVersion {
		return header{}, 0, fmt.Errorf("%w: version %d, and this program reads up to %d; a newer pigpen will read it", ErrVersion, version, fileVersion)
	} else if d.err == nil && version != fileVersion {
		return header{}, 0, fmt.Errorf("%w: version %d", ErrCorrupt, version)
	}
	if d.err == nil && keys != fileKeys {
		d.fail(fmt.Errorf("%d keys, not %d", keys, fileKeys))
	}
	var h header
	h.config.Variant = d.text("variant")
	h.config.Players = int(d.number("players"))
	h.config.Target = int(d.number("target"))
	d.key("options")
	for range d.length("options", maxSettings, d.msgpack.DecodeMapLen) {
		if h.config.Options == nil {
			h.config.Options = make(map[string]bool)
		}
		name := d.string()
		h.config.Options[name] = d.bool()
	}
	h.fingerprint = d.text("fingerprint")
	h.made.Agent = d.text("agent")
	d.key("settings")
	h.made.Settings = make(map[string]string)
	for range d.length("settings", maxSettings, d.msgpack.DecodeMapLen) {
		name := d.string()
		h.made.Settings[name] = d.string()
	}
	h.made.Seed = d.natural("seed")
	h.made.Steps = d.number("steps")
	h.made.Episodes = d.number("episodes")
	h.made.Program = d.text("program")
	h.states = States(d.text("states"))
	h.entries = d.number("entries")
	d.key("table")
	if d.err == nil {
		n, err := d.msgpack.DecodeBytesLen()
		h.bytes = int64(n)
		d.fail(err)
	}
	return h, len(b) - in.Len(), d.err
}

// beginsLikePolicy reports whether b, as far as it goes, begins with a map
// whose first entry is this format's name, in this or any later version.
func beginsLikePolicy(b []byte) bool {
	mapHeader := 1 // a map of up to 15 entries
	if len(b) > 0 && b[0] == 0xde {
		mapHeader = 3 // up to 65,535
	} else if len(b) > 0 && b[0]&0xf0 != 0x80 {
		return false
	}
	var entry bytes.Buffer
	e := msgpack.NewEncoder(&entry)
	e.EncodeString("format")
	e.EncodeString(fileFormat)
	b = b[min(mapHeader, len(b)):]
	n := min(len(b), entry.Len())
	return bytes.Equal(b[:n], entry.Bytes()[:n])
}

// headerDecoder reads values of bounded size and keeps the first error.
type headerDecoder struct {
	in      *bytes.Reader
	msgpack *msgpack.Decoder
	err     error
}

func (d *headerDecoder) fail(err error) {
	switch {
	case err == nil || d.err != nil:
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		d.err = fmt.Errorf("%w: it ends inside its header", ErrTruncated)
	default:
		d.err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
}

// length reads a length of at most limit.
func (d *headerDecoder) length(what string, limit int, decode func() (int, error)) int {
	if d.err != nil {
		return 0
	}
	n, err := decode()
	if err == nil && (n < 0 || n > limit) {
		err = fmt.Errorf("%d %s, and at most %d are allowed", n, what, limit)
	}
	d.fail(err)
	if d.err != nil {
		return 0
	}
	return n
}

func (d *headerDecoder) string() string {
	n := d.length("bytes of text", maxText, d.msgpack.DecodeBytesLen)
	text := make([]byte, n)
	if d.err == nil {
		_, err := io.ReadFull(d.in, text)
		d.fail(err)
	}
	return string(text)
}

func (d *headerDecoder) bool() bool {
	if d.err != nil {
		return false
	}
	b, err := d.msgpack.DecodeBool()
	d.fail(err)
	return b
}

func (d *headerDecoder) key(want string) {
	if key := d.string(); d.err == nil && key != want {
		d.fail(fmt.Errorf("key %q where %q belongs", key, want))
	}
}

func (d *headerDecoder) text(key string) string {
	d.key(key)
	return d.string()
}

func (d *headerDecoder) number(key string) int64 {
	d.key(key)
	if d.err != nil {
		return 0
	}
	n, err := d.msgpack.DecodeInt64()
	if err == nil && n < 0 {
		err = fmt.Errorf("%s is negative: %d", key, n)
	}
	d.fail(err)
	return n
}

func (d *headerDecoder) natural(key string) uint64 {
	d.key(key)
	if d.err != nil {
		return 0
	}
	n, err := d.msgpack.DecodeUint64()
	d.fail(err)
	return n
}
