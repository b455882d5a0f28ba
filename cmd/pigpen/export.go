package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
	"pigpen/policies/exact"
)

// exportResult is what export prints as JSON.
type exportResult struct {
	gameResult
	Policy  string   `json:"policy"`
	Diff    string   `json:"diff,omitempty"`
	File    string   `json:"file"`
	Rows    int      `json:"rows"`
	Columns []string `json:"columns"`
}

func exportCommand() command {
	fs := newFlags("export")
	var (
		game    = addGameFlags(fs)
		out     = addFile(fs, "out", "file to write; its name ends in "+strings.Join(exportFormats(), ", "))
		values  = fs.Bool("values", false, "add what holding and rolling are worth where all play perfectly from there, and what the policy gives away")
		diff    = addPolicy(fs, "diff", "only where the policy differs from this one, a name or a file; with values, the costliest first")
		top     = fs.Int("top", 0, "with --diff, at most so many rows (default all)")
		workers = 0
	)
	fs.Lookup("top").DefValue = ""
	addWorkers(fs, &workers, "the result")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "export", args: "FILE|NAME", flags: fs,
		short: "write what a policy decides as a table",
		long: `Writes a row for each decision point: the columns of the observation, as the
player to move sees it, the action, 0 to hold or 1 to roll, and the chance of
rolling, roll_chance. With --values there are win_hold and win_roll, the chances
of winning by each action where all play perfectly after it, and loss, what the
policy gives away; for one player they are minus the expected number of turns.
With --diff there are only rows in which two policies differ, by loss, with
other_roll_chance, that of the other policy.

The name of the file says the format: .csv, .jsonl, a JSON object on each line,
or .npz, NumPy arrays by name (observations, 16-bit integers; actions, bytes;
the rest 64-bit floats). 'pigpen import' reads each of them.`,
		example: "pigpen export q.msgpack --out q.csv\npigpen export hold-20 --diff optimal --top 20 --out mistakes.csv",
		run: func(ctx context.Context, s streams, args []string) error {
			write, err := checkExport(args, *out, *top, fs.Changed("top"), diff() != "")
			if err != nil {
				return err
			}
			show := showProgress(s.err)
			defer show.stop()
			e := export{table: exportTable{values: *values || diff() != "", diff: diff() != ""}, top: *top}
			if err := e.prepare(ctx, show, game, workers, args[0], diff()); err != nil {
				return err
			}
			rows, err := e.rows(ctx, show)
			if err != nil {
				return err
			}
			writing := show.begin("writing", *out)
			err = writeResult(s, show, *out, e.table.writer(ctx, write, rows, writing))
			if err != nil {
				return err
			}
			show.stop()
			g := e.table.game
			r := exportResult{gameResult: resultOf(g, 0), Policy: args[0], Diff: diff(), File: *out, Rows: e.table.count, Columns: e.table.columns()}
			if *asJSON {
				return printJSON(s.out, r)
			}
			text := fmt.Sprintf("%v\n%d decisions of %s are in %s\n", g, r.Rows, plaintext.Escape(args[0]), plaintext.Escape(*out))
			if r.Diff != "" {
				text = fmt.Sprintf("%v\n%d decisions in which %s and %s differ are in %s\n", g, r.Rows, plaintext.Escape(args[0]), plaintext.Escape(r.Diff), plaintext.Escape(*out))
			}
			return print(s.out, text)
		},
	}
}

// checkExport checks the command line of export and returns the writer of the format.
func checkExport(args []string, out string, top int, topGiven, diff bool) (exportWriter, error) {
	switch {
	case len(args) != 1:
		return nil, usagef("policies given: %d; one is needed, a file or a name such as hold-20", len(args))
	case out == "":
		return nil, usagef("--out is missing: the file to write, which ends in %s", strings.Join(exportFormats(), ", "))
	case topGiven && !diff:
		return nil, usagef("--top is for --diff, which has the costliest rows first")
	case topGiven && top < 1:
		return nil, usagef("--top %d; write a number of rows, at least 1", top)
	}
	for _, f := range exportWriters() {
		if strings.HasSuffix(out, f.ending) {
			return f.write, atomicfile.Check(out)
		}
	}
	return nil, usagef("--out %s; its name should end in %s", out, strings.Join(exportFormats(), ", "))
}

// An export is the work of the command.
type export struct {
	table  exportTable
	top    int
	points *policies.DecisionPoints
	policy policies.Policy
	other  policies.Policy // nil without --diff
	valuer policies.Valuer // nil without values
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
	list, err := policies.Differences(e.points, e.policy, e.other, e.valuer, most, func(done float64) error {
		comparing.update(done)
		return ctx.Err()
	})
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
