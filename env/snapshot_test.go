package env_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
)

// snapshotOf returns the bytes of a match.
func snapshotOf(t testing.TB, m *env.Match) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary(): %v", err)
	}
	return b
}

// TestSnapshot resumes at every step of some episodes, in a match with other
// options, and plays both on.
func TestSnapshot(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		m := env.NewMatch(g, env.MatchOptions{StepLimit: 60, First: env.FirstRandom})
		resumed := env.NewMatch(g, env.MatchOptions{})
		r := env.NewRand(2)
		check := func() {
			t.Helper()
			b := snapshotOf(t, m)
			if err := resumed.UnmarshalBinary(b); err != nil {
				t.Fatalf("UnmarshalBinary: %v", err)
			}
			if *resumed != *m || !bytes.Equal(snapshotOf(t, resumed), b) {
				t.Fatalf("resumed %+v, want %+v", *resumed, *m)
			}
			clone, coins := m.Clone(), r
			for range 70 { // beyond the end of the episode
				if !clone.Live() {
					clone.ResetNext()
					resumed.ResetNext()
				}
				a := randomAction(clone.Legal(), &coins)
				mustStep(t, clone, a)
				mustStep(t, resumed, a)
				if *resumed != *clone {
					t.Fatalf("Step(%v): resumed %+v, want %+v", a, *resumed, *clone)
				}
			}
		}
		check() // before any episode
		m.Reset(1)
		for range 3 {
			m.ResetNext()
			for check(); m.Live(); check() {
				mustStep(t, m, randomAction(m.Legal(), &r))
			}
		}
	})
}

// Where things stand in a snapshot: the fields of its struct, unpadded.
const (
	atVersion     = 0
	atFingerprint = 1
	atStepLimit   = 9
	atFirst       = 17
	atSteps       = 26
	atLive        = 34
	atScores      = 35
	atTurnTotal   = 55
	atSeat        = 57
	atOver        = 59
	atLastSeat    = 66
	atLastAction  = 67
	atBeganTurn   = 68
	atLastEffect  = 69
	atRollNumber  = 72
	snapshotBytes = 76
)

func TestBadSnapshots(t *testing.T) {
	g := pigGame(2, 100)
	m := env.NewMatch(g, env.MatchOptions{StepLimit: 50})
	m.Reset(1)
	mustStep(t, m, env.Roll)
	good := snapshotOf(t, m)
	if len(good) != snapshotBytes {
		t.Fatalf("a snapshot has %d bytes, want %d", len(good), snapshotBytes)
	}
	put := func(at int, bytes ...byte) []byte {
		b := slices.Clone(good)
		copy(b[at:], bytes)
		return b
	}
	put64 := func(at int, x int64) []byte { return put(at, binary.LittleEndian.AppendUint64(nil, uint64(x))...) }
	other := env.NewMatch(pigGame(2, 99), env.MatchOptions{})
	const counter, noRoom, ended, lastStep, encoding = "a counter is out of range", "steps are not in [0, ", "an episode under way that has ended",
		"its last step cannot be one of pig, 2 players, target 100", "not as MarshalBinary writes it"
	for _, test := range []struct {
		name, reason string
		bytes        []byte
	}{
		{"empty", "0 bytes, not 76", nil},
		{"short", "75 bytes, not 76", good[:75]},
		{"long", "77 bytes, not 76", append(slices.Clone(good), 0)},
		{"version 0", "version 0, not 1", put(atVersion, 0)},
		{"version 2", "version 2, not 1", put(atVersion, 2)},
		{"other game", fmt.Sprintf("it is of another game (%s) than pig, 2 players, target 100 (%s)", other.Game().Fingerprint(), g.Fingerprint()), snapshotOf(t, other)},
		{"fingerprint", "it is of another game", put(atFingerprint, good[atFingerprint]^1)},
		{"negative limit", counter, put64(atStepLimit, -1)},
		{"first", counter, put(atFirst, 2)},
		{"negative steps", noRoom, put64(atSteps, -1)},
		{"steps beyond the limit", counter, put64(atSteps, 51)},
		{"steps at the limit", ended, put64(atSteps, 50)},
		{"live is 2", encoding, put(atLive, 2)},
		{"over is 2", encoding, put(atLive, bytes.Join([][]byte{{0}, make([]byte, 24), {2}}, nil)...)},
		{"began turn is 2", encoding, put(atBeganTurn, 2)},
		{"over and live", ended, put(atOver, 1)},
		{"negative score", "score -1 of seat 0", put(atScores, 0xff, 0xff)},
		{"score past the target", "seat 1 has 101 and has not ended the game", put(atScores+2, 101, 0)},
		{"score of nobody", "score 1 of seat 2, where nobody sits", put(atScores+4, 1, 0)},
		{"turn total", "turn total -2 with 0 banked", put(atTurnTotal, 0xfe, 0xff)},
		{"seat", "seat 2 is not in [0, 2)", put(atSeat, 2)},
		{"seat of the last step", lastStep, put(atLastSeat, 2)},
		{"negative seat of the last step", lastStep, put(atLastSeat, 0xff)},
		{"action", lastStep, put(atLastAction, 2)},
		{"effect", lastStep, put(atLastEffect, 4)},
		{"negative points", lastStep, put(atRollNumber-1, 0xff)},
		{"roll number 6", lastStep, put(atRollNumber, 6)},
		{"roll number -2", lastStep, put(atRollNumber, 0xfe, 0xff, 0xff, 0xff)},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := *m
			err := m.UnmarshalBinary(test.bytes)
			if !errors.Is(err, env.ErrSnapshot) || !strings.HasPrefix(err.Error(), "env: bad snapshot: ") || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("UnmarshalBinary(%x) = %v, want an ErrSnapshot that says %q", test.bytes, err, test.reason)
			}
			if *m != before {
				t.Errorf("UnmarshalBinary(%x) is refused and changed the match", test.bytes)
			}
		})
	}
	if err := m.UnmarshalBinary(good); err != nil {
		t.Errorf("UnmarshalBinary(%x): %v", good, err)
	}
}

