package main

import (
	"context"
	"fmt"
)

// tournamentResult is what tournament prints as JSON.
type tournamentResult struct {
	gameResult
	Policies []string `json:"policies"`
	// Win[i][j] is the win probability of policy i in one seat if j plays all others,
	// the mean over the seats.
	Win [][]float64 `json:"win"`
	// Mean[i] is the mean of policy i against the others.
	Mean []float64 `json:"mean"`
	// Rank[i] is the place of policy i by its mean, from 1 for the best; those
	// of equal mean stand in the order of Policies.
	Rank     []int   `json:"rank"`
	Residual float64 `json:"residual"`
}

func tournamentCommand() command {
	fs := newFlags("tournament")
	var (
		game    = addGameFlags(fs)
		seed    = fs.Uint64("seed", 1, "noted in the result; nothing is drawn")
		workers = 0
	)
	addWorkers(fs, &workers, "the result")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "tournament", args: "FILE|NAME FILE|NAME ...", flags: fs,
		short: "play policies against each other, exactly",
		long: `Prints how often each policy wins against each other one, exactly, by dynamic
programming: one seat plays as it says, all others as the other says, and the
figure is the mean over the seats. Each row is a policy, the best first, with
the mean over all others and its wins against each of them in percent. Where
the names of the columns are too wide for the terminal, the columns are
numbered by rank; where even these are too many, the table shows the opponents
that are hardest and easiest for each policy, and --json has the rest.

The policies that need no file:` + fixedTable(),
		example: "pigpen tournament optimal race hold-20 q.msgpack",
		run: func(ctx context.Context, s streams, args []string) error {
			show := showProgress(s.err)
			defer show.stop()
			g, r, err := playTournament(ctx, game, show, workers, args)
			if err != nil {
				return err
			}
			show.stop()
			r.Seed = *seed
			if *asJSON {
				return printJSON(s.out, r)
			}
			text := fmt.Sprintf("%v, seed %d\n%v", g, *seed, r.table(widthOf(s.out)))
			if n := g.Players(); n > 2 {
				text += fmt.Sprintf("an even share is %.2f\n", 100/float64(n))
			}
			return print(s.out, text)
		},
	}
}
