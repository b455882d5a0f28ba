package env

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

var (
	// ErrNoEpisode is returned by Step when no episode is under way: none was
	// begun, or the last one was terminated or truncated.
	ErrNoEpisode = errors.New("env: no episode is under way; call Reset first")
	// ErrIllegal is wrapped by Step when the action may not be taken.
	ErrIllegal = errors.New("env: illegal action")
	// ErrSnapshot is wrapped by UnmarshalBinary.
	ErrSnapshot = errors.New("env: bad snapshot")
)

// First says who begins an episode.
type First uint8

const (
	// FirstSeat0 lets seat 0 begin, so that results are by seat.
	FirstSeat0 First = iota
	// FirstRandom draws the beginner uniformly: by symmetry, what the rule
	// sheets' roll-off does (highest roll begins, ties roll again).
	FirstRandom
)

// MatchOptions are what an environment adds to the rules. The zero value is
// the plain game.
type MatchOptions struct {
	// StepLimit truncates an episode after so many steps; 0 is no limit. A
	// step that ends the game is terminated, not truncated.
	StepLimit int
	// First says who begins.
	First First
}

// A Match plays one game in which every seat acts, in turn order, with dice
// from its own generator. It allocates nothing after NewMatch. It is not safe
// for concurrent use.
type Match struct {
	game    Game
	options MatchOptions
	rand    Rand
	state   State
	steps   int
	live    bool // an episode is under way
	last    Event
}

// An Event is what one step did.
type Event struct {
	// Seat acted.
	Seat int8
	// Action is what it did.
	Action Action
	// BeganTurn tells that it was the first of a turn.
	BeganTurn bool
	// Outcome is what the dice did; the zero Outcome after Hold.
	Outcome Outcome
	// RollNumber is the roll, for [Game.Faces]; -1 after Hold.
	RollNumber int32
}

// NewMatch returns a match of g, to be begun with Reset. It panics if the
// options are out of range or g is the zero Game.
func NewMatch(g Game, o MatchOptions) *Match {
	if g == (Game{}) {
		panic("env: NewMatch of the zero Game")
	}
	if o.StepLimit < 0 || o.First > FirstRandom {
		panic(fmt.Sprintf("env: NewMatch with options %+v", o))
	}
	return &Match{game: g, options: o, rand: NewRand(0)}
}

// Reset begins an episode with fresh dice: the generator of the given seed.
func (m *Match) Reset(seed uint64) {
	m.rand = NewRand(seed)
	m.ResetNext()
}

// ResetNext begins an episode whose dice go on where the last one's stopped.
// Before any Reset they are those of seed 0.
func (m *Match) ResetNext() {
	first := 0
	if m.options.First == FirstRandom {
		first = int(m.rand.Below(uint32(m.game.players)))
	}
	m.begin(m.game.Start(first))
}

// ResetTo begins an episode in the given state, with dice that go on as in
// ResetNext. The error wraps [ErrState] if s is no state of the game or is
// over; then nothing changes.
func (m *Match) ResetTo(s State) error {
	if err := m.game.Validate(s); err != nil {
		return err
	}
	if s.Over {
		return fmt.Errorf("%w (%v): the game is over", ErrState, m.game)
	}
	m.begin(s)
	return nil
}

func (m *Match) begin(s State) {
	m.state, m.steps, m.live, m.last = s, 0, true, Event{}
}

// Step lets the player to move take an action. Terminated tells that the game
// has ended, truncated that the step limit was reached first; at most one of
// them is true. Step returns [ErrNoEpisode], or an error wrapping
// [ErrIllegal]; after an error nothing has changed, dice included.
func (m *Match) Step(a Action) (terminated, truncated bool, err error) {
	if !m.live {
		return false, false, ErrNoEpisode
	}
	s := &m.state
	began := s.TurnTotal == 0
	if a != Roll && (a != Hold || began) {
		return false, false, illegal(a)
	}
	// The event is written before the calls, so that nothing of it has to be kept
	// over them; and this is Game.roll, which the compiler does not inline.
	m.last.Seat, m.last.Action, m.last.BeganTurn = s.Seat, a, began
	if a == Roll {
		c := m.game.chance
		roll := m.rand.Below(uint32(c.rolls))
		o := c.byRoll[c.row(s.held())+int(roll)]
		m.last.Outcome, m.last.RollNumber = o, int32(roll)
		if o.Effect == Gain {
			m.game.gain(s, o.Points)
		} else {
			m.game.endTurn(s, o.Effect)
		}
	} else {
		m.last.Outcome, m.last.RollNumber = Outcome{}, -1
		m.game.hold(s)
	}
	m.steps++
	if s.Over || m.steps == m.options.StepLimit {
		m.live = false
		return s.Over, !s.Over, nil
	}
	return false, false, nil
}

