package env

import (
	"cmp"
	"math/bits"
)

// advanceAll takes the actions, which must be legal, in all games, writes the
// rows of b as if every game were under way, and sets e.ended. A game that has
// ended is left in the state that finish expects.
func (e *packedEngine) advanceAll(actions []Action, b *Batch) {
	clear(e.ended)
	i, n := 0, len(e.states)
	if e.kernel != nil {
		for whole := n &^ 3; ; i += 4 {
			if i = stepKernel(e.kernel, e, &actions[0], b, i, whole); i == whole {
				break
			}
			e.stepScalar(actions, b, i, i+4)
		}
		if e.game.table.rest != nil {
			e.finishRolls(b)
		}
	}
	if i < n {
		e.stepScalar(actions, b, i, n)
	}
	if e.again {
		e.forbidHold(b.Legal)
	}
}

// forbidHold makes Hold illegal in the games whose last roll must be followed by another.
func (e *packedEngine) forbidHold(legal []bool) {
	canHold, legal := e.canHold[:len(e.states)], legal[:NumActions*len(e.states)]
	for i, s := range e.states {
		canHold[i] &^= bit(s&mustRoll != 0)
		l := legal[:NumActions]
		l[Hold] = canHold[i] != 0
		legal = legal[NumActions:]
	}
}

// stepScalar does what stepKernel does, one game at a time, for the games in
// [i, n), which must not be empty.
func (e *packedEngine) stepScalar(actions []Action, b *Batch, i, n int) {
	e.advanceScalar(actions, i, n)
	e.showScalar(b, i, n)
}

// advanceScalar takes the actions of the games in [i, n) and sets their bits of
// e.ended.
func (e *packedEngine) advanceScalar(actions []Action, i, n int) {
	for ; i < n; i++ {
		i += e.advanceRun(e.rands[i:n], e.states[i:n], actions[i:n])
		switch {
		case i == n:
			return
		case !e.ends(e.states[i]):
			e.advanceRedrawn(i, actions[i])
		}
		if e.ends(e.states[i]) {
			e.ended[i/32] |= 1 << (i % 32 * 2)
		}
	}
}

// advanceRun takes actions until a game ends or a roll takes more than one word of the
// generator, and returns the index of that game, or len(states). A game that ends has been
// advanced; one whose roll may take more words has not. Because advanceRun
// calls no function, the compiler keeps its variables in registers.
func (e *packedEngine) advanceRun(rands []Rand, states []packedState, actions []Action) int {
	rands, actions = rands[:len(states)], actions[:len(states)]
	slots, moves, target := uint64(e.game.table.slots), e.moves, e.endTarget
	byHeld, afterRound := e.byHeld, e.endAfterRound
	for i, s := range states {
		a := uint64(actions[i] & 1)
		rand := rands[i].state + weyl&-a
		n := slots & -a
		x := mix64(rand) >> 32 * n // as in Rand.Below
		if uint64(uint32(x)) < n {
			return i
		}
		held := uint16(0)
		if byHeld {
			held = uint16(s + s>>16)
		}
		m := moves[held][(x>>32+a)%movesPerRow]
		if m == packedMove(undrawn) {
			return i
		}
		rands[i].state = rand
		s = s.after(m)
		states[i] = s
		if ends(s, target, afterRound) {
			return i
		}
	}
	return len(states)
}

// advanceRedrawn takes an action in game i, with as many words of the generator as the roll
// takes.
func (e *packedEngine) advanceRedrawn(i int, a Action) {
	k := uint32(0)
	if a == Roll {
		k = 1 + e.rands[i].Below(uint32(e.game.table.slots))
	}
	s := e.states[i]
	s = s.after(e.moves[e.held(s)][k])
	if s&undrawn != 0 {
		s = e.finishRoll(i, s)
	}
	e.states[i] = s
}

// held returns the index in moves of the row of s.
func (e *packedEngine) held(s packedState) uint16 {
	if e.byHeld {
		return uint16(s + s>>16)
	}
	return 0
}

// finishRoll draws the roll of game i, whose state s is undrawn, and returns the state
// after it.
func (e *packedEngine) finishRoll(i int, s packedState) packedState {
	s &^= undrawn
	return s.after(e.drawRest(int(e.held(s)), &e.rands[i]))
}

// drawRest draws the roll of a slot that has none, for a mover who holds held points, and
// returns what it does.
func (e *packedEngine) drawRest(held int, r *Rand) packedMove {
	c := e.game.table
	return moveOf(c.outcome(held, c.rest.draw(r)))
}

// finishRolls draws the rolls that the kernel has left undrawn, in games that e.ended
// marks, and updates their rows of b and of e.ended.
func (e *packedEngine) finishRolls(b *Batch) {
	for k, word := range e.ended {
		for word = (word | word>>1) & evenBits; word != 0; word &= word - 1 {
			i := 32*k + bits.TrailingZeros64(word)/2
			if s := e.states[i]; s&undrawn != 0 {
				s = e.finishRoll(i, s)
				e.states[i] = s
				e.show(i, b)
				if !e.ends(s) {
					e.ended[k] &^= 3 << (i % 32 * 2)
				}
			}
		}
	}
}

func (e *packedEngine) ends(s packedState) bool {
	return ends(s, e.endTarget, e.endAfterRound)
}

