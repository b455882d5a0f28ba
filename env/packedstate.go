package env

import (
	"fmt"
	"math/bits"
)

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

// bit returns 1 for true and 0 for false, without a branch.
func bit(b bool) Action {
	if b {
		return 1
	}
	return 0
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
