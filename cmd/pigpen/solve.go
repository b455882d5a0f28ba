package main

import (
	"context"
	"fmt"
	"time"

	"pigpen/policies"
	"pigpen/policies/exact"
)

// solveAgent is the agent of policy files that solve writes.
const solveAgent = "solve"

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
value misses its own equation. As a policy, perfect play needs no file: its name
is optimal.

For three and more players it finds an equilibrium, in which no player wins more
by playing otherwise as long as the others keep to it. There may be several;
players hold where they are indifferent, and the same one is found every time.
Where there is none in sure decisions, some are mixed: a player rolls with a
chance that leaves another indifferent. The result says in how many blocks, the
turns at one set of banked scores, and the most that a player gains by deviating
in any one turn, which is 0 but for rounding.

The time grows with the target to the power of the players and one more, and the
memory with the power of the players. What takes more than a few seconds is said
at the start; what takes more than 6 GiB is refused.`,
		example: "pigpen solve --target 50\npigpen solve --players 3\npigpen solve --variant pig-last-round --out perfect.msgpack --json",
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
			if needs := exact.NeedsOf(g, exact.Options{Workers: workers}); g.Players() > 2 && needs.Time >= sayNeeds {
				show.line(fmt.Sprintf("solving %v takes about %s of memory and %v", g, exact.Bytes(needs.Bytes), needs.Time.Round(roundNeeds(needs.Time))))
			}
			work := show.begin("solving", what...)
			o := work.options(workers)
			begin := time.Now()
			perfect, err := exact.Solve(ctx, g, o)
			if err != nil {
				return err
			}
			r := solveResult{gameResult: resultOf(g, *seed), WinBySeat: perfect.WinBySeat(), Residual: perfect.Residual(), Seconds: time.Since(begin).Seconds()}
			if g.Players() > 2 {
				r.equilibriumResult = &equilibriumResult{perfect.Mixed(), perfect.Deviation()}
			}
			work.next("finding every action", what...)
			if err := perfect.Prepare(ctx, o); err != nil {
				return err
			}
			work.next("evaluating", what...)
			if r.Turns, r.Decisions, err = perfect.Expected(ctx, o); err != nil {
				return err
			}
			r.LastRoll = perfect.LastRoll()
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
				file := policies.File{Table: table, Provenance: policies.Provenance{Agent: solveAgent, Seed: *seed, Program: version}}
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

// sayNeeds is the least time of solving that is said at the start.
const sayNeeds = 5 * time.Second

// roundNeeds returns the unit to which an estimated time is rounded.
func roundNeeds(t time.Duration) time.Duration {
	if t < 2*time.Minute {
		return time.Second
	}
	return time.Minute
}
