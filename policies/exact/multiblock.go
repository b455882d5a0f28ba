package exact

import (
	"math"

	"pigpen/env"
)

// A turnEffect is what a turn leads to, without the part in which it leaves the banked
// scores unchanged: win probabilities by position in the block, expected numbers of
// turns and decisions. That part has the probability stay, and leave is 1 - stay.
type turnEffect struct {
	win              [env.MaxPlayers]float64
	turns, decisions float64
	stay, leave      float64
}

// mix returns (1-c)·e + c·other.
func (e *turnEffect) mix(c float64, other *turnEffect) (mixed turnEffect) {
	at := func(a, b float64) float64 { return float64((1-c)*a) + float64(c*b) }
	for k := range e.win {
		mixed.win[k] = at(e.win[k], other.win[k])
	}
	mixed.turns, mixed.decisions = at(e.turns, other.turns), at(e.decisions, other.decisions)
	mixed.stay, mixed.leave = at(e.stay, other.stay), at(e.leave, other.leave)
	return mixed
}

// A mover is a player of a block.
type mover struct {
	role, index, own int
	row              []float64
	state            env.State
	// bust is the value to the mover of a turn that leaves the scores unchanged, and
	// value that of its turn as of the last backup.
	bust, value float64
	effect      turnEffect
	// tooFar says that the last backup did not follow the turn as far as it may be right
	// to roll.
	tooFar bool
}

// A block is the n turns at one set of banked scores, each of which leads to the next
// if it leaves the scores unchanged. All else that they lead to is known.
type block struct {
	scores []int
	// period is the number of turns that differ: n unless the players are alike and
	// the scores repeat.
	period int
	movers []mover // of one period
	// after[m] is the future at the start of the turn of position m.
	after []turnEffect
}

const (
	// togetherPasses bounds the passes in which all movers of a block improve at once;
	// most blocks take two or three.
	togetherPasses = 12
	// inTurnPasses bounds those in which one mover improves after the other.
	inTurnPasses = 24
)

// setBlock begins the block with the given banked scores, in turn order.
func (b *multiTable) setBlock(w *multiWorker, scores []int) {
	n := b.rules.players
	bl := &w.block
	bl.scores, bl.period = scores, n
	if b.roles == 1 {
		bl.period = period(scores)
	}
	bl.movers = bl.movers[:0]
	for m := range bl.period {
		p := mover{role: b.roleOf(m), index: b.rowIndex(scores, m), own: scores[m]}
		p.row = b.row(p.role, p.index)
		p.state.Seat = int8(m)
		for k, score := range scores {
			p.state.Scores[k] = int16(score)
		}
		bl.movers = append(bl.movers, p)
	}
}

// period returns the least rotation that leaves the scores as they are.
func period(scores []int) int {
	n := len(scores)
next:
	for d := 1; d < n; d++ {
		for i := range scores {
			if scores[i] != scores[(i+d)%n] {
				continue next
			}
		}
		return d
	}
	return n
}

// solveBlock computes the futures of a block. Where players optimize, it looks for an
// equilibrium: first with the movers that improve all at once, from values that are
// extrapolated from higher scores; then with one mover after the other; then in mixed
// decisions.
func (b *multiTable) solveBlock(w *multiWorker, scores []int) {
	b.setBlock(w, scores)
	bl := &w.block
	optimizing := 0
	for m := range bl.movers {
		if p := &bl.movers[m]; b.players[m] != nil {
			b.follow(w, m, b.players[m])
		} else {
			optimizing++
			p.bust = min(1, max(0, extrapolate(p.row[:b.target+b.maxGain+1], p.own)))
		}
	}
	if optimizing == 0 {
		b.solveCycle(bl)
		b.storeBlock(w)
		return
	}
	settled := b.improveTogether(w)
	// A single mover who optimizes against fixed policies settles; one that stands for all
	// the players of a block with repeating scores may not.
	if !settled && (optimizing > 1 || bl.period < b.rules.players) {
		settled = b.improveInTurn(w, inTurnPasses) || b.searchBlock(w)
	}
	if !settled {
		w.unsettled = append([]int(nil), scores...)
	}
	b.storeBlock(w)
}

