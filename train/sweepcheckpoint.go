package train

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
)

// A SweepCheckpoint is what the checkpoint of a [Sweep] keeps: the trainings that have
// ended, and the best policy of them. [LoadSweep] reads it.
//
// The file consists of a msgpack map with the keys of [sweepHeader], and its SHA-256.
type SweepCheckpoint struct {
	// Points describe the points of the sweep, Seeds are its seeds.
	Points []map[string]string
	Seeds  []uint64
	// Trained are the trainings that have ended, in their order.
	Trained []Trained
	// Notes are those of the [Sweep].
	Notes map[string]string

	path string
	best int // index of the training of file; -1 for none
	file policies.File
}

// sweepHeader is the map in the checkpoint of a sweep.
type sweepHeader struct {
	Format  string              `msgpack:"format"` // "pigpen-sweep"
	Version int                 `msgpack:"version"`
	Points  []map[string]string `msgpack:"points"`
	Seeds   []uint64            `msgpack:"seeds"`
	Notes   map[string]string   `msgpack:"notes"`
	Trained []Trained           `msgpack:"trained"`
	Best    int                 `msgpack:"best"`   // index of the training of Policy; -1 for none
	Policy  []byte              `msgpack:"policy"` // a policy file; empty for none
}

const (
	sweepFormat  = "pigpen-sweep"
	sweepVersion = 1
)

// IsSweep reports whether the file at path begins as the checkpoint of a sweep does. It
// is false if the file cannot be read.
func IsSweep(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening it might block
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], []byte(sweepFormat))
}

// LoadSweep reads the checkpoint of a sweep, of at most limit bytes. own are variants of
// the caller's beside those of package env. The error wraps [ErrCheckpoint] and names the
// path if the file is no valid checkpoint of a sweep.
func LoadSweep(path string, limit int64, own ...*env.Variant) (*SweepCheckpoint, error) {
	wrong := func(format string, args ...any) (*SweepCheckpoint, error) {
		return nil, fmt.Errorf("%w: %s %w", ErrCheckpoint, path, fmt.Errorf(format, args...))
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	case !info.Mode().IsRegular():
		return wrong("is not a regular file")
	case !IsSweep(path):
		return wrong("is not the checkpoint of a sweep")
	case info.Size() > limit:
		return wrong("has %d bytes, and the limit is %d", info.Size(), limit)
	}
	all, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	body := all[:max(0, len(all)-sha256.Size)]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], all[len(body):]) {
		return wrong("is damaged or cut short: its checksum does not match")
	}
	if version, ok := versionIn(body, sweepFormat); ok && version > sweepVersion {
		return wrong("has version %d, and this program reads up to %d", version, sweepVersion)
	}
	var h sweepHeader
	if decode(body, &h) != nil || !bytes.Equal(encodeHeader(&h), body) {
		return wrong("is not in the form of a checkpoint")
	}
	k := &SweepCheckpoint{Points: h.Points, Seeds: h.Seeds, Trained: h.Trained, Notes: h.Notes, path: path, best: h.Best}
	if !k.consistent() || (h.Best < 0) != (len(h.Policy) == 0) {
		return wrong("contradicts itself")
	}
	if h.Best >= 0 {
		if k.file, err = policies.Read(bytes.NewReader(h.Policy), own...); err != nil {
			return wrong("holds no valid policy: %w", err)
		}
	}
	return k, nil
}

// consistent reports whether the indexes of trainings agree with the points and seeds.
func (k *SweepCheckpoint) consistent() bool {
	if k.best < -1 || (k.best < 0) != (len(k.Trained) == 0) {
		return false
	}
	last, hasBest := -1, k.best < 0
	for _, t := range k.Trained {
		if t.Index <= last || t.Index >= len(k.Points)*len(k.Seeds) || t.Seed != k.Seeds[t.Index%len(k.Seeds)] {
			return false
		}
		last, hasBest = t.Index, hasBest || t.Index == k.best
	}
	return hasBest
}

