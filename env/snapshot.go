package env

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

// ErrSnapshot is wrapped by the errors of UnmarshalBinary and ReadSnapshot.
var ErrSnapshot = errors.New("env: bad snapshot")

// Bounds of a snapshot's values. They leave room for the rest of any episode, so
// that a snapshot taken later in the episode is within bounds too.
const (
	// maxSnapshotSteps bounds the steps of an episode; the counter overflows at twice
	// as many.
	maxSnapshotSteps = math.MaxInt / 2
	// maxSnapshotHeld bounds a banked score plus the turn total. To go from here
	// past the documented maximum, [Column].Max, takes about 2,000 rolls without a
	// bust, which has a chance below 1e-150.
	maxSnapshotHeld = maxHeld / 2
)

// snapshotVersion is the first byte of a snapshot.
const snapshotVersion = 1

// A snapshot is this struct, little-endian, fields in order and unpadded; the
// spare bytes of a State are 0.
type snapshot struct {
	Version     uint8
	Fingerprint [8]byte
	StepLimit   int64
	First       First
	Rand        uint64
	Steps       int64
	Live        bool
	State       State
	Last        Event
}

// snapshotSize is the number of bytes of a snapshot.
var snapshotSize = binary.Size(snapshot{})

// A snapshotCodec encodes and decodes matches of one game. It keeps the game's
// fingerprint, which is slow to compute.
type snapshotCodec struct {
	game        Game
	fingerprint [8]byte
}

func newSnapshotCodec(g Game) snapshotCodec {
	c := snapshotCodec{game: g}
	if _, err := hex.Decode(c.fingerprint[:], []byte(g.Fingerprint())); err != nil {
		panic(err) // a fingerprint is 16 hexadecimal digits
	}
	return c
}

// encode appends the snapshot of m to b.
func (c *snapshotCodec) encode(b []byte, m *Match) []byte {
	b, err := binary.Append(b, binary.LittleEndian, snapshot{
		Version: snapshotVersion, Fingerprint: c.fingerprint,
		StepLimit: int64(m.options.StepLimit), First: m.options.First,
		Rand: m.rand.state, Steps: int64(m.steps), Live: m.live,
		State: m.state, Last: m.last,
	})
	if err != nil {
		panic(err) // every field has a fixed size
	}
	return b
}

