package policies

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"

	"pigpen/env"
)

// An Abstraction says which states a table distinguishes.
type Abstraction string

const (
	// FullAbstraction distinguishes all states.
	FullAbstraction Abstraction = "full"
	// SummaryAbstraction distinguishes states by the mover's banked score, the
	// turn total and the highest banked score of the other seats. In games that
	// end after a round it also uses the number of seats that still act. With one
	// or two players it distinguishes all states.
	SummaryAbstraction Abstraction = "summary"
)

// ErrStateIndex is wrapped by the errors of [NewStateIndex].
var ErrStateIndex = errors.New("policies: no such table")

// fullLimit is the largest size at which [DefaultAbstraction] returns
// FullAbstraction for three or more players. Learning can still visit every entry
// of a table of that size.
const fullLimit = 1 << 22

// A StateIndex maps the states of a game to indices in [0, Size), so that a table
// over them is a flat slice. States that the abstraction does not distinguish have
// the same index.
//
// The index distinguishes W values of a score. In games that end at the target T,
// W = T, which covers every score of a game that goes on. In games that end after a
// round, W = T + [BeyondTarget], and scores of W-1 and more have the same index.
// For players 1, 2, …, n in turn order from the mover, banked scores s, held
// points h = s_1 + turn total, and r seats that still act in the round after the
// mover,
//
//	index = (((r·W + s_n)·W + …)·W + s_2)·P + s_1·W - s_1(s_1-1)/2 + h-s_1
//
// where P is the number of pairs (s_1, h) with s_1 < T and s_1 <= h < W. Games
// that end at the target have r = 0. SummaryAbstraction replaces s_2, …, s_n by
// their maximum. Only h changes during a turn, so the entries of a turn are
// contiguous.
type StateIndex struct {
	game        env.Game
	abstraction Abstraction
	target      int
	width       int // W
	players     int
	afterRound  bool
	pairs       int // P
	size        int
}

// BeyondTarget is the number of points beyond the target up to which a
// [StateIndex] distinguishes scores in games that end after a round. A player just
// below the target who moves last overtakes a leader with that many points beyond
// the target with probability 0.093 at most, so good players hold before it.
const BeyondTarget = 50

// DefaultAbstraction returns FullAbstraction for games of one or two players and for
// games whose full index has at most 2^22 entries, and SummaryAbstraction for others.
func DefaultAbstraction(g env.Game) Abstraction {
	if g.Players() <= 2 {
		return FullAbstraction
	}
	if x, err := NewStateIndex(g, FullAbstraction); err != nil || x.Size() > fullLimit {
		return SummaryAbstraction
	}
	return FullAbstraction
}

// NewStateIndex returns the index of the states of g. The error wraps
// [ErrStateIndex] if abstraction is unknown or the index would be too large for an
// int.
func NewStateIndex(g env.Game, abstraction Abstraction) (StateIndex, error) {
	x := StateIndex{game: g, abstraction: abstraction, target: g.Target(), width: g.Target(), players: g.Players()}
	phases := 1
	if g.Variant().Ending == env.AfterRound {
		x.afterRound = true
		x.width += BeyondTarget
		phases = x.players
	}
	x.pairs = x.target*x.width - x.target*(x.target-1)/2
	switch abstraction {
	case FullAbstraction, SummaryAbstraction:
	default:
		return StateIndex{}, fmt.Errorf("%w: states %q; they are %s or %s", ErrStateIndex, abstraction, FullAbstraction, SummaryAbstraction)
	}
	x.size = x.pairs * phases
	for range x.Others() {
		hi, lo := bits.Mul64(uint64(x.size), uint64(x.width))
		if hi != 0 || lo > math.MaxInt/2 {
			return StateIndex{}, fmt.Errorf("%w: %v has more %s states than can be numbered; use %s states", ErrStateIndex, g, abstraction, SummaryAbstraction)
		}
		x.size = int(lo)
	}
	return x, nil
}

// Game returns the game whose states the index covers.
func (x *StateIndex) Game() env.Game { return x.game }

// Abstraction returns the abstraction of the index.
func (x *StateIndex) Abstraction() Abstraction { return x.abstraction }

// Size returns the number of indices.
func (x *StateIndex) Size() int { return x.size }

