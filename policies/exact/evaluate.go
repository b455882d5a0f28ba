package exact

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pigpen/env"
)

// An Evaluation is what happens in a game, from its start, with seat 0 first.
type Evaluation struct {
	// Win is each seat's win probability; a win shared by m players counts
	// 1/m. The sum is 1 unless the players may never end the game.
	Win []float64
	// Turns is the expected number of turns of all seats together, and
	// Decisions that of decisions, forced ones at the start of a turn
	// included. Both are +Inf if the players may never end the game.
	Turns, Decisions float64
	// Residual is the largest amount by which a win probability at the start of
	// a turn misses its own equation.
	Residual float64
}

// Evaluate returns what happens in a game whose seats are played by the given
// policies; see [Evaluates] for which games.
//
// A policy may look at what its seat observes, [env.Game.Observe], and nothing
// else: it is asked in states whose other fields may not be those of a real
// game. It must be safe for concurrent use. Evaluate panics if it returns no
// chance. In games that end after a round, a turn is not followed any further
// where the chance of coming there is below 1e-20. The error wraps
// [ErrPlayers], is ctx.Err(), or says that a policy is missing.
func Evaluate(ctx context.Context, g env.Game, seats []env.Player, o Options) (Evaluation, error) {
	if err := checkSeats(g, seats); err != nil {
		return Evaluation{}, err
	}
	o, err := prepareAll(ctx, o, seats...)
	if err != nil {
		return Evaluation{}, err
	}
	if g.Players() > 2 {
		b, err := newMulti(ctx, g, seats, false, o)
		if err != nil {
			return Evaluation{}, err
		}
		return b.start(0), nil
	}
	var players [2]env.Player
	copy(players[:], seats)
	e, err := evaluatePolicies(ctx, g, players, o)
	if err != nil {
		return Evaluation{}, err
	}
	return e.fromStart(0), nil
}

// A Comparison is how a policy does in each seat of a game, all other seats
// played by another.
type Comparison struct {
	// WinBySeat is the policy's win probability in each seat.
	WinBySeat []float64
	// TurnsBySeat and DecisionsBySeat are those of the [Evaluation] with the
	// policy in each seat.
	TurnsBySeat, DecisionsBySeat []float64
	Residual                     float64
}

// WinMean returns the mean of WinBySeat.
func (c Comparison) WinMean() float64 { return mean(c.WinBySeat) }

// Turns returns the mean of TurnsBySeat.
func (c Comparison) Turns() float64 { return mean(c.TurnsBySeat) }

// Decisions returns the mean of DecisionsBySeat.
func (c Comparison) Decisions() float64 { return mean(c.DecisionsBySeat) }

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Compare evaluates a policy in each seat of g with the other seats played by
// against; what is said of [Evaluate] holds. With one player, against is not
// asked and may be nil.
func Compare(ctx context.Context, g env.Game, p, against env.Player, o Options) (Comparison, error) {
	seats := make([]env.Player, g.Players())
	for seat := range seats {
		seats[seat] = against
	}
	seats[0] = p
	if err := checkSeats(g, seats); err != nil {
		return Comparison{}, err
	}
	var c Comparison
	add := func(e Evaluation, seat int) {
		c.WinBySeat = append(c.WinBySeat, e.Win[seat])
		c.TurnsBySeat = append(c.TurnsBySeat, e.Turns)
		c.DecisionsBySeat = append(c.DecisionsBySeat, e.Decisions)
		c.Residual = max(c.Residual, e.Residual)
	}
	o, err := prepareAll(ctx, o, seats...)
	if err != nil {
		return Comparison{}, err
	}
	if g.Players() > 2 {
		return compareMulti(ctx, g, seats, o, &c, add)
	}
	first, second := o, o
	if g.Players() == 2 && g.Variant().Ending == env.AfterRound {
		first, second = o.Part(0, 0.5), o.Part(0.5, 1)
	}
	e, err := evaluatePolicies(ctx, g, [2]env.Player{p, against}, first)
	if err != nil {
		return Comparison{}, err
	}
	add(e.fromStart(0), 0)
	switch {
	case g.Players() == 1:
	case e.afterRound:
		if e, err = evaluatePolicies(ctx, g, [2]env.Player{against, p}, second); err != nil {
			return Comparison{}, err
		}
		add(e.fromStart(0), 1)
	default:
		// Only who moves matters: it is the game in which role 1 begins.
		add(e.fromStart(1), 0)
	}
	return c, nil
}

// checkSeats returns an error unless g can be solved and every seat has a policy.
func checkSeats(g env.Game, seats []env.Player) error {
	if err := evaluable(g); err != nil {
		return err
	}
	if len(seats) != g.Players() {
		return fmt.Errorf("exact: %d policies for the %d seats of %v", len(seats), g.Players(), g)
	}
	for _, p := range seats {
		if p == nil {
			return errors.New("exact: a policy is nil")
		}
	}
	return nil
}

// A future is what is expected to follow from the start of a turn.
type future struct {
	win              [2]float64 // by role
	turns, decisions float64
}

// add adds chance times each expectation of the other future.
func (f *future) add(chance float64, of *future) {
	f.win[0] += float64(chance * of.win[0])
	f.win[1] += float64(chance * of.win[1])
	f.turns += float64(chance * of.turns)
	f.decisions += float64(chance * of.decisions)
}

// An evaluationTable holds the future for every pair of banked scores under given
// policies. Unlike a [valueTable] it does not assume that a player wins: the game may
// never end.
type evaluationTable struct {
	*rules
	players [2]env.Player // by role
	// afterPass[role][other][own] is the future after role has passed the turn with
	// own banked and other banked by the other player, both below the target.
	afterPass [2][][]future
	// finalTurns[own][leader - target] is finalTurnFuture(own, leader); turns is 0
	// where it has not been computed.
	finalTurns [][]future
	residual   float64
}

