package main

import (
	"context"
	"fmt"
	"io"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// importResult is what import prints with --json.
type importResult struct {
	gameResult        // its seed is that of the simulation, 0 if there is none
	Agent      string `json:"agent"`
	States     string `json:"states"`
	Entries    int    `json:"entries"`
	Given      int    `json:"given"` // entries that the input decides
	PolicyFile string `json:"policy_file"`
	// Kept is the name that the file got which was at PolicyFile before.
	Kept  string           `json:"kept,omitempty"`
	Score *policies.Report `json:"score"`
}

// evalSeed is the seed of eval's games by default.
const evalSeed = 1

// report prints how many decisions there are and how good they are.
func (t *importedTable) report(ctx context.Context, w io.Writer, show *progress, saved savedPolicy, agent string, asJSON bool) error {
	file := saved.path
	index := t.table.Index()
	r := importResult{
		gameResult: resultOf(t.game, 0), Agent: agent, States: string(index.Abstraction()),
		Entries: index.Size(), Given: t.count, PolicyFile: file, Kept: saved.kept,
	}
	solving := show.begin("solving", t.game.Variant().ID, fmt.Sprintf("target %d", t.game.Target()))
	rival, err := policies.Named(ctx, policies.Reference(t.game), t.game, solving.options(0))
	if err != nil {
		return err
	}
	solving.end()
	e := policies.Evaluator{Game: t.game, Opponent: rival, OpponentName: policies.Reference(t.game)}
	if !exact.Evaluates(t.game) { // as eval does by default
		e.Games, e.Seed, r.Seed = defaultEvalGames, evalSeed, evalSeed
	}
	e.Watch = watchEvaluation(show, e.Games)
	s, err := e.Evaluate(ctx, file, t.table)
	if err != nil {
		return err
	}
	r.Score = &s
	show.stop()
	if asJSON {
		return printJSON(w, r)
	}
	text := fmt.Sprintf("%v\n%d of %d entries are given; the policy is in %s%s\n", t.game, r.Given, r.Entries, plaintext.Escape(file), saved.keptClause())
	if !exact.Evaluates(t.game) {
		text += fmt.Sprintf("no exact score of this game for %d players; these are games, seed %d:\n", t.game.Players(), evalSeed)
	}
	return print(w, text+reportText(s))
}
