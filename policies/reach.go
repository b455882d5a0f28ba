package policies

import "pigpen/env"

// A Reach tells which banked scores, and which turn totals with a choice, rolls can lead
// to: of pig, which no roll gives a single point, not the turn total 1.
type Reach struct {
	game   env.Game
	banked []bool
	// turn[own][t] tells that a player who begins a turn with a banked score of own can
	// come to choose at the turn total t.
	turn [][]bool
}

// NewReach returns the reach of g. In games that end after a round it goes as far as a
// [StateIndex] distinguishes scores; higher ones count as reached.
func NewReach(g env.Game) *Reach {
	width := g.Target()
	if g.Variant().Ending == env.AfterRound {
		width += BeyondTarget
	}
	r := &Reach{game: g, banked: make([]bool, width), turn: make([][]bool, g.Target())}
	r.banked[0] = true
	for own := range g.Target() {
		r.turn[own] = make([]bool, width-own)
		r.follow(own)
	}
	return r
}

// follow follows all turns from a banked score, which turns from lower ones may have
// reached.
func (r *Reach) follow(own int) {
	choice, reached := r.turn[own], r.banked[own]
	rolls := make([]bool, len(choice)) // turn totals at which a roll may come
	rolls[0] = true
	s := r.game.Start(0)
	s.Scores[0] = int16(own)
	for t := range rolls {
		if !rolls[t] {
			continue
		}
		s.TurnTotal = int16(t)
		for _, o := range r.game.Outcomes(s) {
			to := t
			if o.Effect.Gains() {
				to += int(o.Points)
			}
			switch {
			case o.Effect == env.Stop:
				r.banked[own+t] = r.banked[own+t] || reached
			case to < len(rolls) && o.Effect.Gains():
				rolls[to] = true
				choice[to] = choice[to] || o.Effect == env.Gain
			}
		}
		if choice[t] && reached {
			r.banked[own+t] = true
		}
	}
}

// Decides reports whether rolls can lead to the scores and the turn total of an
// observation of a player who has a choice.
func (r *Reach) Decides(observation []int16) bool {
	for k, score := range observation[:1+r.game.Players()] {
		if k != 1 && int(score) < len(r.banked) && !r.banked[score] {
			return false
		}
	}
	return r.Turn(int(observation[0]), int(observation[1]))
}

// Turn reports whether a player who begins a turn with a banked score below the target
// can come to choose at a turn total.
func (r *Reach) Turn(own, turnTotal int) bool {
	return turnTotal >= len(r.turn[own]) || r.turn[own][turnTotal]
}