// improveTogether lets all optimizing movers improve at once until none changes, and
// reports whether they have come to that.
func (b *multiTable) improveTogether(w *multiWorker) bool {
	bl := &w.block
	for range togetherPasses {
		for m := range bl.movers {
			if b.players[m] == nil {
				b.respond(w, m)
			}
		}
		b.solveCycle(bl)
		if b.moveBusts(bl) <= newtonTolerance {
			return true
		}
	}
	return false
}

// improveInTurn lets one optimizing mover improve after the other until none changes,
// and reports whether they have come to that.
func (b *multiTable) improveInTurn(w *multiWorker, passes int) bool {
	bl := &w.block
	for range passes {
		change := 0.0
		for m := range bl.movers {
			if b.players[m] == nil {
				b.respond(w, m)
				b.solveCycle(bl)
				change = max(change, b.moveBusts(bl))
			}
		}
		if change <= newtonTolerance {
			return true
		}
	}
	return false
}

// moveBusts sets the value of a bust to each optimizing mover to what follows it, and
// returns the largest change.
func (b *multiTable) moveBusts(bl *block) (change float64) {
	for m := range bl.movers {
		if b.players[m] == nil {
			p := &bl.movers[m]
			x := bl.after[(m+1)%len(bl.after)].win[m]
			change = max(change, math.Abs(x-p.bust))
			p.bust = x
		}
	}
	return change
}

// respond sets the effect of the turn of mover m to that of the decisions that are best
// at its bust.
func (b *multiTable) respond(w *multiWorker, m int) {
	p := &w.block.movers[m]
	row := b.backupTurn(w, m, p.bust, marginWins)
	b.keepActions(w, m, row)
	b.setEffect(w, m, w.turn.forward(p.own, nil, p.state, row))
}

// backupTurn computes the value of each score of the turn of mover m if a bust has the
// given value, in w.turn.value, and returns the values of holding.
func (b *multiTable) backupTurn(w *multiWorker, m int, bust, margin float64) (row []float64) {
	p := &w.block.movers[m]
	top := b.target - 1
	row = p.row[:b.target+b.maxGain+1]
	if b.afterRound {
		row, top = b.finalRow(w, m, bust)
	}
	wiped := bust
	if p.own > 0 {
		wiped = p.row[0]
	}
	p.value = w.turn.backup(p.own, row, top, bust, wiped, bust, margin)
	return row
}

// follow sets the effect of the turn of mover m to that of a policy.
func (b *multiTable) follow(w *multiWorker, m int, policy env.Player) {
	p := &w.block.movers[m]
	b.setEffect(w, m, w.turn.forward(p.own, policy, p.state, nil))
}

// setEffect sets the effect of the turn of mover m to that of a turn with the given end,
// whose banked scores are in w.turn.
func (b *multiTable) setEffect(w *multiWorker, m int, end turnEnd) {
	n := b.rules.players
	p, t := &w.block.movers[m], &w.turn
	e := &p.effect
	*e = turnEffect{turns: 1, decisions: end.decisions, stay: end.stay, leave: end.won}
	e.win[m] = end.won
	add := func(chance float64, own int) {
		e.leave += chance
		e.win[m] += float64(chance * p.row[own])
		at := b.target + b.maxGain + 1 + own
		for k := 1; k < n; k++ {
			e.win[(m+k)%n] += float64(chance * p.row[at])
			at += b.target
		}
		e.turns += float64(chance * p.row[at])
		e.decisions += float64(chance * p.row[at+b.target])
	}
	switch {
	case p.own == 0:
		e.stay += end.wiped
	case end.wiped > 0:
		add(end.wiped, 0)
	}
	for h := t.low; h <= t.top; h++ {
		switch c := t.bank[h]; {
		case c == 0:
		case h < b.target:
			add(c, h)
		default:
			e.leave += c
			b.addFinal(w, m, h, c, e)
		}
	}
}

