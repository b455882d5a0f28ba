package exact

import (
	"math"
	"sync"

	"pigpen/env"
)

// A finalTable has what follows in the last round of a game that ends after a round, once
// somebody has banked the target, if every player optimizes. What counts is then how far
// those who still act are behind the leader, and how many share the lead.
type finalTable struct {
	limit int // deficits are in [1, limit]
	// futures[k] is for k players who still act, behind by d_1, …, d_k in turn order:
	// k + 3 numbers for each, at an index of ((lead·(limit+1) + d_1)·(limit+1) + …) + d_k,
	// where lead + 1 players share the lead. They are the win probability of each of
	// the leaders, of each who still acts, turns and decisions.
	futures [][]float64
}

// lastRollAbove returns the highest score, banked and in the turn, at which a player may
// do better by rolling than by holding, if the players with the given scores, all below
// the target, act after it in the round: [rules.lastRoll] for any number of others. They
// win or share the win with a probability of at most Σ catchUp[d_i] from d_i behind.
func (r *rules) lastRollAbove(others []int, bust float64) int {
	if len(others) == 0 {
		return r.target - 1
	}
	o := r.at(0)
	limit := float64((o.bust+o.wipe)*(1-bust)) / (1 - o.stop)
	for h := r.target; ; h++ {
		sum := 0.0
		for _, other := range others {
			if d := h - other; d < len(r.catchUp) {
				sum += r.catchUp[d]
			}
		}
		if sum <= limit {
			return h - 1
		}
	}
}

// finalBytes returns the memory of the table's final rounds.
func finalBytes(b *multiTable) float64 {
	n, bytes := b.rules.players, 0.0
	for k := 1; k < n; k++ {
		bytes += 8 * float64((n-k)*(k+3)) * math.Pow(float64(b.finalLimit()+1), float64(k))
	}
	return bytes
}

// finalLimit returns the largest deficit in a last round. A player banks no more than a
// roll below b.width yields or, in the last round, than a roll from the lead.
func (b *multiTable) finalLimit() int { return b.width - 1 + b.rules.players*b.maxGain }

// newFinalTable computes the final rounds.
func (b *multiTable) newFinalTable() *finalTable {
	n := b.rules.players
	f := &finalTable{limit: b.finalLimit(), futures: make([][]float64, n)}
	// A turn may take the lead by as much as a player below the target may be ahead of it.
	longest := f.limit + b.width + b.maxGain
	t := newTurn(b.rules, longest+ahead)
	row := make([]float64, longest)
	for k := 1; k < n; k++ {
		size := n - k
		for range k {
			size *= f.limit + 1
		}
		f.futures[k] = make([]float64, size*(k+3))
		deficits := repeat(1, k)
		for leaders := 1; leaders <= n-k; leaders++ {
			for {
				b.finalTurn(f, &t, row, leaders, deficits)
				i := k - 1
				for ; i >= 0 && deficits[i] == f.limit; i-- {
					deficits[i] = 1
				}
				if i < 0 {
					break
				}
				deficits[i]++
			}
		}
	}
	return f
}

// at returns the future of a last round with the given number of leaders.
func (f *finalTable) at(leaders int, deficits []int) []float64 {
	k := len(deficits)
	index := leaders - 1
	for _, d := range deficits {
		index = index*(f.limit+1) + d
	}
	return f.futures[k][index*(k+3) : (index+1)*(k+3)]
}

