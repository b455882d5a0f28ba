package main

import (
	"context"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/train"
)

// The x-axes of learning curves.
const (
	byDecisions = "decisions"
	bySeconds   = "seconds"
)

var curveAxes = []string{byDecisions, bySeconds}

// drawLearning draws learning curves from logs.
func drawLearning(_ context.Context, f *plotFlags, _ *progress, args []string) (drawing, error) {
	if len(args) == 0 {
		return drawing{}, usagef("logs given: none; plot learning is for logs of train, as 'pigpen train --log a.csv' writes them")
	}
	if !slices.Contains(curveAxes, *f.by) {
		return drawing{}, usagef("--by %q; write %s", *f.by, orList(curveAxes))
	}
	var runs []loggedRun
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return drawing{}, usagef("%s is named twice; each log is drawn once", name)
		}
		rows, err := train.ReadLog(name)
		if err != nil {
			return drawing{}, err
		}
		runs = append(runs, runsOf(name, rows)...)
	}
	groups, err := groupRuns(runs)
	if err != nil {
		return drawing{}, err
	}
	game, players, err := gameOfRuns(runs)
	if err != nil {
		return drawing{}, err
	}
	c := charts.LearningChart{Title: "Learning curves", Caption: game, Even: 1 / float64(players), X: "decisions", LogX: *f.logX}
	if *f.by == bySeconds {
		c.X = "seconds of learning"
	}
	names := groupNames(groups)
	for i, group := range groups {
		l, err := group.learner(names[i], *f.by, *f.logX)
		if err != nil {
			return drawing{}, err
		}
		c.Learners = append(c.Learners, l)
	}
	if slices.ContainsFunc(groups, func(g runGroup) bool { return len(g) > 1 }) {
		c.Caption = strings.TrimPrefix(c.Caption+"; the mean and its 95% interval over the seeds", "; ")
	}
	d := drawing{what: "learning", rows: func(row func(...string) error) error { return curveRows(c, *f.by, row) }}
	if *f.out != "" {
		d.picture = charts.Learning(c)
	}
	return d, nil
}
