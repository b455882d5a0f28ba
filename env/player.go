package env

import (
	"errors"
	"fmt"
	"math"
)

// A Player chooses the actions of a seat. Policies implement it.
type Player interface {
	// RollChance returns the probability, in [0, 1], that the player to move in s
	// rolls. Environments call it only where both actions are legal.
	RollChance(s State) float64
}

// Choose returns the action of p in s: the only legal one, or Roll with the
// probability that p returns. It draws from r only if that probability is neither 0
// nor 1. At least one action must be legal.
func Choose(p Player, s State, r *Rand) Action { return choose(p, &s, r) }

// choose is Choose with one copy of the state less.
func choose(p Player, s *State, r *Rand) Action {
	if s.TurnTotal == 0 || s.MustRoll {
		return Roll
	}
	switch c := p.RollChance(*s); {
	case c >= 1:
		return Roll
	case c > 0 && r.Float64() < c:
		return Roll
	}
	return Hold
}

// A ThresholdPlayer is a [Player] that can say before a turn at which turn total it
// will hold. Environments then need not ask it before each roll of the turn. It
// must decide as its RollChance does.
type ThresholdPlayer interface {
	Player
	// HoldsAt returns the turn total at and above which the player to move holds in the
	// turn that begins in s; below it, the player rolls. It is [math.MaxInt] if the
	// player never holds. ok is false if the decisions of the turn do not have that
	// form. HoldsAt neither changes nor keeps s.
	HoldsAt(s *State) (turnTotal int, ok bool)
}

// ErrOpponents is wrapped by the errors of [NewSolo] and [NewSoloVec] for opponents
// that are nil or not as many as needed.
var ErrOpponents = errors.New("env: bad opponents")

// A seating has the player of each seat, and none at the learner's. It is immutable.
type seating [MaxPlayers]seatedPlayer

// A seatedPlayer plays a seat for an environment.
type seatedPlayer struct {
	Player
	threshold ThresholdPlayer // the player, if it is one; else nil
}

// seatOpponents seats the opponents of a learner as [SoloOptions] says.
func seatOpponents(g Game, seat int, opponents []Player) (*seating, error) {
	n := g.Players()
	if seat < 0 || seat >= n {
		return nil, fmt.Errorf("env: seat %d is not in [0, %d)", seat, n)
	}
	others := n - 1
	if len(opponents) != others && (len(opponents) != 1 || others == 0) {
		return nil, fmt.Errorf("%w: %d for %d other seats; give one for each, or one for all", ErrOpponents, len(opponents), others)
	}
	var t seating
	for k := range others {
		p := opponents[min(k, len(opponents)-1)]
		if p == nil {
			return nil, fmt.Errorf("%w: number %d is nil", ErrOpponents, k)
		}
		threshold, _ := p.(ThresholdPlayer)
		t[g.NextSeat(seat, k+1)] = seatedPlayer{p, threshold}
	}
	return &t, nil
}

// others are the players of many games, in each of which a learner has one seat.
type others struct {
	learners []int8               // by game, the seat of the learner
	seatings [MaxPlayers]*seating // by the learner's seat
}

// play is [seating.play] in game i.
func (o *others) play(i int, g *Game, s *State, r *Rand) {
	learner := int(o.learners[i])
	o.seatings[learner].play(g, s, r, learner)
}

// play plays whole turns of the seats other than the learner's, from the beginning of
// a turn in s until it is the learner's turn or the game is over. Choices and dice
// come from r.
func (t *seating) play(g *Game, s *State, r *Rand, learner int) {
	for !s.Over && int(s.Seat) != learner {
		p := &t[s.Seat]
		if at, ok := p.holdsAt(s); ok {
			g.playToThreshold(s, r, at)
		} else {
			p.playAsked(g, s, r)
		}
	}
}

// holdsAt is [ThresholdPlayer.HoldsAt]; ok is false if the player is not a
// ThresholdPlayer.
func (p *seatedPlayer) holdsAt(s *State) (turnTotal int, ok bool) {
	if p.threshold == nil {
		return 0, false
	}
	return p.threshold.HoldsAt(s)
}

// playAsked plays the turn that begins in s and asks the player before each roll.
func (p *seatedPlayer) playAsked(g *Game, s *State, r *Rand) {
	for choose(p.Player, s, r) == Roll {
		c, held := g.table, s.held()
		slot := r.Below(uint32(c.slots))
		o := c.bySlot[c.row(held)+int(slot)]
		if o.Effect == redraw {
			_, o = c.finishDraw(slot, held, r)
		}
		if g.roll(s, o); s.TurnTotal == 0 {
			return // the roll has ended the turn
		}
	}
	g.hold(s)
}

// playToThreshold plays the turn that begins in s for a player who rolls at turn totals
// below holdsAt and else holds. It draws from r what [Match.Step] draws for
// the same actions.
func (g *Game) playToThreshold(s *State, r *Rand, holdsAt int) {
	own, toWin := int(s.Scores[s.Seat]), math.MaxInt
	if g.variant.Ending == AtTarget {
		toWin = int(g.target) - own
	}
	c, rand := g.table, *r
	row, slots := c.bySlot[c.row(own):], uint64(c.slots)
	total, effect, mustRoll := 0, Stop, false
	for total < holdsAt || total == 0 || mustRoll {
		// This is Rand.Below, which the compiler does not inline.
		rand.state += weyl
		x := mix64(rand.state) >> 32 * slots
		if uint64(uint32(x)) < slots {
			x = rand.redraw(uint32(slots), x)
		}
		o := row[x>>32]
		if o.Effect == redraw {
			_, o = c.finishDraw(uint32(x>>32), own+total, &rand)
		}
		if !o.Effect.Gains() {
			effect = o.Effect
			break
		}
		mustRoll = o.Effect == Again
		if total += int(o.Points); total >= toWin {
			break
		}
		if c.stride != 0 {
			row = c.bySlot[c.row(own+total):]
		}
	}
	*r = rand
	s.TurnTotal, s.MustRoll = int16(total), false
	if effect == Stop && total >= toWin {
		s.bank()
		s.Over = true
		return
	}
	g.endTurn(s, effect)
}
