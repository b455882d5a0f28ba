package main

import (
	"context"
	"fmt"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// valuer returns the game, and the values of perfect play or of the best response to
// the policy of a name, if it is not empty. It calls check with the game before anything
// is computed, and returns its error.
func (g *gameFlags) valuer(ctx context.Context, show *progress, workers int, against string, check func(env.Game) error) (env.Game, policies.Valuer, error) {
	game, rival, err := g.valuedGame(ctx, show, workers, against, check)
	if err != nil {
		return env.Game{}, nil, err
	}
	solving := show.begin("solving", game.Variant().ID, fmt.Sprintf("target %d", game.Target()))
	defer solving.end()
	v, err := policies.NewValuer(ctx, game, rival, solving.options(workers))
	return game, v, err
}

// valuedGame returns the game of a call of valuer, and the policy to respond to, nil if
// there is none.
func (g *gameFlags) valuedGame(ctx context.Context, show *progress, workers int, against string, check func(env.Game) error) (env.Game, policies.Policy, error) {
	if against == "" {
		game, err := g.game()
		if err == nil {
			err = check(game)
		}
		if err == nil {
			if err = exact.Solvable(game); err != nil {
				err = usageError{err}
			}
		}
		return game, nil, err
	}
	game, list, err := g.find(against)
	if err != nil {
		return env.Game{}, nil, err
	}
	if err := check(game); err != nil {
		return env.Game{}, nil, err
	}
	if game.Players() == 1 {
		return env.Game{}, nil, usagef("--against %s; one player has nobody to play against", against)
	}
	if err := exact.Responds(game); err != nil {
		return env.Game{}, nil, usageError{err}
	}
	if err := makePlayers(ctx, show, workers, game, list); err != nil {
		return env.Game{}, nil, err
	}
	return game, list[0].policy, nil
}
