package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
)

func importCommand() command {
	fs := newFlags("import")
	var (
		game   = addGameFlags(fs)
		format = fs.String("format", "", "format of the input: jsonl, msgpack, csv or npz (default: by the ending of its name, else jsonl)")
		states = fs.String("states", "", "states that the table tells apart: full, all of them, or summary, by the leader of the others (default: full for up to two players and where they are few)")
		agent  = fs.String("agent", "external", "name of what made the decisions, for the file")
		out    = addFile(fs, "out", "file to write")
		asJSON = fs.Bool("json", false, "print one JSON object")
	)
	return command{
		name: "import", args: "[INPUT]", flags: fs,
		short: "make a policy file of decisions that were made elsewhere",
		long: `Reads what a trainer decided, from a file or from stdin, writes a policy file,
and tells how often the policy wins, as eval does: exactly for one or two
players, by 100k games for more. In jsonl each line is one state as its player
sees it (own score, turn total, the others' scores), with the action, 0 to hold
or 1 to roll:

  {"observation":[11,20,46],"action":0}

Beside the action there may be roll_chance, the chance of rolling, in [0, 1].
One strictly between 0 and 1 is kept, whatever the action is; else the action
counts.

In msgpack all is one map of at most 1 GiB: observations, 16-bit integers,
actions, bytes, and roll_chance, 64-bit floats, packed row after row and
little-endian. In csv the first line names the columns, those of the observation
and action; in npz, which is read from a file, there are NumPy arrays,
observations and actions of integers. What else 'pigpen export' writes is passed
over. In states that are not there the policy holds. A state may come twice if
the action and the chance are the same.`,
		example: "pigpen import --target 50 --out mine.msgpack decisions.jsonl",
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) > 1 {
				return usagef("inputs given: %d; at most one is read, else stdin", len(args))
			}
			from, err := importFormatOf(*format, args)
			if err != nil {
				return err
			}
			g, err := game.game()
			if err != nil {
				return err
			}
			abstraction := policies.DefaultAbstraction(g)
			if fs.Changed("states") {
				abstraction = policies.Abstraction(*states)
			}
			index, err := policies.NewStateIndex(g, abstraction)
			if err != nil {
				return usageError{err}
			}
			in, name, size := s.in, "stdin", int64(0)
			if len(args) == 1 {
				var file *os.File
				if file, size, err = openInput(args[0], *out); err != nil {
					return err
				}
				defer file.Close()
				in, name = file, args[0]
			}
			if *out == "" {
				return usagef("--out is missing: the file to write")
			}
			if err := mayWrite(*out); err != nil {
				return err
			}
			if isTerminal(in) {
				fmt.Fprintf(s.err, "reading decisions from the terminal, %s; end with Ctrl-D, give up with Ctrl-C\n", from.what)
			}
			show := showProgress(s.err)
			defer show.stop()
			t := newImportedTable(index)
			if !isTerminal(in) { // on which a person writes
				t.reading = show.begin("reading")
			}
			if err := unlessDone(ctx, func() error { return from.read(t, in, size) }); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t.reading.end()
			t.finish()
			if t.count == 0 {
				return fmt.Errorf("%s: it has no decisions", name)
			}
			file := policies.File{Table: t.table, Provenance: policies.Provenance{Agent: *agent, Program: version}}
			saved, err := savePolicy(*out, file)
			if err != nil {
				return err
			}
			err = t.report(ctx, s.out, show, saved, *agent, *asJSON)
			if errors.Is(err, context.Canceled) {
				show.stop()
				fmt.Fprintf(s.err, "pigpen: import: interrupted in the evaluation; the policy is saved in %s\n", plaintext.Escape(saved.path))
				return errInterrupted
			}
			return err
		},
	}
}