// decode returns the match that b is the snapshot of. The error wraps
// [ErrSnapshot].
func (c *snapshotCodec) decode(b []byte) (Match, error) {
	if len(b) != snapshotSize {
		return Match{}, fmt.Errorf("%w: %d bytes, not %d", ErrSnapshot, len(b), snapshotSize)
	}
	var s snapshot
	if _, err := binary.Decode(b, binary.LittleEndian, &s); err != nil {
		return Match{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	// Decode reads any byte but 0 as true; only the form that encode writes is valid.
	if again, err := binary.Append(nil, binary.LittleEndian, s); err != nil || !bytes.Equal(again, b) {
		return Match{}, fmt.Errorf("%w: not as MarshalBinary writes it", ErrSnapshot)
	}
	if s.Version != snapshotVersion {
		return Match{}, fmt.Errorf("%w: version %d, not %d", ErrSnapshot, s.Version, snapshotVersion)
	}
	if s.Fingerprint != c.fingerprint {
		return Match{}, fmt.Errorf("%w: it is of another game (%x) than %v (%x)", ErrSnapshot, s.Fingerprint, c.game, c.fingerprint)
	}
	switch {
	case s.StepLimit < 0 || int64(int(s.StepLimit)) != s.StepLimit || s.StepLimit > 0 && s.Steps > s.StepLimit || s.First > FirstRandom:
		return Match{}, fmt.Errorf("%w: a counter is out of range", ErrSnapshot)
	case s.Steps < 0 || s.Steps > maxSnapshotSteps:
		return Match{}, badSteps(s.Steps)
	case s.Live && (s.State.Over || s.StepLimit > 0 && s.Steps == s.StepLimit):
		return Match{}, fmt.Errorf("%w: an episode under way that has ended", ErrSnapshot)
	case s.Last.Seat < 0 || int16(s.Last.Seat) >= c.game.players || s.Last.Action >= NumActions || s.Last.Outcome.Effect > Again || s.Last.Outcome.Effect == Again && !c.game.table.again ||
		s.Last.Outcome.Points < 0 || s.Last.Outcome.Points > maxSnapshotHeld ||
		s.Last.RollNumber < -1 || int(s.Last.RollNumber) >= c.game.table.rolls:
		return Match{}, fmt.Errorf("%w: its last step cannot be one of %v", ErrSnapshot, c.game)
	}
	if err := c.game.Validate(s.State); err != nil {
		return Match{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	for seat, score := range s.State.Scores {
		held := int(score)
		if seat == int(s.State.Seat) {
			held += int(s.State.TurnTotal)
		}
		if held > maxSnapshotHeld {
			return Match{}, fmt.Errorf("%w: seat %d has %d banked and not yet banked; at most %d leaves room to go on", ErrSnapshot, seat, held, maxSnapshotHeld)
		}
	}
	return Match{
		game: c.game, options: MatchOptions{StepLimit: int(s.StepLimit), First: s.First},
		rand: Rand{state: s.Rand}, state: s.State, steps: int(s.Steps), live: s.Live, last: s.Last,
	}, nil
}

// badSteps returns the error for a number of steps that is out of range.
func badSteps(steps int64) error {
	return fmt.Errorf("%w: %d steps are not in [0, %d], which leaves room to go on", ErrSnapshot, steps, maxSnapshotSteps)
}

// MarshalBinary returns a snapshot of the match, generator and options included:
// the same number of bytes for every match, less than 100. It never fails.
func (m *Match) MarshalBinary() ([]byte, error) {
	c := newSnapshotCodec(m.game)
	return c.encode(nil, m), nil
}

// UnmarshalBinary restores the episode, the options and the generator of a
// snapshot that [Match.MarshalBinary] returned. m must be a match of the same game,
// made with [NewMatch]. The error wraps [ErrSnapshot]; then m is unchanged.
func (m *Match) UnmarshalBinary(b []byte) error {
	c := newSnapshotCodec(m.game)
	read, err := c.decode(b)
	if err != nil {
		return err
	}
	*m = read
	return nil
}

// decodeAll decodes the snapshots of o.Games games, each followed by the given
// number of extra bytes, and calls more with each match and its extra bytes. The
// matches must have options o.First and stepLimit. Errors number the games from
// o.FirstIndex.
func (c *snapshotCodec) decodeAll(b []byte, o *VecOptions, stepLimit, extra int, more func(i int, m *Match, extra []byte) error) ([]Match, error) {
	size, n, first := snapshotSize+extra, o.Games, o.First
	if len(b) != n*size {
		return nil, fmt.Errorf("%w: %d bytes, not %d for each of %d games", ErrSnapshot, len(b), size, n)
	}
	list := make([]Match, n)
	for i := range list {
		one := b[i*size : (i+1)*size]
		m, err := c.decode(one[:snapshotSize])
		switch {
		case err != nil:
		case m.options != MatchOptions{StepLimit: stepLimit, First: first}:
			err = fmt.Errorf("%w: the step limit or who begins is another", ErrSnapshot)
		case first == FirstSeat0 && m.state.First != 0:
			err = fmt.Errorf("%w: seat %d has begun, not 0", ErrSnapshot, m.state.First)
		default:
			err = more(i, &m, one[snapshotSize:])
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", o.FirstIndex+uint64(i), err)
		}
		list[i] = m
	}
	return list, nil
}

// snapshotCodec returns the codec of v's snapshots, which it makes once.
func (v *Vec) snapshotCodec() *snapshotCodec {
	if v.codec == nil {
		v.codec = new(newSnapshotCodec(v.game))
	}
	return v.codec
}

// MarshalBinary returns a snapshot of all games, generators included: one after the
// other, the snapshot of a [Match] for each. It never fails.
func (v *Vec) MarshalBinary() ([]byte, error) {
	c := v.snapshotCodec()
	b := make([]byte, 0, v.options.Games*snapshotSize)
	for i := range v.options.Games {
		m := Match{
			options: MatchOptions{StepLimit: v.options.StepLimit, First: v.options.First},
			rand:    v.engine.dice(i), state: v.engine.state(i), live: v.engine.live(i),
		}
		if m.live {
			m.steps = int(v.clock - v.begun[i])
		}
		b = c.encode(b, &m)
	}
	return b, nil
}

// UnmarshalBinary restores all games from a snapshot that [Vec.MarshalBinary]
// returned for a Vec of the same game, number of games and options. The error wraps
// [ErrSnapshot]; then nothing has changed.
func (v *Vec) UnmarshalBinary(b []byte) error { return restoreNow(v.ReadSnapshot(b)) }

// ReadSnapshot checks and decodes a snapshot as [Vec.UnmarshalBinary] does, into
// memory of its own. The games change only when restore is called, which cannot
// fail. A caller can so restore several Vecs together or none of them.
func (v *Vec) ReadSnapshot(b []byte) (restore func(), err error) {
	c := v.snapshotCodec()
	list, err := c.decodeAll(b, &v.options, v.options.StepLimit, 0, func(int, *Match, []byte) error { return nil })
	if err != nil {
		return nil, err
	}
	return func() {
		v.done = v.done[:0]
		for i := range list {
			m := &list[i]
			v.engine.put(i, m.state, m.rand)
			if m.live {
				v.engine.resume(i)
				v.begun[i] = v.clock - int64(m.steps)
			} else {
				v.done = append(v.done, i)
			}
		}
	}, nil
}

// restoreNow calls restore if err, the error of ReadSnapshot, is nil, and returns
// err.
func restoreNow(restore func(), err error) error {
	if err == nil {
		restore()
	}
	return err
}

// Show writes the observations, legal actions and seats of all games to b, and
// clears Rewards, Terminated, Truncated and Ignored. The error wraps [ErrBatch].
func (v *Vec) Show(b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.clearStep()
	for i := range v.options.Games {
		v.engine.show(i, b)
	}
	return nil
}
