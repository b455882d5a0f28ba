package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// A policyPlot is a picture of where a policy rolls.
type policyPlot struct {
	game      env.Game
	name      string
	policy    policies.Policy
	reference string          // name of the policy to compare with, or ""
	other     policies.Policy // that policy, or nil
}

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

// turns returns the number of turn totals that a panel shows.
func (p *policyPlot) turns() int {
	if p.game.Variant().Ending == env.AfterRound {
		return p.game.Target() + p.game.Target()/5
	}
	return p.game.Target()
}

// chart returns the data of the picture.
func (p *policyPlot) chart(panels []scorePanel) charts.PolicyChart {
	c := charts.PolicyChart{Title: "Where " + p.name + " rolls", Name: p.name, Reference: p.reference, Unit: p.game.Variant().Unit, Caption: gameCaption(p.game)}
	for _, panel := range panels {
		shown := charts.PolicyPanel{Title: panel.title(p.game), Chance: panel.grid(p.game, p.turns(), p.policy.RollChance)}
		if p.other != nil {
			shown.Reference = panel.grid(p.game, p.turns(), p.other.RollChance)
		}
		c.Panels = append(c.Panels, shown)
	}
	return c
}

// rows writes a row for each decision point of the panels.
func (p *policyPlot) rows(panels []scorePanel, row func(values ...string) error) error {
	names := append(columnNames(p.game), "roll_chance")
	if p.other != nil {
		names = append(names, "other_roll_chance")
	}
	if err := row(names...); err != nil {
		return err
	}
	for _, panel := range panels {
		var err error
		write := func(s env.State) float64 {
			if err != nil {
				return 0
			}
			var values []string
			for _, x := range p.game.Observe(nil, s, int(s.Seat)) {
				values = append(values, strconv.Itoa(int(x)))
			}
			values = append(values, number(p.policy.RollChance(s)))
			if p.other != nil {
				values = append(values, number(p.other.RollChance(s)))
			}
			err = row(values...)
			return 0
		}
		panel.grid(p.game, p.turns(), write)
		if err != nil {
			return err
		}
	}
	return nil
}

// number returns x with as many digits as tell it from every other number.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// surface returns the data of the surface at which the policy holds.
func (p *policyPlot) surface() charts.SurfaceChart {
	t := holdTable{game: p.game, policy: p.policy}
	after := int(lastRounds(p.game)[0])
	c := charts.SurfaceChart{Title: "Turn totals at which " + p.name + " holds", Unit: p.game.Variant().Unit, Target: p.game.Target(), Caption: gameCaption(p.game, "below the surface it rolls") + scorePanel{after: int16(after)}.round(p.game)}
	for own := range p.game.Target() {
		var column []float64
		for other := range p.game.Target() {
			at, _ := t.at(own, other, after)
			if at == 0 || at > p.game.Target()-own {
				at = p.game.Target() - own
			}
			column = append(column, float64(at))
		}
		c.HoldAt = append(c.HoldAt, column)
	}
	return c
}
