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

// Evaluate returns what happens in a game of one or two players that are
// played by the given policies, one for each seat.
//
// A policy may look at what its seat observes, [env.Game.Observe], and nothing
// else: it is asked in states whose other fields may not be those of a real
// game. It must be safe for concurrent use. Evaluate panics if it returns no
// chance. In games that end after a round, a turn is not followed any further
// where the chance of coming there is below 1e-20. The error wraps
// [ErrPlayers], is ctx.Err(), or says that a policy is missing.
func Evaluate(ctx context.Context, g env.Game, seats []env.Player, o Options) (Evaluation, error) {
	if err := present(g, seats); err != nil {
		return Evaluation{}, err
	}
	var players [2]env.Player
	copy(players[:], seats)
	o, err := prepare(ctx, o, seats...)
	if err != nil {
		return Evaluation{}, err
	}
	e, err := evaluate(ctx, g, players, o)
	if err != nil {
		return Evaluation{}, err
	}
	return e.from(0), nil
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
	seats := []env.Player{p, against}
	if g.Players() == 1 {
		seats = seats[:1]
	}
	if err := present(g, seats); err != nil {
		return Comparison{}, err
	}
	var c Comparison
	add := func(e Evaluation, seat int) {
		c.WinBySeat = append(c.WinBySeat, e.Win[seat])
		c.TurnsBySeat = append(c.TurnsBySeat, e.Turns)
		c.DecisionsBySeat = append(c.DecisionsBySeat, e.Decisions)
		c.Residual = max(c.Residual, e.Residual)
	}
	o, err := prepare(ctx, o, seats...)
	if err != nil {
		return Comparison{}, err
	}
	first, second := o, o
	if g.Players() == 2 && g.Variant().Ending == env.AfterRound {
		first, second = o.Part(0, 0.5), o.Part(0.5, 1)
	}
	e, err := evaluate(ctx, g, [2]env.Player{p, against}, first)
	if err != nil {
		return Comparison{}, err
	}
	add(e.from(0), 0)
	switch {
	case g.Players() == 1:
	case e.afterRound:
		if e, err = evaluate(ctx, g, [2]env.Player{against, p}, second); err != nil {
			return Comparison{}, err
		}
		add(e.from(0), 1)
	default:
		// Only who moves matters: it is the game in which role 1 begins.
		add(e.from(1), 0)
	}
	return c, nil
}

