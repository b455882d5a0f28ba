package env

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// A packedEngine plays games of two to five players. Its results are those of a
// [matchEngine], which is the plain reference; tests compare the two, and compare
// the arithmetic below with [Game.AfterRoll] and [Game.AfterHold].
//
// The state of a game is one word, a [packedState], and an action changes it by
// arithmetic on the word without a branch that depends on dice or action. A
// branch is taken only where a game ends or a roll is redrawn. The moves come
// from the variant's table of outcomes.
//
// Where the processor has AVX2, stepKernel steps four games at a time with the
// same arithmetic. The Go code steps the games that the kernel leaves, and all
// games on other processors.
type packedEngine struct {
	game       Game
	first      First
	afterRound bool
	players    int
	columns    int
	// The step that the kernel and stepScalar take ends a game as [ends] says for these.
	// With more than two players, rotateAll finds the ends of games that end after a round.
	endTarget     packedState
	endAfterRound bool
	rotation      rotation
	byHeld        bool
	again         bool // some rolls must be followed by another
	kernel        *kernelParams // nil where the kernel does not run

	// By game:
	rands     []Rand
	states    []packedState
	more      []packedMore // nil with two players
	canHold   []Action     // 1 where Hold is legal
	active    []bool       // an episode is under way
	suspended []packedGame // of games that are not active; see allLegal

	// ended has two bits for each game, 32 games a word. After a step, one or both
	// bits of a game are set if it has ended; games that are not active may have
	// bits set.
	ended []uint64
	// finished lists the active games among them.
	finished []int
	// moves[held][0] is what Hold does, and moves[held][1+i] what the roll of slot i
	// of the outcomeTable does to a mover who holds held points. held is always 0 if the outcomes do not depend
	// on it.
	moves [][movesPerRow]packedMove
	// scratch is the state that playTurn shows to players; as a field it is not
	// allocated in each call.
	scratch State
}

// A packedGame is the generator and the state of one game.
type packedGame struct {
	rand  Rand
	state packedState
	more  packedMore // 0 with two players
}

// A packedMore is the part of the state of a game of three to five players that a
// packedState does not hold, in four lanes of 16 bits, the lowest first:
//
//	0  banked score of the seat two places after the seat to move
//	1  with four players or more, of the seat three places after it; else 0
//	2  with five players, of the seat four places after it; else 0
//	3  the seat to move and, from bit 8 of the lane, the seat that began the game
//
// Lane 3 of the packedState then has no meaning, except for gameOver, mustRoll and undrawn. When
// the turn passes, the kernel and stepScalar exchange lanes 0 and 2 of the
// packedState as with two players, and [packedEngine.rotateAll] completes that.
type packedMore uint64

const (
	moreSeatShift, moreFirstShift = 48, 56
	// maxPackedPlayers is the number of players that fit.
	maxPackedPlayers = 5
)

func (m packedMore) seat() int  { return int(m >> moreSeatShift & 0xff) }
func (m packedMore) first() int { return int(m >> moreFirstShift) }

// A packedState is a state as four lanes of 16 bits, the lowest first, in the
// order of the columns of an observation:
//
//	0  banked score of the seat to move
//	1  turn total
//	2  banked score of the other seat
//	3  in games that end after a round, the number of seats that act after the
//	   seat to move: 1 or 0; in other games, which do not show this lane, the
//	   seat to move
type packedState uint64

const (
	lane0    packedState = 0xffff
	lane1    packedState = lane0 << 16
	lane2    packedState = lane0 << 32
	lane3    packedState = lane0 << 48
	lane3One packedState = 1 << 48 // a 1 in lane 3
	// firstIsSeat1 is set in lane 3 if seat 1 began the game.
	firstIsSeat1 packedState = 1 << 56
	// gameOver is set in lane 3 once the game has ended.
	gameOver packedState = 1 << 57
	// mustRoll is set in lane 3 if the last roll must be followed by another.
	mustRoll packedState = 1 << 58
	// undrawn is set in lane 3 if a roll's slot has no roll, until finishRolls has drawn
	// it. The rest of the state is that before the roll. It is greater than all other bits
	// of the lane together, as the kernel's search for ends requires.
	undrawn packedState = 1 << 59
)

func (s packedState) own() uint16       { return uint16(s) }
func (s packedState) turnTotal() uint16 { return uint16(s >> 16) }
func (s packedState) other() uint16     { return uint16(s >> 32) }
func (s packedState) canHold() bool     { return s&lane1 != 0 && s&mustRoll == 0 }

