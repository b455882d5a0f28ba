package exact

import (
	"context"
	"math"
	"slices"

	"pigpen/env"
)

// A board holds what each player of a game has of every pair of banked scores:
// where one of them, or both, play their best.
//
// The players are told apart by role. In games that end at the target, a role
// is a player, wherever the player sits; in games that end after a round, role
// 0 begins the rounds.
type board struct {
	*rules
	players [2]env.Player // by role; nil plays its best
	// passed[role][other][own] is what role has after passing the turn with own
	// banked, the other player having other: with two players the probability
	// of winning; with one player, minus the turns that are yet to begin. If mirrored,
	// both roles share one table.
	passed   [2][][]float64
	mirrored bool
	// wiped is what passed was thought to be at an own score of 0; it is used
	// where a roll costs the banked score.
	wiped    [2][]float64
	margin   float64 // see turn.best
	residual float64
}

// Rounding moves the value of a turn by less than this: in win probability,
// and in turns.
const (
	marginWins  = 1e-14
	marginTurns = 1e-12
)

func newBoard(r *rules, players [2]env.Player) *board {
	b := &board{rules: r, players: players, margin: marginWins}
	b.mirrored = r.players == 2 && !r.afterRound && players == [2]env.Player{}
	others, atTarget := r.target, 1.0
	if r.players == 1 {
		others, atTarget, b.margin = 1, 0, marginTurns
	}
	for role := range r.players {
		if role == 1 && b.mirrored {
			b.passed[1], b.wiped[1] = b.passed[0], b.wiped[0]
			break
		}
		b.wiped[role] = make([]float64, others)
		b.passed[role] = make([][]float64, others)
		n := r.target
		if role == 1 || !r.afterRound {
			n += r.maxGain + 1
		}
		all := make([]float64, others*n)
		for other := range b.passed[role] {
			row := all[other*n : (other+1)*n : (other+1)*n]
			for own := r.target; own < n; own++ {
				row[own] = atTarget
			}
			b.passed[role][other] = row
		}
	}
	return b
}

// solve fills the board.
func (b *board) solve(ctx context.Context, o Options) (err error) {
	crew := newCrew(b.rules, o)
	likely := b.likelySweeps()
	if b.players != [2]env.Player{} {
		likely = b.longSweeps()
	}
	b.residual, err = b.settle(o, likely,
		func(report func(float64)) (float64, error) {
			return b.sweep(ctx, crew, b.mirrored, b.cycle, b.byLength, report)
		},
		b.carry)
	return err
}

// carry takes the values found for an own score of 0 as those of wiped scores,
// and returns how far they differ from what was taken before.
func (b *board) carry() (change float64) {
	for role := range b.rules.players {
		for other, row := range b.passed[role] {
			change = max(change, math.Abs(row[0]-b.wiped[role][other]))
			b.wiped[role][other] = row[0]
		}
	}
	return change
}

// A node is the beginning of a turn.
type node struct {
	role, own, other int
	row              []float64 // of passed
	wiped            float64
	// How the turn is played, fixed or as it was best when last looked at: the
	// value of the turn is worth + stay·bust, and leave is 1 - stay.
	worth, stay, leave float64
}

func (b *board) node(w *worker, role, own, other int) node {
	n := node{role: role, own: own, other: other}
	n.row = b.passed[role][other]
	if b.wipes {
		n.wiped = b.wiped[role][other]
	}
	if b.players[role] != nil {
		b.follow(w, &n)
	}
	return n
}

// value returns what the turn is worth if a turn that leaves the scores as
// they were is worth bust.
func (b *board) value(w *worker, n *node, bust float64) float64 {
	if b.players[n.role] != nil {
		return n.worth + float64(n.stay*bust)
	}
	top := b.target - 1
	if b.afterRound && n.role == 0 {
		top = b.lastRoll(n.other, bust)
		n.row = b.rowTo(w, 0, n.other, top+b.maxGain)
	}
	wiped := n.wiped
	if n.own == 0 {
		wiped = bust
	}
	return w.turns[n.role].best(n.own, n.row, top, bust, wiped, bust, b.margin)
}

