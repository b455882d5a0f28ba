package env

import (
	"cmp"
	"math/bits"
	"slices"
)

// duels are tables for two players, made for speed: what a step does to a game
// takes no branch that depends on the dice or the action, but for the rare
// one that ends a game or redraws a roll. The outcomes come from the variant's
// own table; what an effect does to a state is written here a second time, as
// arithmetic on lanes, and a test holds it against [Game.AfterRoll] and
// [Game.AfterHold].
//
// Where the processor can, [fours] advance and show four duels at a time by the
// same arithmetic. What is left, and everything elsewhere, is played by the Go
// code below, with the same results.
type duels struct {
	game       Game
	first      First
	afterRound bool
	columns    int
	byHeld     bool
	fours      *fours // nil where there are none

	// By game:
	rands   []Rand
	states  []lanes
	canHold []Action // 1 where Hold is legal, as the states say
	awake   []bool   // an episode is under way
	resting []duel   // what is kept of a game that rests; see asleep

	// ended tells, in two bits a game and 32 games a word, which duels a step has
	// ended: those with one bit set, or both. Some of them may be asleep.
	ended []uint64
	over  []int // those that were awake
	// moves[held][0] is what holding does and moves[held][1+r] what roll r does;
	// held is 0 in games whose outcomes do not depend on it.
	moves [][rowLength]move
}

// A duel is one game: its generator and its state.
type duel struct {
	rand  Rand
	state lanes
}

// lanes are a state as four 16-bit numbers, the lowest first, in the order of
// the observation's columns:
//
//	0  banked score of the seat to move
//	1  turn total
//	2  banked score of the other seat
//	3  in games that end after a round, the seats after the one to move: 1 or
//	   0; in others, which do not show this lane, the seat to move
type lanes uint64

const (
	lane0 lanes = 0xffff
	lane1 lanes = lane0 << 16
	lane2 lanes = lane0 << 32
	lane3 lanes = lane0 << 48
	one3  lanes = 1 << 48 // a 1 in lane 3
	// beganSecond stands beside the seat in lane 3 if seat 1 began the game.
	beganSecond lanes = 1 << 56
	// ended stands there once the game is over.
	ended lanes = 1 << 57
)

func (s lanes) own() uint16       { return uint16(s) }
func (s lanes) turnTotal() uint16 { return uint16(s >> 16) }
func (s lanes) other() uint16     { return uint16(s >> 32) }

// asleep stands in the place of a resting duel: a state in which every action
// is legal, so that stepping it with the others does no harm.
const asleep = 1 << 16

// A move is what an action does to a state, in one word, so that one load gets
// it. Its lanes are
//
//	0  1 if the mover keeps its banked score, else 0
//	1  if the turn goes on, the points that it gains; if it passes, 1 if the
//	   turn total is banked, else 0
//	2  1 if the turn passes, else 0
//	3  0
//
// and [lanes.after] says what follows.
type move lanes

const (
	keep move = 1
	bank move = 1 << 16
	pass move = 1 << 32
)

// rowLength is that of a row of moves: Hold, and then as many rolls as a game
// can have here. As a power of two it lets an index do without a check.
const rowLength = 512

// duelable reports whether duels can play a game: two players, the first of
// whom need not be remembered.
func duelable(g Game, first First) bool {
	return g.players == 2 && (g.variant.Ending == AtTarget || first == FirstSeat0) && g.chance.rolls < rowLength
}

func newDuels(g Game, o VecOptions) *duels {
	d := &duels{
		game: g, first: o.First, afterRound: g.variant.Ending == AfterRound, columns: g.NumColumns(), byHeld: g.variant.ByHeld,
		rands: make([]Rand, o.Games), states: make([]lanes, o.Games), canHold: make([]Action, o.Games),
		awake: make([]bool, o.Games), resting: make([]duel, o.Games),
		ended: make([]uint64, (o.Games+31)/32), over: make([]int, 0, o.Games), moves: make([][rowLength]move, len(g.chance.merged)),
	}
	for i := range d.resting {
		d.resting[i].state = d.start(0)
	}
	for held := range g.chance.merged {
		d.moves[held][0] = keep | bank | pass
		for roll, o := range g.chance.byRoll[g.chance.row(held):][:g.chance.rolls] {
			m := &d.moves[held][1+roll]
			switch o.Effect {
			case Gain:
				*m = move(o.Points) << 16
			case Bust:
				*m = keep | pass
			case Wipe:
				*m = pass
			case Stop:
				*m = keep | bank | pass
			}
		}
	}
	d.fours = newFours(d)
	return d
}

