package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies/atomicfile"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	set     *pflag.FlagSet
	game    *gameFlags
	out     *string
	csv     *string
	width   *int
	compare func() string
	alone   *bool
	against func() string
	others  *[]int
	surface *bool
	by      *string
	logX    *bool
	workers int
}

// A drawing is what plot has made: a picture and the data behind it.
type drawing struct {
	picture *charts.Picture
	// rows calls row with the names of the columns, and then with the values of each row.
	rows func(row func(values ...string) error) error
	what string // what it shows, for people
	game *env.Game
}

// A plotKind is a kind of picture.
type plotKind struct {
	name  string
	args  string   // what stands behind the name
	doc   string   // what it shows
	flags []string // those of this kind that not all have
	draw  func(ctx context.Context, f *plotFlags, show *progress, args []string) (drawing, error)
}

// gameFlagNames are the flags that choose a game.
var gameFlagNames = []string{"variant", "players", "target", "option", "workers"}

func plotKinds() []plotKind {
	return []plotKind{
		{"policy", "FILE|NAME", "where a policy rolls: own score by turn total, a panel for each score of the others (--other-scores), and where it differs from perfect play or another policy (--compare); with --surface, the turn totals at which it holds as a surface over both scores", append([]string{"compare", "alone", "other-scores", "surface"}, gameFlagNames...), drawPolicy},
		{"value", "", "the win probability at the start of a turn by both scores, with perfect play or, with --against, by the best response to a policy", append([]string{"against"}, gameFlagNames...), drawValue},
		{"learning", "LOG...", "learning curves from logs of train: win probability and, on a logarithmic scale, exploitability, by decisions or seconds (--by); of trainings that differ in their seed alone, the mean and its 95% interval", []string{"by", "log-x"}, drawLearning},
		{"tournament", "FILE|NAME FILE|NAME ...", "the table of tournament as a heat map", gameFlagNames, drawTournament},
	}
}

// plotResult is what plot prints as JSON.
type plotResult struct {
	*gameResult
	Kind string `json:"kind"`
	File string `json:"file,omitempty"`
	CSV  string `json:"csv,omitempty"`
}

func plotCommand() command {
	fs := newFlags("plot")
	f := &plotFlags{set: fs}
	f.out = addFile(fs, "out", "picture to write; its name ends in "+strings.Join(charts.Formats(), " or "))
	f.csv = addFile(fs, "csv", "CSV file to write, with the data behind the picture")
	f.width = fs.Int("width", charts.DefaultWidth, fmt.Sprintf("width of a PNG in pixels, %d to %d", charts.MinWidth, charts.MaxWidth))
	f.game = addGameFlags(fs)
	f.compare = addPolicy(fs, "compare", "policy to compare with: a name or a file (default optimal, where the game can be solved)")
	f.alone = fs.Bool("alone", false, "compare the policy with none")
	f.others = fs.IntSlice("other-scores", nil, "score of each other player, for each panel, as in 0,50,90 (default: six, from none to nearly the target)")
	f.surface = fs.Bool("surface", false, "show where a policy holds as a surface over both scores")
	f.against = addPolicy(fs, "against", "policy in all other seats: a name or a file (default: perfect play)")
	f.by = fs.String("by", byDecisions, "x-axis of learning curves: "+strings.Join(curveAxes, " or "))
	f.logX = fs.Bool("log-x", false, "x-axis of learning curves on a logarithmic scale, without the evaluation at 0")
	addWorkers(fs, &f.workers, "the picture")
	asJSON := fs.Bool("json", false, "print one JSON object")
	fs.Lookup("other-scores").DefValue = "[]" // nothing to show
	var kinds strings.Builder
	for _, k := range plotKinds() {
		fmt.Fprintf(&kinds, "\n%s: %s.\n", strings.TrimSpace(k.name+" "+k.args), k.doc)
	}
	return command{
		name: "plot", args: "KIND [FILE|NAME ...]", flags: fs,
		short: "draw a picture of a policy, values, learning or a tournament",
		long: `Draws a picture, a PNG or SVG as the name of the file ends. The kinds:
` + wrapLines(kinds.String(), 79) + `
--csv writes the data behind the picture, beside it or alone.`,
		example: "pigpen plot policy hold-20 --out hold-20.png\npigpen plot policy optimal --surface --out surface.svg\npigpen plot learning a.csv b.csv --out learning.svg",
		run: func(ctx context.Context, s streams, args []string) error {
			kind, err := f.kind(args)
			if err != nil {
				return err
			}
			if err := f.check(kind); err != nil {
				return err
			}
			show := showProgress(s.err)
			defer show.stop()
			d, err := kind.draw(ctx, f, show, args[1:])
			if err != nil {
				return err
			}
			if err := f.write(ctx, s, show, d); err != nil {
				return err
			}
			show.stop()
			r := plotResult{Kind: kind.name, File: *f.out, CSV: *f.csv}
			if d.game != nil {
				of := resultOf(*d.game, 0)
				r.gameResult = &of
			}
			if *asJSON {
				return printJSON(s.out, r)
			}
			var text strings.Builder
			for _, file := range []string{*f.out, *f.csv} {
				if file != "" {
					fmt.Fprintf(&text, "%s is in %s\n", plaintext.Escape(d.what), plaintext.Escape(file))
				}
			}
			return print(s.out, text.String())
		},
	}
}

