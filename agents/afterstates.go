package agents

import (
	"math"

	"pigpen/env"
	"pigpen/policies"
)

// afterstates are what both recipes for one or two players rest on: only
// rolling has to be learned. Holding banks the turn total and passes the turn,
// which needs no dice, so that it is worth what the state is worth that it
// leads to (R. Sutton, A. Barto, "Reinforcement Learning", 2nd ed., section
// 6.8), and what that is worth to one of two players is minus what it is to the
// other.
type afterstates struct {
	game   env.Game
	index  policies.StateIndex
	passed float32 // what a return is multiplied with when the turn passes
}

func newAfterstates(index policies.StateIndex) afterstates {
	a := afterstates{game: index.Game(), index: index, passed: 1}
	if a.game.Players() == 2 {
		a.passed = -1
	}
	return a
}

// hold returns what holding is worth to the player to move in s, where value[i]
// is what rolling is worth in the states of number i.
func (a *afterstates) hold(value []float32, s *env.State) float32 {
	next := a.game.AfterHold(*s)
	if next.Over {
		return float32(a.game.Return(next, int(s.Seat)))
	}
	return a.passed * value[a.index.Of(&next)]
}

// greedy returns the policy that rolls where rolling is worth more than
// holding.
func (a *afterstates) greedy(value []float32) *policies.Table {
	t := policies.NewTable(a.index)
	for i, s := range a.index.All() {
		t.Set(i, s.TurnTotal == 0 || value[i] > a.hold(value, &s))
	}
	return t
}

// unknown marks a value that has not been looked up.
var unknown = float32(math.NaN())
