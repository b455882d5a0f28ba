package policies

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"

	"pigpen/env"
)

// States names what a table distinguishes.
type States string

const (
	// FullStates tells every state from every other.
	FullStates States = "full"
	// SummaryStates sees own banked score, turn total and the best banked
	// score of the others. With two players that is everything.
	SummaryStates States = "summary"
)

// ErrLayout is what [NewLayout] wraps.
var ErrLayout = errors.New("policies: no such table")

// fullLimit is the number of entries up to which [AutoStates] takes the full
// states where there is a choice: a table that learning can still fill.
const fullLimit = 1 << 22

// A Layout numbers the states of a game from 0, so that a table over them is a
// flat slice. States that look alike under the layout share a number.
//
// A score is told apart from others below W. In games that end at the target W
// is the target T: that is all of them. In games that end after a round W is
// T + [BeyondTarget], and scores from W-1 on look alike. For players 1, 2, …, n
// in turn order from the mover, banked scores s, held points h = s_1 + turn
// total, and r seats that still act in the round after the mover's,
//
//	index = (((r·W + s_n)·W + …)·W + s_2)·P + s_1·W - s_1(s_1-1)/2 + h-s_1
//
// where P is the number of pairs s_1 < T, s_1 <= h < W; where games that end
// at the target have r = 0; and where the summary has the highest of s_2, …,
// s_n alone. Along a turn only h changes, so a turn's entries are neighbours.
type Layout struct {
	game       env.Game
	states     States
	target     int
	width      int // W
	players    int
	afterRound bool
	pairs      int // P
	entries    int
}

// BeyondTarget is how far beyond the target a layout tells scores apart in
// games that end after a round. Even the last of the followers, just below the
// target, gets past a leader that far ahead with a chance of 0.093 at most: a
// leader has long held by then.
const BeyondTarget = 50

// AutoStates returns the states that suit a game: full where there is no more
// to see than the summary does or the table stays small, else the summary.
func AutoStates(g env.Game) States {
	if g.Players() <= 2 {
		return FullStates
	}
	if l, err := NewLayout(g, FullStates); err != nil || l.Entries() > fullLimit {
		return SummaryStates
	}
	return FullStates
}

// NewLayout returns the layout of a game's states. The error wraps
// [ErrLayout] if the states are unknown or more than an int can number.
func NewLayout(g env.Game, states States) (Layout, error) {
	l := Layout{game: g, states: states, target: g.Target(), width: g.Target(), players: g.Players()}
	phases := 1
	if g.Variant().Ending == env.AfterRound {
		l.afterRound = true
		l.width += BeyondTarget
		phases = l.players
	}
	l.pairs = l.target*l.width - l.target*(l.target-1)/2
	others := l.players - 1
	switch states {
	case FullStates:
	case SummaryStates:
		others = min(others, 1)
	default:
		return Layout{}, fmt.Errorf("%w: states %q; they are %s or %s", ErrLayout, states, FullStates, SummaryStates)
	}
	l.entries = l.pairs * phases
	for range others {
		hi, lo := bits.Mul64(uint64(l.entries), uint64(l.width))
		if hi != 0 || lo > math.MaxInt/2 {
			return Layout{}, fmt.Errorf("%w: %v has more %s states than can be numbered; use %s states", ErrLayout, g, states, SummaryStates)
		}
		l.entries = int(lo)
	}
	return l, nil
}

// Game returns the game whose states are numbered.
func (l *Layout) Game() env.Game { return l.game }

// States returns what the layout distinguishes.
func (l *Layout) States() States { return l.states }

// Entries returns how many numbers there are.
func (l *Layout) Entries() int { return l.entries }

// Index returns the number of s, in [0, Entries). s must be a state of the
// game that is not over.
func (l *Layout) Index(s *env.State) int {
	own, turnTotal, after := int(s.Scores[s.Seat]), int(s.TurnTotal), 0
	if l.afterRound {
		turnTotal = min(turnTotal, l.width-1-own)
		after = l.game.SeatsAfter(s, int(s.Seat))
	}
	return l.others(after, s)*l.pairs + own*l.width - own*(own-1)/2 + turnTotal
}

// Turn returns the numbers of the turn that s is in: start is that of a turn
// total of 0, that of t is start + t, and last stands for all from last - start
// on. s must be as for Index.
func (l *Layout) Turn(s *env.State) (start, last int) {
	own, after := int(s.Scores[s.Seat]), 0
	if l.afterRound {
		after = l.game.SeatsAfter(s, int(s.Seat))
	}
	start = l.others(after, s)*l.pairs + own*l.width - own*(own-1)/2
	return start, start + l.width - 1 - own
}

// Width returns the number of scores that the layout tells apart.
func (l *Layout) Width() int { return l.width }

// others numbers what the layout sees of the other seats, after what n holds.
func (l *Layout) others(n int, s *env.State) int {
	if l.players == 2 {
		return n*l.width + l.score(s.Scores[1-s.Seat])
	}
	if l.states == SummaryStates && l.players > 2 {
		best := int16(0)
		for seat, score := range s.Scores[:l.players] {
			if seat != int(s.Seat) {
				best = max(best, score)
			}
		}
		return n*l.width + l.score(best)
	}
	for k := l.players - 1; k > 0; k-- {
		n = n*l.width + l.score(s.Scores[l.game.NextSeat(int(s.Seat), k)])
	}
	return n
}

// score returns a banked score as far as it is told apart.
func (l *Layout) score(banked int16) int { return min(int(banked), l.width-1) }

// Turns returns the numbers of the states in which a turn begins, where Roll is
// the only legal action, each with such a state; see All.
func (l *Layout) Turns() iter.Seq2[int, env.State] {
	others := l.players - 1
	if l.states == SummaryStates {
		others = min(others, 1)
	}
	return func(yield func(int, env.State) bool) {
		start := 0
		for n := range l.entries / l.pairs {
			var s env.State
			for k := 1; k <= others; k++ {
				s.Scores[k] = int16(n % l.width)
				n /= l.width
			}
			if l.afterRound {
				s.First = int8((n + 1) % l.players) // n seats act after seat 0
			}
			for own := range l.target {
				s.Scores[0] = int16(own)
				if !yield(start, s) {
					return
				}
				start += l.width - own
			}
		}
	}
}

// All returns the numbers in order, each with a state that has it: seat 0 is to
// move and, where the summary does not tell the others apart, the next seat
// has the best score of them. In games that end after a round not every number
// has states that can occur; a score that stands for higher ones too is the
// lowest of them.
func (l *Layout) All() iter.Seq2[int, env.State] {
	return func(yield func(int, env.State) bool) {
		for start, s := range l.Turns() {
			for t := range l.width - int(s.Scores[0]) {
				s.TurnTotal = int16(t)
				if !yield(start+t, s) {
					return
				}
			}
		}
	}
}
