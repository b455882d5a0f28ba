package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"pigpen/policies/exact"
)

// tournamentResult is what tournament prints as JSON.
type tournamentResult struct {
	gameResult
	Policies []string `json:"policies"`
	// Win[i][j] is the win probability of policy i against j, the mean of both
	// seats.
	Win [][]float64 `json:"win"`
	// Mean[i] is the mean of policy i against the others.
	Mean     []float64 `json:"mean"`
	Residual float64   `json:"residual"`
}

func tournamentCommand() command {
	fs := newFlags("tournament")
	var (
		game    = addGameFlags(fs)
		seed    = fs.Uint64("seed", 1, "noted in the result; nothing is drawn")
		workers = fs.Int("workers", runtime.GOMAXPROCS(0), "processors to use; does not change the result")
		asJSON  = fs.Bool("json", false, "print one JSON object")
	)
	return command{
		name: "tournament", args: "FILE|NAME FILE|NAME ...", flags: fs,
		short: "play policies against each other, exactly",
		long: `Prints how often each policy wins against each other one, the mean of both seats,
in a game of two: exactly, by dynamic programming. Each row is a policy, each
column its opponent, the last column the mean over the others.

The policies that need no file:` + fixedTable(),
		example: "pigpen tournament optimal race hold-20 q.msgpack",
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) < 2 {
				return usagef("policies given: %d; two or more are needed, files or names such as hold-20", len(args))
			}
			if *workers < 1 {
				return usagef("--workers %d; at least one is needed", *workers)
			}
			show := showProgress(s.err)
			defer show.stop()
			g, players, err := game.players(ctx, show, *workers, args...)
			if err != nil {
				return err
			}
			if g.Players() != 2 {
				return usagef("a tournament is of games for two players, not of %v", g)
			}
			comparing := show.begin("comparing")
			defer comparing.end()
			o := exact.Options{Workers: *workers, Progress: func(done float64) {
				pairs := len(players) * len(players)
				comparing.update(done, fmt.Sprintf("pair %d of %d", min(pairs, 1+int(done*float64(pairs))), pairs))
			}}
			r := tournamentResult{gameResult: resultOf(g, *seed), Policies: args}
			for i, p := range players {
				var row []float64
				mean := 0.0
				for j, q := range players {
					n := float64(len(players))
					from := float64(i)*n + float64(j)
					c, err := exact.Compare(ctx, g, p.policy, q.policy, o.Part(from/n/n, (from+1)/n/n))
					if err != nil {
						return err
					}
					row = append(row, c.WinMean())
					r.Residual = max(r.Residual, c.Residual)
					if j != i {
						mean += c.WinMean() / float64(len(players)-1)
					}
				}
				r.Win, r.Mean = append(r.Win, row), append(r.Mean, mean)
			}
			comparing.end()
			if *asJSON {
				return printJSON(s.out, r)
			}
			return print(s.out, fmt.Sprintf("%v, seed %d\n%v", g, *seed, r))
		},
	}
}

// String lays the table out for people, in percent.
func (r tournamentResult) String() string {
	width := utf8.RuneCountInString("mean")
	for _, name := range r.Policies {
		width = max(width, utf8.RuneCountInString(name))
	}
	var b strings.Builder
	cell := func(text string) { fmt.Fprintf(&b, "  %*s", max(width, len("100.0000")), text) }
	fmt.Fprintf(&b, "%-*s", width, "")
	for _, name := range append(r.Policies[:len(r.Policies):len(r.Policies)], "mean") {
		cell(name)
	}
	for i, name := range r.Policies {
		fmt.Fprintf(&b, "\n%-*s", width, name)
		for _, win := range append(r.Win[i][:len(r.Win[i]):len(r.Win[i])], r.Mean[i]) {
			cell(fmt.Sprintf("%.4f", 100*win))
		}
	}
	b.WriteByte('\n')
	return b.String()
}