// follow finds how the turn is played by its policy or, without one, as value
// found it best.
func (b *board) follow(w *worker, n *node) {
	t := &w.turns[n.role]
	e := t.follow(n.own, b.players[n.role], stateOf(n.role, n.own, n.other), n.row)
	n.row = b.rowTo(w, n.role, n.other, t.top)
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

// rowTo makes passed[role][other] long enough for an own score of top, and
// returns it.
func (b *board) rowTo(w *worker, role, other, top int) []float64 {
	row := b.row(&w.chaser, role, other, top)
	b.passed[role][other] = row
	return row
}

// row returns what role has after passing the turn, by own score up to top at
// least: passed[role][other] or a longer copy.
func (b *board) row(t *turn, role, other, top int) []float64 {
	if other >= b.target { // the last turn of the game
		row := make([]float64, top+1)
		for own := range row {
			row[own] = share(own, other)
		}
		return row
	}
	row := b.passed[role][other]
	if len(row) <= top {
		row = slices.Clip(row) // others may be reading it
	}
	for own := len(row); own <= top; own++ {
		end := 1.0 // role 1 has ended the game
		if role == 0 {
			end -= b.chased(t, other, own)
		}
		row = append(row, end)
	}
	return row
}

// failed returns what role has of a bust, and of a roll that costs the banked
// score.
func (b *board) failed(role, own, other int) (bust, wiped float64) {
	if other >= b.target {
		return 0, 0
	}
	bust = b.passed[role][other][own]
	if own == 0 || !b.wipes {
		return bust, bust
	}
	return bust, b.wiped[role][other]
}

// chased returns what the last player to move of a last round has, with score
// own against the leader's.
func (b *board) chased(t *turn, own, leader int) float64 {
	if b.players[1] == nil {
		if d := leader - own; d < len(b.chase) {
			return b.chase[d]
		}
		return 0
	}
	t.follow(own, b.players[1], stateOf(1, own, leader), nil)
	wins := 0.0
	for h := max(leader, t.low); h <= t.top; h++ {
		wins += float64(t.bank[h] * share(h, leader))
	}
	return wins
}

const (
	// settled is how far two values may lie apart that should be equal.
	settled = 2e-15
	// maxSteps bounds the steps in a cycle. Two or three do as a rule.
	maxSteps = 200
)

// cycle finds what both players have of the scores i, of role 0, and j, of
// role 1.
//
// What role 0 has of its turn is an increasing function of x, its value of a
// roll that gains nothing, which passes the turn with the scores as they were.
// It is piecewise linear: linear as long as the turn is played in one way. So
// is what role 1 has, of its own such value, which is 1 minus what role 0 has.
// Newton's method finds the x that comes back after both: it takes the way
// that is best at an x, and goes to the fixed point of that way, which is
// policy iteration in another guise (M. L. Puterman, S. L. Brumelle, "On the
// convergence of policy iteration in stationary dynamic programming", 1979).
func (b *board) cycle(w *worker, i, j int) {
	if b.rules.players == 1 {
		b.alone(w, i)
		return
	}
	n0, n1 := b.node(w, 0, i, j), b.node(w, 1, j, i)
	x, leave := min(1, max(0, guess(n0.row, i))), 1.0
	done := func(x0, x1, change float64) {
		b.passed[0][j][i], b.passed[1][i][j] = x0, x1
		w.residual = max(w.residual, change)
	}
	for step := 1; ; step++ {
		v0 := b.value(w, &n0, x)
		v1 := b.value(w, &n1, 1-v0)
		// Where a turn leaves the scores as they were nearly always, x may be
		// far from a fixed point that it seems to be near.
		change := math.Abs(1 - v1 - x)
		if change <= settled*leave || step == maxSteps {
			done(1-v1, 1-v0, change)
			return
		}
		if b.players[0] == nil {
			b.follow(w, &n0)
		}
		if b.players[1] == nil {
			b.follow(w, &n1)
		}
		last := x
		x = 1 - v1 // always nearer to the fixed point, if only a little
		if leave = n0.leave + float64(n0.stay*n1.leave); leave > 0 && step%8 != 0 {
			s0 := (n0.worth + float64(n0.stay*(n1.leave-n1.worth))) / leave
			x = n1.leave - n1.worth + float64(n1.stay*s0)
			if math.Abs(x-last) <= settled {
				done(x, 1-s0, change)
				return
			}
		}
	}
}

// alone is cycle for one player: the fixed point of a single turn, for which
// the player pays 1.
func (b *board) alone(w *worker, i int) {
	n := b.node(w, 0, i, 0)
	x := guess(n.row, i)
	for step := 1; ; step++ {
		v := b.value(w, &n, x) - 1
		if change := math.Abs(v - x); change <= settled*max(1, -v) || step == maxSteps {
			b.passed[0][0][i] = v
			w.residual = max(w.residual, change)
			return
		}
		if b.players[0] == nil {
			b.follow(w, &n)
		}
		x = (n.worth - 1) / n.leave
	}
}

// guess continues the row to own from the two values after it.
func guess(row []float64, own int) float64 {
	if own+2 < len(row) {
		return 2*row[own+1] - row[own+2]
	}
	return slices.Max(row[own:])
}