// kind returns the kind of picture that the first argument names.
func (f *plotFlags) kind(args []string) (plotKind, error) {
	var names []string
	for _, k := range plotKinds() {
		if len(args) > 0 && k.name == args[0] {
			return k, nil
		}
		names = append(names, k.name)
	}
	if len(args) == 0 {
		return plotKind{}, usagef("which picture? Write %s behind plot", orList(names))
	}
	return plotKind{}, usagef("unknown picture %q; %sthe pictures are %s", args[0], plaintext.DidYouMean(args[0], names), strings.Join(names, ", "))
}

// orList joins words as in "a, b or c".
func orList(words []string) string {
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " or " + words[n]
}

// check checks the flags that are cheap to check.
func (f *plotFlags) check(kind plotKind) error {
	var err error
	f.set.Visit(func(flag *pflag.Flag) {
		var of []string
		for _, k := range plotKinds() {
			if slices.Contains(k.flags, flag.Name) {
				of = append(of, k.name)
			}
		}
		if err == nil && len(of) > 0 && !slices.Contains(of, kind.name) {
			err = usagef("--%s is for plot %s, not for plot %s", flag.Name, orWords(of), kind.name)
		}
	})
	if err != nil {
		return err
	}
	if *f.out == "" && *f.csv == "" {
		return usagef("--out is missing: the picture to write, which ends in %s", strings.Join(charts.Formats(), " or "))
	}
	if *f.out == "" {
		if f.set.Changed("width") {
			return usagef("--width is for pictures; --csv alone makes none")
		}
		return atomicfile.Check(*f.csv)
	}
	format, err := charts.FormatOf(*f.out)
	switch {
	case err != nil:
		return usagef("--out %w", err)
	case format == ".svg" && f.set.Changed("width"):
		return usagef("--width is for PNG; SVG has any size")
	case *f.width < charts.MinWidth || *f.width > charts.MaxWidth:
		return usagef("--width %d; write a number of pixels from %d to %d", *f.width, charts.MinWidth, charts.MaxWidth)
	case *f.out == *f.csv:
		return usagef("--out and --csv are the same file; give each its own")
	}
	if *f.csv != "" {
		if err := atomicfile.Check(*f.csv); err != nil {
			return err
		}
	}
	return atomicfile.Check(*f.out)
}

// orWords joins words as orList does, also one alone.
func orWords(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return orList(words)
}

// write writes the files of a drawing.
func (f *plotFlags) write(ctx context.Context, s streams, show *progress, d drawing) error {
	drawing := show.begin("drawing")
	defer drawing.end()
	if *f.csv != "" {
		err := writeResult(s, show, *f.csv, func(w io.Writer) error { return writeRows(ctx, w, d.rows) })
		if err != nil {
			return err
		}
	}
	if *f.out == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return writeResult(s, show, *f.out, func(w io.Writer) error {
		if strings.HasSuffix(strings.ToLower(*f.out), ".png") {
			return d.picture.WritePNG(w, *f.width)
		}
		return d.picture.WriteSVG(w)
	})
}

// writeRows writes rows as CSV.
func writeRows(ctx context.Context, out io.Writer, rows func(row func(values ...string) error) error) error {
	w := csv.NewWriter(out)
	err := rows(func(values ...string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.Write(values)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}
