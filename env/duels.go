package env

import "slices"

// duels are tables for two players, made for speed: what a step does to a game
// takes no branch that depends on the dice or the action, but for the rare
// one that ends a game. The outcomes come from the variant's own table; what
// an effect does to a state is written here a second time, as masks, and a
// test holds it against [Game.AfterRoll] and [Game.AfterHold].
type duels struct {
	game       Game
	first      First
	afterRound bool
	columns    int
	byHeld     bool

	// By game:
	rands   []Rand
	states  []lanes
	canHold []Action // 1 where Hold is legal, as the states say
	awake   []bool   // an episode is under way
	resting []duel   // what is kept of a game that rests; see asleep

	over []int
	// moves[held][Roll][r] is what roll r does, and moves[held][Hold], in every
	// place, what holding does; held is 0 in games whose outcomes do not depend
	// on it.
	moves [][NumActions][256]move
}

// passing returns a move that passes the turn.
func passing(bank, keep lanes) move {
	return move{bank: bank, keep: keep, pass: lane0 | lane1 | lane2, flip: one3}
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

// A move is what an action does to a state s, in this order:
//
//	lane 1       += gain
//	lane 0       += lane 1 & bank
//	lanes 0 to 2 = lanes 2 and 0, exchanged, & keep     if pass
//	lane 3       ^= flip
type move struct {
	gain lanes    // the points, in lane 1
	bank lanes    // lane0 if the turn total is banked, else 0
	keep lanes    // lanes that are kept when the turn passes, after the exchange
	pass lanes    // lanes 0 to 2 if the turn passes, else 0
	flip lanes    // one3 if the turn passes, else 0
	_    [3]lanes // to a cache line
}

// duelable reports whether duels can play a game: two players, the first of
// whom need not be remembered.
func duelable(g Game, first First) bool {
	return g.players == 2 && (g.variant.Ending == AtTarget || first == FirstSeat0) && g.chance.rolls <= 256
}

func newDuels(g Game, o VecOptions) *duels {
	d := &duels{
		game: g, first: o.First, afterRound: g.variant.Ending == AfterRound, columns: g.NumColumns(), byHeld: g.variant.ByHeld,
		rands: make([]Rand, o.Games), states: make([]lanes, o.Games), canHold: make([]Action, o.Games),
		awake: make([]bool, o.Games), resting: make([]duel, o.Games),
		over: make([]int, 0, o.Games), moves: make([][NumActions][256]move, len(g.chance.merged)),
	}
	for i := range d.resting {
		d.resting[i].state = d.start(0)
	}
	for held := range g.chance.merged {
		row := &d.moves[held]
		for i := range row[Hold] {
			row[Hold][i] = passing(lane0, lane0|lane2)
		}
		for roll, o := range g.chance.byRoll[g.chance.row(held):][:g.chance.rolls] {
			switch o.Effect {
			case Gain:
				row[Roll][roll] = move{gain: lanes(o.Points) << 16}
			case Bust:
				row[Roll][roll] = passing(0, lane0|lane2)
			case Wipe:
				row[Roll][roll] = passing(0, lane0) // the mover's score, then in lane 2, is lost
			case Stop:
				row[Roll][roll] = passing(lane0, lane0|lane2)
			}
		}
	}
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

// draws is what an action adds to the generator's state: Hold draws nothing.
var draws = [NumActions]uint64{Roll: weyl}

// advance takes the actions, all of them legal, and lists in d.over the duels
// that end, whose states are then what finish expects.
func (d *duels) advance(actions []Action) {
	d.over = d.over[:0]
	run := runToTarget
	if d.byHeld || d.afterRound {
		run = runAny
	}
	rolls := uint64(d.game.chance.rolls)
	for i := 0; i < len(d.states); i++ {
		i += run(d, d.rands[i:], d.states[i:], actions[i:], rolls)
		switch {
		case i == len(d.states):
			return
		case !d.ends(d.states[i]):
			d.redraw(i, actions[i])
		}
		if d.ends(d.states[i]) {
			d.over = append(d.over, i)
		}
	}
}

// runToTarget advances duels in games that end at the target and whose
// outcomes do not depend on what is held. It stops at the first duel that ends,
// having advanced it, or whose roll may have to be redrawn, having left it
// alone, and returns its number, or that of all duels. So it calls nothing,
// which lets the compiler keep all it needs in registers.
func runToTarget(d *duels, rands []Rand, states []lanes, actions []Action, rolls uint64) int {
	rands, actions = rands[:len(states)], actions[:len(states)]
	moves, target := &d.moves[0], lanes(d.game.target)
	for i := range states {
		a := actions[i] & 1
		rand := rands[i].state + draws[a]
		x := mix64(rand) >> 32 * rolls // as in Rand.Below
		if uint64(uint32(x)) < rolls {
			return i
		}
		rands[i].state = rand
		s := moves[a][uint8(x>>32)].after(states[i])
		states[i] = s
		if (s+s>>16)&lane0 >= target {
			return i
		}
	}
	return len(states)
}

// runAny is runToTarget for every game.
func runAny(d *duels, rands []Rand, states []lanes, actions []Action, rolls uint64) int {
	rands, actions = rands[:len(states)], actions[:len(states)]
	moves, target := d.moves, lanes(d.game.target)
	byHeld, afterRound := d.byHeld, d.afterRound
	for i, s := range states {
		a := actions[i] & 1
		rand := rands[i].state + draws[a]
		x := mix64(rand) >> 32 * rolls
		if uint64(uint32(x)) < rolls {
			return i
		}
		rands[i].state = rand
		held := uint16(0)
		if byHeld {
			held = uint16(s + s>>16)
		}
		s = moves[held][a][uint8(x>>32)].after(s)
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
	s, roll, held := d.states[i], uint32(0), uint16(0)
	if a == Roll {
		roll = d.rands[i].Below(uint32(d.game.chance.rolls))
	}
	if d.byHeld {
		held = uint16(s + s>>16)
	}
	d.states[i] = d.moves[held][a][roll].after(s)
}

func (d *duels) ends(s lanes) bool { return ends(s, lanes(d.game.target), d.afterRound) }

// ends reports whether s, after a step, is the end of the game.
func ends(s, target lanes, afterRound bool) bool {
	if !afterRound {
		return (s+s>>16)&lane0 >= target
	}
	// A new round would begin: the turn comes to the seat with one after it.
	return s&(lane1|lane3) == one3 && max(s&lane0, s>>32&lane0) >= target
}

// after returns the state after the move.
func (m *move) after(s lanes) lanes {
	s += m.gain
	s += s >> 16 & m.bank
	exchanged := (s>>32 | s<<32) & m.keep
	return s ^ (s^exchanged)&m.pass ^ m.flip
}

// finish makes the state of duel i, which advance has listed, that of the end.
func (d *duels) finish(i int) {
	s := d.states[i]
	if d.afterRound {
		s = s&lane0<<32 | s>>32&lane0 // back to the last who moved
	} else {
		s = s&^(lane0|lane1) | (s+s>>16)&lane0
	}
	d.states[i] = s | ended
}

func (d *duels) step(actions []Action, resting []int, b *Batch) []int {
	d.advance(actions)
	for _, i := range resting {
		d.states[i] = asleep
	}
	d.showAll(b)
	for _, i := range resting {
		d.show(i, b)
	}
	d.over = slices.DeleteFunc(d.over, func(i int) bool { return !d.awake[i] })
	for _, i := range d.over {
		d.finish(i)
		s := d.state(i)
		for seat := range 2 {
			b.Rewards[2*i+seat] = float32(d.game.Return(s, seat))
		}
		b.Terminated[i] = true
	}
	return d.over
}

// showAll shows every duel as if its episode were under way. Each row is
// written as four columns, the last of which the next row overwrites where
// there are three.
func (d *duels) showAll(b *Batch) {
	last := len(d.states) - 1
	states, columns := d.states[:last], d.columns
	observations, legal, seats, canHold := b.Observations, b.Legal[:2*last], b.Seats[:last], d.canHold[:last]
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

func (d *duels) clone() tables {
	c := *d
	c.rands, c.states, c.canHold = slices.Clone(d.rands), slices.Clone(d.states), slices.Clone(d.canHold)
	c.awake, c.resting, c.over = slices.Clone(d.awake), slices.Clone(d.resting), make([]int, 0, len(d.states))
	return &c
}
