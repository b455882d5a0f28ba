package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pigpen/env"
	"pigpen/policies/exact"
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

// playTournament plays the policies of the given names against each other.
func playTournament(ctx context.Context, game *gameFlags, show *progress, workers int, names []string) (env.Game, tournamentResult, error) {
	g, players, err := findRivals(game, names)
	if err != nil {
		return env.Game{}, tournamentResult{}, err
	}
	if err := makePlayers(ctx, show, workers, g, players); err != nil {
		return env.Game{}, tournamentResult{}, err
	}
	comparing := show.begin("comparing")
	defer comparing.end()
	r := tournamentResult{gameResult: resultOf(g, 0), Policies: names}
	return g, r, r.play(ctx, g, players, workers, comparing)
}

// findRivals returns the policies of a tournament, and the game they are for.
func findRivals(game *gameFlags, names []string) (env.Game, []player, error) {
	if len(names) < 2 {
		return env.Game{}, nil, usagef("policies given: %d; two or more are needed, files or names such as hold-20", len(names))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return env.Game{}, nil, usagef("%s is named twice; each policy plays once", name)
		}
	}
	g, players, err := game.find(names...)
	if err != nil {
		return env.Game{}, nil, err
	}
	for i, p := range players {
		for _, earlier := range players[:i] {
			if p.ref.Same(earlier.ref) {
				return env.Game{}, nil, usagef("%s and %s are the same file; each policy plays once", earlier.name, p.name)
			}
		}
	}
	switch {
	case g.Players() == 1:
		return env.Game{}, nil, usagef("a tournament is for two or more players, not for %v", g)
	case !exact.Evaluates(g):
		return env.Game{}, nil, usagef("%v is too large for exact scores, of which a tournament is made; lower --players or --target", g)
	}
	return g, players, nil
}

// play fills in what the policies win, and shows how far it is.
func (r *tournamentResult) play(ctx context.Context, g env.Game, players []player, workers int, comparing *task) error {
	n := float64(len(players))
	o := exact.Options{Workers: workers, Progress: func(done float64) {
		pairs := len(players) * len(players)
		comparing.update(done, fmt.Sprintf("pair %d of %d", min(pairs, 1+int(done*float64(pairs))), pairs))
	}}
	for i, p := range players {
		var row []float64
		mean := 0.0
		for j, q := range players {
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
	r.Rank = make([]int, len(players))
	for rank, i := range r.order() {
		r.Rank[i] = rank + 1
	}
	return nil
}

// order returns the policies by rank.
func (r *tournamentResult) order() []int {
	order := make([]int, len(r.Mean))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Mean[b], r.Mean[a]) })
	return order
}
