package exact

import (
	"context"
	"math"
	"math/bits"

	"pigpen/env"
)

// newMulti computes a table of g for the given players, by role; nil optimizes.
// keepActions makes it keep their decisions.
func newMulti(ctx context.Context, g env.Game, players []env.Player, keepActions bool, o Options) (*multiTable, error) {
	b := newMultiTable(rulesOf(g), players)
	b.allocate(keepActions)
	if err := b.iterate(ctx, o); err != nil {
		return nil, err
	}
	return b, nil
}

// solveMulti is Solve for three and more players.
func (s *Solution) solveMulti(ctx context.Context, o Options) (*Solution, error) {
	b, err := newMulti(ctx, s.rules.game, make([]env.Player, s.rules.players), true, o)
	if err != nil {
		return nil, err
	}
	s.multi = []*multiTable{b}
	return s, nil
}

// respondMulti is BestResponse for three and more players: a table for each role of the
// response in games that end after a round, else one in which it has role 0.
func (s *Solution) respondMulti(ctx context.Context, against env.Player, o Options) (*Solution, error) {
	n := s.rules.players
	tables := 1
	if s.rules.afterRound {
		tables = n
	}
	o, err := prepareAll(ctx, o, against)
	if err != nil {
		return nil, err
	}
	for role := range tables {
		players := make([]env.Player, n)
		for k := range players {
			if k != role {
				players[k] = against
			}
		}
		b, err := newMulti(ctx, s.rules.game, players, !s.rules.afterRound, o.Part(float64(role)/float64(tables), float64(role+1)/float64(tables)))
		if err != nil {
			return nil, err
		}
		s.multi = append(s.multi, b)
		if s.rules.afterRound {
			s.multiWins = append(s.multiWins, b.start(0).Win[role])
			b.release()
		}
	}
	if !s.rules.afterRound {
		for seat := range n {
			// The response sits in the given seat if the role as many places before
			// it begins.
			s.multiWins = append(s.multiWins, s.multi[0].start((n - seat) % n).Win[0])
		}
	}
	return s, nil
}

// release drops the memory of a table of which nothing more is asked.
func (b *multiTable) release() {
	b.futures, b.actions, b.finals = nil, nil, finalFutures{}
}

// Mixed returns the number of blocks in which the equilibrium of three or more players
// has mixed decisions. A block is the turns at one set of banked scores.
func (s *Solution) Mixed() int {
	mixed := 0
	for _, b := range s.multi {
		mixed += b.mixed
	}
	return mixed
}

// Deviation returns, for the equilibrium of three or more players, the most that a player
// gains, in win probability, by deciding otherwise in any one turn.
func (s *Solution) Deviation() float64 {
	deviation := 0.0
	for _, b := range s.multi {
		deviation = max(deviation, b.deviation)
	}
	return deviation
}

// A multiTurn is a turn of a state, as the table has it.
type multiTurn struct {
	key turnKey
	// final says that somebody has banked the target: leaders share the highest score,
	// leader, and behind are the deficits of the mover and those who act after it.
	final           bool
	leader, leaders int
	behind          []int
}

// turnOf returns the turn that the state is in. A seat that is still to act in the round
// cannot have banked the target; in a state that says so, it counts as just short of it, or
// of the leader.
func (b *multiTable) turnOf(s *env.State) multiTurn {
	n, seat := b.rules.players, int(s.Seat)
	t := multiTurn{key: turnKey{own: int(s.Scores[seat])}}
	after := 0 // seats that act after the mover in the round
	if b.afterRound {
		after = b.game.SeatsAfter(s, seat)
		t.key.role = n - 1 - after
		for k := after + 1; k < n; k++ {
			switch score := int(s.Scores[b.game.NextSeat(seat, k)]); {
			case score < b.target || score < t.leader:
			case score > t.leader:
				t.leader, t.leaders = score, 1
			default:
				t.leaders++
			}
		}
	}
	if t.leaders > 0 {
		t.final = true
		for k := range after + 1 {
			t.behind = append(t.behind, min(b.final.limit, max(1, t.leader-int(s.Scores[b.game.NextSeat(seat, k)]))))
		}
		return t
	}
	for k := 1; k < n; k++ {
		t.key.row = t.key.row*b.target + min(int(s.Scores[b.game.NextSeat(seat, k)]), b.target-1)
	}
	return t
}

// rollChance returns the chance of rolling at the given turn total.
func (b *multiTable) rollChance(t *multiTurn, turnTotal int) float64 {
	if t.final {
		w := b.worker()
		defer b.workers.Put(w)
		hold, roll := b.finalValues(w, t, turnTotal)
		return Certain(roll-hold > marginWins)
	}
	if t.key.own+turnTotal >= b.width || turnTotal == 0 {
		return Certain(turnTotal == 0)
	}
	if len(b.chances) > 0 {
		if mixed, ok := b.chances[t.key]; ok && mixed.turnTotal == turnTotal {
			return mixed.chance
		}
	}
	i := t.key.row*b.actionRow + b.actionStart[t.key.own] + (turnTotal-1)/8
	return float64(b.actions[t.key.role][i] >> ((turnTotal - 1) % 8) & 1)
}

