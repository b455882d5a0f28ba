package main

import (
	"context"
	"fmt"
	"strings"

	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// commonRule is the rule of thumb that most people are taught.
const commonRule = "hold-20"

// references returns, for three and more players, the scores in the learner's place of
// hold-20 and, after it, of the best rule of thumb, if that is another: against the same
// rival, by the same method and with the same games as the score of the training c.
func references(ctx context.Context, show *progress, c train.Config, rival player, games int64) ([]policies.Report, error) {
	if c.Game.Players() <= 2 {
		return nil, nil
	}
	_, e := evaluators(c, rival, games)
	e.WinsOnly, e.Watch = true, watchEvaluation(show, e.Games)
	score := func(name string) (policies.Report, error) {
		p, err := policies.Named(ctx, name, c.Game, exact.Options{Workers: c.Workers})
		if err != nil {
			return policies.Report{}, err
		}
		return e.Evaluate(ctx, name, p)
	}
	common, err := score(commonRule)
	if err != nil {
		return nil, err
	}
	best := common
	for _, name := range rules(c.Game) {
		if name == policies.Optimal || name == commonRule {
			continue
		}
		r, err := score(name)
		if err != nil {
			return nil, err
		}
		if r.WinMean > best.WinMean {
			best = r
		}
	}
	if best.Policy == commonRule {
		return []policies.Report{common}, nil
	}
	return []policies.Report{common, best}, nil
}

// referencesText lays references out for people.
func referencesText(list []policies.Report) string {
	if len(list) == 0 {
		return ""
	}
	how := "exact"
	if list[0].Method == policies.SimulationMethod {
		how = "simulated"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "in its place, %s\n", how)
	width := 0
	for _, r := range list {
		width = max(width, len(r.Policy))
	}
	for i, r := range list {
		wins := fmt.Sprintf("wins %10.6f%%", 100*r.WinMean)
		if r.Method == policies.SimulationMethod {
			wins = estimateLine(r.Simulated.Estimate)
		}
		if i == len(list)-1 {
			wins += ", the most of all rules of thumb"
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, r.Policy, wins)
	}
	return b.String()
}
