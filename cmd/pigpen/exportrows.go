package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// An export is the work of the command.
type export struct {
	table     exportTable
	top       int
	estimates bool
	points    *policies.DecisionPoints
	policy    policies.Policy
	other     policies.Policy // nil without --diff
	valuer    policies.Valuer // nil without values
}

// prepare finds the policies and solves the game, if need be.
func (e *export) prepare(ctx context.Context, show *progress, game *gameFlags, workers int, name, diff string) error {
	names := []string{name}
	if diff != "" {
		names = append(names, diff)
	}
	g, list, err := game.find(names...)
	if err != nil {
		return err
	}
	if e.table.values {
		if err := exact.Solvable(g); err != nil {
			return usagef("what actions are worth is known for games that can be solved: %w; leave --values and --diff out", err)
		}
	}
	if e.estimates {
		estimates, ok := list[0].policy.(policies.ValuedTable)
		if !ok {
			return usagef("--estimates: %s has no estimates; files that 'pigpen train --values' writes have them", name)
		}
		e.table.estimates = estimates
	}
	if err := makePlayers(ctx, show, workers, g, list); err != nil {
		return err
	}
	e.table.game, e.policy = g, list[0].policy
	if diff != "" {
		e.other = list[1].policy
	}
	if e.points, err = policies.NewDecisionPoints(g); err != nil {
		return usageError{err}
	}
	if !e.table.values {
		return nil
	}
	if i := slices.IndexFunc(list, func(p player) bool { return p.name == policies.Optimal }); i >= 0 {
		if v, ok := list[i].policy.(policies.Valuer); ok {
			e.valuer = v
			return nil
		}
	}
	solving := show.begin("solving", g.Variant().ID, fmt.Sprintf("target %d", g.Target()))
	defer solving.end()
	e.valuer, err = policies.NewValuer(ctx, g, nil, solving.options(workers))
	return err
}

// mostDifferences is the most rows of --diff without --top, which are sorted in memory.
const mostDifferences = 10_000_000

// rows returns the rows of the table, which can be gone through several times, and sets
// their number.
func (e *export) rows(ctx context.Context, show *progress) (iter.Seq[policies.Difference], error) {
	if e.other == nil {
		e.table.count = e.points.Len()
		return func(yield func(policies.Difference) bool) {
			for d := range policies.Decisions(e.points, e.policy, e.valuer) {
				if !yield(policies.Difference{Decision: d}) {
					return
				}
			}
		}, nil
	}
	most := e.top
	if most == 0 {
		most = mostDifferences
	}
	comparing := show.begin("comparing")
	defer comparing.end()
	list, err := policies.Differences(e.points, e.policy, e.other, e.valuer, policies.DifferenceOptions{Most: most, Watch: func(done float64) error {
		comparing.update(done)
		return ctx.Err()
	}})
	if err == nil && e.top == 0 && len(list) == mostDifferences {
		err = usagef("the policies differ in %d decisions or more; --top N writes the N costliest", mostDifferences)
	}
	e.table.count = len(list)
	return slices.Values(list), err
}

// columnNames returns the names of the columns of a game's observations.
func columnNames(g env.Game) (names []string) {
	for _, c := range g.Columns() {
		names = append(names, c.Name)
	}
	return names
}
