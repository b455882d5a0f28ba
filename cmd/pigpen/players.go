package main

import (
	"context"
	"fmt"

	"pigpen/env"
	"pigpen/policies"
)

// A player is a policy with its name.
type player struct {
	name   string // as on the command line
	policy policies.Policy
	ref    policies.Ref
}

// players returns the policies of the given names, and the game they are for. It is
// [gameFlags.find] and [makePlayers].
func (g *gameFlags) players(ctx context.Context, show *progress, workers int, names ...string) (env.Game, []player, error) {
	game, list, err := g.find(names...)
	if err != nil {
		return env.Game{}, nil, err
	}
	return game, list, makePlayers(ctx, show, workers, game, list)
}

// find resolves the names of policies, reads those that are files, and returns them
// with the game they are for: the one that the files name, else the one that the
// flags ask for. A file that is named twice is read once. [makePlayers] makes the
// fixed policies of the list, which may take long.
func (g *gameFlags) find(names ...string) (env.Game, []player, error) {
	list := make([]player, len(names))
	var game env.Game
	var from string // the file that named the game
	for i, name := range names {
		if err := checkFileName(name); err != nil {
			return env.Game{}, nil, usagef("the name of a policy: %w", err)
		}
		ref, err := g.files.resolver.Resolve(name)
		if err != nil {
			return env.Game{}, nil, usageError{err}
		}
		list[i].name, list[i].ref = name, ref
		if ref.Origin == policies.FromRule {
			continue
		}
		f, err := g.files.load(ref)
		if err != nil {
			return env.Game{}, nil, err
		}
		index := f.Table.Index()
		if from == "" {
			from, game = name, index.Game()
			if err := g.agree(from, "a policy for", game); err != nil {
				return env.Game{}, nil, err
			}
		} else if index.Game() != game {
			return env.Game{}, nil, usagef("%s is a policy for %v, and %s for %v; both must be for the same game", from, game, name, index.Game())
		}
		list[i].policy = f.Policy()
	}
	if from == "" {
		var err error
		if game, err = g.game(); err != nil {
			return env.Game{}, nil, err
		}
	}
	for _, p := range list {
		if p.policy != nil {
			continue
		}
		if err := policies.Available(p.name, game); err != nil {
			return env.Game{}, nil, usageError{err}
		}
	}
	return game, list, nil
}

// makePlayers makes the fixed policies of a list that [gameFlags.find] returned, each
// once. To make optimal it solves the game on n workers and shows the progress.
func makePlayers(ctx context.Context, show *progress, n int, game env.Game, list []player) error {
	found := make(map[string]policies.Policy)
	for i := range list {
		p := &list[i]
		if p.policy != nil {
			continue
		}
		if p.policy = found[p.name]; p.policy != nil {
			continue
		}
		solving := show.begin("solving", game.Variant().ID, fmt.Sprintf("target %d", game.Target()))
		var err error
		p.policy, err = policies.Named(ctx, p.name, game, solving.options(n))
		solving.end()
		if err != nil {
			return err
		}
		found[p.name] = p.policy
	}
	return nil
}