// allLegal is the element of states for a game that is not active. Every action
// is legal in it, so a step may include the game without a check.
const allLegal = 1 << 16

// A packedMove is what an action does to a state. Its lanes are
//
//	0  1 if the mover keeps its banked score, else 0
//	1  if the turn goes on, the points gained; if the turn passes, 1 if the turn
//	   total is banked, else 0
//	2  1 if the turn passes, else 0
//	3  mustRoll or undrawn, or 0
//
// [packedState.after] applies it.
type packedMove packedState

const (
	moveKeep packedMove = 1
	moveBank packedMove = 1 << 16
	movePass packedMove = 1 << 32
)

// movesPerRow is the length of a row of moves: Hold, and the largest number of
// slots of a game that packable accepts. It is a power of two so that masking an
// index replaces the bounds check.
const movesPerRow = 512

// packable reports whether a packedEngine can play g: g has two to five players, and
// either ends at the target, or always begins with seat 0 and has no roll that must be
// followed by another: a packedState of a game that ends after a round does not hold these.
func packable(g Game, first First) bool {
	return g.players >= 2 && g.players <= maxPackedPlayers && (g.variant.Ending == AtTarget || first == FirstSeat0 && !g.table.again) && g.table.slots < movesPerRow
}

// newPackedEngine returns o.Games games of g, which must be packable. None of them
// is active.
func newPackedEngine(g Game, o VecOptions) *packedEngine {
	e := &packedEngine{
		game: g, first: o.First, afterRound: g.variant.Ending == AfterRound, players: g.Players(), columns: g.NumColumns(), byHeld: g.variant.ByHeld, again: g.table.again,
		rands: make([]Rand, o.Games), states: make([]packedState, o.Games), canHold: make([]Action, o.Games),
		active: make([]bool, o.Games), suspended: make([]packedGame, o.Games),
		ended: make([]uint64, (o.Games+31)/32), finished: make([]int, 0, o.Games), moves: make([][movesPerRow]packedMove, len(g.table.merged)),
	}
	e.endTarget, e.endAfterRound = packedState(g.target), e.afterRound
	if e.players > 2 {
		e.more = make([]packedMore, o.Games)
		last := 16 * (e.players - 3)
		e.rotation = rotation{last: uint8(last), scores: 1<<(last+16) - 1, wrap: packedMore(e.players) << moreSeatShift}
		if e.afterRound {
			e.endTarget, e.endAfterRound = never, false
		}
	}
	for i := range e.suspended {
		e.suspended[i].state, e.suspended[i].more = e.start(0)
	}
	for held := range g.table.merged {
		e.moves[held][0] = moveKeep | moveBank | movePass
		for slot, o := range g.table.bySlot[g.table.row(held):][:g.table.slots] {
			e.moves[held][1+slot] = moveOf(o)
		}
	}
	e.kernel = newKernelParams(e)
	return e
}

// moveOf returns what a roll does.
func moveOf(o Outcome) packedMove {
	switch o.Effect {
	case Gain:
		return packedMove(o.Points) << 16
	case Again:
		return packedMove(o.Points)<<16 | packedMove(mustRoll)
	case Bust:
		return moveKeep | movePass
	case Wipe:
		return movePass
	case Stop:
		return moveKeep | moveBank | movePass
	case redraw:
		return packedMove(undrawn)
	}
	panic(fmt.Sprintf("env: an outcome with %v", o.Effect))
}

// refused tests eight games at a time, and searches for the game only if one of
// the actions may be illegal.
func (e *packedEngine) refused(actions []Action) int {
	const ones = 0x0101010101010101
	bad := uint64(0)
	rest, canHold := actions, e.canHold[:len(actions)]
	for ; len(rest) >= 8; rest, canHold = rest[8:], canHold[8:] {
		a := load8(rest)
		bad |= a&^ones | ^(a|load8(canHold))&ones // greater than Roll, or Hold where it is not legal
	}
	for i, a := range rest {
		bad |= uint64(a&^1 | ^(a|canHold[i])&1)
	}
	if bad == 0 {
		return -1
	}
	for i, a := range actions {
		if a >= NumActions || e.active[i] && !e.game.Legal(e.state(i)).Has(a) {
			return i
		}
	}
	return -1
}

// load8 returns the first eight actions as one word; it compiles to one load.
func load8(a []Action) uint64 {
	_ = a[7]
	return uint64(a[0]) | uint64(a[1])<<8 | uint64(a[2])<<16 | uint64(a[3])<<24 |
		uint64(a[4])<<32 | uint64(a[5])<<40 | uint64(a[6])<<48 | uint64(a[7])<<56
}

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

