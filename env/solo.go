package env

import "fmt"

// SoloOptions configure a [Solo].
type SoloOptions struct {
	// Seat is the learner's, in [0, players).
	Seat int
	// Opponents play the other seats, in turn order from the seat after the
	// learner's: one for each of them, or a single one for all.
	Opponents []Player
	// StepLimit is the number of the learner's steps after which an episode is
	// truncated; 0 means no limit.
	StepLimit int
	// First selects the seat that begins an episode.
	First First
}

// A Solo is an environment like those of Gymnasium: the learner acts for one seat, and
// players act for the others in between. One generator serves the players' choices and
// the dice. A Solo is not safe for concurrent use.
type Solo struct {
	match     Match
	players   *seating
	seat      int // the learner's
	stepLimit int
	steps     int
	live      bool
}

// Info comes with every observation.
type Info struct {
	// Legal are the actions that are legal in the next Step; none after the end.
	Legal Actions
	// Steps is the number of the learner's steps in this episode.
	Steps int
	// WinShare is the learner's share of the win, in [0, 1], at the end of the game;
	// 0 before. See [Game.WinShare].
	WinShare float64
}

// NewSolo returns an environment of g. The error wraps [ErrOpponents], or says that
// Seat, StepLimit or First is out of range.
func NewSolo(g Game, o SoloOptions) (*Solo, error) {
	if o.StepLimit < 0 || o.First > FirstRandom {
		return nil, fmt.Errorf("env: step limit %d or first %d is out of range", o.StepLimit, o.First)
	}
	players, err := seatOpponents(g, o.Seat, o.Opponents)
	if err != nil {
		return nil, err
	}
	return &Solo{match: *NewMatch(g, MatchOptions{First: o.First}), players: players, seat: o.Seat, stepLimit: o.StepLimit}, nil
}

// Reset seeds the generator, begins an episode, lets the other players act until it is
// the learner's turn, and returns the learner's observation; see [Game.Columns]. The
// caller owns the slice.
//
// The others may end the game before the learner's first turn. The learner
// then sees the final scores with the one legal action of a turn's beginning,
// Roll; the Step that takes it rolls no dice and returns the reward and
// terminated. So every episode has at least one step, and a loop that looks
// only at what Step returns counts every loss.
func (s *Solo) Reset(seed uint64) (observation []int16, info Info) {
	s.match.Reset(seed)
	s.begin()
	return s.observe(), s.info()
}

// ResetNext is Reset without seeding the generator.
func (s *Solo) ResetNext() (observation []int16, info Info) {
	s.match.ResetNext()
	s.begin()
	return s.observe(), s.info()
}

// begin begins the learner's episode after the match has begun one.
func (s *Solo) begin() {
	s.steps, s.live = 0, true
	s.playOthers()
}

// playOthers takes the other players' actions until it is the learner's turn or the
// game is over.
func (s *Solo) playOthers() {
	m := &s.match
	if m.live {
		s.players.play(&m.game, &m.state, &m.rand, s.seat)
		m.live = !m.state.Over
	}
}

// Step lets the learner act and then the others, until it is the learner's
// turn again. The reward is the learner's for all of that: at the end of the
// game +1 for a win, -1/(n-1) for a loss among n players, a share for a tied
// win; 0 before; with one player -1 for each turn begun. At most one of
// terminated and truncated is true.
//
// The error is [ErrNoEpisode] or wraps [ErrIllegal]; then nothing has changed.
func (s *Solo) Step(a Action) (observation []int16, reward float64, terminated, truncated bool, info Info, err error) {
	reward, terminated, truncated, err = s.step(a)
	if err != nil {
		return nil, 0, false, false, Info{}, err
	}
	return s.observe(), reward, terminated, truncated, s.info(), nil
}

// step is Step without observation and info.
func (s *Solo) step(a Action) (reward float64, terminated, truncated bool, err error) {
	if !s.live {
		return 0, false, false, ErrNoEpisode
	}
	m := &s.match
	if !m.live { // the others have ended the game before the learner's turn
		if a != Roll {
			return 0, false, false, illegal(a, false)
		}
	} else {
		if _, _, err := m.Step(a); err != nil {
			return 0, false, false, err
		}
		s.playOthers()
	}
	if terminated = m.state.Over; terminated || m.game.players == 1 {
		reward = m.Reward(s.seat)
	}
	return reward, terminated, s.count(terminated), nil
}

// count counts one step of the learner and reports whether it truncates the episode.
// terminated tells that the step ended the game.
func (s *Solo) count(terminated bool) (truncated bool) {
	s.steps++
	truncated = !terminated && s.steps == s.stepLimit
	s.live = !terminated && !truncated
	return truncated
}

func (s *Solo) observe() []int16 {
	g := &s.match.game
	return g.Observe(make([]int16, 0, g.NumColumns()), s.match.state, s.seat)
}

// rollOnly reports whether Roll is the only legal action of an episode under way: at
// the beginning of a turn, after an [Again], and after the other players have ended the game.
func (s *Solo) rollOnly() bool { return s.match.state.TurnTotal == 0 || s.match.state.MustRoll }

// legal returns the actions that are legal in the next step.
func (s *Solo) legal() Actions {
	switch {
	case !s.live:
		return 0
	case s.rollOnly():
		return RollOnly
	}
	return HoldOrRoll
}

func (s *Solo) info() Info {
	info := Info{Legal: s.legal(), Steps: s.steps}
	if !s.live {
		info.WinShare = s.match.game.WinShare(s.match.state, s.seat)
	}
	return info
}

// Game returns the game that is played.
func (s *Solo) Game() Game { return s.match.game }

// State returns the current state.
func (s *Solo) State() State { return s.match.state }

// Clone returns an independent copy, generator included. It shares the players.
func (s *Solo) Clone() *Solo {
	c := *s
	return &c
}
