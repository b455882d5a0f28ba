package env

import (
	"errors"
	"fmt"
)

// A Player decides for a seat. It is what policies are to an environment.
type Player interface {
	// RollChance returns the chance, in [0, 1], with which the player to move
	// in s rolls. It is asked only where both actions are legal.
	RollChance(s State) float64
}

// Choose returns the action of a player in s: the only legal one, or one
// drawn with the player's chance of rolling. A draw is taken from r only where
// that chance is neither 0 nor 1. At least one action must be legal.
func Choose(p Player, s State, r *Rand) Action {
	if s.TurnTotal == 0 {
		return Roll
	}
	switch c := p.RollChance(s); {
	case c >= 1:
		return Roll
	case c > 0 && r.Float64() < c:
		return Roll
	}
	return Hold
}

// ErrOpponents is wrapped by [NewSolo].
var ErrOpponents = errors.New("env: bad opponents")

// SoloOptions configure a [Solo].
type SoloOptions struct {
	// Seat is the learner's, in [0, players).
	Seat int
	// Opponents play the other seats, in turn order from the seat after the
	// learner's: one for each of them, or a single one for all.
	Opponents []Player
	// StepLimit truncates an episode after so many steps of the learner; 0 is
	// no limit.
	StepLimit int
	// First says who begins.
	First First
}

// A Solo is the gym-like environment: one learner decides for one seat, and
// players decide for the others in between. Their choices and all dice come
// from one generator. It is not safe for concurrent use.
type Solo struct {
	match   *Match
	options SoloOptions
	players [MaxPlayers]Player // by seat; nil in the learner's
	steps   int
	live    bool
}

// Info stands beside every observation.
type Info struct {
	// Legal are the actions that the next Step takes; none at the end.
	Legal Actions
	// Steps is the number of the learner's steps in this episode.
	Steps int
	// WinShare is the learner's part of the win at the end of the game; 0
	// before.
	WinShare float64
}

// NewSolo returns an environment of g. The error wraps [ErrOpponents] where
// the number of opponents does not fit, or says that the seat or the step
// limit is out of range.
func NewSolo(g Game, o SoloOptions) (*Solo, error) {
	n := g.Players()
	if o.Seat < 0 || o.Seat >= n {
		return nil, fmt.Errorf("env: seat %d is not in [0, %d)", o.Seat, n)
	}
	if o.StepLimit < 0 || o.First > FirstRandom {
		return nil, fmt.Errorf("env: step limit %d or first %d is out of range", o.StepLimit, o.First)
	}
	others := n - 1
	if len(o.Opponents) != others && (len(o.Opponents) != 1 || others == 0) {
		return nil, fmt.Errorf("%w: %d for %d other seats; give one for each, or one for all", ErrOpponents, len(o.Opponents), others)
	}
	s := &Solo{match: NewMatch(g, MatchOptions{First: o.First}), options: o}
	for k := range others {
		p := o.Opponents[min(k, len(o.Opponents)-1)]
		if p == nil {
			return nil, fmt.Errorf("%w: number %d is nil", ErrOpponents, k)
		}
		s.players[g.NextSeat(o.Seat, k+1)] = p
	}
	return s, nil
}

// Reset begins an episode with the dice of the given seed, lets the others
// play until it is the learner's turn, and returns what the learner sees; see
// [Game.Columns]. The slice is the caller's.
//
// The others may end the game before the learner's first turn. The learner
// then sees the final scores with the one legal action of a turn's beginning,
// Roll; the Step that takes it rolls no dice and returns the reward and
// terminated. So every episode has at least one step, and a loop that looks
// only at what Step returns counts every loss.
func (s *Solo) Reset(seed uint64) (observation []int16, info Info) {
	s.match.Reset(seed)
	return s.begin()
}

// ResetNext is Reset with dice that go on where the last episode's stopped.
func (s *Solo) ResetNext() (observation []int16, info Info) {
	s.match.ResetNext()
	return s.begin()
}

func (s *Solo) begin() ([]int16, Info) {
	s.steps, s.live = 0, true
	s.playOthers()
	return s.observe(), s.info()
}

// playOthers lets the other seats act until it is the learner's turn or the
// game is over.
func (s *Solo) playOthers() {
	m := s.match
	for m.live && int(m.state.Seat) != s.options.Seat {
		if _, _, err := m.Step(Choose(s.players[m.state.Seat], m.state, &m.rand)); err != nil {
			panic(err) // Choose returns legal actions only
		}
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
	if !s.live {
		return nil, 0, false, false, Info{}, ErrNoEpisode
	}
	m := s.match
	if !m.live { // the others have ended the game before the learner's turn
		if a != Roll {
			return nil, 0, false, false, Info{}, illegal(a)
		}
	} else {
		if _, _, err := m.Step(a); err != nil {
			return nil, 0, false, false, Info{}, err
		}
		s.playOthers()
	}
	reward = m.Reward(s.options.Seat)
	s.steps++
	terminated = m.state.Over
	truncated = !terminated && s.steps == s.options.StepLimit
	s.live = !terminated && !truncated
	return s.observe(), reward, terminated, truncated, s.info(), nil
}

func (s *Solo) observe() []int16 {
	g := s.match.game
	return g.Observe(make([]int16, 0, g.NumColumns()), s.match.state, s.options.Seat)
}

func (s *Solo) info() Info {
	info := Info{Steps: s.steps, WinShare: s.match.game.WinShare(s.match.state, s.options.Seat)}
	switch {
	case !s.live:
	case s.match.state.Over:
		info.Legal, info.WinShare = RollOnly, 0
	default:
		info.Legal = s.match.Legal()
	}
	return info
}

// Game returns the game that is played.
func (s *Solo) Game() Game { return s.match.game }

// State returns the state as it stands.
func (s *Solo) State() State { return s.match.state }

// Clone returns an independent copy that will roll the same dice. The players
// are shared.
func (s *Solo) Clone() *Solo {
	c := *s
	c.match = s.match.Clone()
	return &c
}
