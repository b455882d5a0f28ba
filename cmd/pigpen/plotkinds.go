package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/charts"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies/atomicfile"
)

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
