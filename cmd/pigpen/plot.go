package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
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
