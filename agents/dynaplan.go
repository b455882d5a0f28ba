package agents

import (
	"math"
	"slices"

	"pigpen/env"
	"pigpen/policies"
)

const (
	// mostSweeps bounds the sweeps of a plan, and mostSolves the solutions of a pair of
	// turns in a sweep.
	mostSweeps, mostSolves = 200, 30
	// settled is the change of a value, in units of return, below which a plan ends.
	settled = 1e-9
)

// key returns the number of the turn that s is in, in the order of value.
func (d *dyna) key(s *env.State) int {
	own := int(s.Scores[s.Seat])
	if d.game.Players() == 1 {
		return own
	}
	other, after := min(int(s.Scores[1-s.Seat]), d.index.Width()-1), 0
	if d.game.Variant().Ending == env.AfterRound {
		after = d.game.SeatsAfter(s, int(s.Seat))
	}
	return (after*d.index.Width()+other)*d.game.Target() + own
}

// sweep moves value to the values of perfect play with the dice of m. It sweeps over the
// pairs of banked scores from the highest sum down. Only if a roll can lower a banked
// score is there more than one sweep.
func (d *dyna) sweep(m diceModel, value []float64, workers int) {
	d.addWorkers(workers)
	wipes := slices.ContainsFunc(m, func(r rollChances) bool { return r.effect[env.Wipe] > 0 })
	highest := d.game.Target() - 1
	if d.game.Players() == 2 {
		highest += d.index.Width() - 1
	}
	for range mostSweeps {
		for sum := highest; sum >= 0; sum-- {
			low, high := d.firstScores(sum)
			solve := func(w *dynaWorker, i int) Played {
				s := env.State{}
				if s.Scores[0] = int16(low + i); d.game.Players() == 2 {
					s.Scores[1] = int16(sum - low - i)
				}
				w.plan.solve(d, m, value, s)
				return Played{}
			}
			if n := high - low + 1; n >= 8 && workers > 1 {
				inParallel(d.workers[:workers], n, solve)
			} else {
				for i := range n {
					solve(d.workers[0], i)
				}
			}
		}
		change := 0.0
		for _, w := range d.workers {
			change = max(change, w.plan.change)
			w.plan.change = 0
		}
		if !wipes || change < settled {
			break
		}
	}
}

// firstScores returns the range of the score of seat 0 in the states with the given sum
// of banked scores in which a turn begins. Where the seats are symmetric, seat 0 has at
// most the score of seat 1. The range is empty if high < low.
func (d *dyna) firstScores(sum int) (low, high int) {
	target := d.game.Target()
	switch {
	case d.game.Players() == 1:
		return sum, sum
	case d.game.Variant().Ending == env.AfterRound:
		return max(0, sum-target+1), min(sum, d.index.Width()-1)
	}
	return max(0, sum-target+1), sum / 2
}

// A turnPlanner computes the values of turns.
type turnPlanner struct {
	turns  [2]turnValues // by seat
	change float64       // largest change of a value in this sweep
}

// turnValues are the values of the states of a turn, by turn total.
type turnValues struct {
	hold, roll, best []float64
	// slope and rollSlope are the derivatives of best and roll with respect to the value
	// of a bust.
	slope, rollSlope []float64
	n                int // number of turn totals
	own              int
	beyond           float64 // value of turn totals from n on
	wipe             float64 // value after a wipe, unless own is 0
	bust             float64 // value after a bust, if bustKey is -1
	bustKey          int     // of the turn after a bust
	key              int
}

// prepare computes what does not depend on the value of a bust in the turn that begins
// in s.
func (t *turnValues) prepare(d *dyna, value []float64, s env.State) {
	width, seat := d.index.Width(), s.Seat
	t.own = int(s.Scores[seat])
	t.n = width - t.own
	t.key = d.key(&s)
	if t.hold == nil {
		for _, part := range []*[]float64{&t.hold, &t.roll, &t.best, &t.slope, &t.rollSlope} {
			*part = make([]float64, width)
		}
	}
	worth := func(next *env.State) float64 {
		if next.Over {
			return d.game.Return(*next, int(seat))
		}
		return float64(d.passed) * value[d.key(next)]
	}
	after := s
	for k := 1; k < t.n; k++ {
		after.TurnTotal = int16(k)
		next := d.game.AfterHold(after)
		t.hold[k] = worth(&next)
	}
	if d.game.Variant().Ending == env.AtTarget {
		end := s
		end.Scores[seat], end.Over = int16(d.game.Target()), true
		t.beyond = d.game.Return(end, int(seat))
	} else {
		t.beyond = t.hold[t.n-1]
	}
	if t.own > 0 {
		next := d.game.AfterRoll(s, env.Outcome{Effect: env.Wipe})
		t.wipe = worth(&next)
	}
	next := d.game.AfterRoll(s, env.Outcome{Effect: env.Bust})
	if t.bustKey = -1; next.Over {
		t.bust = worth(&next)
	} else {
		t.bustKey = d.key(&next)
	}
}