// illegal says why a, which is not Roll and not a legal Hold, was refused.
func illegal(a Action) error {
	if a == Hold {
		return fmt.Errorf("%w: hold before the first roll of the turn; a turn begins with a roll", ErrIllegal)
	}
	return fmt.Errorf("%w %d; an action is 0 (hold) or 1 (roll)", ErrIllegal, uint8(a))
}

// Game returns the game that is played.
func (m *Match) Game() Game { return m.game }

// State returns the state as it stands. Before the first Reset it is the zero
// State.
func (m *Match) State() State { return m.state }

// Current returns the state itself, to be read without copying it. It changes
// with every step and must not be written to.
func (m *Match) Current() *State { return &m.state }

// Last returns what the last step of this episode did; the zero Event before
// the first.
func (m *Match) Last() Event { return m.last }

// Steps returns the number of steps of this episode.
func (m *Match) Steps() int { return m.steps }

// Live reports whether an episode is under way.
func (m *Match) Live() bool { return m.live }

// Legal returns the actions that Step takes: none unless an episode is under
// way.
func (m *Match) Legal() Actions {
	if !m.live {
		return 0
	}
	return m.state.legal()
}

// Reward returns what a seat earned by the last step: at the end of the game
// [Game.Return], in [-1, 1]; with one player -1 for a step that began a turn;
// otherwise 0.
func (m *Match) Reward(seat int) float64 {
	if m.game.players == 1 {
		if m.last.BeganTurn {
			return -1
		}
		return 0
	}
	return m.game.Return(m.state, seat)
}

// Observe appends to dst what the seat to move sees; see [Game.Columns].
func (m *Match) Observe(dst []int16) []int16 {
	return m.game.Observe(dst, m.state, int(m.state.Seat))
}

// Rand returns the generator, so that choices of the players can be drawn
// from the same stream as the dice.
func (m *Match) Rand() *Rand { return &m.rand }

// Clone returns an independent copy that will roll the same dice.
func (m *Match) Clone() *Match {
	c := *m
	return &c
}

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

// MarshalBinary returns the whole match, generator included, in a few dozen
// bytes. It never fails.
func (m *Match) MarshalBinary() ([]byte, error) {
	s := snapshot{
		Version:   snapshotVersion,
		StepLimit: int64(m.options.StepLimit), First: m.options.First,
		Rand: m.rand.state, Steps: int64(m.steps), Live: m.live,
		State: m.state, Last: m.last,
	}
	if _, err := hex.Decode(s.Fingerprint[:], []byte(m.game.Fingerprint())); err != nil {
		return nil, err
	}
	return binary.Append(nil, binary.LittleEndian, s)
}

// UnmarshalBinary makes m what it was when [Match.MarshalBinary] was called:
// the same episode, options and coming dice. m must be a match of the same
// game, made with [NewMatch]. After an error, which wraps [ErrSnapshot], m is
// unchanged.
func (m *Match) UnmarshalBinary(b []byte) error {
	if len(b) != snapshotSize {
		return fmt.Errorf("%w: %d bytes, not %d", ErrSnapshot, len(b), snapshotSize)
	}
	var s snapshot
	if _, err := binary.Decode(b, binary.LittleEndian, &s); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	// Decode takes any byte but 0 for true. A snapshot has one form only.
	if again, err := binary.Append(nil, binary.LittleEndian, s); err != nil || !bytes.Equal(again, b) {
		return fmt.Errorf("%w: not as MarshalBinary writes it", ErrSnapshot)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("%w: version %d, not %d", ErrSnapshot, s.Version, snapshotVersion)
	}
	if print := hex.EncodeToString(s.Fingerprint[:]); print != m.game.Fingerprint() {
		return fmt.Errorf("%w: it is of another game (%s) than %v (%s)", ErrSnapshot, print, m.game, m.game.Fingerprint())
	}
	switch {
	case s.StepLimit < 0 || s.Steps < 0 || s.StepLimit > 0 && s.Steps > s.StepLimit || s.First > FirstRandom:
		return fmt.Errorf("%w: a counter is out of range", ErrSnapshot)
	case s.Live && (s.State.Over || s.StepLimit > 0 && s.Steps == s.StepLimit):
		return fmt.Errorf("%w: an episode under way that has ended", ErrSnapshot)
	case s.Last.Seat < 0 || int16(s.Last.Seat) >= m.game.players || s.Last.Action >= NumActions || s.Last.Outcome.Effect > Stop ||
		s.Last.RollNumber < -1 || int(s.Last.RollNumber) >= m.game.chance.rolls:
		return fmt.Errorf("%w: its last step cannot be one of %v", ErrSnapshot, m.game)
	}
	if err := m.game.Validate(s.State); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	m.options = MatchOptions{StepLimit: int(s.StepLimit), First: s.First}
	m.rand = Rand{state: s.Rand}
	m.state, m.steps, m.live, m.last = s.State, int(s.Steps), s.Live, s.Last
	return nil
}