// never is a target that ends does not find reached.
const never = lane0 + 1

// ends reports whether the game is over in s, the state after a step.
func ends(s, target packedState, afterRound bool) bool {
	if !afterRound {
		return (s+s>>16)&lane0 >= target
	}
	// A round begins with seat 0, and only if no seat has reached the target. So if
	// the seat to move has reached it, that is seat 0 and the game is over. If the
	// other seat has reached it, the game goes on only if seat 1, whose lane 3 is 0,
	// is to move.
	return s&lane0 >= target || s>>32&lane0 >= target && s&lane3 != 0
}

// after returns the state that follows s by m. It clears mustRoll, which m may set. If the
// turn goes on, lane 1 grows by the points gained. If the turn passes, the lanes become
//
//	0  lane 2
//	1  0
//	2  lane 0 if it is kept, plus lane 1 if it is banked
//	3  lane 3 with its lowest bit, the seat, flipped
func (s packedState) after(m packedMove) packedState {
	s &^= mustRoll
	next := s + packedState(m)
	// With the two lanes of m exchanged, the middle 16 bits of the product are
	// s.lane0 * m.lane0 + s.lane1 * m.lane1.
	own := packedState(uint32(s) * bits.RotateLeft32(uint32(m), 16) >> 16)
	passed := s>>32&lane0 | own<<32 | s&lane3 ^ lane3One
	if m&movePass != 0 {
		next = passed
	}
	return next
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

// A rotation moves the scores of three players or more by a seat.
type rotation struct {
	last   uint8      // lowest bit of the last score in a packedMore
	scores packedMore // the lanes of the scores
	wrap   packedMore // the number of players, in the place of the seat
}

// rotated returns the state after the turn has passed, which is lane 1 of s being 0 and lane
// 2 the score of the seat that has moved, if mask is -1. If it is 0, the state is
// the same. The seat is left to [rotation.seated].
func (r rotation) rotated(s packedState, m, mask packedMore) (packedState, packedMore) {
	moved := packedMore(s >> 32 & lane0)
	swap := (moved ^ m) & packedMore(lane0) & mask
	next := m&r.scores>>16 | moved<<(r.last&63)
	return s ^ packedState(swap)<<32, m ^ (m^next)&r.scores&mask
}

// seated returns m with the next seat to move if mask is -1, else m.
func (r rotation) seated(m, mask packedMore) packedMore {
	m -= mask<<moreSeatShift + r.wrap
	// Bit 55 is set where that has borrowed, since the seat is below the number of players.
	return m + r.wrap&packedMore(int64(m<<8)>>63)
}

// reached reports whether a player has banked the target.
func (e *packedEngine) reached(s packedState, m packedMore) bool {
	highest := max(s&lane0, s>>32&lane0, packedState(m)&lane0, packedState(m>>16)&lane0, packedState(m>>32)&lane0)
	return highest >= packedState(e.game.target)
}

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

// bit returns 1 for true and 0 for false, without a branch.
func bit(b bool) Action {
	if b {
		return 1
	}
	return 0
}

// load returns the generator and the state of game i, active or not.
func (e *packedEngine) load(i int) packedGame {
	if !e.active[i] {
		return e.suspended[i]
	}
	g := packedGame{rand: e.rands[i], state: e.states[i]}
	if e.more != nil {
		g.more = e.more[i]
	}
	return g
}

// store sets the state of game i, which is active.
func (e *packedEngine) store(i int, s packedState, m packedMore) {
	e.states[i] = s
	if e.more != nil {
		e.more[i] = m
	}
}

func (e *packedEngine) seed(i int, seed uint64) {
	e.rands[i], e.suspended[i].rand = NewRand(seed), NewRand(seed)
}

func (e *packedEngine) begin(i int) {
	g := e.load(i)
	first := 0
	if e.first == FirstRandom {
		first = int(g.rand.Below(uint32(e.players)))
	}
	e.rands[i], e.canHold[i], e.active[i] = g.rand, 0, true
	s, m := e.start(first)
	e.store(i, s, m)
}

// start returns the state in which a game begins with seat first.
func (e *packedEngine) start(first int) (packedState, packedMore) {
	switch {
	case e.more != nil:
		return 0, packedMore(first)<<moreSeatShift | packedMore(first)<<moreFirstShift
	case e.afterRound:
		return lane3One, 0
	case first == 1:
		return lane3One | firstIsSeat1, 0
	}
	return 0, 0
}

func (e *packedEngine) suspend(i int) {
	e.suspended[i] = e.load(i)
	e.states[i], e.canHold[i], e.active[i] = allLegal, 1, false
}

func (e *packedEngine) resume(i int) {
	g := e.suspended[i]
	e.rands[i], e.canHold[i], e.active[i] = g.rand, bit(g.state.canHold()), true
	e.store(i, g.state, g.more)
}

func (e *packedEngine) live(i int) bool { return e.active[i] }

func (e *packedEngine) observe(i int, row []int16) {
	e.observeGame(e.load(i), row)
}

// observeGame writes the observation of g to row.
func (e *packedEngine) observeGame(g packedGame, row []int16) {
	s := g.state
	_ = row[2]
	row[0], row[1], row[2] = int16(s), int16(s>>16), int16(s>>32)
	for k := range e.players - 2 {
		row[3+k] = int16(g.more >> (16 * k))
	}
	if e.afterRound {
		row[e.columns-1] = int16(e.players-1) - int16(e.seat(g))
	}
}

func (e *packedEngine) show(i int, b *Batch) {
	g, active := e.load(i), e.active[i]
	e.observeGame(g, b.Observations[i*e.columns:(i+1)*e.columns])
	hold := g.state.canHold()
	b.Legal[NumActions*i], b.Legal[NumActions*i+1] = active && hold, active
	b.Seats[i] = e.seat(g)
	e.canHold[i] = bit(hold || !active)
}

// seat returns the seat to move in g or, if the game is over, the seat that moved
// last.
func (e *packedEngine) seat(g packedGame) int8 {
	if e.more != nil {
		return int8(g.more.seat())
	}
	seat := int8(g.state >> 48 & 1)
	if e.afterRound {
		seat ^= 1 // lane 3 is the number of seats after: 1 - seat
	}
	return seat
}

func (e *packedEngine) state(i int) (state State) {
	e.unpack(e.load(i), &state)
	return state
}

// unpack writes the state of g to state, whose scores from seat e.players on must be 0.
func (e *packedEngine) unpack(g packedGame, state *State) {
	s, seat := g.state, e.seat(g)
	state.TurnTotal, state.Seat, state.First = int16(s.turnTotal()), seat, 0
	state.Over, state.MustRoll = s&gameOver != 0, s&mustRoll != 0
	if e.more != nil {
		state.First = int8(g.more.first())
		at := int(seat)
		state.Scores[at] = int16(s.own())
		scores := uint64(g.more)<<16 | uint64(s.other())
		for range e.players - 1 {
			if at++; at == e.players {
				at = 0
			}
			state.Scores[at] = int16(scores)
			scores >>= 16
		}
		return
	}
	state.Scores[seat&1], state.Scores[1-seat&1] = int16(s.own()), int16(s.other())
	if s&firstIsSeat1 != 0 {
		state.First = 1
	}
}

func (e *packedEngine) dice(i int) Rand { return e.load(i).rand }

func (e *packedEngine) put(i int, s State, r Rand) {
	e.suspend(i)
	p, m := e.pack(&s)
	e.suspended[i] = packedGame{r, p, m}
}

// pack is the inverse of unpack.
func (e *packedEngine) pack(s *State) (l packedState, m packedMore) {
	next := e.game.NextSeat(int(s.Seat), 1)
	l = packedState(s.Scores[s.Seat]) | packedState(s.TurnTotal)<<16 | packedState(s.Scores[next])<<32
	switch {
	case e.more != nil:
		m = packedMore(s.Seat)<<moreSeatShift | packedMore(s.First)<<moreFirstShift
		for k := range e.players - 2 {
			m |= packedMore(s.Scores[e.game.NextSeat(int(s.Seat), 2+k)]) << (16 * k)
		}
	case e.afterRound:
		l |= packedState(1-s.Seat) << 48
	case s.First == 1:
		l |= packedState(s.Seat)<<48 | firstIsSeat1
	default:
		l |= packedState(s.Seat) << 48
	}
	if s.Over {
		l |= gameOver
	}
	if s.MustRoll {
		l |= mustRoll
	}
	return l, m
}

func (e *packedEngine) clone() engine {
	c := *e
	c.rands, c.states, c.canHold = slices.Clone(e.rands), slices.Clone(e.states), slices.Clone(e.canHold)
	c.more, c.active, c.suspended = slices.Clone(e.more), slices.Clone(e.active), slices.Clone(e.suspended)
	c.ended, c.finished = slices.Clone(e.ended), make([]int, 0, len(e.states))
	return &c
}
