package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// solveResult is what solve prints as JSON.
type solveResult struct {
	gameResult
	// WinBySeat is each seat's win probability under perfect play.
	WinBySeat []float64 `json:"win_by_seat"`
	// Turns and Decisions are expected numbers of all seats together.
	Turns     float64 `json:"expected_turns"`
	Decisions float64 `json:"expected_decisions"`
	// DecisionPoints is the number of states of the game's full table.
	DecisionPoints int `json:"decision_points"`
	// LastRoll is the highest score, banked and in the turn, at which to roll
	// while everybody has banked less than the target.
	LastRoll   int     `json:"last_roll"`
	Residual   float64 `json:"residual"`
	Seconds    float64 `json:"seconds"`
	PolicyFile string  `json:"policy_file,omitempty"`
	// Kept is the name that the file got which was at PolicyFile before.
	Kept string `json:"kept,omitempty"`
}

func solveCommand() command {
	fs := newFlags("solve")
	var (
		game    = addGameFlags(fs)
		out     = addFile(fs, "out", "policy file to write")
		seed    = fs.Uint64("seed", 1, "noted in the result; solving draws nothing")
		workers = 0
	)
	addWorkers(fs, &workers, "the result")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "solve", flags: fs,
		short: "find perfect play",
		long: `Finds perfect play: for two players, with each seat's chance of winning by it;
for one, with the fewest turns to expect. The residual is the most by which any
value misses its own equation. The time grows with the cube of the target. As a
policy, perfect play needs no file: its name is optimal.`,
		example: "pigpen solve --target 50\npigpen solve --variant pig-last-round --out perfect.msgpack --json",
		run: func(ctx context.Context, s streams, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			g, err := game.game()
			if err != nil {
				return err
			}
			if err := exact.Solvable(g); err != nil {
				return usageError{err}
			}
			if *out != "" {
				if err := mayWrite(*out); err != nil {
					return err
				}
			}
			show := showProgress(s.err)
			defer show.stop()
			what := []string{g.Variant().ID, fmt.Sprintf("target %d", g.Target())}
			work := show.begin("solving", what...)
			o := work.options(workers)
			begin := time.Now()
			perfect, err := exact.Solve(ctx, g, o)
			if err != nil {
				return err
			}
			r := solveResult{gameResult: resultOf(g, *seed), WinBySeat: perfect.WinBySeat(), Residual: perfect.Residual(), Seconds: time.Since(begin).Seconds()}
			seats := make([]env.Player, g.Players())
			for seat := range seats {
				seats[seat] = perfect
			}
			work.next("finding every action", what...)
			if err := perfect.Prepare(ctx, o); err != nil {
				return err
			}
			work.next("evaluating", what...)
			e, err := exact.Evaluate(ctx, g, seats, o)
			if err != nil {
				return err
			}
			r.Turns, r.Decisions, r.LastRoll = e.Turns, e.Decisions, perfect.LastRoll()
			index, err := policies.NewStateIndex(g, policies.FullAbstraction)
			if err != nil {
				return err
			}
			r.DecisionPoints = index.Size()
			if *out != "" {
				work.next("filling the table", what...)
				table, err := policies.TableOf(ctx, index, perfect, o)
				if err != nil {
					return err
				}
				file := policies.File{Table: table, Provenance: policies.Provenance{Agent: "solve", Seed: *seed, Program: version}}
				work.next("writing", *out)
				saved, err := savePolicy(*out, file)
				if err != nil {
					return err
				}
				r.PolicyFile, r.Kept = saved.path, saved.kept
			}
			show.stop()
			if *asJSON {
				return printJSON(s.out, r)
			}
			return print(s.out, fmt.Sprintf("%v, seed %d\n%v", g, *seed, r))
		},
	}
}

// String lays the result out for people.
func (r solveResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "perfect play, solved in %.3f s with a residual of %.1g\n", r.Seconds, r.Residual)
	if len(r.WinBySeat) > 1 {
		for seat, win := range r.WinBySeat {
			fmt.Fprintf(&b, "  seat %d wins %10.6f%%\n", seat, 100*win)
		}
	}
	fmt.Fprintf(&b, "  a game takes %.6f turns and %.6f decisions\n", r.Turns, r.Decisions)
	fmt.Fprintf(&b, "  %d decision points\n", r.DecisionPoints)
	if r.LastRoll >= r.Target {
		fmt.Fprintf(&b, "  before anybody has banked %d it is never right to roll with more than %d\n", r.Target, r.LastRoll)
	}
	if r.PolicyFile != "" {
		fmt.Fprintf(&b, "  the policy is in %s%s\n", plaintext.Escape(r.PolicyFile), savedPolicy{r.PolicyFile, r.Kept}.keptClause())
	}
	return b.String()
}
