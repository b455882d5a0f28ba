package main

import (
	"context"
	"fmt"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies/atomicfile"
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
		kept    = fs.Bool("estimates", false, "add what the learner of a policy file estimated holding and rolling to be worth, if the file has it")
		diff    = addPolicy(fs, "diff", "only where the policy differs from this one, a name or a file; with values, the costliest first")
		top     = fs.Int("top", 0, "with --diff, at most so many rows (default all)")
		workers = 0
	)
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
With --estimates there are estimated_hold and estimated_roll, the same as the
learner of the policy estimated it, from a file that 'pigpen train --values' has
written; where it estimated nothing they are empty, null or NaN.
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
			e := export{table: exportTable{values: *values || diff() != "", diff: diff() != ""}, top: *top, estimates: *kept}
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
