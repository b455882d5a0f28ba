package policies

import (
	"errors"
	"fmt"
	"iter"
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
// For players 1, 2, …, n in turn order from the mover, target T, banked
// scores s and turn total t,
//
//	index = ((s_n·T + …)·T + s_2)·T(T+1)/2 + s_1·T - s_1(s_1-1)/2 + t
//
// where the summary has the highest of s_2, …, s_n alone. Along a turn only t
// changes, so a turn's entries are neighbours.
type Layout struct {
	game     env.Game
	states   States
	target   int
	players  int
	triangle int // pairs of banked score and turn total below the target
	entries  int
}

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
	t := g.Target()
	l := Layout{game: g, states: states, target: t, players: g.Players(), triangle: t * (t + 1) / 2}
	others := l.players - 1
	switch states {
	case FullStates:
	case SummaryStates:
		others = min(others, 1)
	default:
		return Layout{}, fmt.Errorf("%w: states %q; they are %s or %s", ErrLayout, states, FullStates, SummaryStates)
	}
	l.entries = l.triangle
	for range others {
		hi, lo := bits.Mul64(uint64(l.entries), uint64(t))
		if hi != 0 || lo > 1<<62 {
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
	own := int(s.Scores[s.Seat])
	return l.others(s)*l.triangle + own*l.target - own*(own-1)/2 + int(s.TurnTotal)
}

// TurnStarts returns the numbers of the states with a turn total of 0, where
// Roll is the only legal action.
func (l *Layout) TurnStarts() iter.Seq[int] {
	return func(yield func(int) bool) {
		for base := 0; base < l.entries; base += l.triangle {
			i := base
			for own := range l.target {
				if !yield(i) {
					return
				}
				i += l.target - own
			}
		}
	}
}

// others numbers what the layout sees of the other seats.
func (l *Layout) others(s *env.State) int {
	if l.players == 2 {
		return int(s.Scores[1-s.Seat])
	}
	if l.states == SummaryStates {
		best := 0
		for seat, score := range s.Scores[:l.players] {
			if seat != int(s.Seat) {
				best = max(best, int(score))
			}
		}
		return best
	}
	n := 0
	for k := l.players - 1; k > 0; k-- {
		n = n*l.target + int(s.Scores[l.game.NextSeat(int(s.Seat), k)])
	}
	return n
}
