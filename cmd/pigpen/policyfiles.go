package main

import (
	"context"
	"fmt"
	"slices"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
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
		list[i].policy = f.Table
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
	made := make(map[string]policies.Policy)
	for i := range list {
		p := &list[i]
		if p.policy != nil {
			continue
		}
		if p.policy = made[p.name]; p.policy != nil {
			continue
		}
		solving := show.begin("solving", game.Variant().ID, fmt.Sprintf("target %d", game.Target()))
		var err error
		p.policy, err = policies.Named(ctx, p.name, game, solving.options(n))
		solving.end()
		if err != nil {
			return err
		}
		made[p.name] = p.policy
	}
	return nil
}

// A policyReader finds policies and reads each file once.
type policyReader struct {
	resolver policies.Resolver
	refs     []policies.Ref
	files    []policies.File // of refs
}

func newPolicyReader() policyReader {
	return policyReader{resolver: policies.Resolver{Files: policies.Disk{}}}
}

// load returns the policy file that ref stands for.
func (r *policyReader) load(ref policies.Ref) (policies.File, error) {
	if i := slices.IndexFunc(r.refs, ref.Same); i >= 0 {
		return r.files[i], nil
	}
	f, err := r.resolver.Load(ref)
	if err != nil {
		return f, err
	}
	r.refs, r.files = append(r.refs, ref), append(r.files, f)
	return f, nil
}

// loadPolicy reads a policy file, or a policy that is built in.
func loadPolicy(name string) (policies.File, error) {
	if err := checkFileName(name); err != nil {
		return policies.File{}, usagef("the name of a policy: %w", err)
	}
	resolver := policies.Resolver{Files: policies.Disk{}}
	find := resolver.Resolve
	if policies.OriginOf(name) == policies.FromRule {
		find = resolver.ResolveFile // a fixed policy has no file, but a file may have its name
	}
	ref, err := find(name)
	switch {
	case err != nil && policies.OriginOf(name) == policies.FromRule:
		return policies.File{}, usagef("%s is a fixed policy, and %w", name, policies.ErrNoFile)
	case err != nil:
		return policies.File{}, usageError{err}
	}
	return resolver.Load(ref)
}

// mayWrite returns an error if a policy could not be written to path, or if path is a
// name that stands for another policy.
func mayWrite(path string) error {
	origin := policies.OriginOf(path)
	switch {
	case path == everyRule, origin == policies.FromRule:
		return usagef("--out %s is the name of a fixed policy, which would hide the file; write ./%s", path, path)
	case origin == policies.FromTrained:
		return usagef("--out %s is the name of a policy that is built in, which would hide the file; write ./%s", path, path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("the policy could not be written: %w", err)
	}
	return nil
}
