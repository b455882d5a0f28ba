package env

// playOthers plays the turns of the others with packed moves; see [engine].
func (e *packedEngine) playOthers(games []int, o *others, b *Batch) (over []int) {
	over = games[:0]
	for _, i := range games {
		learner := o.learners[i]
		seating, ended := o.seatings[learner], false
		for seat := e.seat(e.load(i)); seat != learner && !ended; seat = e.seat(e.load(i)) {
			ended = e.playTurn(i, &seating[seat])
		}
		if ended {
			over = append(over, i)
		} else {
			e.show(i, b)
		}
	}
	return over
}

// playTurn plays the turn that begins in game i and reports whether it ends the game.
func (e *packedEngine) playTurn(i int, p *seatedPlayer) (over bool) {
	e.unpack(e.load(i), &e.scratch)
	if at, ok := p.holdsAt(&e.scratch); ok {
		return e.playToThreshold(i, at)
	}
	p.playAsked(&e.game, &e.scratch, &e.rands[i])
	s, m := e.pack(&e.scratch)
	e.store(i, s, m)
	return e.scratch.Over
}

// playToThreshold is [Game.playToThreshold] in game i, and reports whether the turn
// ends the game. The only branch that depends on dice is the end of the loop.
func (e *packedEngine) playToThreshold(i, holdsAt int) (over bool) {
	s, r, slots := e.states[i], e.rands[i], uint64(e.game.table.slots)
	own, held, toWin := int(s.own()), 0, 1<<15 // more than any turn total
	if !e.afterRound {
		toWin = int(e.game.target) - own
	}
	if e.byHeld {
		held = own
	}
	bound := uint64(max(0, min(holdsAt, toWin)))
	total, next := uint64(0), uint64(0)
	var m packedMove
	for {
		r.state += weyl
		x := mix64(r.state) >> 32 * slots // as in Rand.Below
		if uint64(uint32(x)) < slots {
			x = r.redraw(uint32(slots), x)
		}
		m = e.moves[held][(x>>32+1)%movesPerRow]
		if m == packedMove(undrawn) {
			m = e.drawRest(held, &r)
		}
		// This adds the points or, if the turn passes or another roll must follow, at least
		// 1<<16.
		if next = total + uint64(m>>16); next >= bound {
			if m&packedMove(mustRoll) == 0 {
				break
			}
			if next &= uint64(lane0); next >= uint64(toWin) {
				break
			}
		}
		total = next
		if e.byHeld {
			held = own + int(total)
		}
	}
	e.rands[i] = r
	switch {
	case m&movePass != 0:
		s |= packedState(total) << 16
		s = s.after(m)
	case next >= uint64(toWin):
		s |= packedState(next) << 16
	default:
		s |= packedState(next) << 16
		s = s.after(e.moves[0][0])
	}
	over = e.ends(s)
	if e.more != nil {
		more := e.more[i]
		if !over {
			s, more = e.rotation.rotated(s, more, ^packedMore(0))
			more = e.rotation.seated(more, ^packedMore(0))
			over = e.afterRound && more.seat() == 0 && e.reached(s, more)
		}
		e.more[i] = more
	}
	e.states[i] = s
	if over {
		e.setOver(i)
	}
	return over
}
