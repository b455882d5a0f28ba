package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
)

// scoreTable lays the scores of one policy out for people, the hardest rival
// first.
func scoreTable(scores []policies.Report, width int) string {
	ranked := slices.Clone(scores)
	slices.SortStableFunc(ranked, func(a, b policies.Report) int { return cmp.Compare(a.WinMean, b.WinMean) })
	var rivals []string
	for _, s := range ranked {
		rivals = append(rivals, s.Against)
	}
	names := shortNames(rivals)
	first := scores[0]
	var b strings.Builder
	if first.Method == policies.ExactMethod {
		fmt.Fprintf(&b, "%s against %d policies, exact, wins in percent\n", plaintext.Escape(first.Policy), len(scores))
		t := newRanking(names, width)
		column := func(of func(s policies.Report) float64) (cells []string) {
			for _, s := range ranked {
				cells = append(cells, fmt.Sprintf("%.6f", 100*of(s)))
			}
			return cells
		}
		t.add("mean", column(func(s policies.Report) float64 { return s.WinMean }))
		for seat := range first.WinBySeat {
			t.add(fmt.Sprintf("seat %d", seat), column(func(s policies.Report) float64 { return s.WinBySeat[seat] }))
		}
		b.WriteString(t.String())
		if e := first.ExactFigures; e.Exploitability != nil {
			fmt.Fprintf(&b, "a best response wins %.6f%% against it: exploitability %.6f\n", 100/float64(len(first.WinBySeat))+100**e.Exploitability, *e.Exploitability)
		}
	}
	if first.Simulated == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s against %d policies, simulated, %d games each, wins in percent\n", plaintext.Escape(first.Policy), len(scores), first.Simulated.Games)
	t := newRanking(names, width)
	column := func(of func(s *policies.Simulation) float64) (cells []string) {
		for _, s := range ranked {
			cells = append(cells, fmt.Sprintf("%.2f", 100*of(s.Simulated)))
		}
		return cells
	}
	t.add("mean", column(func(s *policies.Simulation) float64 { return s.WinRate }))
	t.add("95% from", column(func(s *policies.Simulation) float64 { return s.CI95[0] }))
	t.add("to", column(func(s *policies.Simulation) float64 { return s.CI95[1] }))
	for seat := range first.Simulated.BySeat {
		t.add(fmt.Sprintf("seat %d", seat), column(func(s *policies.Simulation) float64 { return s.BySeat[seat].WinRate }))
	}
	b.WriteString(t.String())
	if n := len(first.Simulated.BySeat); n > 2 {
		fmt.Fprintf(&b, "an even share is %.2f%%\n", 100/float64(n))
	}
	if cut := slices.MaxFunc(ranked, func(a, b policies.Report) int { return cmp.Compare(a.Simulated.Truncated, b.Simulated.Truncated) }); cut.Simulated.Truncated > 0 {
		fmt.Fprintf(&b, "up to %d games against a policy reached %d steps and count as not won\n", cut.Simulated.Truncated, policies.DefaultStepLimit)
	}
	return b.String()
}