// TestSnapshotRoom sets numbers of a snapshot that nothing else bounds: up to
// half of their range it is accepted, past that it is refused and the games do
// not change.
func TestSnapshotRoom(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "pig-last-round"}))
	m := env.NewMatch(g, env.MatchOptions{})
	m.Reset(1)
	vec := env.NewVec(g, env.VecOptions{Games: 1})
	begun(t, vec, 1)
	solo := newSoloVec(t, g, env.SoloVecOptions{VecOptions: env.VecOptions{Games: 1}, Opponents: alike(1, coin(0.6))})
	begun(t, solo, 1)
	const atSoloSteps = snapshotBytes
	for _, kind := range []struct {
		name     string
		counters []int
		of       interface {
			MarshalBinary() ([]byte, error)
			UnmarshalBinary(b []byte) error
		}
	}{{"Match", []int{atSteps}, m}, {"Vec", []int{atSteps}, vec}, {"SoloVec", []int{atSoloSteps}, solo}} {
		good, err := kind.of.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, x uint64, taken bool, b []byte) {
			t.Helper()
			err := kind.of.UnmarshalBinary(b)
			after, _ := kind.of.MarshalBinary()
			if !taken && (!errors.Is(err, env.ErrSnapshot) || !bytes.Equal(after, good)) || taken && (err != nil || !bytes.Equal(after, b)) {
				t.Errorf("%s: %s %d: %v, taken %t, want %t", kind.name, what, x, err, err == nil, taken)
			}
			if err := kind.of.UnmarshalBinary(good); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range kind.counters {
			for x, taken := range map[uint64]bool{math.MaxInt / 2: true, math.MaxInt/2 + 1: false, math.MaxInt64: false, 1 << 63: false} {
				b := slices.Clone(good)
				binary.LittleEndian.PutUint64(b[at:], x)
				check("steps", x, taken, b)
			}
		}
		for x, taken := range map[uint64]bool{8000: true, 8001: false, 16000: false, 16001: false, 32767: false} {
			b := slices.Clone(good)
			binary.LittleEndian.PutUint16(b[atTurnTotal:], uint16(x))
			check("turn total", x, taken, b)
			// Seat 0 is done, and seat 1, which is to move, has the last turn.
			b = slices.Clone(good)
			binary.LittleEndian.PutUint16(b[atScores:], uint16(x))
			b[atSeat] = 1
			if kind.name != "SoloVec" { // in which it is seat 0's turn
				check("score", x, taken, b)
			}
		}
	}
}

// FuzzSnapshot feeds any bytes to matches of several games. What one of them
// takes must come back byte for byte, and must be safe to play on.
func FuzzSnapshot(f *testing.F) {
	var matches []*env.Match
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v) {
			m := env.NewMatch(g, env.MatchOptions{StepLimit: 9, First: env.FirstRandom})
			matches = append(matches, m)
			f.Add(snapshotOf(f, m))
			m.Reset(1)
			mustStep(f, m, env.Roll)
			f.Add(snapshotOf(f, m))
			for m.Live() {
				mustStep(f, m, env.Roll)
			}
			f.Add(snapshotOf(f, m))
		}
	}
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range matches {
			if m.UnmarshalBinary(b) != nil {
				continue
			}
			if again := snapshotOf(t, m); !bytes.Equal(again, b) {
				t.Fatalf("%x comes back as %x", b, again)
			}
			for seat := range m.Game().Players() {
				m.Reward(seat)
			}
			for coins := env.NewRand(0); m.Live() && m.Steps()%64 != 63; {
				m.Observe(nil)
				mustStep(t, m, randomAction(m.Legal(), &coins))
			}
		}
	})
}