// agrees returns an error that names the first difference between the sweep of k and one
// of the given seeds and points, or nil if there is none.
func (k *SweepCheckpoint) agrees(seeds []uint64, points []map[string]string) error {
	differ := func(name, has, asked string) error {
		return fmt.Errorf("%w: %w: %s has %s %s, not %s", ErrCheckpoint, ErrDisagrees, k.path, name, has, asked)
	}
	if !slices.Equal(k.Seeds, seeds) {
		return differ("seeds", SeedText(k.Seeds), SeedText(seeds))
	}
	for i := range min(len(k.Points), len(points)) {
		has, asked := k.Points[i], points[i]
		names := maps.Clone(has)
		maps.Copy(names, asked)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if has[name] != asked[name] {
				return differ(name, fmt.Sprintf("%s in point %d of its grid", cmp.Or(has[name], "none"), i+1), cmp.Or(asked[name], "none"))
			}
		}
	}
	if len(k.Points) != len(points) {
		return differ("points of a grid:", fmt.Sprint(len(k.Points)), fmt.Sprint(len(points)))
	}
	return nil
}

// SeedText returns seeds as a list with ranges, as in "1-4,7".
func SeedText(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		part := fmt.Sprint(seeds[i])
		if j > i {
			part += fmt.Sprintf("-%d", seeds[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// A sweepFile is a file that a sweep writes again and again. Its methods do nothing if
// path is empty.
type sweepFile struct {
	path string
	own  bool  // whether the file at path is this sweep's
	err  error // of the last attempt
}

// write replaces the file, and returns the name under which earlier content that is not
// the sweep's is kept.
func (f *sweepFile) write(write func(w io.Writer) error) (kept string) {
	if f.own {
		f.err = atomicfile.Write(f.path, write)
		return ""
	}
	kept, f.err = atomicfile.WriteKeeping(f.path, write)
	f.own = f.err == nil
	return kept
}

// save writes the checkpoint and the log. r.mu must be held, unless no training runs.
func (r *sweepRun) save() {
	for _, file := range []struct {
		*sweepFile
		write func(w io.Writer) error
	}{{&r.checkpoint, r.writeCheckpoint}, {&r.log, r.writeLog}} {
		if file.path == "" {
			continue
		}
		kept := file.sweepFile.write(file.write)
		if r.Saved != nil {
			r.Saved(file.path, kept, file.err)
		}
	}
}

// writeCheckpoint writes the content of the checkpoint.
func (r *sweepRun) writeCheckpoint(w io.Writer) error {
	h := sweepHeader{Format: sweepFormat, Version: sweepVersion, Seeds: r.Seeds, Notes: r.Notes, Points: r.points, Trained: r.inOrder(), Best: r.best}
	if r.best >= 0 {
		var b bytes.Buffer
		if err := policies.Write(&b, r.file); err != nil {
			return err
		}
		h.Policy = b.Bytes()
	}
	body := encodeHeader(&h)
	sum := sha256.Sum256(body)
	_, err := w.Write(append(body, sum[:]...))
	return err
}

// writeLog writes the content of the log.
func (r *sweepRun) writeLog(w io.Writer) error {
	l := newLog(r.Log)
	text := l.begin()
	for _, t := range r.inOrder() {
		c := r.Points[t.Index/len(r.Seeds)]
		c.Seed = t.Seed
		l.source = c.Source()
		for i := range t.Rows {
			text += l.encode(&t.Rows[i])
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// versionIn returns the version in the map at the start of head, a file of that format.
func versionIn(head []byte, format string) (version int64, ok bool) {
	d := msgpack.NewDecoder(bytes.NewReader(head))
	_, err := d.DecodeMapLen()
	for _, want := range []string{"format", format, "version"} {
		var text string
		if err == nil {
			text, err = d.DecodeString()
		}
		ok = err == nil && (text == want || want == format)
		if !ok {
			return 0, false
		}
	}
	version, err = d.DecodeInt64()
	return version, err == nil
}