// finalTurn computes the future at the start of the turn of the first of the players
// with the given deficits.
func (b *multiTable) finalTurn(f *finalTable, t *turn, row []float64, leaders int, deficits []int) {
	behind, rest := deficits[0], deficits[1:]
	raised := make([]int, len(rest))
	// then returns the future after the turn, if it has gained x points.
	then := func(x int) (of []float64, leads bool) {
		switch {
		case x < behind:
			raised = append(raised[:0], rest...)
		case x == behind:
			raised, leads = append(raised[:0], rest...), true
		default:
			raised, leads = raised[:0], true
			for _, d := range rest {
				raised = append(raised, min(d+x-behind, f.limit)) // more does not occur
			}
		}
		lead := leaders
		if x == behind {
			lead++
		} else if x > behind {
			lead = 1
		}
		if len(rest) == 0 {
			return []float64{1 / float64(lead), 0, 0}, leads
		}
		return f.at(lead, raised), leads
	}
	top := behind
	if len(rest) > 0 {
		// The others have no points in the turn's count; the leader has behind.
		top = max(top, b.lastRollBehind(behind, rest))
	}
	for x := range top + b.maxGain + 1 {
		row[x] = 0
		if x >= behind {
			of, _ := then(x)
			row[x] = of[0]
		}
	}
	t.backup(0, row, top, 0, 0, 0, marginWins)
	end := t.forward(0, nil, env.State{}, row[:top+b.maxGain+1])
	k := len(deficits)
	to := f.at(leaders, deficits)
	clear(to)
	add := func(chance float64, x int) {
		of, leads := then(x)
		switch {
		case !leads:
			to[0] += float64(chance * of[0])
		case x == behind:
			to[0] += float64(chance * of[0])
			to[1] += float64(chance * of[0])
		default:
			to[1] += float64(chance * of[0])
		}
		for i := 1; i < k+2; i++ {
			to[1+i] += float64(chance * of[i]) // the others, turns and decisions
		}
	}
	for x := t.low; x <= t.top; x++ {
		if c := t.bank[x]; c > 0 {
			add(c, x)
		}
	}
	add(end.stay+end.wiped, 0)
	to[k+1]++
	to[k+2] += end.decisions
}

// finalHold returns the win probability of a player who holds at the given points of its
// turn, in a last round in which it, the first of those with the given deficits, is to move.
func (b *multiTable) finalHold(w *multiWorker, leaders int, deficits []int, points int) float64 {
	lead := points - deficits[0]
	switch {
	case lead < 0:
		return 0
	case lead > 0:
		leaders = 1
	default:
		leaders++
	}
	if len(deficits) == 1 {
		return 1 / float64(leaders)
	}
	w.behind = w.behind[:0]
	for _, d := range deficits[1:] {
		w.behind = append(w.behind, min(d+lead, b.final.limit))
	}
	return b.final.at(leaders, w.behind)[0]
}

// lastRollBehind is lastRollAbove for a player of a last round, in points of its turn:
// it is behind the leader by the given number of points, and rest are the deficits of
// those who act after it.
func (b *multiTable) lastRollBehind(behind int, rest []int) int {
	o := b.at(0)
	limit := float64(o.bust+o.wipe) / (1 - o.stop)
	for x := behind; ; x++ {
		sum := 0.0
		for _, d := range rest {
			if d := d + x - behind; d < len(b.catchUp) {
				sum += b.catchUp[d]
			}
		}
		if sum <= limit {
			// Drawing level is worth less than winning, so rolling may be better there.
			return max(behind, x-1)
		}
	}
}

// finalRow returns the values of holding for mover m of a block by own score, and the
// highest score at which it may roll if a bust has the given value.
func (b *multiTable) finalRow(w *multiWorker, m int, bust float64) (row []float64, top int) {
	p := &w.block.movers[m]
	after := w.block.scores[m+1:]
	top = b.lastRollAbove(after, bust)
	p.tooFar = top >= b.width
	top = min(top, b.width-1)
	if len(w.holds) < b.width+b.maxGain+1 {
		w.holds = make([]float64, b.width+b.maxGain+1)
	}
	copy(w.holds, p.row[:b.target])
	scores := p.state.Scores
	for h := b.target; h <= top+b.maxGain; h++ {
		switch {
		case len(after) == 0:
			w.holds[h] = 1
		case b.final != nil:
			w.holds[h] = b.final.at(1, w.deficits(h, after))[0]
		default:
			scores[m] = int16(h)
			w.holds[h] = b.finalFuture(w, m+1, scores, h).win[m]
		}
		if h < top && w.holds[h] >= 1-marginWins {
			top, p.tooFar = h, false // nothing can be worth more
		}
	}
	return w.holds[:top+b.maxGain+1], top
}

