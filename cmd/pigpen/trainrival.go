package main

import (
	"context"
	"errors"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// players returns the game, and notes in p how to come by the rival, without
// solving anything.
func (f *trainFlags) players(p *plan) (env.Game, error) {
	name := f.rival()
	if name == "" || policies.OriginOf(name) == policies.FromRule {
		var named []string
		if name != "" {
			named = append(named, name)
		}
		g, _, err := f.game.find(named...)
		if err != nil {
			return g, err
		}
		p.opponent = func(ctx context.Context, o exact.Options) (player, error) {
			return namedPlayer(ctx, f.rivalOf(g), g, o)
		}
		return g, nil
	}
	g, rivals, err := f.game.players(context.Background(), nil, f.workers, name)
	if err != nil {
		return g, err
	}
	p.opponent = func(context.Context, exact.Options) (player, error) { return rivals[0], nil }
	return g, nil
}

// namedPlayer makes the fixed policy of a name.
func namedPlayer(ctx context.Context, name string, g env.Game, o exact.Options) (player, error) {
	p, err := policies.Named(ctx, name, g, o)
	return player{name: name, policy: p}, err
}

// evaluationFlags are those that decide how a training is evaluated. Its
// checkpoints note them, so that a log goes on as it began.
var evaluationFlags = []string{againstFlag, "eval-every", "eval-games", valuesFlag}

// againstFlag is the name of the flag that names the rival.
const againstFlag = "against"

// valuesFlag is the name of the flag that keeps the agent's estimates. Checkpoints note it
// only if it is set.
const valuesFlag = "values"

// rivalOf returns the name of what a policy of g is scored against, unless makeRival finds
// that there is none.
func (f *trainFlags) rivalOf(g env.Game) string {
	if name := f.rival(); name != "" {
		return name
	}
	return policies.Reference(g)
}

// makeRival makes what the policies of p are scored against, before anything is learned. If
// it is optimal because --against names no other, and no equilibrium is found, hold-20 takes
// its place, and a note tells. The checkpoint of p notes the name.
func (f *trainFlags) makeRival(ctx context.Context, p *plan, solving *task, note func(format string, args ...any)) (player, error) {
	defer solving.end()
	rival, err := p.opponent(ctx, solving.options(f.workers))
	if f.rival() == "" && errors.Is(err, exact.ErrUnsettled) {
		note("pigpen: train: no equilibrium of %v is found, so that scores are against %s", p.Game, commonRule)
		rival, err = namedPlayer(ctx, commonRule, p.Game, exact.Options{})
	}
	if err != nil {
		return player{}, err
	}
	p.Notes[againstFlag] = rival.name
	return rival, nil
}
