package exact

import (
	"fmt"

	"pigpen/env"
)

// A turn is the memory for working through one turn; every slice is by the
// mover's score h, banked and in the turn.
type turn struct {
	*rules
	value []float64 // what the turn is worth at h; see best
	reach []float64 // chance of coming to h; all 0 between calls
	bank  []float64 // chance of ending the turn with h banked; all 0 between calls
	top   int       // bank is 0 past it
	// states are what a policy is asked about: h stands at h mod ahead. A state
	// is copied with wide loads, which wait for a narrow store just before; so
	// the turn total is filled in long ahead.
	states [ahead]env.State
}

const ahead = 8

// newTurn returns a turn for scores from 0 to top at least.
func newTurn(r *rules, top int) turn {
	// In a game that ends after a round a turn has no end of its own, but its
	// chance of getting further than this is negligible.
	n := max(top+1, r.target+len(r.chase)+2*r.maxGain+2)
	return turn{rules: r, value: make([]float64, n), reach: make([]float64, n), bank: make([]float64, n)}
}

// ends is how a turn ends that is played in a certain way, but for the scores
// that it may bank, which stand in [turn.bank].
type ends struct {
	stay      float64 // chance that it leaves the banked scores as they were
	wiped     float64 // chance that it costs the banked score
	won       float64 // chance that it wins the game at once
	decisions float64 // expected number, the first included
}

// best returns what a roll at score from is worth to a mover who makes the
// most of the rest of the turn. Holding at h is worth row[h], a bust is worth
// bust, losing the banked score too is worth wiped, and stop is worth a roll
// that ends the turn now, which later on banks what holding would. Past top the
// mover holds; row must go top + maxGain far. Of two values that differ by less
// than margin, which is for rounding, the mover prefers to hold.
//
//	value[h] = max(row[h], Σ_k chance_k·value[h+k] + chances of the rest · their worth)
func (t *turn) best(from int, row []float64, top int, bust, wiped, stop, margin float64) float64 {
	value := t.value
	copy(value[top+1:top+1+t.maxGain], row[top+1:])
	o := t.at(from)
	rest := float64(o.bust*bust) + float64(o.wipe*wiped)
	for h := top; h > from; h-- {
		if len(t.odds) > 1 {
			o = t.at(h)
			rest = float64(o.bust*bust) + float64(o.wipe*wiped)
		}
		hold := row[h]
		roll := rest + float64(o.stop*hold)
		for _, g := range o.gains {
			roll += float64(g.chance * value[h+g.points])
		}
		if roll-hold > margin {
			value[h] = roll
		} else {
			value[h] = hold
		}
	}
	o = t.at(from)
	roll := float64(o.bust*bust) + float64(o.wipe*wiped) + float64(o.stop*stop)
	for _, g := range o.gains {
		roll += float64(g.chance * value[from+g.points])
	}
	value[from] = roll
	return roll
}

// follow works out how a turn from banked score own ends, with p to decide in
// the states of s, in which it fills in the turn total; if p is nil, as best,
// which was called with the same row, has just decided.
func (t *turn) follow(own int, p env.Player, s env.State, row []float64) ends {
	var e ends
	reach, bank := t.reach, t.bank
	reach[own] = 1
	t.top = own
	switches, planned := t.plannedTurn(p, &s)
	rolling := true
	for h := own; p != nil && !planned && h < own+ahead; h++ {
		state := &t.states[h%ahead]
		*state = s
		state.TurnTotal = int16(h - own)
	}
	for h, last := own, own; h <= last; h++ {
		chance := reach[h]
		t.states[(h+ahead/2)%ahead].TurnTotal = int16(h + ahead/2 - own)
		if chance == 0 {
			continue
		}
		reach[h] = 0
		switch {
		case h >= t.target && !t.afterRound:
			e.won += chance
			continue
		case chance < negligible && t.afterRound:
			e.stay += chance
			continue
		}
		e.decisions += chance
		roll := chance
		if h > own {
			switch {
			case planned:
				for len(switches) > 0 && h-own >= int(switches[0]) {
					rolling, switches = !rolling, switches[1:]
				}
				if !rolling {
					roll, bank[h] = 0, chance
				}
			case p != nil:
				c := p.RollChance(t.states[h%ahead])
				if !(c >= 0 && c <= 1) {
					panic(fmt.Sprintf("exact: a policy rolls with chance %v, which is not in [0, 1]", c))
				}
				roll = float64(chance * c)
				bank[h] = float64(chance * (1 - c))
			case t.value[h] == row[h]:
				roll, bank[h] = 0, chance
			}
			t.top = h
			if roll == 0 {
				continue
			}
		}
		o := t.at(h)
		for _, g := range o.gains {
			reach[h+g.points] += float64(roll * g.chance)
		}
		if len(o.gains) > 0 {
			last = max(last, h+o.gains[0].points)
		}
		e.stay += float64(roll * o.bust)
		e.wiped += float64(roll * o.wipe)
		if o.stop > 0 {
			if h == own {
				e.stay += float64(roll * o.stop)
			} else {
				bank[h] += float64(roll * o.stop)
			}
		}
	}
	return e
}

// plannedTurn returns what p does in the turn that begins in s, as a [plan] has
// it, if p is a solution of this game, which need not be asked at every step.
func (t *turn) plannedTurn(p env.Player, s *env.State) (switches []uint16, planned bool) {
	solution, ok := p.(*Solution)
	if !ok || solution.rules.game != t.game || solution.other(s) >= t.target {
		return nil, false
	}
	solution.once.Do(solution.plan)
	_, role := solution.board(s)
	return solution.plans[role].turn(int(s.Scores[s.Seat]), solution.other(s), t.rules), true
}

// forget clears bank, whose chances have been used.
func (t *turn) forget(own int) { clear(t.bank[own : t.top+1]) }