// Of returns the index of s, in [0, Size). s must be a state of the game that is
// not over.
func (x *StateIndex) Of(s *env.State) int {
	own, turnTotal, after := int(s.Scores[s.Seat]), int(s.TurnTotal), 0
	if x.afterRound {
		turnTotal = min(turnTotal, x.width-1-own)
		after = x.game.SeatsAfter(s, int(s.Seat))
	}
	return x.others(after, s)*x.pairs + own*x.width - own*(own-1)/2 + turnTotal
}

// Turn returns the range of indices of the turn that s is in: a turn total of t has
// the index min(start + t, last). s must be a state of the game that is not over.
func (x *StateIndex) Turn(s *env.State) (start, last int) {
	own, after := int(s.Scores[s.Seat]), 0
	if x.afterRound {
		after = x.game.SeatsAfter(s, int(s.Seat))
	}
	start = x.others(after, s)*x.pairs + own*x.width - own*(own-1)/2
	return start, start + x.width - 1 - own
}

// View returns the number of what a seat sees of s between turns, in [0, Views): the
// banked scores that the abstraction retains from that seat's point of view and, in games
// that end after a round, the seats that act after it. s must be a state of the game that
// is not over.
func (x *StateIndex) View(s *env.State, seat int) int {
	v, after := *s, 0
	v.Seat = int8(seat)
	if x.afterRound {
		after = x.game.SeatsAfter(s, seat)
	}
	return x.others(after, &v)*x.width + x.score(s.Scores[seat])
}

// Views returns the number of views, those of seats that have reached the target
// included.
func (x *StateIndex) Views() int { return x.size / x.pairs * x.width }

// Width returns W, the number of values of a score that the index distinguishes.
func (x *StateIndex) Width() int { return x.width }

// others appends to n, as digits of base W, the scores of the other seats that the
// abstraction retains.
func (x *StateIndex) others(n int, s *env.State) int {
	if x.players == 2 {
		return n*x.width + x.score(s.Scores[1-s.Seat])
	}
	if x.abstraction == SummaryAbstraction && x.players > 2 {
		best := int16(0)
		for seat, score := range s.Scores[:x.players] {
			if seat != int(s.Seat) {
				best = max(best, score)
			}
		}
		return n*x.width + x.score(best)
	}
	seat := int(s.Seat)
	for range x.players - 1 {
		if seat--; seat < 0 {
			seat += x.players
		}
		n = n*x.width + x.score(s.Scores[seat])
	}
	return n
}

// score limits a banked score to the values that the index distinguishes.
func (x *StateIndex) score(banked int16) int { return min(int(banked), x.width-1) }

// Others returns the number of banked scores of other seats that the index distinguishes.
func (x *StateIndex) Others() int {
	if x.abstraction == SummaryAbstraction {
		return min(x.players-1, 1)
	}
	return x.players - 1
}

// Turns iterates over the indices of the states in which a turn begins, where Roll
// is the only legal action, in increasing order, each with a state as in All.
func (x *StateIndex) Turns() iter.Seq2[int, env.State] {
	return func(yield func(int, env.State) bool) {
		for k := range x.size / x.pairs * x.target {
			if !yield(x.TurnAt(k)) {
				return
			}
		}
	}
}

// TurnAt returns the k-th of Turns, from 0.
func (x *StateIndex) TurnAt(k int) (start int, s env.State) {
	own, n := k%x.target, k/x.target
	start = n*x.pairs + own*x.width - own*(own-1)/2
	s.Scores[0] = int16(own)
	for i := 1; i <= x.Others(); i++ {
		s.Scores[i] = int16(n % x.width)
		n /= x.width
	}
	if x.afterRound {
		s.First = int8((n + 1) % x.players) // n seats act after seat 0
	}
	return start, s
}

// All iterates over the indices in increasing order, each with a state of that
// index. Seat 0 is to move. With SummaryAbstraction, seat 1 has the highest score of
// the others and the rest have 0. In games that end after a round some indices
// belong to no state that can occur, and the score W-1 represents all higher scores.
func (x *StateIndex) All() iter.Seq2[int, env.State] {
	return func(yield func(int, env.State) bool) {
		for start, s := range x.Turns() {
			for t := range x.width - int(s.Scores[0]) {
				s.TurnTotal = int16(t)
				if !yield(start+t, s) {
					return
				}
			}
		}
	}
}
