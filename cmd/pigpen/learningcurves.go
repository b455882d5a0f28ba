package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/train"
)

// learner returns the curves of a group. The points are where all its runs were
// evaluated, by schedule or, in logs without, by row; with positive only
// those whose place on the x-axis is.
func (g runGroup) learner(name, by string, positive bool) (charts.Learner, error) {
	l := charts.Learner{Name: name}
	type point struct{ x, win, exploitability []float64 }
	points := make(map[float64]*point)
	for _, run := range g {
		for i, r := range run.rows {
			at := r.Scheduled
			if math.IsNaN(at) {
				at = float64(i)
			}
			p := points[at]
			if p == nil {
				p = new(point)
				points[at] = p
			}
			x := r.Steps
			if by == bySeconds {
				if x = r.Seconds; math.IsNaN(x) {
					return l, usagef("%s has no seconds; draw it by %s", run.file, byDecisions)
				}
			}
			p.x, p.win, p.exploitability = append(p.x, x), append(p.win, r.WinMean), append(p.exploitability, r.Exploitability)
		}
	}
	var list []*point
	for _, at := range slices.Sorted(maps.Keys(points)) {
		if p := points[at]; len(p.x) == len(g) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return l, usagef("the logs of %s have no evaluation after the same number of decisions; train each with the same --eval-every", name)
	}
	slices.SortStableFunc(list, func(a, b *point) int { return cmp.Compare(train.SpreadOf(a.x).Mean, train.SpreadOf(b.x).Mean) })
	for _, p := range list {
		x := train.SpreadOf(p.x).Mean
		if positive && x <= 0 {
			continue
		}
		add(&l.Win, x, p.win)
		add(&l.Exploitability, x, p.exploitability)
	}
	if len(l.Win.X) == 0 {
		return l, usagef("%s has no evaluation after the start, which a logarithmic scale leaves out; leave --log-x out", name)
	}
	return l, nil
}

// add adds a point to a curve: the mean of values and its interval.
func add(c *charts.Curve, x float64, values []float64) {
	s := train.SpreadOf(values)
	if len(values) == 1 {
		s.Low, s.High = s.Mean, s.Mean
	}
	c.X, c.Mean, c.Low, c.High = append(c.X, x), append(c.Mean, s.Mean), append(c.Low, s.Low), append(c.High, s.High)
}

// curveRows writes a row for each point of the curves.
func curveRows(c charts.LearningChart, by string, row func(values ...string) error) error {
	if err := row("learner", by, "win_mean", "win_low", "win_high", "exploitability", "exploitability_low", "exploitability_high"); err != nil {
		return err
	}
	for _, l := range c.Learners {
		for i, x := range l.Win.X {
			values := []string{l.Name, number(x)}
			for _, curve := range []charts.Curve{l.Win, l.Exploitability} {
				for _, y := range []float64{curve.Mean[i], curve.Low[i], curve.High[i]} {
					text := ""
					if !math.IsNaN(y) {
						text = number(y)
					}
					values = append(values, text)
				}
			}
			if err := row(values...); err != nil {
				return err
			}
		}
	}
	return nil
}
