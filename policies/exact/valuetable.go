package exact

import (
	"context"
	"math"
	"slices"

	"pigpen/env"
)

// A valueTable holds the value of every pair of banked scores to each player of a
// game in which one player, or both, play optimally.
//
// It tells the players apart by role. In games that end at the target, a role is a
// player, in either seat; in games that end after a round, role 0 begins the rounds.
type valueTable struct {
	*rules
	players [2]env.Player // by role; nil plays its best
	// afterPass[role][other][own] is the value to role of the state after it has
	// passed the turn with own banked and other banked by the other player: its win
	// probability or, with one player, minus the expected number of turns yet to
	// begin. If symmetric is true, both roles share one table.
	afterPass [2][][]float64
	symmetric bool
	margin    float64 // see turn.backup
	residual  float64
}

// Bounds of the rounding error of the value of a turn: in win probability and, for
// one player, in turns.
const (
	marginWins  = 1e-14
	marginTurns = 1e-12
)

// newValueTable returns a table for the players of each role, with values at the
// target and above filled in.
func newValueTable(r *rules, players [2]env.Player) *valueTable {
	b := &valueTable{rules: r, players: players, margin: marginWins}
	b.symmetric = r.players == 2 && !r.afterRound && players == [2]env.Player{}
	others, atTarget := r.target, 1.0
	if r.players == 1 {
		others, atTarget, b.margin = 1, 0, marginTurns
	}
	for role := range r.players {
		if role == 1 && b.symmetric {
			b.afterPass[1] = b.afterPass[0]
			break
		}
		b.afterPass[role] = make([][]float64, others)
		n := r.target
		if role == 1 || !r.afterRound {
			n += r.maxGain + 1
		}
		all := make([]float64, others*n)
		for other := range b.afterPass[role] {
			row := all[other*n : (other+1)*n : (other+1)*n]
			for own := r.target; own < n; own++ {
				row[own] = atTarget
			}
			if r.wipes && r.players == 2 {
				row[0] = 0.5 * (1 - float64(other)/float64(r.target)) // a guess for the first sweep
			}
			b.afterPass[role][other] = row
		}
	}
	return b
}

// iterate computes the values of all pairs of banked scores below the target.
func (b *valueTable) iterate(ctx context.Context, o Options) (err error) {
	workers := newWorkers(b.rules, o)
	m := b.newMixer(b.eachWiped)
	b.residual, err = b.converge(o, b.likelySweeps(),
		func(report func(float64)) (float64, error) {
			return b.sweep(ctx, workers, b.symmetric, b.solvePair, b.optimalCost, report)
		},
		m.change, m)
	return err
}

// eachWiped is [wipedValues] of the table. They are one component because the value of a
// turn to one role depends on that to the other.
func (b *valueTable) eachWiped(visit func(component int, value *float64, relative bool)) {
	roles := b.rules.players
	if b.symmetric {
		roles = 1
	}
	for role := range roles {
		for _, row := range b.afterPass[role] {
			visit(0, &row[0], false)
		}
	}
}

// A turnStart is the beginning of a turn, at a pair of banked scores.
type turnStart struct {
	role, own, other int
	row              []float64 // of afterPass
	wiped            float64
	// As set by linearize, the value of the turn is worth + stay·bust; leave is
	// 1 - stay.
	worth, stay, leave float64
}

// newTurnStart returns the beginning of a turn of role with own banked and other
// banked by the other player.
func (b *valueTable) newTurnStart(w *worker, role, own, other int) turnStart {
	n := turnStart{role: role, own: own, other: other}
	n.row = b.afterPass[role][other]
	if b.wipes {
		n.wiped = n.row[0] // as of the last sweep, for this sweep comes to it later
	}
	if b.players[role] != nil {
		b.linearize(w, &n)
	}
	return n
}

// turnValue returns the value of the turn if ending it with the scores unchanged is
// worth bust.
func (b *valueTable) turnValue(w *worker, n *turnStart, bust float64) float64 {
	if b.players[n.role] != nil {
		return n.worth + float64(n.stay*bust)
	}
	top := b.target - 1
	if b.afterRound && n.role == 0 {
		top = b.lastRoll(n.other, bust)
		n.row = b.extendRow(w, 0, n.other, top+b.maxGain)
	}
	wiped := n.wiped
	if n.own == 0 {
		wiped = bust
	}
	return w.turns[n.role].backup(n.own, n.row, top, bust, wiped, bust, b.margin)
}

// linearize sets worth, stay and leave, which give the value of the turn as a linear
// function of bust, for the given policy of the role or, if the role plays
// optimally, for the choices of the last turnValue.
func (b *valueTable) linearize(w *worker, n *turnStart) {
	t := &w.turns[n.role]
	e := t.forward(n.own, b.players[n.role], stateOf(n.role, n.own, n.other), n.row)
	n.row = b.extendRow(w, n.role, n.other, t.top)
	atTarget := 1.0
	if b.rules.players == 1 {
		atTarget = 0
	}
	n.stay, n.leave, n.worth = e.stay, e.won, float64(e.won*atTarget)
	if n.own == 0 {
		n.stay += e.wiped
	} else {
		n.leave += e.wiped
		n.worth += float64(e.wiped * n.wiped)
	}
	for h := t.low; h <= t.top; h++ {
		if c := t.bank[h]; c > 0 {
			n.leave += c
			n.worth += float64(c * n.row[h])
		}
	}
}

// stateOf returns the state at the beginning of a turn.
func stateOf(role, own, other int) env.State {
	s := env.State{Seat: int8(role)}
	s.Scores[role] = int16(own)
	if other > 0 {
		s.Scores[1-role] = int16(other)
	}
	return s
}

