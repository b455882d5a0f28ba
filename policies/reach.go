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
	s := r.game.Start(0)
	s.Scores[0] = int16(own)
	all := func(env.State) bool { return true }
	stops := followTurn(r.game, s, all, r.turn[own])
	if !r.banked[own] {
		return
	}
	for t, choice := range r.turn[own] {
		r.banked[own+t] = r.banked[own+t] || choice || stops[t]
	}
}

// followTurn sets choice[t] for each turn total at which the player to move in s, the start
// of a turn, can come to choose, if that player rolls wherever rolls tells, and wherever no
// other action is legal. It returns the turn totals that a roll can bank.
func followTurn(g env.Game, s env.State, rolls func(env.State) bool, choice []bool) (stops []bool) {
	stops = make([]bool, len(choice))
	roll := make([]bool, len(choice)) // turn totals at which a roll can come
	roll[0] = true
	for t := range roll {
		s.TurnTotal = int16(t)
		if !roll[t] && !(choice[t] && rolls(s)) {
			continue
		}
		for _, o := range g.Outcomes(s) {
			to := t + int(o.Points)
			switch {
			case o.Effect == env.Stop:
				stops[t] = true
			case !o.Effect.Gains() || to >= len(roll):
			case o.Effect == env.Gain:
				choice[to] = true
			default:
				roll[to] = true
			}
		}
	}
	return stops
}

// Decides reports whether rolls can lead to the scores and the turn total of an
// observation of a player who has a choice.
func (r *Reach) Decides(observation []int16) bool {
	return r.Banked(observation[0]) && r.Banked(observation[2:1+r.game.Players()]...) && r.Turn(int(observation[0]), int(observation[1]))
}

// Banked reports whether rolls can lead to each of some banked scores.
func (r *Reach) Banked(scores ...int16) bool {
	for _, score := range scores {
		if int(score) < len(r.banked) && !r.banked[score] {
			return false
		}
	}
	return true
}

// Turn reports whether a player who begins a turn with a banked score below the target
// can come to choose at a turn total.
func (r *Reach) Turn(own, turnTotal int) bool {
	return turnTotal >= len(r.turn[own]) || r.turn[own][turnTotal]
}

// ComesTo reports whether a player by p comes to s, a state of g with a choice, in a turn
// that begins with the scores of s: whether rolls lead there by states in which p rolls
// with some chance.
func ComesTo(g env.Game, p Policy, s env.State) bool {
	total := s.TurnTotal
	s.TurnTotal = 0
	choice := make([]bool, total+1)
	followTurn(g, s, func(s env.State) bool { return p.RollChance(s) > 0 }, choice)
	return choice[total]
}