// rollChances implements [TurnPlayer].
func (b *multiTable) rollChances(s *env.State, chances []float64) {
	t := b.turnOf(s)
	for i := range chances {
		chances[i] = b.rollChance(&t, int(s.TurnTotal)+i)
	}
}

// worker returns the memory for one call of values.
func (b *multiTable) worker() *multiWorker {
	if w, ok := b.workers.Get().(*multiWorker); ok {
		return w
	}
	return b.newMultiWorker()
}

// holdsTo returns memory for the values of holding up to the score top.
func (w *multiWorker) holdsTo(top int) []float64 {
	if len(w.holds) <= top {
		w.holds = make([]float64, top+1)
	}
	return w.holds[:top+1]
}

// turnTo returns memory for a turn with scores up to top.
func (b *multiTable) turnTo(w *multiWorker, top int) *turn {
	if len(w.turn.value) <= top {
		w.turn = newTurn(b.rules, top)
	}
	return &w.turn
}

// finalValues returns what holding and rolling are worth in a last round, at the given
// turn total.
func (b *multiTable) finalValues(w *multiWorker, t *multiTurn, turnTotal int) (hold, roll float64) {
	behind, rest := t.behind[0], t.behind[1:]
	top := max(turnTotal, behind)
	if len(rest) > 0 {
		top = max(top, b.lastRollBehind(behind, rest))
	}
	row := w.holdsTo(top + b.maxGain)
	for x := turnTotal; x < len(row); x++ {
		row[x] = b.finalHold(w, t.leaders, t.behind, x)
	}
	roll = b.turnTo(w, len(row)).backup(turnTotal, row, top, 0, 0, row[turnTotal], marginWins)
	return row[turnTotal], roll
}

// values is [Solution.Values].
func (b *multiTable) values(s *env.State) (hold, roll float64) {
	t, turnTotal := b.turnOf(s), int(s.TurnTotal)
	w := b.worker()
	defer b.workers.Put(w)
	if t.final {
		hold, roll = b.finalValues(w, &t, turnTotal)
	} else {
		hold, roll = b.turnValues(w, s, &t)
	}
	if turnTotal == 0 {
		hold = math.NaN()
	}
	return hold, roll
}

// turnValues returns what holding, also at a turn total of 0, and rolling are worth
// before anybody has banked the target.
func (b *multiTable) turnValues(w *multiWorker, s *env.State, t *multiTurn) (hold, roll float64) {
	n, place, own := b.rules.players, t.key.role, t.key.own
	for k := range n {
		w.scores[(place+k)%n] = int(s.Scores[b.game.NextSeat(int(s.Seat), k)])
	}
	h := own + int(s.TurnTotal)
	known := b.row(t.key.role, t.key.row)
	bust, wiped, top := known[own], known[0], b.target-1
	if own == 0 {
		wiped = bust
	}
	row := known[:b.target+b.maxGain+1]
	if b.afterRound {
		after := w.scores[place+1:]
		top = max(h, b.lastRollAbove(after, bust))
		row = w.holdsTo(top + b.maxGain)
		copy(row, known[:b.target])
		for h := b.target; h < len(row); h++ {
			row[h] = b.holdBeyond(w, after, h)
		}
	}
	hold = row[h]
	return hold, b.turnTo(w, len(row)).backup(h, row, top, bust, wiped, hold, marginWins)
}

// holdBeyond returns the win probability of the first player to bank the target, with h
// banked, if those with the given scores still act.
func (b *multiTable) holdBeyond(w *multiWorker, after []int, h int) float64 {
	if len(after) == 0 {
		return 1
	}
	return b.final.at(1, w.deficits(min(h, b.final.limit), after))[0]
}

// lastRoll is [Solution.LastRoll].
func (b *multiTable) lastRoll() int {
	last := 0
	rows := int(b.rows())
	for role := range b.roles {
		if b.actions[role] == nil {
			continue // a policy, which does not optimize
		}
		for row := range rows {
			of := b.actions[role][row*b.actionRow : (row+1)*b.actionRow]
			for own := b.target - 1; own >= 0; own-- {
				for i := (b.width-1-own+7)/8 - 1; i >= 0 && own+8*i+8 > last; i-- {
					if x := of[b.actionStart[own]+i]; x != 0 {
						last = max(last, own+8*i+bits.Len8(x))
					}
				}
			}
			if last == b.width-1 {
				return last
			}
		}
	}
	return last
}