func (e *packedEngine) step(actions []Action, inactive []int, b *Batch) []int {
	e.advanceAll(actions, b)
	if e.more != nil {
		e.rotateAll(b)
	}
	for _, i := range inactive {
		e.states[i] = allLegal
		e.show(i, b)
	}
	e.finished = e.finished[:0]
	for k, word := range e.ended {
		for word = (word | word>>1) & evenBits; word != 0; word &= word - 1 {
			if i := 32*k + bits.TrailingZeros64(word)/2; e.active[i] {
				e.finish(i, b)
				e.finished = append(e.finished, i)
			}
		}
	}
	return e.finished
}

// rotateAll completes a step of all games of three players or more: where the turn has
// passed, it moves the scores by a seat. It writes the observations and the seats of
// all games, and, in games that end after a round, sets e.ended.
func (e *packedEngine) rotateAll(b *Batch) {
	states, more, seats, r := e.states, e.more[:len(e.states)], b.Seats[:len(e.states)], e.rotation
	for i, s := range states {
		// A turn total of 0 after a step means that the turn has passed.
		passed := packedMore(int64(s>>16&lane0-1) >> 63)
		s, m := r.rotated(s, more[i], passed)
		m = r.seated(m, passed)
		states[i], more[i], seats[i] = s, m, int8(m.seat())
	}
	if e.afterRound {
		e.endRounds()
	}
	e.showMore(b.Observations)
}

// endRounds sets the bits of e.ended, after a step, of the games that have ended with their
// round.
func (e *packedEngine) endRounds() {
	for i, s := range e.states {
		if m := e.more[i]; e.reached(s, m) && m.seat() == 0 && s&lane1 == 0 {
			e.ended[i/32] |= 1 << (i % 32 * 2)
		}
	}
}

// showMore writes the observations of all games, of three players or more, as if they
// were under way.
func (e *packedEngine) showMore(observations []int16) {
	columns, afterRound, last := e.columns, e.afterRound, e.rotation.last&63
	more, lastSeat := e.more[:len(e.states)], e.players-1
	j := 0
	for i, s := range e.states {
		m := more[i]
		row := observations[j:][:columns:columns]
		j += columns
		// The compiler joins the first four stores.
		head, tail := s&^lane3|packedState(m)<<48, m>>16
		_ = row[3]
		row[0], row[1], row[2], row[3] = int16(head), int16(head>>16), int16(head>>32), int16(head>>48)
		if afterRound {
			tail = tail&(1<<last-1) | packedMore(lastSeat-m.seat())<<last
		}
		if len(row) > 4 {
			row[4] = int16(tail)
		}
		if len(row) > 5 {
			row[5] = int16(tail >> 16)
		}
		if len(row) > 6 {
			row[6] = int16(tail >> 32)
		}
	}
}

const evenBits = 0x5555555555555555

// finish gives game i, which has ended, its final state, and writes its rewards
// and Terminated.
func (e *packedEngine) finish(i int, b *Batch) {
	e.setOver(i)
	b.Terminated[i] = true
	s := e.states[i]
	if e.more != nil {
		e.unpack(e.load(i), &e.scratch)
		for seat := range e.players {
			b.Rewards[e.players*i+seat] = float32(e.game.Return(e.scratch, seat))
		}
		return
	}
	won := cmp.Compare(s.own(), s.other())
	seat := int(e.seat(e.load(i)))
	b.Rewards[2*i+seat], b.Rewards[2*i+1-seat] = float32(won), float32(-won)
}

// setOver gives game i, which has ended, its final state, in which lane 0 is that of
// the seat that moved last.
func (e *packedEngine) setOver(i int) {
	s := e.states[i]
	switch {
	case !e.afterRound: // which has not passed the turn
		s = s&^(lane0|lane1|mustRoll) | (s+s>>16)&lane0
	case e.more == nil:
		s = s&lane0<<32 | s>>32&lane0
	default: // back by one seat, from seat 0 to the last
		m, last := e.more[i], (e.players-3)*16
		e.more[i] = m&(1<<last-1)<<16 | packedMore(s>>32&lane0) | m>>moreFirstShift<<moreFirstShift | packedMore(e.players-1)<<moreSeatShift
		s = s&lane0<<32 | packedState(m>>last)&lane0
	}
	e.states[i] = s | gameOver
}

// showScalar writes the rows of the games in [first, n) as if they were under way.
// It writes four columns in each row but the last; in games with three columns
// the next row overwrites the fourth.
func (e *packedEngine) showScalar(b *Batch, first, n int) {
	last := n - 1
	states, columns := e.states[first:last], e.columns
	observations, legal, seats, canHold := b.Observations[first*columns:], b.Legal[2*first:2*last], b.Seats[first:last], e.canHold[first:last]
	flip := int8(0)
	if e.afterRound {
		flip = 1 // lane 3 is the number of seats after: 1 - seat
	}
	j := 0
	for i, s := range states {
		o := observations[j:][:4:4]
		o[0], o[1], o[2], o[3] = int16(s), int16(s>>16), int16(s>>32), int16(s>>48)
		j += columns
		hold := s&lane1 != 0
		l := legal[2*i:][:2:2]
		l[Hold], l[Roll] = hold, true
		canHold[i] = bit(hold)
		seats[i] = int8(s>>48) ^ flip
	}
	e.show(last, b)
}
