package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/train"
)

// print prints the result.
func (s *sweep) print() error {
	if s.json {
		return printJSON(s.std.out, s.jsonResult())
	}
	best := s.result.Trained[s.result.Best]
	var b strings.Builder
	fmt.Fprintf(&b, "%v, seeds %s\n", s.first.Game, train.SeedText(s.Seeds))
	what := "wins in percent against " + plaintext.Escape(s.rival.name)
	if s.alone() {
		what = "turns of a game"
	}
	fmt.Fprintf(&b, "%s (%s), %s, %s\n", s.first.Agent.Name, s.first.Recipe.Name, what, s.method())
	if s.result.Interrupted {
		fmt.Fprintf(&b, "%d of %d trainings\n", len(s.result.Trained), len(s.Points)*len(s.Seeds))
	}
	b.WriteString(s.table(widthOf(s.std.out)))
	where := ""
	if s.saved.path != "" {
		where = "; its policy is in " + plaintext.Escape(s.saved.path) + s.saved.keptClause()
	}
	fmt.Fprintf(&b, "the best, %s, %s%s\n", s.nameOf(best), s.scoreOf(best), where)
	b.WriteString(referencesText(s.references))
	return print(s.std.out, b.String())
}

// table lays out the points of the grid, the best mean first, and last those of which no
// training has ended.
func (s *sweep) table(width int) string {
	list := s.Summaries(s.result)
	scale, sign := 100.0, -1.0
	if s.alone() {
		scale, sign = 1, 1
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if by := cmp.Compare(min(1, list[b].Ended), min(1, list[a].Ended)); by != 0 {
			return by
		}
		return cmp.Compare(sign*s.spread(list[a]).Mean, sign*s.spread(list[b]).Mean)
	})
	column := func(of func(p train.PointSummary) string) (cells []string) {
		for _, i := range order {
			cells = append(cells, of(list[i]))
		}
		return cells
	}
	var names []string
	for _, i := range order {
		var values []string
		for _, name := range s.varying {
			values = append(values, s.grid[i][name])
		}
		names = append(names, cmp.Or(strings.Join(values, ", "), s.first.Agent.Name))
	}
	t := newRanking(names, width)
	t.heading = strings.Join(s.varying, ", ")
	t.add("seeds", column(func(p train.PointSummary) string { return fmt.Sprint(p.Ended) }))
	t.add("mean", column(func(p train.PointSummary) string { return orDash(4, scale*s.spread(p).Mean) }))
	t.add("sd", column(func(p train.PointSummary) string { return orDash(4, scale*s.spread(p).SD) }))
	t.add("95% interval", column(func(p train.PointSummary) string {
		return orDash(4, scale*s.spread(p).Low, scale*s.spread(p).High)
	}))
	if !s.alone() && s.method() == policies.ExactMethod {
		t.add("exploitability", column(func(p train.PointSummary) string { return orDash(6, p.Exploitability) }))
	}
	t.add("best", column(func(p train.PointSummary) string {
		if p.Best < 0 {
			return "-"
		}
		return fmt.Sprint(s.result.Trained[p.Best].Seed)
	}))
	return t.inBlocks()
}

// orDash returns numbers with so many decimals, or a dash if one is not known.
func orDash(decimals int, numbers ...float64) string {
	var parts []string
	for _, x := range numbers {
		if math.IsNaN(x) {
			return "-"
		}
		parts = append(parts, fmt.Sprintf("%.*f", decimals, x))
	}
	return strings.Join(parts, " to ")
}

// nameOf returns what tells a training from the others of the sweep.
func (s *sweep) nameOf(t train.Trained) string {
	name := fmt.Sprintf("seed %d", t.Seed)
	if len(s.varying) > 0 {
		name += " with " + settingText(s.varying, s.grid[t.Index/len(s.Seeds)])
	}
	return name
}

// scoreOf returns the score of a training.
func (s *sweep) scoreOf(t train.Trained) string {
	if s.alone() {
		return fmt.Sprintf("takes %.6f turns", t.Score.Turns)
	}
	return fmt.Sprintf("wins %.6f%%", 100*t.Score.WinMean)
}
