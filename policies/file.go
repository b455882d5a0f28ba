package policies

import (
	"errors"
	"fmt"
	"io"
	"maps"

	"pigpen/env"
	"pigpen/policies/policyfile"
)

// ErrGame is wrapped where a policy is for another game than the one asked for,
// or for a game whose rules this program does not know.
var ErrGame = errors.New("a policy for another game")

// Provenance says how a policy was made.
type Provenance = policyfile.Provenance

// A File is a learned policy with its provenance. Package policyfile describes
// the format.
type File struct {
	Table      *Table
	Provenance Provenance
}

// Write writes f to w. The error wraps [policyfile.ErrLimit], or is that of w.
func Write(w io.Writer, f File) error {
	l := f.Table.layout
	return policyfile.Write(w, policyfile.Header{
		Game: l.game.Config(), Fingerprint: l.game.Fingerprint(), Provenance: f.Provenance,
		Abstraction: string(l.states), Size: int64(l.entries), TableBytes: int64(len(f.Table.bits)),
	}, f.Table.bits)
}

// Read reads a policy file. The error wraps [ErrGame] or an error of package
// policyfile, or is that of r. Sizes are checked against the game before anything
// is allocated, and no more is allocated than about twice what has been read, at
// most 1 GiB of a table.
func Read(r io.Reader) (File, error) { return read(r, 0) }

// read is Read from a file of size bytes, or of unknown size if size is 0.
func read(r io.Reader, size int64) (File, error) {
	var l Layout
	h, bits, err := policyfile.Read(r, size, func(h policyfile.Header) (err error) {
		l, err = layoutOf(h)
		return err
	})
	if err != nil {
		return File{}, err
	}
	return File{Table: &Table{layout: l, bits: bits}, Provenance: h.Provenance}, nil
}

// layoutOf checks h against the game that it names.
func layoutOf(h policyfile.Header) (Layout, error) {
	g, err := env.New(h.Game)
	if err != nil {
		return Layout{}, fmt.Errorf("%w: %w", ErrGame, err)
	}
	if c := g.Config(); c.Variant != h.Game.Variant || c.Players != h.Game.Players || c.Target != h.Game.Target || !maps.Equal(c.Options, h.Game.Options) {
		return Layout{}, fmt.Errorf("%w: it does not spell out its game, %v", policyfile.ErrCorrupt, g)
	}
	if print := g.Fingerprint(); print != h.Fingerprint {
		return Layout{}, fmt.Errorf("%w: %v with other rules (fingerprint %.16q) than this program's (%q)", ErrGame, g, h.Fingerprint, print)
	}
	l, err := NewLayout(g, States(h.Abstraction))
	if err != nil {
		return Layout{}, fmt.Errorf("%w: %w", policyfile.ErrCorrupt, err)
	}
	if h.Size != int64(l.entries) || h.TableBytes != int64(tableBytes(l.entries)) {
		return Layout{}, fmt.Errorf("%w: %d entries in %d bytes, where %v with %s states has %d in %d", policyfile.ErrCorrupt,
			h.Size, h.TableBytes, g, h.Abstraction, l.entries, tableBytes(l.entries))
	}
	return l, nil
}
