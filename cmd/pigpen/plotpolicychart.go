package main

import (
	"strconv"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/env"
	"pigpen/policies"
)

// A policyPlot is a picture of where a policy rolls.
type policyPlot struct {
	game      env.Game
	name      string
	policy    policies.Policy
	reference string          // name of the policy to compare with, or ""
	other     policies.Policy // that policy, or nil
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
