package main

import (
	"context"

	"pigpen/cmd/pigpen/internal/charts"
)

// drawTournament draws the table of a tournament.
func drawTournament(ctx context.Context, f *plotFlags, show *progress, args []string) (drawing, error) {
	g, r, err := playTournament(ctx, f.game, show, f.workers, args)
	if err != nil {
		return drawing{}, err
	}
	names := shortNames(args)
	c := charts.CrossTableChart{
		Title: "What each policy wins against each other, in percent", Caption: gameCaption(g, "rows against columns, the mean over the seats, exact"),
		Even: 1 / float64(g.Players()),
	}
	order := r.order()
	for _, i := range order {
		c.Names, c.Mean = append(c.Names, names[i]), append(c.Mean, r.Mean[i])
		var row []float64
		for _, j := range order {
			row = append(row, r.Win[i][j])
		}
		c.Win = append(c.Win, row)
	}
	d := drawing{game: &g, what: "the tournament of " + names[order[0]] + " and others", rows: func(row func(...string) error) error {
		if err := row("policy", "opponent", "win"); err != nil {
			return err
		}
		for _, i := range order {
			for _, j := range order {
				if err := row(r.Policies[i], r.Policies[j], number(r.Win[i][j])); err != nil {
					return err
				}
			}
		}
		return nil
	}}
	if *f.out != "" {
		d.picture = charts.CrossTable(c)
	}
	return d, nil
}
