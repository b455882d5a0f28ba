package env

import (
	"errors"
	"fmt"
)

var (
	// ErrNoEpisode is returned by Step when no episode is under way: none was
	// begun, or the last one was terminated or truncated.
	ErrNoEpisode = errors.New("env: no episode is under way; call Reset first")
	// ErrIllegal is wrapped by the [IllegalActionError] that Step returns when the
	// action may not be taken.
	ErrIllegal = errors.New("env: illegal action")
)

// First selects the seat that begins an episode.
type First uint8

const (
	// FirstSeat0 makes seat 0 begin every episode.
	FirstSeat0 First = iota
	// FirstRandom draws the first seat uniformly. By symmetry, so does the roll-off of
	// the rule sheets (highest roll begins, ties roll again).
	FirstRandom
)

// MatchOptions configure a [Match]. The zero value means no step limit, and seat 0
// first.
type MatchOptions struct {
	// StepLimit is the number of steps after which an episode is truncated; 0 means
	// no limit. A step that ends the game is terminated, not truncated.
	StepLimit int
	// First selects the seat that begins an episode.
	First First
}

// A Match is the environment of one game in which the caller acts for every seat, in
// turn order. It has a generator of its own. Step and the resets allocate nothing. A
// Match is not safe for concurrent use.
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

// Reset seeds the generator and begins an episode.
func (m *Match) Reset(seed uint64) {
	m.rand = NewRand(seed)
	m.ResetNext()
}

// ResetNext begins an episode without seeding the generator, which before any Reset
// is that of seed 0.
func (m *Match) ResetNext() {
	first := 0
	if m.options.First == FirstRandom {
		first = int(m.rand.Below(uint32(m.game.players)))
	}
	m.begin(m.game.Start(first))
}

// ResetTo begins an episode in state s without seeding the generator. The error wraps
// [ErrState] if s is not a state of the game or is over; then nothing changes.
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

// Step takes action a for the player to move. terminated tells that the game has
// ended, truncated that the step limit was reached first; at most one of them is true.
// The error is [ErrNoEpisode] or wraps [ErrIllegal]; then nothing has changed, the
// generator included.
func (m *Match) Step(a Action) (terminated, truncated bool, err error) {
	if !m.live {
		return false, false, ErrNoEpisode
	}
	s := &m.state
	began := s.TurnTotal == 0
	if a != Roll && (a != Hold || began || s.MustRoll) {
		return false, false, illegal(a, a == Hold && s.MustRoll)
	}
	// Writing the event before the calls keeps its values out of registers that the
	// calls would spill. The code below is Game.roll, which the compiler does not inline.
	m.last.Seat, m.last.Action, m.last.BeganTurn = s.Seat, a, began
	if a == Roll {
		c := m.game.table
		slot := m.rand.Below(uint32(c.slots))
		roll, o := int32(slot), c.bySlot[c.row(s.held())+int(slot)]
		if c.slotRolls != nil {
			roll, o = c.finishDraw(slot, s.held(), &m.rand)
		}
		m.last.Outcome, m.last.RollNumber = o, roll
		switch o.Effect {
		case Gain:
			m.game.gain(s, o.Points)
		case Again:
			m.game.gain(s, o.Points)
			s.MustRoll = !s.Over
		default:
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

// An IllegalActionError is returned by the steps of matches and environments for an
// action that is neither Roll nor a legal Hold. It wraps [ErrIllegal].
type IllegalActionError struct {
	Game   int // the first game with such an action; -1 where a single game is played
	Action Action
	// MustRoll says that Hold is illegal since the last roll, an [Again], must be followed
	// by another.
	MustRoll bool
}

func (e *IllegalActionError) Error() string {
	text := ErrIllegal.Error()
	if e.Action == Hold {
		text += ":"
	}
	text += " " + e.Reason()
	if e.Game >= 0 {
		text = fmt.Sprintf("game %d: %s", e.Game, text)
	}
	return text
}

// Unwrap returns [ErrIllegal].
func (e *IllegalActionError) Unwrap() error { return ErrIllegal }

// Reason says what is wrong with the action, and what would be right.
func (e *IllegalActionError) Reason() string {
	switch {
	case e.Action == Hold && e.MustRoll:
		return "hold after a roll that must be followed by another; roll again"
	case e.Action == Hold:
		return "hold before the first roll of the turn; a turn begins with a roll"
	}
	return fmt.Sprintf("%d; an action is 0 (hold) or 1 (roll)", uint8(e.Action))
}

// illegal returns the error of a single game for a, which is neither Roll nor a legal
// Hold. mustRoll is [IllegalActionError.MustRoll].
func illegal(a Action, mustRoll bool) error {
	return &IllegalActionError{Game: -1, Action: a, MustRoll: mustRoll}
}

// Game returns the game that is played.
func (m *Match) Game() Game { return m.game }

// State returns the state as it stands. Before the first Reset it is the zero
// State.
func (m *Match) State() State { return m.state }

// Current returns a pointer to the state, which avoids a copy. Every step changes the
// state; the caller must not.
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

// Rand returns the generator. Players can draw their choices from it, so that a seed
// determines the whole episode.
func (m *Match) Rand() *Rand { return &m.rand }

// Clone returns an independent copy, generator included.
func (m *Match) Clone() *Match {
	c := *m
	return &c
}
