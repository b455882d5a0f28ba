package env

// exploringTurnTotal bounds the turn totals of exploring starts: beyond it,
// good players have held in nearly every game of this package.
const exploringTurnTotal = 40

// DrawStart draws a state for an exploring start, from which an episode
// begins so that every state is visited whatever the players do (R. Sutton,
// A. Barto, "Reinforcement Learning", 2nd ed., section 5.3): every seat's
// banked score uniform on those below the target, the turn total uniform on
// those below 40 with which the game goes on. The mover is seat 0 where the
// round does not matter, which by symmetry loses nothing.
func (g Game) DrawStart(r *Rand) State {
	var s State
	for seat := range g.players {
		s.Scores[seat] = int16(r.Below(uint32(g.target)))
	}
	s.TurnTotal = int16(r.Below(uint32(min(exploringTurnTotal, g.target-s.Scores[0]))))
	return s
}
