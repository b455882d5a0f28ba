package env

import "slices"

// A packedEngine plays games of two to five players. Its results are those of a
// [matchEngine], which is the plain reference; tests compare the two, and compare the
// moves of packed states with [Game.AfterRoll] and [Game.AfterHold].
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
	again         bool          // some rolls must be followed by another
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

func (e *packedEngine) show(i int, b *Batch) {
	g, active := e.load(i), e.active[i]
	e.observeGame(g, b.Observations[i*e.columns:(i+1)*e.columns])
	hold := g.state.canHold()
	b.Legal[NumActions*i], b.Legal[NumActions*i+1] = active && hold, active
	b.Seats[i] = e.seat(g)
	e.canHold[i] = bit(hold || !active)
}

func (e *packedEngine) state(i int) (state State) {
	e.unpack(e.load(i), &state)
	return state
}

func (e *packedEngine) dice(i int) Rand { return e.load(i).rand }

func (e *packedEngine) put(i int, s State, r Rand) {
	e.suspend(i)
	p, m := e.pack(&s)
	e.suspended[i] = packedGame{r, p, m}
}

func (e *packedEngine) clone() engine {
	c := *e
	c.rands, c.states, c.canHold = slices.Clone(e.rands), slices.Clone(e.states), slices.Clone(e.canHold)
	c.more, c.active, c.suspended = slices.Clone(e.more), slices.Clone(e.active), slices.Clone(e.suspended)
	c.ended, c.finished = slices.Clone(e.ended), make([]int, 0, len(e.states))
	return &c
}