// present returns an error unless there is a policy for each seat of a game
// that can be solved.
func present(g env.Game, seats []env.Player) error {
	if err := Solvable(g); err != nil {
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

// future is what is still to come from the start of a turn on.
type future struct {
	win              [2]float64 // by role
	turns, decisions float64
}

// add adds so much of another future.
func (f *future) add(chance float64, of *future) {
	f.win[0] += float64(chance * of.win[0])
	f.win[1] += float64(chance * of.win[1])
	f.turns += float64(chance * of.turns)
	f.decisions += float64(chance * of.decisions)
}

// An evaluation holds the future for every pair of banked scores. Unlike a
// [board] it does without the assumption that somebody wins.
type evaluation struct {
	*rules
	players [2]env.Player // by role
	// passed[role][other][own] is what follows when role has passed the turn
	// with own banked, the other player having other, both below the target.
	passed [2][][]future
	// wiped is what passed was thought to be at an own score of 0.
	wiped [2][]future
	// chased[own][leader - target] is the future of the last player of a last
	// round, as far as it is known.
	chased   [][]future
	residual float64
}

func evaluate(ctx context.Context, g env.Game, players [2]env.Player, o Options) (*evaluation, error) {
	r, err := newRules(g)
	if err != nil {
		return nil, err
	}
	e := &evaluation{rules: r, players: players}
	others := 1
	if r.players == 2 {
		others = r.target
	}
	for role := range r.players {
		all := make([]future, others*r.target)
		for other := range others {
			e.passed[role] = append(e.passed[role], all[other*r.target:(other+1)*r.target])
		}
		e.wiped[role] = make([]future, others)
	}
	if r.afterRound {
		e.chased = make([][]future, r.target)
	}
	crew := newCrew(r, o)
	e.residual, err = r.settle(o, r.longSweeps(),
		func(report func(float64)) (float64, error) {
			return r.sweep(ctx, crew, false, e.cycle, r.byPair, report)
		},
		e.carry)
	return e, err
}

// carry takes the futures found for an own score of 0 as what a wipe leads to,
// and returns how far they differ from what was taken before: probabilities as
// they are, expected numbers by their size.
func (e *evaluation) carry() (change float64) {
	for role := range e.rules.players {
		for other := range e.passed[role] {
			was, is := &e.wiped[role][other], &e.passed[role][other][0]
			change = max(change,
				math.Abs(is.win[0]-was.win[0]), math.Abs(is.win[1]-was.win[1]),
				math.Abs(is.turns-was.turns)/is.turns, math.Abs(is.decisions-was.decisions)/is.decisions)
			*was = *is
		}
	}
	return change
}

// cycle finds the future of the scores i, of role 0, and j, of role 1: turns
// that leave the scores as they were lead from each role's turn to the
// other's, and else the future is known.
func (e *evaluation) cycle(w *worker, i, j int) {
	f0, stay0, leave0 := e.turn(w, 0, i, j)
	f1, stay1, leave1 := future{}, 1.0, 0.0
	if e.rules.players == 2 {
		f1, stay1, leave1 = e.turn(w, 1, j, i)
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
		e.passed[0][0][i] = now0
		return
	}
	e.passed[1][i][j], e.passed[0][j][i] = now0, now1
	f0.add(stay0, &now1)
	w.residual = max(w.residual, math.Abs(f0.win[0]-now0.win[0]), math.Abs(f0.win[1]-now0.win[1]))
}

// turn returns the future of a turn of role with own banked against other, but
// for the part of it in which the turn leaves the scores as they were; stay is
// the chance of that, and leave is 1 - stay.
func (e *evaluation) turn(w *worker, role, own, other int) (f future, stay, leave float64) {
	t := &w.turns[role]
	end := t.follow(own, e.players[role], stateOf(role, own, other), nil)
	f.turns, f.decisions, f.win[role] = 1, end.decisions, end.won
	stay, leave = end.stay, end.won
	switch {
	case own == 0:
		stay += end.wiped
	case end.wiped > 0:
		leave += end.wiped
		f.add(end.wiped, &e.wiped[role][other])
	}
	row := e.passed[role][other]
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
			f.add(c, e.chaseBy(w, other, h))
		}
	}
	return f, stay, leave
}

// chaseBy returns the future of the last player of a last round, with own
// banked against the leader's score.
func (e *evaluation) chaseBy(w *worker, own, leader int) *future {
	known := e.chased[own]
	if d := leader + 1 - e.target - len(known); d > 0 {
		known = append(known, make([]future, d)...)
		e.chased[own] = known
	}
	f := &known[leader-e.target]
	if f.turns > 0 {
		return f
	}
	t := &w.chaser
	end := t.follow(own, e.players[1], stateOf(1, own, leader), nil)
	f.turns, f.decisions, f.win[0] = 1, end.decisions, end.stay+end.wiped
	for h := t.low; h <= t.top; h++ {
		f.win[1] += float64(t.bank[h] * share(h, leader))
		f.win[0] += float64(t.bank[h] * share(leader, h))
	}
	return f
}

// from returns the evaluation of a game that the given role begins.
func (e *evaluation) from(role int) Evaluation {
	f := e.passed[(role+1)%e.rules.players][0][0]
	return Evaluation{Win: f.win[:e.rules.players], Turns: f.turns, Decisions: f.decisions, Residual: e.residual}
}