// newEvaluationTable returns a table without its futures.
func newEvaluationTable(r *rules, players [2]env.Player) *evaluationTable {
	e := &evaluationTable{rules: r, players: players}
	others := 1
	if r.players == 2 {
		others = r.target
	}
	for role := range r.players {
		all := make([]future, others*r.target)
		for other := range others {
			e.afterPass[role] = append(e.afterPass[role], all[other*r.target:(other+1)*r.target])
		}
	}
	if r.afterRound {
		e.finalTurns = make([][]future, r.target)
	}
	return e
}

// evaluatePolicies computes the futures of g under the policies of both roles.
func evaluatePolicies(ctx context.Context, g env.Game, players [2]env.Player, o Options) (*evaluationTable, error) {
	e := newEvaluationTable(rulesOf(g), players)
	workers := newWorkers(e.rules, o)
	m := e.newMixer(e.eachWiped)
	var err error
	e.residual, err = e.converge(o, e.likelySweeps(),
		func(report func(float64)) (float64, error) {
			return e.sweep(ctx, workers, false, e.solvePair, e.givenCost, report)
		},
		m.change, m)
	return e, err
}

// eachWiped is [wipedValues] of the table.
func (e *evaluationTable) eachWiped(visit func(component int, value *float64, relative bool)) {
	for role := range e.rules.players {
		for _, row := range e.afterPass[role] {
			f := &row[0]
			visit(0, &f.win[0], false)
			visit(1, &f.win[1], false)
			visit(2, &f.turns, true)
			visit(3, &f.decisions, true)
		}
	}
}

// solvePair computes the futures of both players where role 0 has banked i and role 1
// has banked j: two linear equations, since a turn that leaves the scores unchanged
// passes from one to the other, and all other futures are known.
func (e *evaluationTable) solvePair(w *worker, i, j int) {
	f0, stay0, leave0 := e.evaluateTurn(w, 0, i, j)
	f1, stay1, leave1 := future{}, 1.0, 0.0
	if e.rules.players == 2 {
		f1, stay1, leave1 = e.evaluateTurn(w, 1, j, i)
	}
	leave := leave0 + float64(stay0*leave1) // 1 - stay0·stay1, without its rounding
	now0, now1 := f0, f1
	now0.add(stay0, &f1)
	if leave > 0 {
		now0 = future{[2]float64{now0.win[0] / leave, now0.win[1] / leave}, now0.turns / leave, now0.decisions / leave}
	} else { // they pass the turn to each other for ever
		now0 = future{turns: math.Inf(1), decisions: math.Inf(1)}
	}
	if stay1 > 0 {
		now1.add(stay1, &now0)
	}
	if e.rules.players == 1 {
		e.afterPass[0][0][i] = now0
		return
	}
	e.afterPass[1][i][j], e.afterPass[0][j][i] = now0, now1
	f0.add(stay0, &now1)
	w.residual = max(w.residual, math.Abs(f0.win[0]-now0.win[0]), math.Abs(f0.win[1]-now0.win[1]))
}

// evaluateTurn returns the future of a turn of role with own banked against other,
// without the part in which the turn leaves the scores unchanged. stay is the
// probability of that part, and leave is 1 - stay.
func (e *evaluationTable) evaluateTurn(w *worker, role, own, other int) (f future, stay, leave float64) {
	t := &w.turns[role]
	end := t.forward(own, e.players[role], stateOf(role, own, other), nil)
	f.turns, f.decisions, f.win[role] = 1, end.decisions, end.won
	stay, leave = end.stay, end.won
	row := e.afterPass[role][other]
	switch {
	case own == 0:
		stay += end.wiped
	case end.wiped > 0:
		leave += end.wiped
		f.add(end.wiped, &row[0]) // as of the last sweep, for this sweep comes to it later
	}
	for h := t.low; h <= t.top; h++ {
		c := t.bank[h]
		if c == 0 {
			continue
		}
		leave += c
		switch {
		case h < e.target:
			f.add(c, &row[h])
		case role == 1:
			f.win[1] += c // the round is over
		default:
			f.add(c, e.finalTurnFuture(w, other, h))
		}
	}
	return f, stay, leave
}

// finalTurnFuture returns the future at the start of the final turn of a last round,
// in which role 1 has banked own against the leader's score.
func (e *evaluationTable) finalTurnFuture(w *worker, own, leader int) *future {
	known := e.finalTurns[own]
	if d := leader + 1 - e.target - len(known); d > 0 {
		known = append(known, make([]future, d)...)
		e.finalTurns[own] = known
	}
	f := &known[leader-e.target]
	if f.turns > 0 {
		return f
	}
	t := &w.finalTurn
	end := t.forward(own, e.players[1], stateOf(1, own, leader), nil)
	f.turns, f.decisions, f.win[0] = 1, end.decisions, end.stay+end.wiped
	for h := t.low; h <= t.top; h++ {
		f.win[1] += float64(t.bank[h] * winShare(h, leader))
		f.win[0] += float64(t.bank[h] * winShare(leader, h))
	}
	return f
}

// fromStart returns the evaluation of a game in which the given role begins.
func (e *evaluationTable) fromStart(role int) Evaluation {
	f := e.afterPass[(role+1)%e.rules.players][0][0]
	return Evaluation{Win: f.win[:e.rules.players], Turns: f.turns, Decisions: f.decisions, Residual: e.residual}
}
