package agents

import (
	"math"

	"pigpen/env"
	"pigpen/policies"
)

// afterstates are what the agents' own recipes rest on: only rolling has to be learned.
// Holding banks the turn total and passes the turn without chance, so its value is that
// of the resulting state (an afterstate; R. Sutton, A. Barto, "Reinforcement Learning",
// 2nd ed., section 6.8).
//
// The mover of an afterstate is another seat. Returns sum to 0, so with two players the
// value for one seat is minus that for the other. With more players it is estimated, in
// waits.
type afterstates struct {
	game  env.Game
	index policies.StateIndex
	// passed is the factor by which the return of a seat that begins a turn counts in
	// that of another seat: that of the same seat with one player, and -1/(n-1) with n,
	// which is the mean of the other seats. It is 0 if the index is a summary, which
	// tells little about the mover to the other seats.
	passed float32
	// waits[v·(n-1) + k-1] estimates, with n >= 3 players, the return of a seat with
	// view v at the beginning of the turn of the k-th seat after it, minus passed times
	// the return of the mover. It is nil for agents that do not learn such games.
	waits []float32
}

func newAfterstates(index policies.StateIndex) afterstates {
	a := afterstates{game: index.Game(), index: index, passed: 1}
	if n := a.game.Players(); n > 2 && index.Abstraction() == policies.SummaryAbstraction {
		a.passed = 0
	} else if n > 1 {
		a.passed = -1 / float32(n-1)
	}
	return a
}

// newWaits returns the initial waits, or nil for one or two players.
func newWaits(index policies.StateIndex) []float32 {
	game := index.Game()
	if game.Players() < 3 {
		return nil
	}
	return make([]float32, index.Views()*(game.Players()-1))
}

// hold returns the value of holding for the mover of s, where value[i] is the value of
// rolling in the states with index i.
func (a *afterstates) hold(value []float32, s *env.State) float32 {
	next := a.game.AfterHold(*s)
	if next.Over {
		return float32(a.game.Return(next, int(s.Seat)))
	}
	return a.waiting(value[a.index.Of(&next)], &next, s.Seat)
}

// waiting returns the value of s, in which a turn begins, for a seat that is not to move
// or that plays alone. mover is its value for the mover.
func (a *afterstates) waiting(mover float32, s *env.State, seat int8) float32 {
	if a.waits == nil {
		return a.passed * mover
	}
	return float32(a.passed*mover) + a.waits[a.wait(s, int(seat))]
}

// wait returns the index in waits of a seat that is not to move in s.
func (a *afterstates) wait(s *env.State, seat int) int {
	n := a.game.Players()
	turns := int(s.Seat) - seat // until that of the mover
	if turns < 0 {
		turns += n
	}
	return a.index.View(s, seat)*(n-1) + turns - 1
}

// outlook sets returns[seat] to the value of s for each seat, with three and more
// players. s is over, begins a turn, or is taken to be held in.
func (a *afterstates) outlook(returns *[env.MaxPlayers]float32, value []float32, s *env.State) {
	next := *s
	if s.TurnTotal > 0 && !s.Over {
		next = a.game.AfterHold(next)
	}
	if next.Over {
		for seat := range a.game.Players() {
			returns[seat] = float32(a.game.Return(next, seat))
		}
		return
	}
	mover := value[a.index.Of(&next)]
	for seat := range a.game.Players() {
		if returns[seat] = mover; seat != int(next.Seat) {
			returns[seat] = a.waiting(mover, &next, int8(seat))
		}
	}
}

// greedy returns the policy that rolls where rolling is worth more than holding.
func (a *afterstates) greedy(value []float32) *policies.Table {
	t := policies.NewTable(a.index)
	for i, s := range a.index.All() {
		t.Set(i, s.TurnTotal == 0 || value[i] > a.hold(value, &s))
	}
	return t
}

// unknown marks a value that has not been looked up.
var unknown = float32(math.NaN())
