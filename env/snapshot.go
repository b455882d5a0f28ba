package env

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

// ErrSnapshot is wrapped by UnmarshalBinary.
var ErrSnapshot = errors.New("env: bad snapshot")

// What a snapshot may hold, so that an episode can go on from it for longer than
// any episode lasts, and so that its own snapshots are accepted in turn:
const (
	// maxSnapshotSteps leaves as many steps until the counter overflows.
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

// A camera takes and reads snapshots of one game's matches: it knows the
// fingerprint, which takes a while to find.
type camera struct {
	game  Game
	print [8]byte
}

func newCamera(g Game) camera {
	c := camera{game: g}
	if _, err := hex.Decode(c.print[:], []byte(g.Fingerprint())); err != nil {
		panic(err) // a fingerprint is 16 hexadecimal digits
	}
	return c
}

// take appends the snapshot of a match.
func (c *camera) take(b []byte, m *Match) []byte {
	b, err := binary.Append(b, binary.LittleEndian, snapshot{
		Version: snapshotVersion, Fingerprint: c.print,
		StepLimit: int64(m.options.StepLimit), First: m.options.First,
		Rand: m.rand.state, Steps: int64(m.steps), Live: m.live,
		State: m.state, Last: m.last,
	})
	if err != nil {
		panic(err) // every field has a fixed size
	}
	return b
}

// read returns the match of a snapshot. The error wraps [ErrSnapshot].
func (c *camera) read(b []byte) (Match, error) {
	if len(b) != snapshotSize {
		return Match{}, fmt.Errorf("%w: %d bytes, not %d", ErrSnapshot, len(b), snapshotSize)
	}
	var s snapshot
	if _, err := binary.Decode(b, binary.LittleEndian, &s); err != nil {
		return Match{}, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	// Decode takes any byte but 0 for true. A snapshot has one form only.
	if again, err := binary.Append(nil, binary.LittleEndian, s); err != nil || !bytes.Equal(again, b) {
		return Match{}, fmt.Errorf("%w: not as MarshalBinary writes it", ErrSnapshot)
	}
	if s.Version != snapshotVersion {
		return Match{}, fmt.Errorf("%w: version %d, not %d", ErrSnapshot, s.Version, snapshotVersion)
	}
	if s.Fingerprint != c.print {
		return Match{}, fmt.Errorf("%w: it is of another game (%x) than %v (%x)", ErrSnapshot, s.Fingerprint, c.game, c.print)
	}
	switch {
	case s.StepLimit < 0 || int64(int(s.StepLimit)) != s.StepLimit || s.StepLimit > 0 && s.Steps > s.StepLimit || s.First > FirstRandom:
		return Match{}, fmt.Errorf("%w: a counter is out of range", ErrSnapshot)
	case s.Steps < 0 || s.Steps > maxSnapshotSteps:
		return Match{}, badSteps(s.Steps)
	case s.Live && (s.State.Over || s.StepLimit > 0 && s.Steps == s.StepLimit):
		return Match{}, fmt.Errorf("%w: an episode under way that has ended", ErrSnapshot)
	case s.Last.Seat < 0 || int16(s.Last.Seat) >= c.game.players || s.Last.Action >= NumActions || s.Last.Outcome.Effect > Stop ||
		s.Last.Outcome.Points < 0 || s.Last.Outcome.Points > maxSnapshotHeld ||
		s.Last.RollNumber < -1 || int(s.Last.RollNumber) >= c.game.chance.rolls:
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

// badSteps refuses a number of steps.
func badSteps(steps int64) error {
	return fmt.Errorf("%w: %d steps are not in [0, %d], which leaves room to go on", ErrSnapshot, steps, maxSnapshotSteps)
}

// MarshalBinary returns the whole match, generator included, in a few dozen
// bytes. It never fails.
func (m *Match) MarshalBinary() ([]byte, error) {
	c := newCamera(m.game)
	return c.take(nil, m), nil
}

// UnmarshalBinary makes m what it was when [Match.MarshalBinary] was called:
// the same episode, options and coming dice. m must be a match of the same
// game, made with [NewMatch]. After an error, which wraps [ErrSnapshot], m is
// unchanged.
func (m *Match) UnmarshalBinary(b []byte) error {
	c := newCamera(m.game)
	read, err := c.read(b)
	if err != nil {
		return err
	}
	*m = read
	return nil
}

// readAll reads the snapshots of o.Games games that were begun as o says, but
// with the given step limit; each has extra bytes behind it, which are given to
// more. Errors number the games from o.FirstIndex.
func (c *camera) readAll(b []byte, o *VecOptions, stepLimit, extra int, more func(i int, m *Match, extra []byte) error) ([]Match, error) {
	size, n, first := snapshotSize+extra, o.Games, o.First
	if len(b) != n*size {
		return nil, fmt.Errorf("%w: %d bytes, not %d for each of %d games", ErrSnapshot, len(b), size, n)
	}
	list := make([]Match, n)
	for i := range list {
		one := b[i*size : (i+1)*size]
		m, err := c.read(one[:snapshotSize])
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

// MarshalBinary returns all games, generators included: for each the snapshot
// of a [Match]. It never fails.
func (v *Vec) MarshalBinary() ([]byte, error) {
	c := newCamera(v.game)
	b := make([]byte, 0, v.options.Games*snapshotSize)
	for i := range v.options.Games {
		m := Match{
			options: MatchOptions{StepLimit: v.options.StepLimit, First: v.options.First},
			rand:    v.tables.dice(i), state: v.tables.state(i), live: v.tables.live(i),
		}
		if m.live {
			m.steps = int(v.clock - v.begun[i])
		}
		b = c.take(b, &m)
	}
	return b, nil
}

// UnmarshalBinary makes every game what it was when [Vec.MarshalBinary] was
// called on a Vec of the same game, number of games and options. After an
// error, which wraps [ErrSnapshot], nothing has changed.
func (v *Vec) UnmarshalBinary(b []byte) error { return restoreNow(v.ReadSnapshot(b)) }

// ReadSnapshot checks the bytes of a snapshot as [Vec.UnmarshalBinary] does and
// decodes them into memory of its own. Nothing changes until restore is called,
// which cannot fail: so several Vecs are restored together or not at all.
func (v *Vec) ReadSnapshot(b []byte) (restore func(), err error) {
	c := newCamera(v.game)
	list, err := c.readAll(b, &v.options, v.options.StepLimit, 0, func(int, *Match, []byte) error { return nil })
	if err != nil {
		return nil, err
	}
	return func() {
		v.resting = v.resting[:0]
		for i := range list {
			m := &list[i]
			v.tables.put(i, m.state, m.rand)
			if m.live {
				v.tables.wake(i)
				v.begun[i] = v.clock - int64(m.steps)
			} else {
				v.resting = append(v.resting, i)
			}
		}
	}, nil
}

// restoreNow restores what has been read.
func restoreNow(restore func(), err error) error {
	if err == nil {
		restore()
	}
	return err
}

// Show writes b as the games stand, without rewards and ends. The error wraps
// [ErrBatch].
func (v *Vec) Show(b *Batch) error {
	if err := v.check(b); err != nil {
		return err
	}
	b.calm()
	for i := range v.options.Games {
		v.tables.show(i, b)
	}
	return nil
}
