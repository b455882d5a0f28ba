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
func Choose(p Player, s State, r *Rand) Action { return choose(p, &s, r) }

// choose is Choose, which copies the state once less.
func choose(p Player, s *State, r *Rand) Action {
	if s.TurnTotal == 0 {
		return Roll
	}
	switch c := p.RollChance(*s); {
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
	match     Match
	players   *seating // shared with other Solos
	seat      int      // the learner's
	stepLimit int
	steps     int
	live      bool
}

// A seating has the players of the other seats, by seat; nil in the learner's. It
// does not change.
type seating [MaxPlayers]Player

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
	if o.StepLimit < 0 || o.First > FirstRandom {
		return nil, fmt.Errorf("env: step limit %d or first %d is out of range", o.StepLimit, o.First)
	}
	players, err := seatOpponents(g, o.Seat, o.Opponents)
	if err != nil {
		return nil, err
	}
	return &Solo{match: *NewMatch(g, MatchOptions{First: o.First}), players: players, seat: o.Seat, stepLimit: o.StepLimit}, nil
}

// seatOpponents seats the opponents of a learner as [SoloOptions] says.
func seatOpponents(g Game, seat int, opponents []Player) (*seating, error) {
	n := g.Players()
	if seat < 0 || seat >= n {
		return nil, fmt.Errorf("env: seat %d is not in [0, %d)", seat, n)
	}
	others := n - 1
	if len(opponents) != others && (len(opponents) != 1 || others == 0) {
		return nil, fmt.Errorf("%w: %d for %d other seats; give one for each, or one for all", ErrOpponents, len(opponents), others)
	}
	var t seating
	for k := range others {
		p := opponents[min(k, len(opponents)-1)]
		if p == nil {
			return nil, fmt.Errorf("%w: number %d is nil", ErrOpponents, k)
		}
		t[g.NextSeat(seat, k+1)] = p
	}
	return &t, nil
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
	s.begin()
	return s.observe(), s.info()
}

// ResetNext is Reset with dice that go on where the last episode's stopped.
func (s *Solo) ResetNext() (observation []int16, info Info) {
	s.match.ResetNext()
	s.begin()
	return s.observe(), s.info()
}

// begin begins the learner's episode where the match has begun one.
func (s *Solo) begin() {
	s.steps, s.live = 0, true
	s.playOthers()
}

// playOthers lets the other seats act until it is the learner's turn or the
// game is over.
func (s *Solo) playOthers() {
	m := &s.match
	for m.live && int(m.state.Seat) != s.seat {
		if _, _, err := m.Step(choose(s.players[m.state.Seat], &m.state, &m.rand)); err != nil {
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
	reward, terminated, truncated, err = s.step(a)
	if err != nil {
		return nil, 0, false, false, Info{}, err
	}
	return s.observe(), reward, terminated, truncated, s.info(), nil
}

// step is Step without what the learner sees.
func (s *Solo) step(a Action) (reward float64, terminated, truncated bool, err error) {
	if !s.live {
		return 0, false, false, ErrNoEpisode
	}
	m := &s.match
	if !m.live { // the others have ended the game before the learner's turn
		if a != Roll {
			return 0, false, false, illegal(a)
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

// count counts a step, which has or has not ended the game, and reports whether
// it reached the limit.
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

// rollOnly reports whether Roll alone is legal, where an episode is under way: at
// the beginning of a turn, and where the others have ended the game.
func (s *Solo) rollOnly() bool { return s.match.state.TurnTotal == 0 }

// legal returns the actions that the next step takes.
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

// State returns the state as it stands.
func (s *Solo) State() State { return s.match.state }

// Clone returns an independent copy that will roll the same dice. The players
// are shared.
func (s *Solo) Clone() *Solo {
	c := *s
	return &c
}
