package main

import (
	"context"
	"math"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// evaluation returns what evaluates policies against the rival.
func (t *training) evaluation() func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
	show := t.progress()
	onTheWay, final := evaluators(t.Config, t.rival, t.evalGames)
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
	e := policies.Evaluator{Game: c.Game, Opponent: rival.policy, OpponentName: rival.name, Seed: c.Seed, Workers: c.Workers}
	way, last := e, e
	if !exact.Evaluates(c.Game) {
		last.Games = int(games)
	}
	if !exactOnTheWay(c) {
		way.Games, way.SimulateOnly = max(c.Game.Players(), int(games)/10), true
	}
	return &way, &last
}

// fewPoints are decision points of a game whose exact scores take some hundredths of a
// second.
const fewPoints = 500_000

// exactOnTheWay reports whether the training c is evaluated exactly on the way: with three
// and more players if that takes a small part of the time. It depends on no clock, so that
// all rows of a log are made alike.
func exactOnTheWay(c train.Config) bool {
	g := c.Game
	if g.Players() <= 2 || !exact.Evaluates(g) {
		return g.Players() <= 2
	}
	full, err := policies.NewStateIndex(g, policies.FullAbstraction)
	if err != nil {
		return false
	}
	points := int64(full.Size())
	if wipes(g) {
		points *= wipedEvalPerOnce
	}
	return points <= max(fewPoints, c.EvalEvery)
}

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
		t.shown.evaluated(r, t.rival.name)
	}
	if t.log != nil {
		if err := t.log.Write(r); err != nil {
			t.note("pigpen: train: a row of the log could not be written, and will be tried again: %s", plaintext.Error(err))
		}
	}
	return nil
}
