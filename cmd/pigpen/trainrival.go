package main

import (
	"context"

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
		if name == "" {
			name = trainReference(g)
		}
		p.opponent = func(ctx context.Context, o exact.Options) (player, error) {
			rival, err := policies.Named(ctx, name, g, o)
			return player{name: name, policy: rival}, err
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

// evaluationFlags are those that decide how a training is evaluated. Its
// checkpoints note them, so that a log goes on as it began.
var evaluationFlags = []string{"against", "eval-every", "eval-games", valuesFlag}

// valuesFlag is the name of the flag that keeps the agent's estimates. Checkpoints note it
// only if it is set.
const valuesFlag = "values"

// rivalOf returns the name of what a policy of g is scored against.
func (f *trainFlags) rivalOf(g env.Game) string {
	if name := f.rival(); name != "" {
		return name
	}
	return trainReference(g)
}

// trainReference returns the name of the policy that a training is scored against unless
// --against names one.
func trainReference(g env.Game) string {
	if simulatesScores(g) {
		return "hold-20"
	}
	return policies.Reference(g)
}