// deficits returns how far the given scores are behind a leader's.
func (w *multiWorker) deficits(leader int, scores []int) []int {
	w.behind = w.behind[:0]
	for _, score := range scores {
		w.behind = append(w.behind, leader-score)
	}
	return w.behind
}

// addFinal adds chance times the future after mover m of a block has banked h, the
// target or more.
func (b *multiTable) addFinal(w *multiWorker, m, h int, chance float64, e *turnEffect) {
	n := b.rules.players
	after := w.block.scores[m+1:]
	switch {
	case len(after) == 0:
		e.win[m] += chance
	case b.final != nil:
		of := b.final.at(1, w.deficits(h, after))
		for i := range n - m {
			e.win[m+i] += float64(chance * of[i])
		}
		e.turns += float64(chance * of[n-m])
		e.decisions += float64(chance * of[n-m+1])
	default:
		scores := w.block.movers[m].state.Scores
		scores[m] = int16(h)
		e.add(chance, b.finalFuture(w, m+1, scores, h))
	}
}

// add adds chance times the future of.
func (e *turnEffect) add(chance float64, of *turnEffect) {
	for k := range e.win {
		e.win[k] += float64(chance * of.win[k])
	}
	e.turns += float64(chance * of.turns)
	e.decisions += float64(chance * of.decisions)
}

// finalFutures has the futures of last rounds that have been computed, where a player
// has a policy. Such a player may look at every score.
type finalFutures [64]struct {
	mu    sync.Mutex
	known map[finalKey]*turnEffect
}

type finalKey struct {
	place  int8
	scores [env.MaxPlayers]int16
}

// finalFuture returns the future at the start of the turn of a place in a last round, in
// which the highest banked score is leader.
func (b *multiTable) finalFuture(w *multiWorker, place int, scores [env.MaxPlayers]int16, leader int) *turnEffect {
	n := b.rules.players
	key := finalKey{int8(place), scores}
	hash := uint(place)
	for _, score := range scores[:n] {
		hash = hash*31 + uint(score)
	}
	shard := &b.finals[hash%uint(len(b.finals))]
	shard.mu.Lock()
	e := shard.known[key]
	shard.mu.Unlock()
	if e != nil {
		return e
	}
	e = new(turnEffect)
	if place == n {
		tied := 0
		for _, score := range scores[:n] {
			if int(score) == leader {
				tied++
			}
		}
		for seat, score := range scores[:n] {
			if int(score) == leader {
				e.win[seat] = 1 / float64(tied)
			}
		}
		return e
	}
	own := int(scores[place])
	after := func(h int) *turnEffect {
		next := scores
		next[place] = int16(h)
		return b.finalFuture(w, place+1, next, max(leader, h))
	}
	// Turns inside one another need memory of their own.
	t := &w.finalTurns[place]
	p, row := b.players[place], []float64(nil)
	if p == nil {
		var rest []int
		for _, score := range scores[place+1 : n] {
			rest = append(rest, int(score))
		}
		top := max(leader, b.lastRollAbove(rest, 0))
		row = make([]float64, top+b.maxGain+1)
		for h := max(own, leader); h < len(row); h++ {
			row[h] = after(h).win[place]
		}
		if len(t.value) <= top+b.maxGain+ahead {
			*t = newTurn(b.rules, top+b.maxGain+ahead)
		}
		t.backup(own, row, top, 0, 0, 0, marginWins)
	}
	state := env.State{Scores: scores, Seat: int8(place)}
	end := t.forward(own, p, state, row)
	e.add(end.stay, after(own))
	if end.wiped > 0 {
		e.add(end.wiped, after(0))
	}
	for h := t.low; h <= t.top; h++ {
		if c := t.bank[h]; c > 0 {
			e.add(c, after(h))
		}
	}
	e.turns++
	e.decisions += end.decisions
	shard.mu.Lock()
	if shard.known == nil {
		shard.known = make(map[finalKey]*turnEffect)
	}
	shard.known[key] = e
	shard.mu.Unlock()
	return e
}
