package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"pigpen/env"
)

// A Solution is optimal play with the value of every state: of all seats at once,
// [Solve], or against a fixed policy, [BestResponse]. It is a policy itself, and safe
// for concurrent use.
type Solution struct {
	rules *rules
	// tables has one table for all seats or, for a best response in a game that ends
	// after a round, one with the response in role 0 and one with it in role 1.
	tables []*valueTable
	// multi has, for three and more players, the table of the equilibrium, and multiWins
	// the WinBySeat of a best response.
	multi     []*multiTable
	multiWins []float64
	response  bool
	workers   int

	policies  atomic.Pointer[[2]switchPolicy] // by role of the mover; nil until prepared
	preparing chan struct{}                   // has an element while a goroutine prepares
	turns     sync.Pool                       // of *turn, for Values
}

// Solve finds perfect play for g: the policy that maximizes the win probability
// against the other who does the same or, for one player, minimizes the expected
// number of turns.
//
// For three and more players it finds an equilibrium: a policy for all seats, from
// which no player gains by deviating as long as the others keep to it. Its decisions
// may be mixed, so that RollChance is strictly between 0 and 1; see
// [Solution.Mixed]. Of several equilibria, Solve finds the one that its search comes to
// first, the same at any number of workers; players hold where they are indifferent.
//
// Time grows with the target to the power of n + 1, memory with that of n. The error
// wraps [ErrPlayers], or [ErrUnsettled] if no equilibrium was found, or is ctx.Err().
func Solve(ctx context.Context, g env.Game, o Options) (*Solution, error) {
	if err := Solvable(g); err != nil {
		return nil, err
	}
	s := newSolution(g)
	if s.rules.players > 2 {
		return s.solveMulti(ctx, o)
	}
	return s.solveTables(ctx, o, [2]env.Player{})
}

// BestResponse finds the best way to play each seat of g, where the others are
// known to play by the given policy; what [Evaluate] demands of policies holds. With
// three and more players, in games that end after a round, the result has values of the
// game's start and no decisions: Values, RollChance and RollChances panic; see [Responds].
// The error wraps [ErrPlayers], is ctx.Err(), or says that the policy or the other player
// is missing.
func BestResponse(ctx context.Context, g env.Game, against env.Player, o Options) (*Solution, error) {
	switch err := evaluable(g); {
	case err != nil:
		return nil, err
	case g.Players() == 1:
		return nil, errors.New("exact: one player has nobody to respond to")
	case against == nil:
		return nil, errors.New("exact: a policy is nil")
	}
	s := newSolution(g)
	s.response = true
	if s.rules.players > 2 {
		return s.respondMulti(ctx, against, o)
	}
	if !s.rules.afterRound {
		return s.solveTables(ctx, o, [2]env.Player{nil, against})
	}
	return s.solveTables(ctx, o, [2]env.Player{nil, against}, [2]env.Player{against, nil})
}

// newSolution returns a solution of g without tables.
func newSolution(g env.Game) *Solution {
	return &Solution{rules: rulesOf(g), preparing: make(chan struct{}, 1)}
}

