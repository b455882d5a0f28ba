package env

// exploringTurnTotal bounds the turn totals of exploring starts: beyond it,
// good players have held in nearly every game of this package.
const exploringTurnTotal = 40

// DrawStart draws a state for an exploring start, from which an episode
// begins so that every state is visited whatever the players do (R. Sutton,
// A. Barto, "Reinforcement Learning", 2nd ed., section 5.3): every seat's
// banked score uniform on those below the target, the turn total uniform on
// those below 40 with which the game goes on.
//
// In games that end at the target the mover is seat 0, which by symmetry loses
// nothing. In games that end after a round seat 0 is first, the mover is
// uniform, and seats before it may have banked up to 40 beyond the target.
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