// refused tests eight duels at a time for an illegal action, and looks for it
// only if there is one.
func (d *duels) refused(actions []Action) int {
	const ones = 0x0101010101010101
	bad := uint64(0)
	rest, canHold := actions, d.canHold[:len(actions)]
	for ; len(rest) >= 8; rest, canHold = rest[8:], canHold[8:] {
		a := eight(rest)
		bad |= a&^ones | ^(a|eight(canHold))&ones // more than Roll, or Hold where it is not legal
	}
	for i, a := range rest {
		bad |= uint64(a&^1 | ^(a|canHold[i])&1)
	}
	if bad == 0 {
		return -1
	}
	for i, a := range actions {
		if a >= NumActions || d.awake[i] && !d.game.Legal(d.state(i)).Has(a) {
			return i
		}
	}
	return -1
}

// eight returns eight actions in one word, which is one load.
func eight(a []Action) uint64 {
	_ = a[7]
	return uint64(a[0]) | uint64(a[1])<<8 | uint64(a[2])<<16 | uint64(a[3])<<24 |
		uint64(a[4])<<32 | uint64(a[5])<<40 | uint64(a[6])<<48 | uint64(a[7])<<56
}

// play takes the actions, all of them legal, shows every duel as if its episode
// were under way, and sets d.ended. The states of duels that have ended are then
// what finish expects.
func (d *duels) play(actions []Action, b *Batch) {
	clear(d.ended)
	i, n := 0, len(d.states)
	if d.fours != nil {
		for whole := n &^ 3; ; i += 4 {
			if i = playFours(d.fours, d, &actions[0], b, i, whole); i == whole {
				break
			}
			d.playEach(actions, b, i, i+4)
		}
	}
	if i < n {
		d.playEach(actions, b, i, n)
	}
}

// playEach plays the duels from i to n-1, of which there is one at least.
func (d *duels) playEach(actions []Action, b *Batch, i, n int) {
	d.advance(actions, i, n)
	d.showEach(b, i, n)
}

// advance takes the actions of the duels from i to n-1.
func (d *duels) advance(actions []Action, i, n int) {
	for ; i < n; i++ {
		i += d.run(d.rands[i:n], d.states[i:n], actions[i:n])
		switch {
		case i == n:
			return
		case !d.ends(d.states[i]):
			d.redraw(i, actions[i])
		}
		if d.ends(d.states[i]) {
			d.ended[i/32] |= 1 << (i % 32 * 2)
		}
	}
}

// run advances duels. It stops at the first that ends, having advanced it, or
// whose roll may have to be redrawn, having left it alone, and returns its
// number, or that of all duels. So it calls nothing, which lets the compiler
// keep all it needs in registers.
func (d *duels) run(rands []Rand, states []lanes, actions []Action) int {
	rands, actions = rands[:len(states)], actions[:len(states)]
	rolls, moves, target := uint64(d.game.chance.rolls), d.moves, lanes(d.game.target)
	byHeld, afterRound := d.byHeld, d.afterRound
	for i, s := range states {
		a := uint64(actions[i] & 1)
		rand := rands[i].state + weyl&-a
		n := rolls & -a
		x := mix64(rand) >> 32 * n // as in Rand.Below
		if uint64(uint32(x)) < n {
			return i
		}
		rands[i].state = rand
		held := uint16(0)
		if byHeld {
			held = uint16(s + s>>16)
		}
		s = s.after(moves[held][(x>>32+a)%rowLength])
		states[i] = s
		if ends(s, target, afterRound) {
			return i
		}
	}
	return len(states)
}

