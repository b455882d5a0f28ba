package main

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"pigpen/cmd/pigpen/internal/htmlreport"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// A pageAbout gathers what the page about a policy tells.
type pageAbout struct {
	flags   *gameFlags
	workers int
	out     string
	logs    []string
	show    *progress
	htmlreport.Report
}

// gather sets the report about the policy of a name.
func (p *pageAbout) gather(ctx context.Context, name string) error {
	g, list, err := p.flags.findRivals(name, []string{everyRule})
	if err != nil {
		return err
	}
	if err := p.fits(g); err != nil {
		return err
	}
	learning, err := p.learning(g)
	if err != nil {
		return err
	}
	if err := makePlayers(ctx, p.show, p.workers, g, list); err != nil {
		return err
	}
	p.Report = htmlreport.Report{Name: shortNames([]string{name})[0], Game: g, Policy: list[0].policy, Learning: learning, Version: version}
	if err := p.solve(ctx, list); err != nil {
		return err
	}
	if err := p.score(ctx, list); err != nil {
		return err
	}
	if err := p.compare(ctx); err != nil {
		return err
	}
	return p.reproduce(list[0])
}

// fits returns an error unless there can be a page about a policy of g.
func (p *pageAbout) fits(g env.Game) error {
	if g.Players() == 1 {
		return usagef("report is for two players and more; 'pigpen eval' scores a policy of one")
	}
	if err := htmlreport.Fits(g); err != nil {
		return usagef("%w; a page is for lower targets than %d", err, g.Target())
	}
	return nil
}

// solve sets perfect play, where the game can be solved.
func (p *pageAbout) solve(ctx context.Context, list []player) error {
	for _, known := range list {
		if s, ok := known.policy.(*exact.Solution); ok {
			p.Optimal = s
			return nil
		}
	}
	if !exact.Solves(p.Game) {
		return nil
	}
	solving := p.show.begin("solving", p.Game.Variant().ID)
	defer solving.end()
	s, err := exact.Solve(ctx, p.Game, solving.options(p.workers))
	if errors.Is(err, exact.ErrUnsettled) {
		return nil // the page does without
	}
	if err == nil {
		p.Optimal = s
	}
	return err
}

// score sets the scores of the policy, the first of a list, against the reference of the
// game and against the others of the list.
func (p *pageAbout) score(ctx context.Context, list []player) error {
	e := policies.Evaluator{Game: p.Game, Seed: 1, Workers: p.workers, SamePolicy: true}
	if !exact.Evaluates(p.Game) {
		e.Games = defaultEvalGames
	}
	e.Watch = watchEvaluation(p.show, e.Games)
	reference := policies.Reference(p.Game)
	for _, rival := range list[1:] {
		e.Opponent, e.OpponentName = rival.policy, rival.name
		score, err := e.Evaluate(ctx, list[0].name, list[0].policy)
		if err != nil {
			return err
		}
		if rival.name == reference {
			p.Scores = append([]policies.Report{score}, p.Scores...)
			continue
		}
		p.Scores = append(p.Scores, score)
	}
	return nil
}

// compare sets the costliest decisions of two players.
func (p *pageAbout) compare(ctx context.Context) error {
	if p.Optimal == nil || p.Game.Players() > 2 {
		return nil
	}
	points, err := policies.NewDecisionPoints(p.Game)
	if err != nil {
		return err
	}
	comparing := p.show.begin("comparing")
	defer comparing.end()
	p.Costliest, err = policies.Differences(points, p.Policy, p.Optimal, p.Optimal, policies.DifferenceOptions{
		Most: mostCostly,
		Keep: func(s env.State) bool {
			comes := policies.ComesTo(p.Game, p.Policy, s)
			if comes {
				p.Met++
			}
			return comes
		},
		Watch: func(done float64) error {
			comparing.update(done)
			return ctx.Err()
		},
	})
	return err
}

// learning returns the curves of the logs, which are of trainings on g.
func (p *pageAbout) learning(g env.Game) (curves []htmlreport.Curve, err error) {
	var runs []loggedRun
	for _, name := range p.logs {
		rows, err := train.ReadLog(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, runsOf(name, rows)...)
	}
	groups, err := groupRuns(runs)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		from := run.rows[0].From
		want := []string{g.Variant().ID, strconv.Itoa(g.Players()), strconv.Itoa(g.Target())}
		if got := []string{from["variant"], from["players"], from["target"]}; from["variant"] != "" && !slices.Equal(got, want) {
			return nil, usagef("%s is of %s, players %s, target %s; the policy is for %v", run.file, plaintext.Escape(got[0]), plaintext.Escape(got[1]), plaintext.Escape(got[2]), g)
		}
	}
	names := groupNames(groups)
	for i, group := range groups {
		l, err := group.learner(names[i], byDecisions, false)
		if err != nil {
			return nil, err
		}
		curves = append(curves, htmlreport.Curve{Name: l.Name, X: l.Win.X, Win: l.Win.Mean, Exploitability: l.Exploitability.Mean})
	}
	return curves, nil
}
