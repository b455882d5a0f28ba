package policyfile

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
)

// encode returns the bytes of the file up to the table's first.
func (h Header) encode() []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b) // writing to a bytes.Buffer cannot fail
	text := func(key, value string) { e.EncodeString(key); e.EncodeString(value) }
	number := func(key string, value int64) { e.EncodeString(key); e.EncodeInt(value) }

	version, keys := pureVersion, pureKeys
	switch {
	case h.Valued:
		version, keys = valueVersion, valueKeys
	case h.Mixed > 0:
		version, keys = mixedVersion, mixedKeys
	}
	e.EncodeMapLen(keys)
	text("format", formatName)
	number("version", int64(version))
	text("variant", h.Game.Variant)
	number("players", int64(h.Game.Players))
	number("target", int64(h.Game.Target))
	e.EncodeString("options")
	e.EncodeMapLen(len(h.Game.Options))
	for _, name := range slices.Sorted(maps.Keys(h.Game.Options)) {
		e.EncodeString(name)
		e.EncodeBool(h.Game.Options[name])
	}
	text("fingerprint", h.Fingerprint)
	text("agent", h.Provenance.Agent)
	e.EncodeString("settings")
	e.EncodeMapLen(len(h.Provenance.Settings))
	for _, name := range slices.Sorted(maps.Keys(h.Provenance.Settings)) {
		text(name, h.Provenance.Settings[name])
	}
	e.EncodeString("seed")
	e.EncodeUint(h.Provenance.Seed)
	number("steps", h.Provenance.Steps)
	number("episodes", h.Provenance.Episodes)
	text("program", h.Provenance.Program)
	text("states", h.Abstraction)
	number("entries", h.Size)
	if version >= mixedVersion {
		number("mixed", h.Mixed)
	}
	return append(b.Bytes(), binaryKey("table", h.TableBytes)...)
}

// binaryKey returns the bytes before a value of n bytes: the key, and the start of the value.
func binaryKey(key string, n int64) []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b) // writing to a bytes.Buffer cannot fail
	e.EncodeString(key)
	e.EncodeBytesLen(int(n))
	return b.Bytes()
}

// checksumKey returns the bytes before the checksum.
func checksumKey() []byte { return binaryKey("checksum", sha256.Size) }

// readKey reads the bytes of binaryKey(key, size) and adds them to sum. The error wraps
// [ErrCorrupt] if others are there.
func readKey(r *bufio.Reader, sum hash.Hash, key string, size int64, truncated error) error {
	want := binaryKey(key, size)
	got := make([]byte, len(want))
	switch n, err := io.ReadFull(r, got); {
	case err != nil && !ended(err):
		return err
	case !bytes.Equal(got[:n], want[:n]):
		return fmt.Errorf("%w: no %d bytes of %s follow its table", ErrCorrupt, size, key)
	case err != nil:
		return truncated
	}
	sum.Write(got)
	return nil
}

// ended reports whether err is the end of a file.
func ended(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// decodeHeader reads a header from the start of b and returns its length.
func decodeHeader(b []byte) (Header, int, error) {
	in := bytes.NewReader(b)
	d := headerDecoder{in: in, msgpack: msgpack.NewDecoder(in)}

	// Only what begins like a policy file deserves to be called a broken one.
	if !beginsLikePolicy(b) {
		if bytes.Contains(b[:min(len(b), 64)], []byte("pigpen-checkpoint")) {
			return Header{}, 0, fmt.Errorf("%w: it is a checkpoint, from which a training can go on", ErrForeign)
		}
		return Header{}, 0, ErrForeign
	}
	keys := d.length("keys", math.MaxInt, d.msgpack.DecodeMapLen)
	d.text("format")
	version := d.natural("version")
	wantKeys := pureKeys
	switch {
	case d.err != nil:
	case version > valueVersion:
		return Header{}, 0, fmt.Errorf("%w: version %d, and this program reads up to %d; a newer pigpen will read it", ErrVersion, version, valueVersion)
	case version == valueVersion:
		wantKeys = valueKeys
	case version == mixedVersion:
		wantKeys = mixedKeys
	case version != pureVersion:
		return Header{}, 0, fmt.Errorf("%w: version %d", ErrCorrupt, version)
	}
	if d.err == nil && keys != wantKeys {
		d.fail(fmt.Errorf("%d keys, not %d", keys, wantKeys))
	}
	h := Header{Valued: version == valueVersion}
	h.Game.Variant = d.text("variant")
	h.Game.Players = int(d.number("players"))
	h.Game.Target = int(d.number("target"))
	d.key("options")
	for range d.length("options", maxSettings, d.msgpack.DecodeMapLen) {
		if h.Game.Options == nil {
			h.Game.Options = make(map[string]bool)
		}
		name := d.string()
		h.Game.Options[name] = d.bool()
	}
	h.Fingerprint = d.text("fingerprint")
	h.Provenance.Agent = d.text("agent")
	d.key("settings")
	h.Provenance.Settings = make(map[string]string)
	for range d.length("settings", maxSettings, d.msgpack.DecodeMapLen) {
		name := d.string()
		h.Provenance.Settings[name] = d.string()
	}
	h.Provenance.Seed = d.natural("seed")
	h.Provenance.Steps = d.number("steps")
	h.Provenance.Episodes = d.number("episodes")
	h.Provenance.Program = d.text("program")
	h.Abstraction = d.text("states")
	h.Size = d.number("entries")
	if version >= mixedVersion {
		if h.Mixed = d.number("mixed"); d.err == nil && h.Mixed == 0 && !h.Valued {
			d.fail(errors.New("it has no mixed entries, and version 2 is for policies that do"))
		}
	}
	d.key("table")
	if d.err == nil {
		n, err := d.msgpack.DecodeBytesLen()
		h.TableBytes = int64(n)
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
	e.EncodeString(formatName)
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