// evaluate computes the values of the turn, given that of a bust.
func (t *turnValues) evaluate(m diceModel, bust float64, alone bool) (value, slope float64) {
	for k := t.n - 1; k >= 0; k-- {
		r := m.at(t.own + k)
		lost, x := r.effect[env.Bust], 0.0
		if t.own == 0 {
			lost += r.effect[env.Wipe]
		} else {
			x += float64(r.effect[env.Wipe] * t.wipe)
		}
		if k == 0 {
			lost += r.effect[env.Stop]
		} else {
			x += float64(r.effect[env.Stop] * t.hold[k])
		}
		x += float64(lost * bust)
		slope = lost
		for _, g := range r.gains {
			switch to := k + g.points; {
			case to >= t.n:
				x += float64(g.chance * t.beyond)
			case g.again:
				x += float64(g.chance * t.roll[to])
				slope += float64(g.chance * t.rollSlope[to])
			default:
				x += float64(g.chance * t.best[to])
				slope += float64(g.chance * t.slope[to])
			}
		}
		t.roll[k], t.best[k], t.slope[k], t.rollSlope[k] = x, x, slope, slope
		if k > 0 && t.hold[k] >= x {
			t.best[k], t.slope[k] = t.hold[k], 0
		}
	}
	if alone {
		t.best[0]-- // the turn that begins
	}
	return t.best[0], t.slope[0]
}

// solve sets the values of the turns with the banked scores of s, one for each player
// who can be to move. These depend on each other through busts: x_i = f_i(b_i), where
// b_i is the value of a bust, which is ±x_j. Since f_i is piecewise linear, Newton's
// method comes to the solution in a few steps.
func (p *turnPlanner) solve(d *dyna, m diceModel, value []float64, s env.State) {
	var moves [2]bool
	players := d.game.Players()
	alone := players == 1
	for seat := range players {
		if moves[seat] = int(s.Scores[seat]) < d.game.Target(); moves[seat] {
			s.Seat = int8(seat)
			p.turns[seat].prepare(d, value, s)
		}
	}
	for range mostSolves {
		var constant, factor, x [2]float64 // x_i = constant + factor*x_j
		for seat := range players {
			if t := &p.turns[seat]; moves[seat] {
				bust := t.bust
				if t.bustKey >= 0 {
					bust = float64(d.passed) * value[t.bustKey]
				}
				v, slope := t.evaluate(m, bust, alone)
				if constant[seat] = v; t.bustKey >= 0 {
					constant[seat] -= float64(slope * bust)
					factor[seat] = float64(d.passed) * slope
				}
			}
		}
		if alone {
			x[0] = constant[0] / max(settled, 1-factor[0])
		} else {
			determinant := max(settled, 1-float64(factor[0]*factor[1]))
			x[0] = (constant[0] + float64(factor[0]*constant[1])) / determinant
			x[1] = (constant[1] + float64(factor[1]*constant[0])) / determinant
		}
		change := 0.0
		for seat := range players {
			if k := p.turns[seat].key; moves[seat] {
				change = max(change, math.Abs(x[seat]-value[k]))
				value[k] = x[seat]
			}
		}
		p.change = max(p.change, change)
		if change < settled {
			break
		}
	}
}

// greedyFor returns the policy that is greedy with respect to value and the dice of m.
func (d *dyna) greedyFor(m diceModel, value []float64) *policies.Table {
	table := policies.NewTable(d.index)
	d.eachTurn(m, value, func(start int, t *turnValues) {
		table.Set(start, true)
		for k := 1; k < t.n; k++ {
			table.Set(start+k, t.roll[k] > t.hold[k])
		}
	})
	return table
}

// eachTurn calls do with the index of each state in which a turn begins, and the values in
// that turn by value and the dice of m.
func (d *dyna) eachTurn(m diceModel, value []float64, do func(start int, t *turnValues)) {
	var t turnValues
	for start, s := range d.index.Turns() {
		t.prepare(d, value, s)
		bust := t.bust
		if t.bustKey >= 0 {
			bust = float64(d.passed) * value[t.bustKey]
		}
		t.evaluate(m, bust, d.game.Players() == 1)
		do(start, &t)
	}
}
