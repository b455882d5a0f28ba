package env

// exploringTurnTotal is the exclusive upper bound of the turn totals of exploring
// starts. In nearly every game of this package good players hold below it.
const exploringTurnTotal = 40

// DrawStart draws the start state of an episode with exploring starts, which visit
// states that the players' policies would not reach (R. Sutton, A. Barto,
// "Reinforcement Learning", 2nd ed., section 5.3). The banked score of every seat is
// uniform on [0, target), and the turn total is uniform on the values below 40 at
// which the game is not over.
//
// In games that end at the target the mover is seat 0; by symmetry, other seats would
// add no states. In games that end after a round seat 0 is the first, the mover is
// uniform over the seats, and the banked scores of the seats before the mover are
// uniform on [0, target+40).
func (g Game) DrawStart(r *Rand) State {
	var s State
	turnTotals := int16(exploringTurnTotal)
	if g.variant.Ending == AfterRound {
		s.Seat = int8(r.Below(uint32(g.players)))
	}
	for seat := range g.players {
		scores := g.target
		if seat < int16(s.Seat) {
			scores += exploringTurnTotal
		}
		s.Scores[seat] = int16(r.Below(uint32(scores)))
	}
	if g.variant.Ending == AtTarget {
		turnTotals = min(turnTotals, g.target-s.Scores[0])
	}
	s.TurnTotal = int16(r.Below(uint32(turnTotals)))
	return s
}