// extendRow extends afterPass[role][other] to an own score of top or more, and
// returns it.
func (b *valueTable) extendRow(w *worker, role, other, top int) []float64 {
	row := b.afterPassRow(&w.finalTurn, role, other, top)
	b.afterPass[role][other] = row
	return row
}

// afterPassRow returns the values of role after passing the turn, by own score from
// 0 to top or more: afterPass[role][other] or a longer copy.
func (b *valueTable) afterPassRow(t *turn, role, other, top int) []float64 {
	if other >= b.target { // the last turn of the game
		row := make([]float64, top+1)
		for own := range row {
			row[own] = winShare(own, other)
		}
		return row
	}
	row := b.afterPass[role][other]
	if len(row) <= top {
		row = slices.Clip(row) // others may be reading it
	}
	for own := len(row); own <= top; own++ {
		end := 1.0 // role 1 has ended the game
		if role == 0 {
			end -= b.finalTurnWin(t, other, own)
		}
		row = append(row, end)
	}
	return row
}

// failureValues returns the value to role of a bust, and of a roll that costs the
// banked score.
func (b *valueTable) failureValues(role, own, other int) (bust, wiped float64) {
	if other >= b.target {
		return 0, 0
	}
	bust = b.afterPass[role][other][own]
	if own == 0 || !b.wipes {
		return bust, bust
	}
	return bust, b.afterPass[role][other][0]
}

// finalTurnWin returns the win probability of role 1 in the final turn of a last
// round, with own banked against the leader's score.
func (b *valueTable) finalTurnWin(t *turn, own, leader int) float64 {
	if b.players[1] == nil {
		if d := leader - own; d < len(b.catchUp) {
			return b.catchUp[d]
		}
		return 0
	}
	t.forward(own, b.players[1], stateOf(1, own, leader), nil)
	wins := 0.0
	for h := max(leader, t.low); h <= t.top; h++ {
		wins += float64(t.bank[h] * winShare(h, leader))
	}
	return wins
}

const (
	// newtonTolerance is the difference of two values that counts as equality.
	newtonTolerance = 2e-15
	// maxNewtonSteps bounds the Newton steps for a pair; most pairs take two or three.
	maxNewtonSteps = 200
)

// solvePair computes the values of both players where role 0 has banked i and role 1
// has banked j.
//
// Let x be the value to role 0 of a turn of its own that leaves the scores unchanged
// and passes the turn. The value of role 0's turn is an increasing, piecewise linear
// function of x, with a piece for each policy that is optimal in the turn; the value
// of role 1's turn is such a function of its own x, which is 1 minus the value of
// role 0's turn. Newton's method finds the fixed point of both together: it takes the
// policies that are optimal at x and moves x to the fixed point of their linear
// functions. That is policy iteration (M. L. Puterman, S. L. Brumelle, "On the
// convergence of policy iteration in stationary dynamic programming", 1979).
func (b *valueTable) solvePair(w *worker, i, j int) {
	if b.rules.players == 1 {
		b.solveSingle(w, i)
		return
	}
	n0, n1 := b.newTurnStart(w, 0, i, j), b.newTurnStart(w, 1, j, i)
	x, leave := min(1, max(0, extrapolate(n0.row, i))), 1.0
	done := func(x0, x1, change float64) {
		b.afterPass[0][j][i], b.afterPass[1][i][j] = x0, x1
		w.residual = max(w.residual, change)
	}
	for step := 1; ; step++ {
		v0 := b.turnValue(w, &n0, x)
		v1 := b.turnValue(w, &n1, 1-v0)
		// If leave is small, a small change does not mean that x is near the fixed
		// point, so the tolerance is proportional to leave.
		change := math.Abs(1 - v1 - x)
		if change <= newtonTolerance*leave || step == maxNewtonSteps {
			done(1-v1, 1-v0, change)
			return
		}
		if b.players[0] == nil {
			b.linearize(w, &n0)
		}
		if b.players[1] == nil {
			b.linearize(w, &n1)
		}
		last := x
		x = 1 - v1 // one step of value iteration, which always approaches the fixed point
		if leave = n0.leave + float64(n0.stay*n1.leave); leave > 0 && step%8 != 0 {
			s0 := (n0.worth + float64(n0.stay*(n1.leave-n1.worth))) / leave
			x = n1.leave - n1.worth + float64(n1.stay*s0)
			if math.Abs(x-last) <= newtonTolerance {
				done(x, 1-s0, change)
				return
			}
		}
	}
}

// solveSingle is solvePair for one player: the fixed point of a single turn, which
// costs 1.
func (b *valueTable) solveSingle(w *worker, i int) {
	n := b.newTurnStart(w, 0, i, 0)
	x := extrapolate(n.row, i)
	for step := 1; ; step++ {
		v := b.turnValue(w, &n, x) - 1
		if change := math.Abs(v - x); change <= newtonTolerance*max(1, -v) || step == maxNewtonSteps {
			b.afterPass[0][0][i] = v
			w.residual = max(w.residual, change)
			return
		}
		if b.players[0] == nil {
			b.linearize(w, &n)
		}
		x = (n.worth - 1) / n.leave
	}
}

// extrapolate returns row[own], extrapolated linearly from the next two values of row
// or, at the end of the row, their maximum.
func extrapolate(row []float64, own int) float64 {
	if own+2 < len(row) {
		return 2*row[own+1] - row[own+2]
	}
	return slices.Max(row[own:])
}