// solveCycle computes the futures of the block for the effects of its turns: linear
// equations, X_m = E_m + stay_m·X_{m+1}, in a cycle. If the players pass the turn to
// each other for ever, nobody wins.
func (b *multiTable) solveCycle(bl *block) {
	n := b.rules.players
	if len(bl.after) != n {
		bl.after = make([]turnEffect, n)
	}
	first, through, leave := turnEffect{}, 1.0, 0.0
	for m := range n {
		b.addEffect(&first, through, bl, m)
		e := &bl.movers[m%bl.period].effect
		leave += float64(through * e.leave)
		through *= e.stay
	}
	if leave > 0 {
		for k := range n {
			first.win[k] /= leave
		}
		first.turns /= leave
		first.decisions /= leave
	} else {
		first = turnEffect{turns: math.Inf(1), decisions: math.Inf(1)}
	}
	bl.after[0] = first
	for m := n - 1; m > 0; m-- {
		x := turnEffect{}
		b.addEffect(&x, 1, bl, m)
		next, stay := &bl.after[(m+1)%n], bl.movers[m%bl.period].effect.stay
		if stay > 0 {
			for k := range n {
				x.win[k] += float64(stay * next.win[k])
			}
			x.turns += float64(stay * next.turns)
			x.decisions += float64(stay * next.decisions)
		}
		bl.after[m] = x
	}
}

// addEffect adds chance times the effect of the turn at position m.
func (b *multiTable) addEffect(to *turnEffect, chance float64, bl *block, m int) {
	n := b.rules.players
	shift := m - m%bl.period
	e := &bl.movers[m%bl.period].effect
	for k := range n {
		to.win[(k+shift)%n] += float64(chance * e.win[k])
	}
	to.turns += float64(chance * e.turns)
	to.decisions += float64(chance * e.decisions)
}

// storeBlock writes the futures of the block to the table, and notes their residual and
// what a mover could gain.
func (b *multiTable) storeBlock(w *multiWorker) {
	n := b.rules.players
	bl := &w.block
	for m := range bl.movers {
		p := &bl.movers[m]
		now, next := &bl.after[m], &bl.after[(m+1)%n]
		own := p.effect.win[m] + float64(p.effect.stay*next.win[m])
		w.residual = max(w.residual, math.Abs(own-now.win[m]))
		if b.players[m] == nil {
			w.deviation = max(w.deviation, p.value-now.win[m])
			if p.tooFar {
				w.unsettled = append([]int(nil), bl.scores...)
			}
		}
		set := func(at int, value float64, relative bool) {
			if p.own == 0 && b.wipes {
				change := math.Abs(value - p.row[at])
				if relative {
					change /= value
				}
				if math.IsNaN(change) {
					change = 0 // infinite, as before
				}
				w.change = max(w.change, change)
			}
			p.row[at] = value
		}
		for k := range n {
			set(b.part(k)+p.own, next.win[(m+k)%n], false)
		}
		set(b.part(n)+p.own, next.turns, true)
		set(b.part(n+1)+p.own, next.decisions, true)
	}
}

// keepActions stores the decisions of the last backup for mover m, which had the values
// row of holding.
func (b *multiTable) keepActions(w *multiWorker, m int, row []float64) {
	if b.actions == nil {
		return
	}
	p := &w.block.movers[m]
	at := p.index*b.actionRow + b.actionStart[p.own]
	to := b.actions[p.role][at : at+(b.width-1-p.own+7)/8]
	value := w.turn.value
	h := p.own + 1
	for i := range to {
		bits := byte(0)
		for bit := byte(1); bit != 0 && h < b.width && h < len(row); bit <<= 1 {
			if value[h] != row[h] {
				bits |= bit
			}
			h++
		}
		to[i] = bits
	}
}