// redraw takes an action in duel i with a roll that is drawn until it is
// without bias.
func (d *duels) redraw(i int, a Action) {
	s, k, held := d.states[i], uint32(0), uint16(0)
	if a == Roll {
		k = 1 + d.rands[i].Below(uint32(d.game.chance.rolls))
	}
	if d.byHeld {
		held = uint16(s + s>>16)
	}
	d.states[i] = s.after(d.moves[held][k])
}

func (d *duels) ends(s lanes) bool { return ends(s, lanes(d.game.target), d.afterRound) }

// ends reports whether s, after a step, is the end of the game.
func ends(s, target lanes, afterRound bool) bool {
	if !afterRound {
		return (s+s>>16)&lane0 >= target
	}
	// Seat 0 begins a round, and only if nobody has the target. So a seat that has
	// it and is to move is seat 0, whose round does not begin; and if the other
	// has it, the game goes on only with the turn of seat 1, whose lane 3 is 0.
	return s&lane0 >= target || s>>32&lane0 >= target && s&lane3 != 0
}

// after returns the state that follows s. If the turn goes on, the points are
// added to lane 1. If it passes, the lanes become
//
//	0  lane 2
//	1  0
//	2  lane 0 if it is kept, plus lane 1 if it is banked
//	3  lane 3 with its lowest bit, the seat, flipped
func (s lanes) after(m move) lanes {
	next := s + lanes(m)
	// The product of two times two lanes, of which one pair is exchanged, has
	// lane 0 * lane 0 + lane 1 * lane 1 in its middle.
	own := lanes(uint32(s) * bits.RotateLeft32(uint32(m), 16) >> 16)
	passed := s>>32&lane0 | own<<32 | s&lane3 ^ one3
	if m&pass != 0 {
		next = passed
	}
	return next
}

func (d *duels) step(actions []Action, resting []int, b *Batch) []int {
	d.play(actions, b)
	for _, i := range resting {
		d.states[i] = asleep
		d.show(i, b)
	}
	d.over = d.over[:0]
	for k, word := range d.ended {
		for word = (word | word>>1) & evenBits; word != 0; word &= word - 1 {
			if i := 32*k + bits.TrailingZeros64(word)/2; d.awake[i] {
				d.finish(i, b)
				d.over = append(d.over, i)
			}
		}
	}
	return d.over
}

const evenBits = 0x5555555555555555

// finish makes the state of duel i, which has ended, that of the end, and
// writes what the seats have earned.
func (d *duels) finish(i int, b *Batch) {
	s := d.states[i]
	if d.afterRound {
		s = s&lane0<<32 | s>>32&lane0 // back to the last who moved
	} else {
		s = s&^(lane0|lane1) | (s+s>>16)&lane0
	}
	d.states[i] = s | ended
	won := cmp.Compare(s.own(), s.other())
	seat := int(d.seat(s))
	b.Rewards[2*i+seat], b.Rewards[2*i+1-seat] = float32(won), float32(-won)
	b.Terminated[i] = true
}

// showEach shows the duels from first to n-1 as if their episodes were under
// way. Each row but the last is written as four columns, the last of which the
// next row overwrites where there are three.
func (d *duels) showEach(b *Batch, first, n int) {
	last := n - 1
	states, columns := d.states[first:last], d.columns
	observations, legal, seats, canHold := b.Observations[first*columns:], b.Legal[2*first:2*last], b.Seats[first:last], d.canHold[first:last]
	flip := int8(0)
	if d.afterRound {
		flip = 1 // from the seats after to the seat
	}
	j := 0
	for i, s := range states {
		o := observations[j:][:4:4]
		o[0], o[1], o[2], o[3] = int16(s), int16(s>>16), int16(s>>32), int16(s>>48)
		j += columns
		hold := s&lane1 != 0
		l := legal[2*i:][:2:2]
		l[Hold], l[Roll] = hold, true
		canHold[i] = one(hold)
		seats[i] = int8(s>>48) ^ flip
	}
	d.show(last, b)
}

