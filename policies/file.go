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
	Table *Table
	// Values, if not nil, are the learner's estimates, over the index of Table.
	Values     *Values
	Provenance Provenance
}

// Policy returns the policy of f: Table, or a [ValuedTable] if f has values.
func (f File) Policy() Policy {
	if f.Values == nil {
		return f.Table
	}
	return ValuedTable{f.Table, f.Values}
}

// Write writes f to w. The error wraps [policyfile.ErrLimit], or is that of w. It panics if
// the values are over another index than the table.
func Write(w io.Writer, f File) error {
	x, t := f.Table.index, policyfile.Table{Bits: f.Table.bits, Mixed: f.Table.mixed}
	if f.Values != nil {
		if f.Values.index != x {
			panic("policies: Write: the values of another index than the table's")
		}
		t.Values = f.Values.of
	}
	return policyfile.Write(w, policyfile.Header{
		Game: x.game.Config(), Fingerprint: x.game.Fingerprint(), Provenance: f.Provenance,
		Abstraction: string(x.abstraction), Size: int64(x.size), TableBytes: int64(len(f.Table.bits)),
	}, t)
}

// Read reads a policy file. The error wraps [ErrGame] or an error of package
// policyfile, or is that of r. Sizes are checked against the game before anything
// is allocated, and no more is allocated than about twice what has been read, at
// most 1 GiB of a table and as much each of mixed decisions and of values. The game is of
// one of [env.Variants] or of own.
func Read(r io.Reader, own ...*env.Variant) (File, error) { return read(r, 0, own) }

// read is Read from a file of size bytes, or of unknown size if size is 0.
func read(r io.Reader, size int64, own []*env.Variant) (File, error) {
	var x StateIndex
	h, t, err := policyfile.Read(r, size, func(h policyfile.Header) (err error) {
		x, err = indexOf(h, own)
		return err
	})
	if err != nil {
		return File{}, err
	}
	f := File{Table: &Table{index: x, bits: t.Bits, mixed: t.Mixed}, Provenance: h.Provenance}
	if t.Values != nil {
		f.Values = &Values{index: x, of: t.Values}
	}
	return f, nil
}

// indexOf checks h against the game that it names.
func indexOf(h policyfile.Header, own []*env.Variant) (StateIndex, error) {
	g, err := env.New(h.Game, own...)
	if err != nil {
		return StateIndex{}, fmt.Errorf("%w: %w", ErrGame, err)
	}
	if c := g.Config(); c.Variant != h.Game.Variant || c.Players != h.Game.Players || c.Target != h.Game.Target || !maps.Equal(c.Options, h.Game.Options) {
		return StateIndex{}, fmt.Errorf("%w: it does not spell out its game, %v", policyfile.ErrCorrupt, g)
	}
	if print := g.Fingerprint(); print != h.Fingerprint {
		return StateIndex{}, fmt.Errorf("%w: %v with other rules (fingerprint %.16q) than this program's (%q)", ErrGame, g, h.Fingerprint, print)
	}
	x, err := NewStateIndex(g, Abstraction(h.Abstraction))
	if err != nil {
		return StateIndex{}, fmt.Errorf("%w: %w", policyfile.ErrCorrupt, err)
	}
	if h.Size != int64(x.size) || h.TableBytes != int64(tableBytes(x.size)) {
		return StateIndex{}, fmt.Errorf("%w: %d entries in %d bytes, where %v with %s states has %d in %d", policyfile.ErrCorrupt,
			h.Size, h.TableBytes, g, h.Abstraction, x.size, tableBytes(x.size))
	}
	return x, nil
}
