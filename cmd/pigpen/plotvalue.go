package main

import (
	"context"
	"math"
	"strconv"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/env"
	"pigpen/policies"
)

// drawValue draws what the start of a turn is worth.
func drawValue(ctx context.Context, f *plotFlags, show *progress, args []string) (drawing, error) {
	if len(args) > 0 {
		return drawing{}, usagef("unexpected argument %q; plot value shows perfect play or, with --against %s, the best response to a policy", args[0], args[0])
	}
	against := f.against()
	g, v, err := f.game.valuer(ctx, show, f.workers, against, func(g env.Game) error {
		if g.Players() == 1 {
			return usagef("plot value shows win probabilities, and one player has nobody to win against")
		}
		return nil
	})
	if err != nil {
		return drawing{}, err
	}
	who := "with perfect play"
	if against != "" {
		who = "by the best response to " + shortNames([]string{against})[0]
	}
	c := charts.ValueChart{Title: "Win probability at the start of a turn", Caption: gameCaption(g, who), Unit: g.Variant().Unit, Other: otherScore(g)}
	for _, after := range lastRounds(g) {
		panel := scorePanel{after: after}
		c.Panels = append(c.Panels, charts.ValuePanel{Title: panel.round(g), Win: startValues(g, v, after)})
		if title := &c.Panels[len(c.Panels)-1].Title; *title != "" {
			*title = (*title)[len(", "):]
		}
	}
	d := drawing{game: &g, what: "the win probability " + who, rows: func(row func(...string) error) error { return valueRows(g, v, row) }}
	if *f.out != "" {
		d.picture = charts.Value(c)
	}
	return d, nil
}

// startValues returns the win probabilities at the start of a turn, by own score and the
// score of each other player.
func startValues(g env.Game, v policies.Valuer, after int16) charts.Grid {
	grid := make(charts.Grid, g.Target())
	for own := range grid {
		for other := range g.Target() {
			grid[own] = append(grid[own], startValue(g, v, scorePanel{int16(other), after}.observation(g, int16(own), 0)))
		}
	}
	return grid
}

// startValue returns the win probability in a state, or NaN if there is no such state.
func startValue(g env.Game, v policies.Valuer, observation []int16) float64 {
	s, err := g.StateOf(observation)
	if err != nil || s.Over {
		return math.NaN()
	}
	_, roll := v.Values(s)
	return roll
}

// valueRows writes a row for each pair of scores.
func valueRows(g env.Game, v policies.Valuer, row func(values ...string) error) error {
	names := columnNames(g)
	if err := row(append(append([]string{names[0]}, names[2:]...), "win")...); err != nil {
		return err
	}
	for _, after := range lastRounds(g) {
		for own := range g.Target() {
			for other := range g.Target() {
				o := scorePanel{int16(other), after}.observation(g, int16(own), 0)
				value := startValue(g, v, o)
				if math.IsNaN(value) {
					continue
				}
				values := []string{strconv.Itoa(own)}
				for _, x := range o[2:] {
					values = append(values, strconv.Itoa(int(x)))
				}
				if err := row(append(values, number(value))...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