// one returns 1 for true and 0 for false, without a branch.
func one(b bool) Action {
	if b {
		return 1
	}
	return 0
}

// at returns what game i has, resting or not.
func (d *duels) at(i int) duel {
	if d.awake[i] {
		return duel{d.rands[i], d.states[i]}
	}
	return d.resting[i]
}

func (d *duels) seed(i int, seed uint64) {
	d.rands[i], d.resting[i].rand = NewRand(seed), NewRand(seed)
}

func (d *duels) begin(i int) {
	g := d.at(i)
	first := 0
	if d.first == FirstRandom {
		first = int(g.rand.Below(2))
	}
	d.rands[i], d.states[i], d.canHold[i], d.awake[i] = g.rand, d.start(first), 0, true
}

// start returns the state in which a game begins.
func (d *duels) start(first int) lanes {
	switch {
	case d.afterRound:
		return one3
	case first == 1:
		return one3 | beganSecond
	}
	return 0
}

func (d *duels) rest(i int) {
	d.resting[i] = d.at(i)
	d.states[i], d.canHold[i], d.awake[i] = asleep, 1, false
}

func (d *duels) wake(i int) {
	g := d.resting[i]
	d.rands[i], d.states[i], d.canHold[i], d.awake[i] = g.rand, g.state, one(g.state.turnTotal() != 0), true
}

func (d *duels) live(i int) bool { return d.awake[i] }

func (d *duels) observe(i int, row []int16) {
	s := d.at(i).state
	row[0], row[1], row[2] = int16(s), int16(s>>16), int16(s>>32)
	if d.afterRound {
		row[3] = int16(s >> 48 & 1)
	}
}

func (d *duels) show(i int, b *Batch) {
	d.observe(i, b.Observations[i*d.columns:(i+1)*d.columns])
	s, awake := d.at(i).state, d.awake[i]
	hold := s&lane1 != 0
	b.Legal[NumActions*i], b.Legal[NumActions*i+1] = awake && hold, awake
	b.Seats[i] = d.seat(s)
	d.canHold[i] = one(hold || !awake)
}

// seat returns the seat that moves in s, or that moved last.
func (d *duels) seat(s lanes) int8 {
	seat := int8(s >> 48 & 1)
	if d.afterRound {
		seat ^= 1 // the last of two has nobody after it
	}
	return seat
}

func (d *duels) state(i int) State {
	s := d.at(i).state
	seat := d.seat(s)
	first := int8(0)
	if s&beganSecond != 0 {
		first = 1
	}
	state := State{TurnTotal: int16(s.turnTotal()), Seat: seat, First: first, Over: s&ended != 0}
	state.Scores[seat], state.Scores[1-seat] = int16(s.own()), int16(s.other())
	return state
}

func (d *duels) dice(i int) Rand { return d.at(i).rand }

func (d *duels) put(i int, s State, r Rand) {
	d.rest(i)
	d.resting[i] = duel{r, d.lanesOf(&s)}
}

// lanesOf is the inverse of state.
func (d *duels) lanesOf(s *State) lanes {
	l := lanes(s.Scores[s.Seat]) | lanes(s.TurnTotal)<<16 | lanes(s.Scores[1-s.Seat])<<32
	switch {
	case d.afterRound:
		l |= lanes(1-s.Seat) << 48
	case s.First == 1:
		l |= lanes(s.Seat)<<48 | beganSecond
	default:
		l |= lanes(s.Seat) << 48
	}
	if s.Over {
		l |= ended
	}
	return l
}

func (d *duels) clone() tables {
	c := *d
	c.rands, c.states, c.canHold = slices.Clone(d.rands), slices.Clone(d.states), slices.Clone(d.canHold)
	c.awake, c.resting = slices.Clone(d.awake), slices.Clone(d.resting)
	c.ended, c.over = slices.Clone(d.ended), make([]int, 0, len(d.states))
	return &c
}
