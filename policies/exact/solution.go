package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"pigpen/env"
)

// A Solution is a best way to play, with the win probability of every state:
// for all seats at once, [Solve], or against a policy, [BestResponse]. It is
// a policy itself, and safe for concurrent use.
type Solution struct {
	rules *rules
	// boards are one for all seats or, for a best response in a game that ends
	// after a round, one with it in role 0 and one with it in role 1.
	boards   []*board
	response bool
	workers  int

	plans    atomic.Pointer[[2]plan] // by role of the mover; nil until prepared
	planning chan struct{}           // holds an element while somebody prepares
	turns    sync.Pool               // of *turn, for Values
}

// Solve finds perfect play for g, a game of one or two players: the policy
// that maximizes the win probability against the other who does the same or,
// for one player, minimizes the expected number of turns. Time grows with the
// cube of the target. The error wraps [ErrPlayers], or is ctx.Err().
func Solve(ctx context.Context, g env.Game, o Options) (*Solution, error) {
	s, err := newSolution(g)
	if err != nil {
		return nil, err
	}
	return s.solve(ctx, o, [2]env.Player{})
}

// BestResponse finds the best way to play each seat of g, a game of two
// players, where the other is known to play by the given policy; what
// [Evaluate] demands of policies holds. The error wraps [ErrPlayers], is
// ctx.Err(), or says that the policy or the other player is missing.
func BestResponse(ctx context.Context, g env.Game, against env.Player, o Options) (*Solution, error) {
	s, err := newSolution(g)
	switch {
	case err != nil:
		return nil, err
	case g.Players() == 1:
		return nil, errors.New("exact: one player has nobody to respond to")
	case against == nil:
		return nil, errors.New("exact: a policy is nil")
	}
	s.response = true
	if !s.rules.afterRound {
		return s.solve(ctx, o, [2]env.Player{nil, against})
	}
	return s.solve(ctx, o, [2]env.Player{nil, against}, [2]env.Player{against, nil})
}

func newSolution(g env.Game) (*Solution, error) {
	r, err := newRules(g)
	return &Solution{rules: r, planning: make(chan struct{}, 1)}, err
}

func (s *Solution) solve(ctx context.Context, o Options, boards ...[2]env.Player) (*Solution, error) {
	s.workers = o.workers()
	solved := 1.0 // part of the work
	if o.Prepare {
		// To find all actions takes about as long as half a sweep.
		solved = 2.0 / 3
		if s.rules.wipes {
			solved = 1 - 1/(1+2*s.rules.likelySweeps())
		}
	}
	for i, players := range boards {
		b := newBoard(s.rules, players)
		n := float64(len(boards))
		if err := b.solve(ctx, o.Part(solved*float64(i)/n, solved*float64(i+1)/n)); err != nil {
			return nil, err
		}
		s.boards = append(s.boards, b)
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
	for _, b := range s.boards {
		residual = max(residual, b.residual)
	}
	return residual
}

// WinBySeat returns the win probability in each seat: of a best response, its
// own in that seat against the policy; else of that seat's player when all
// play perfectly. One player always wins.
func (s *Solution) WinBySeat() []float64 {
	if s.rules.players == 1 {
		return []float64{1}
	}
	// passed[role] is role's value when the turn has come to the other.
	first := s.boards[0]
	wins := []float64{1 - first.passed[1][0][0]}
	switch {
	case s.rules.afterRound:
		last := s.boards[len(s.boards)-1]
		return append(wins, last.passed[1][0][0])
	case s.response:
		// Role 0 is the responder, wherever it sits.
		return append(wins, first.passed[0][0][0])
	}
	return append(wins, first.passed[1][0][0])
}

// WinMean returns the mean of WinBySeat.
func (s *Solution) WinMean() float64 { return mean(s.WinBySeat()) }

// Exploitability returns what a best response gains on its opponents: its
// WinMean minus an even share. Rounding may take it below 0, which it cannot
// be; then it is 0.
func (s *Solution) Exploitability() float64 { return max(0, s.WinMean()-1/float64(s.rules.players)) }

// FewestTurns returns, for a game of one player, the expected number of turns
// to the target. It panics if there are more players.
func (s *Solution) FewestTurns() float64 {
	if s.rules.players != 1 {
		panic(fmt.Sprintf("exact: FewestTurns of %v", s.rules.game))
	}
	return -s.boards[0].passed[0][0][0]
}

// Values returns what holding and rolling are worth to the player to move in
// s, a state of the game that is not over: the win probability if all play on
// as the solution has it or, for one player, minus the expected number of
// turns yet to begin. Where Hold is not legal, hold is NaN.
func (s *Solution) Values(state env.State) (hold, roll float64) {
	b, role := s.board(&state)
	own, other := int(state.Scores[state.Seat]), s.other(&state)
	h := own + int(state.TurnTotal)
	top := h
	switch {
	case other >= b.target:
		top = max(h, other)
	case !b.afterRound || role == 1:
		top = max(h, b.target-1)
	default:
		top = max(h, b.lastRoll(other, b.passed[0][other][own]))
	}
	t, _ := s.turns.Get().(*turn)
	if t == nil || len(t.value) <= top+b.maxGain {
		fresh := newTurn(s.rules, top+b.maxGain+1)
		t = &fresh
	}
	defer s.turns.Put(t)
	row := b.row(t, role, other, top+b.maxGain)
	bust, wiped := b.failed(role, own, other)
	if state.TurnTotal == 0 {
		return math.NaN(), t.best(h, row, top, bust, wiped, bust, b.margin)
	}
	return row[h], t.best(h, row, top, bust, wiped, row[h], b.margin)
}

// RollChance implements [env.Player]: it is 1 where rolling is worth more than
// holding, or is the only legal action, and else 0.
func (s *Solution) RollChance(state env.State) float64 {
	own, other := int(state.Scores[state.Seat]), s.other(&state)
	return Certain(s.planOf(&state).rolls(own, other, int(state.TurnTotal), s.rules))
}

// planOf returns the plan of the player to move in state.
func (s *Solution) planOf(state *env.State) *plan {
	plans := s.plans.Load()
	if plans == nil {
		plans = s.prepared()
	}
	role := 0
	if s.rules.afterRound {
		_, role = s.board(state)
	}
	return &plans[role]
}

// RollChances implements [TurnPlayer].
func (s *Solution) RollChances(state env.State, chances []float64) {
	own, other, turnTotal := int(state.Scores[state.Seat]), s.other(&state), int(state.TurnTotal)
	p := s.planOf(&state)
	if other >= s.rules.target {
		for i := range chances {
			chances[i] = Certain(p.rolls(own, other, turnTotal+i, s.rules))
		}
		return
	}
	roll := true
	for _, at := range p.turn(own, other, s.rules) {
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

func fill(chances []float64, roll bool) {
	c := Certain(roll)
	for i := range chances {
		chances[i] = c
	}
}

// LastRoll returns the highest score, banked and in the turn, at which the
// solution rolls while everybody has banked less than the target.
func (s *Solution) LastRoll() int {
	plans := s.prepared()
	return max(plans[0].last, plans[1].last)
}

// board returns the board that tells what the player to move does in state,
// and that player's role on it.
func (s *Solution) board(state *env.State) (b *board, role int) {
	if s.rules.afterRound && s.rules.game.SeatsAfter(state, int(state.Seat)) == 0 {
		role = 1
	}
	return s.boards[min(role, len(s.boards)-1)], role
}

// other returns what the other player has banked; 0 if there is none.
func (s *Solution) other(state *env.State) int {
	if s.rules.players == 1 {
		return 0
	}
	return int(state.Scores[1-state.Seat])
}
