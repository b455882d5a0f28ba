package main

import (
	"context"
	"math"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/train"
)

// evaluation returns what evaluates policies against a rival.
func (t *training) evaluation(rival player) func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
	var show *progress
	if t.shown != nil {
		show = t.shown.show
	}
	onTheWay, final := evaluators(t.Config, rival, t.evalGames)
	final.Watch, onTheWay.Watch = watchEvaluation(show, final.Games), watchEvaluation(show, onTheWay.Games)
	return func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
		e := onTheWay
		if last {
			e = final
		}
		r, err := e.Evaluate(ctx, t.out, p)
		if err != nil {
			return train.Score{}, err
		}
		if last {
			t.report = &r
		}
		return figures(t.Game, r), nil
	}
}

// evaluators return what evaluates the policies of the training c: on the way, and the
// final one, with so many games where games are played.
func evaluators(c train.Config, rival player, games int64) (onTheWay, final *policies.Evaluator) {
	final = &policies.Evaluator{Game: c.Game, Opponent: rival.policy, OpponentName: rival.name, Seed: c.Seed, Workers: c.Workers}
	if simulatesScores(c.Game) {
		final.SimulateOnly = true
		final.Games = int(games)
	}
	onTheWay = &policies.Evaluator{Game: c.Game, Opponent: rival.policy, OpponentName: rival.name, Seed: c.Seed, Workers: c.Workers, SimulateOnly: final.SimulateOnly}
	if final.Games > 0 {
		onTheWay.Games = max(c.Game.Players(), final.Games/10)
	}
	return onTheWay, final
}

// simulatesScores reports whether train plays games to score policies of g. Where exact
// scores of three and more players are to be had, they take seconds, too long beside a
// training.
func simulatesScores(g env.Game) bool { return g.Players() > 2 }

// figures returns the figures of r that a log has.
func figures(g env.Game, r policies.Report) train.Score {
	s := train.Score{WinMean: r.WinMean, Exploitability: math.NaN(), Turns: math.NaN()}
	if g.Players() == 1 {
		s.WinMean = math.NaN()
	}
	if e := r.ExactFigures; e != nil {
		if e.Exploitability != nil {
			s.Exploitability = *e.Exploitability
		}
		if e.Turns != nil {
			s.Turns = *e.Turns
		}
	}
	return s
}

// evaluated shows and logs an evaluation. A row that cannot be written is kept
// for the next chance.
func (t *training) evaluated(r train.Row) error {
	t.valueError = r.ValueError
	if t.shown != nil {
		t.shown.evaluated(r, t.rivalOf(t.Game))
	}
	if t.log != nil {
		if err := t.log.Write(r); err != nil {
			t.note("pigpen: train: a row of the log could not be written, and will be tried again: %s", plaintext.Error(err))
		}
	}
	return nil
}
