package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// drawPolicy draws where a policy rolls.
func drawPolicy(ctx context.Context, f *plotFlags, show *progress, args []string) (drawing, error) {
	if len(args) != 1 {
		return drawing{}, usagef("policies given: %d; plot policy is for one, a file or a name such as hold-20", len(args))
	}
	compare := f.compare()
	switch {
	case *f.alone && compare != "":
		return drawing{}, usagef("--alone and --compare %s exclude each other", compare)
	case *f.surface && (compare != "" || f.set.Changed("other-scores") || *f.alone):
		return drawing{}, usagef("--surface is of one policy at all scores; leave --compare, --alone and --other-scores out")
	case *f.surface && *f.out == "":
		return drawing{}, usagef("--surface is for pictures; 'pigpen advise --table %s --out %s' writes its data", args[0], *f.csv)
	}
	names := args
	if compare != "" {
		names = []string{args[0], compare}
	}
	g, list, err := f.game.find(names...)
	if err != nil {
		return drawing{}, err
	}
	if *f.surface && g.Players() != 2 {
		return drawing{}, usagef("--surface is for two players; with %d it would have %d dimensions", g.Players(), g.Players()+1)
	}
	if compare == "" && !*f.alone && !*f.surface && args[0] != policies.Optimal && exact.Solves(g) {
		if g, list, err = f.game.find(args[0], policies.Optimal); err != nil {
			return drawing{}, err
		}
	}
	panels, err := f.panels(g)
	if err != nil {
		return drawing{}, err
	}
	if err := makePlayers(ctx, show, f.workers, g, list); err != nil {
		return drawing{}, err
	}
	p := policyPlot{game: g, name: shortNames(args)[0], policy: list[0].policy}
	if len(list) > 1 {
		p.other = list[1].policy
		p.reference = shortNames([]string{args[0], list[1].name})[1]
		if p.reference == policies.Optimal {
			p.reference = "perfect play"
		}
	}
	d := drawing{game: &g, what: fmt.Sprintf("where %s rolls", p.name), rows: func(row func(...string) error) error { return p.rows(panels, row) }}
	if *f.surface {
		d.picture = charts.Surface(p.surface())
		d.rows = (&holdTable{game: g, policy: p.policy, name: p.name}).rows
	} else if *f.out != "" {
		d.picture = charts.Policy(p.chart(panels))
	}
	return d, nil
}

// panels returns the panels that the flags ask for.
func (f *plotFlags) panels(g env.Game) ([]scorePanel, error) {
	if f.set.Changed("other-scores") && g.Players() == 1 {
		return nil, usagef("--other-scores; one player has no others")
	}
	rounds := lastRounds(g)
	scores := *f.others
	if !f.set.Changed("other-scores") {
		tenths := []int{0, 2, 4, 6, 8, 9}
		if len(rounds) > 1 {
			tenths = []int{0, 5, 9}
		}
		if g.Players() == 1 {
			tenths = tenths[:1]
		}
		scores = nil
		for _, tenth := range tenths {
			scores = append(scores, g.Target()*tenth/10)
		}
		scores = slices.Compact(scores)
	}
	if len(scores) == 0 || len(scores) > 12 {
		return nil, usagef("--other-scores: %d scores; write 1 to 12, as in 0,50,90", len(scores))
	}
	var panels []scorePanel
	for _, after := range rounds {
		for _, score := range scores {
			if score < 0 || score > math.MaxInt16 || score >= g.Target() && after > 0 {
				return nil, usagef("--other-scores %d; write scores from 0 to %d", score, g.Target()-1)
			}
			p := scorePanel{other: int16(score), after: after}
			if _, err := g.StateOf(p.observation(g, 0, 0)); err != nil || score >= g.Target() {
				return nil, usagef("--other-scores %d; write scores from 0 to %d", score, g.Target()-1)
			}
			panels = append(panels, p)
		}
	}
	return panels, nil
}
