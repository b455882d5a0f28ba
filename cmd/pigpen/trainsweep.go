package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/train"
)

// A sweep is the command train under way with several seeds or settings.
type sweep struct {
	*trainFlags
	sweepPlan
	std     streams
	show    *progress // nil if quiet
	trained *task     // on a terminal
	rival   player    // whom the policies are scored against
	result  train.SweepResult
	// references are what rules of thumb win in the learner's place.
	references []policies.Report
	evaluating sync.Mutex // held in exact evaluations that take much memory
	saved      savedPolicy
	told       map[string]string // errors of files, by path
}

// run runs the command.
func (s *sweep) run(ctx context.Context) (err error) {
	s.told = make(map[string]string)
	solving := (*task)(nil)
	if !s.quiet {
		s.show = showProgress(s.std.err)
		defer s.show.stop()
		p := s.first
		s.note("%s on %v: %s, %s states, %d entries, %d trainings", p.Agent.Name, p.Game, p.Recipe.Name, p.Abstraction, p.entries, len(s.Points)*len(s.Seeds))
		if s.Resume != nil {
			s.note("%s has %d of them", plaintext.Escape(s.resume), len(s.Resume.Trained))
		}
		solving = s.begin("solving", s.rivalOf(s.first.Game))
	}
	if s.rival, err = s.makeRival(ctx, &s.first, solving, s.note); err != nil {
		return err
	}
	for _, p := range s.Points {
		p.Notes[againstFlag] = s.rival.name
	}
	s.Evaluator = s.scorer
	s.Saved = s.wrote
	if !s.quiet {
		s.trained = s.begin("sweep")
		s.Ended, s.ReportEvery, s.Report = s.ended, barEvery, s.progress
	}
	s.result, err = train.RunSweep(ctx, s.Sweep)
	if errors.Is(err, train.ErrDisagrees) {
		return usageError{err}
	} else if err != nil {
		return err
	}
	return s.finish(ctx)
}

// finish saves the best policy and prints the result. If the sweep was interrupted, the
// checkpoint, if there is one, has that policy already.
func (s *sweep) finish(ctx context.Context) (err error) {
	r := s.result
	if r.Best >= 0 && (!r.Interrupted || s.Checkpoint == "" || r.SaveErr != nil) {
		s.saved, err = savePolicy(s.out, r.File)
	}
	var without error // of the references, without which the result is printed
	if !r.Interrupted {
		c := s.first.Config
		c.Seed, c.Workers = s.Seeds[0], s.workers
		s.references, without = references(ctx, s.show, c, s.rival, s.evalGames)
	}
	s.show.stop()
	if r.Best >= 0 {
		if e := s.print(); e != nil {
			return e
		}
	}
	switch {
	case err != nil:
		return err
	case r.SaveErr != nil:
		return fmt.Errorf("a file of the sweep could not be written: %w", r.SaveErr)
	case !r.Interrupted:
		return without
	case s.Checkpoint != "":
		s.note("pigpen: train: interrupted after %d of %d trainings; to go on: pigpen train --resume %s", len(r.Trained), len(s.Points)*len(s.Seeds), plaintext.Escape(s.Checkpoint))
	default:
		s.note("pigpen: train: interrupted after %d of %d trainings; with --checkpoint FILE a sweep can go on", len(r.Trained), len(s.Points)*len(s.Seeds))
	}
	return errInterrupted
}

// scorer returns what evaluates the policies of the training c.
func (s *sweep) scorer(c train.Config) func(context.Context, policies.Policy, bool) (train.Score, error) {
	many := c.Game.Players() > 2
	if many {
		c.Workers = s.workers // exact evaluations go one after the other
	}
	onTheWay, final := evaluators(c, s.rival, s.evalGames)
	return func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
		e := onTheWay
		if last {
			e = final
		}
		if many && e.Games == 0 {
			s.evaluating.Lock()
			defer s.evaluating.Unlock()
		}
		r, err := e.Evaluate(ctx, s.out, p)
		if err != nil {
			return train.Score{}, err
		}
		return figures(c.Game, r), nil
	}
}