// solveTables computes a table for each pair of players, by role; nil plays optimally.
func (s *Solution) solveTables(ctx context.Context, o Options, players ...[2]env.Player) (*Solution, error) {
	s.workers = o.numWorkers()
	solved := 1.0 // fraction of the work
	if o.Prepare {
		// Prepare takes about as long as half a sweep.
		solved = 2.0 / 3
		if s.rules.wipes {
			solved = 1 - 1/(1+2*s.rules.likelySweeps())
		}
	}
	for i, pair := range players {
		b := newValueTable(s.rules, pair)
		n := float64(len(players))
		if err := b.iterate(ctx, o.Part(solved*float64(i)/n, solved*float64(i+1)/n)); err != nil {
			return nil, err
		}
		s.tables = append(s.tables, b)
	}
	if o.Prepare {
		if err := s.Prepare(ctx, o.Part(solved, 1)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Game returns the game that is solved.
func (s *Solution) Game() env.Game { return s.rules.game }

// Residual returns the largest amount by which a value at the start of a turn
// misses its own equation, in win probability or, for one player, in turns.
func (s *Solution) Residual() float64 {
	residual := 0.0
	for _, b := range s.tables {
		residual = max(residual, b.residual)
	}
	for _, b := range s.multi {
		residual = max(residual, b.residual)
	}
	return residual
}

// WinBySeat returns the win probability in each seat: of a best response, its
// own in that seat against the policy; else of that seat's player when all
// play perfectly. One player always wins.
func (s *Solution) WinBySeat() []float64 {
	switch {
	case s.rules.players == 1:
		return []float64{1}
	case s.multiWins != nil:
		return slices.Clone(s.multiWins)
	case s.multi != nil:
		return s.multi[0].start(0).Win
	}
	// afterPass[role] is the value to role when the other player is to move.
	first := s.tables[0]
	wins := []float64{1 - first.afterPass[1][0][0]}
	switch {
	case s.rules.afterRound:
		last := s.tables[len(s.tables)-1]
		return append(wins, last.afterPass[1][0][0])
	case s.response:
		// Role 0 is the responder, wherever it sits.
		return append(wins, first.afterPass[0][0][0])
	}
	return append(wins, first.afterPass[1][0][0])
}

// WinMean returns the mean of WinBySeat.
func (s *Solution) WinMean() float64 { return mean(s.WinBySeat()) }

// Exploitability returns what a best response gains on its opponents: its
// WinMean minus an even share. Rounding may take it below 0, which it cannot
// be; then it is 0.
func (s *Solution) Exploitability() float64 { return max(0, s.WinMean()-1/float64(s.rules.players)) }

// Expected returns the expected numbers of turns and decisions of all seats in a game
// that all play as the solution has it, from its start. The error is ctx.Err().
func (s *Solution) Expected(ctx context.Context, o Options) (turns, decisions float64, err error) {
	if s.multi != nil {
		e := s.multi[0].start(0)
		return e.Turns, e.Decisions, nil
	}
	seats := make([]env.Player, s.rules.players)
	for seat := range seats {
		seats[seat] = s
	}
	e, err := Evaluate(ctx, s.rules.game, seats, o)
	return e.Turns, e.Decisions, err
}

// FewestTurns returns, for a game of one player, the expected number of turns
// to the target. It panics if there are more players.
func (s *Solution) FewestTurns() float64 {
	if s.rules.players != 1 {
		panic(fmt.Sprintf("exact: FewestTurns of %v", s.rules.game))
	}
	return -s.tables[0].afterPass[0][0][0]
}

// Values returns what holding and rolling are worth to the player to move in
// s, a state of the game that is not over: the win probability if all play on
// as the solution has it or, for one player, minus the expected number of
// turns yet to begin. Where Hold is not legal, hold is NaN.
func (s *Solution) Values(state env.State) (hold, roll float64) {
	if s.multi != nil {
		hold, roll = s.multi[0].values(&state)
		if state.MustRoll {
			hold = math.NaN()
		}
		return hold, roll
	}
	b, role := s.tableOf(&state)
	own, other := int(state.Scores[state.Seat]), s.otherScore(&state)
	h := own + int(state.TurnTotal)
	top := h
	switch {
	case other >= b.target:
		top = max(h, other)
	case !b.afterRound || role == 1:
		top = max(h, b.target-1)
	default:
		top = max(h, b.lastRoll(other, b.afterPass[0][other][own]))
	}
	t, _ := s.turns.Get().(*turn)
	if t == nil || len(t.value) <= top+b.maxGain {
		fresh := newTurn(s.rules, top+b.maxGain+1)
		t = &fresh
	}
	defer s.turns.Put(t)
	row := b.afterPassRow(t, role, other, top+b.maxGain)
	bust, wiped := b.failureValues(role, own, other)
	if state.TurnTotal == 0 || state.MustRoll {
		return math.NaN(), t.backup(h, row, top, bust, wiped, bust, b.margin)
	}
	return row[h], t.backup(h, row, top, bust, wiped, row[h], b.margin)
}

// RollChance implements [env.Player]: it is 1 where rolling is worth more than
// holding, or is the only legal action, and else 0.
func (s *Solution) RollChance(state env.State) float64 {
	if state.MustRoll {
		return 1
	}
	if s.multi != nil {
		t := s.multi[0].turnOf(&state)
		return s.multi[0].rollChance(&t, int(state.TurnTotal))
	}
	own, other := int(state.Scores[state.Seat]), s.otherScore(&state)
	return Certain(s.policyOf(&state).rolls(own, other, int(state.TurnTotal), s.rules))
}

// HoldsAt implements [env.ThresholdPlayer].
func (s *Solution) HoldsAt(state *env.State) (turnTotal int, ok bool) {
	own, other := int(state.Scores[state.Seat]), s.otherScore(state)
	p := s.policyOf(state)
	if other >= s.rules.target {
		return p.lastHold(own, other, s.rules), true
	}
	switch at := p.turnSwitches(own, other, s.rules); len(at) {
	case 0:
		return math.MaxInt, true
	case 1:
		return int(at[0]), true
	}
	return 0, false
}

// policyOf returns the policy of the player to move in state.
func (s *Solution) policyOf(state *env.State) *switchPolicy {
	policies := s.policies.Load()
	if policies == nil {
		policies = s.prepared()
	}
	role := 0
	if s.rules.afterRound {
		_, role = s.tableOf(state)
	}
	return &policies[role]
}

// RollChances implements [TurnPlayer].
func (s *Solution) RollChances(state env.State, chances []float64) {
	if s.multi != nil {
		s.multi[0].rollChances(&state, chances)
		return
	}
	own, other, turnTotal := int(state.Scores[state.Seat]), s.otherScore(&state), int(state.TurnTotal)
	p := s.policyOf(&state)
	if other >= s.rules.target {
		for i := range chances {
			chances[i] = Certain(p.rolls(own, other, turnTotal+i, s.rules))
		}
		return
	}
	roll := true
	for _, at := range p.turnSwitches(own, other, s.rules) {
		n := min(max(0, int(at)-turnTotal), len(chances))
		fill(chances[:n], roll)
		chances, turnTotal, roll = chances[n:], turnTotal+n, !roll
	}
	fill(chances, roll)
}

// Certain returns the chance of rolling, 1 or 0, of a player who certainly rolls or
// certainly holds.
func Certain(roll bool) float64 {
	if roll {
		return 1
	}
	return 0
}

// fill sets all chances to 1 or 0.
func fill(chances []float64, roll bool) {
	c := Certain(roll)
	for i := range chances {
		chances[i] = c
	}
}

// LastRoll returns the highest score, banked and in the turn, at which the
// solution rolls while everybody has banked less than the target.
func (s *Solution) LastRoll() int {
	if s.multi != nil {
		return s.multi[0].lastRoll()
	}
	policies := s.prepared()
	return max(policies[0].highestRoll, policies[1].highestRoll)
}

// tableOf returns the table with the values of the player to move in state, and that
// player's role in it.
func (s *Solution) tableOf(state *env.State) (b *valueTable, role int) {
	if s.rules.afterRound && s.rules.game.SeatsAfter(state, int(state.Seat)) == 0 {
		role = 1
	}
	return s.tables[min(role, len(s.tables)-1)], role
}

// otherScore returns the banked score of the other player; 0 with one player.
func (s *Solution) otherScore(state *env.State) int {
	if s.rules.players == 1 {
		return 0
	}
	return int(state.Scores[1-state.Seat])
}
