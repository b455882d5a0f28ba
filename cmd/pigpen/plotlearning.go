package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/train"
)

// The x-axes of learning curves.
const (
	byDecisions = "decisions"
	bySeconds   = "seconds"
)

var curveAxes = []string{byDecisions, bySeconds}

// A loggedRun is a training that a log has the rows of.
type loggedRun struct {
	file string
	rows []train.LoggedRow
}

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

// runsOf splits the rows of a log, which may be that of a sweep, into trainings.
func runsOf(file string, rows []train.LoggedRow) (runs []loggedRun) {
	at := make(map[string]int)
	for _, r := range rows {
		is := identityOf(r) + "\n" + r.From["seed"]
		i, ok := at[is]
		if !ok {
			i = len(runs)
			at[is] = i
			runs = append(runs, loggedRun{file: file})
		}
		runs[i].rows = append(runs[i].rows, r)
	}
	return runs
}

// identityOf returns a text that distinguishes the training of a row from those that
// differ from it in more than the seed and the version of the program.
func identityOf(r train.LoggedRow) string {
	from := maps.Clone(r.From)
	delete(from, "seed")
	delete(from, "program")
	return fmt.Sprint(from, r.Settings, r.Options) // in the order of the names
}

// A runGroup is a list of runs that differ in their seeds alone.
type runGroup []loggedRun

// groupRuns groups runs, in the order of the first of each group. Logs that do not say
// what their training was are groups of their own.
func groupRuns(runs []loggedRun) ([]runGroup, error) {
	var groups []runGroup
	at := make(map[string]int)
	for _, run := range runs {
		first := run.rows[0]
		is := identityOf(first)
		if first.From["agent"] == "" {
			is = run.file
		}
		i, ok := at[is]
		if !ok {
			i = len(groups)
			at[is] = i
			groups = append(groups, nil)
		}
		for _, other := range groups[i] {
			if seed := first.From["seed"]; other.rows[0].From["seed"] == seed {
				return nil, usagef("%s and %s are logs of the same training with the same seed; leave one out", other.file, run.file)
			}
		}
		groups[i] = append(groups[i], run)
	}
	return groups, nil
}

// gameOfRuns returns a text about the game of all runs, and its number of players: two
// where the logs do not say.
func gameOfRuns(runs []loggedRun) (text string, players int, err error) {
	players = 2
	var first train.LoggedRow
	for _, run := range runs {
		r := run.rows[0]
		if r.From["variant"] == "" {
			continue
		}
		n, err := strconv.Atoi(r.From["players"])
		if err != nil || n < 1 {
			return "", 0, usagef("%s: players is %q; it is a number of players", run.file, r.From["players"])
		}
		switch {
		case first.From == nil:
			first, players = r, n
			text = fmt.Sprintf("%s, %d players, target %s", plaintext.Escape(r.From["variant"]), n, plaintext.Escape(r.From["target"]))
		case n != players:
			return "", 0, usagef("%s is of a game with %d players, and %s with %d; draw them apart", runs[0].file, players, run.file, n)
		case r.From["variant"] != first.From["variant"] || r.From["target"] != first.From["target"]:
			text = ""
		}
	}
	if players == 1 {
		return "", 0, usagef("%s is of a game with one player, who wins every game; learning curves are for two and more", runs[0].file)
	}
	return text, players, nil
}

// groupNames returns the names of groups in the legend: the agent with its recipe, and
// what differs from other groups of the same agent.
func groupNames(groups []runGroup) []string {
	short := make([]string, len(groups))
	same := make(map[string][]int) // groups by their first name
	for i, group := range groups {
		r := group[0].rows[0]
		if short[i] = plaintext.Escape(r.From["agent"]); short[i] == "" {
			base := filepath.Base(group[0].file)
			short[i] = plaintext.Escape(strings.TrimSuffix(base, filepath.Ext(base)))
		} else if recipe := r.Settings["recipe"]; recipe != "" {
			short[i] += " (" + plaintext.Escape(recipe) + ")"
		}
		same[short[i]] = append(same[short[i]], i)
	}
	names := slices.Clone(short)
	for _, list := range same {
		if len(list) == 1 {
			continue
		}
		for _, i := range list {
			for _, what := range differences(groups, list) {
				if value := describes(groups[i][0].rows[0])[what]; value != "" {
					names[i] += ", " + plaintext.Escape(what+" "+value)
				}
			}
		}
	}
	for i, group := range groups {
		if n := len(group); n > 1 {
			names[i] += fmt.Sprintf(", %d seeds", n)
		}
	}
	return names
}

// describes returns all that describes the training of a row but its seed and program.
func describes(r train.LoggedRow) map[string]string {
	all := maps.Clone(r.From)
	delete(all, "seed")
	delete(all, "program")
	maps.Copy(all, r.Options)
	maps.Copy(all, r.Settings)
	return all
}

// differences returns the names of what differs among the groups of a list.
func differences(groups []runGroup, list []int) []string {
	values := make(map[string]map[string]bool)
	for _, i := range list {
		for name, value := range describes(groups[i][0].rows[0]) {
			if values[name] == nil {
				values[name] = make(map[string]bool)
			}
			values[name][value] = true
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			names = append(names, name)
		}
	}
	return names
}

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
