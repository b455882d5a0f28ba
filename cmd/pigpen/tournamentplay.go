package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pigpen/env"
	"pigpen/policies/exact"
)

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
