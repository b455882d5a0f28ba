package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
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

func importCommand() command {
	fs := newFlags("import")
	var (
		game   = addGameFlags(fs)
		format = fs.String("format", "jsonl", "format of the input: jsonl or msgpack")
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

In msgpack all is one map of at most 1 GiB: observations, 16-bit integers, and
actions, bytes, packed row after row and little-endian. In states that are not
there the policy holds. A state may come twice if the action is the same.`,
		example: "pigpen import --target 50 --out mine.msgpack decisions.jsonl",
		run: func(ctx context.Context, s streams, args []string) error {
			switch {
			case len(args) > 1:
				return usagef("inputs given: %d; at most one is read, else stdin", len(args))
			case *out == "":
				return usagef("--out is missing: the file to write")
			case !slices.Contains(wire.Formats(), *format):
				return usagef("--format %q; it is jsonl or msgpack", *format)
			}
			g, err := game.game()
			if err != nil {
				return err
			}
			index, err := policies.NewStateIndex(g, policies.DefaultAbstraction(g))
			if err != nil {
				return usageError{err}
			}
			if err := mayWrite(*out); err != nil {
				return err
			}
			in, name := s.in, "stdin"
			if len(args) == 1 {
				file, size, err := openInput(args[0], *out)
				if err != nil {
					return err
				}
				defer file.Close()
				in, name = &limitedReader{file, size, errors.New("the file grows while it is read")}, args[0]
			} else if isTerminal(in) {
				what := "one JSON object on each line"
				if *format == "msgpack" {
					what = "one map of msgpack"
				}
				fmt.Fprintf(s.err, "reading decisions from the terminal, %s; end with Ctrl-D, give up with Ctrl-C\n", what)
			}
			show := showProgress(s.err)
			defer show.stop()
			t := newImportedTable(index)
			if !isTerminal(in) { // on which a person writes
				t.reading = show.begin("reading")
			}
			read := t.readLines
			if *format == "msgpack" {
				read = func(in io.Reader) error { return t.readMap(in, maxImport) }
			}
			if err := unlessDone(ctx, func() error { return read(in) }); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t.reading.end()
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
				fmt.Fprintf(s.err, "pigpen: import: interrupted in the evaluation; the policy is saved in %s\n", printable(saved.path))
				return errInterrupted
			}
			return err
		},
	}
}

// openInput opens a file of decisions, which must not be the one to be written,
// and returns its size. What is not a regular file, or states no size, might keep
// its reader waiting for ever.
func openInput(path, out string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: it is not a regular file; what comes from elsewhere is read from stdin", path)
	case info.Size() == 0:
		return nil, 0, fmt.Errorf("%s: it has no decisions; its size is 0", path)
	}
	if written, err := os.Stat(out); err == nil && os.SameFile(info, written) {
		return nil, 0, usagef("--out %s is the input; write to another file", out)
	}
	file, err = os.Open(path)
	return file, info.Size(), err
}

// An importedTable is a table that is filled from outside.
type importedTable struct {
	table *policies.Table
	game  env.Game
	given []byte // bit i%8 of byte i/8 is 1 where entry i has been decided
	count int    // of these bits

	reading *task // is told how many decisions there are
}

func newImportedTable(index policies.StateIndex) *importedTable {
	t := &importedTable{table: policies.NewTable(index), game: index.Game(), given: make([]byte, index.Size()/8+1)}
	for i := range index.Turns() {
		t.table.Set(i, true)
	}
	return t
}

// decide enters one decision.
func (t *importedTable) decide(observation []int16, action env.Action) error {
	if action >= env.NumActions {
		return fmt.Errorf("action %d; an action is 0 (hold) or 1 (roll)", uint8(action))
	}
	if columns := t.game.NumColumns(); len(observation) != columns {
		return fmt.Errorf("an observation of %v has %d columns, not %d", t.game, columns, len(observation))
	}
	state, err := t.game.StateOf(observation)
	if err != nil {
		return err
	}
	if action == env.Hold && state.TurnTotal == 0 {
		return errors.New("it holds before the first roll of the turn; a turn begins with a roll")
	}
	index := t.table.Index()
	i := index.Of(&state)
	roll := action == env.Roll
	if t.given[i>>3]>>(i&7)&1 == 0 {
		t.given[i>>3] |= 1 << (i & 7)
		t.count++
		t.table.Set(i, roll)
		if t.count%toldDecisions == 0 {
			t.reading.update(unknown, humanCount(float64(t.count))+" decisions")
		}
	} else if t.table.Rolls(i) != roll {
		return fmt.Errorf("the state %v, or one that the table (%s states) does not tell from it, has come before with the other action", observation, index.Abstraction())
	}
	return nil
}

// maxLine is more than any decision is long.
const maxLine = 1 << 16

// readLines reads decisions, a JSON object each.
func (t *importedTable) readLines(in io.Reader) error {
	lines := wire.NewJSONLines(in, maxLine)
	lines.FailFast = true
	for {
		frame, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.readLine(lines, frame)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", lines.Line, err)
		}
	}
}

// A decision is what a line of the input says.
type decision struct {
	observation []int16
	action      int64
}

// decisionSchema declares the fields of a line.
var decisionSchema = wire.Schema[decision]{
	wire.Required("observation", wire.Int16List(), func(d *decision) *[]int16 { return &d.observation }),
	wire.Required("action", wire.Int(0, env.NumActions-1), func(d *decision) *int64 { return &d.action }),
}

// readLine enters the decision of one line.
func (t *importedTable) readLine(lines *wire.JSONLines, frame []byte) error {
	const what = "a decision"
	o, err := lines.Object(frame)
	if notObject := new(wire.NotObjectError); errors.As(err, &notObject) {
		return fmt.Errorf("%s is %s", what, notObject.Want)
	} else if err != nil {
		return err
	}
	var d decision
	if err := decisionSchema.Read(o, what, &d); err != nil {
		return err
	}
	return t.decide(d.observation, env.Action(d.action))
}

// toldDecisions is the number of decisions between updates of the progress.
const toldDecisions = 10_000

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
	if !exact.Solves(t.game) { // as eval does by default
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
	text := fmt.Sprintf("%v\n%d of %d entries are given; the policy is in %s%s\n", t.game, r.Given, r.Entries, printable(file), saved.keptClause())
	if !exact.Solves(t.game) {
		text += fmt.Sprintf("no exact score of %d players; these are games, seed %d:\n", t.game.Players(), evalSeed)
	}
	return print(w, text+reportText(s))
}
