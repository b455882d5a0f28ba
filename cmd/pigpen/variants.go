package main

import (
	"context"
	"fmt"
	"strings"

	"pigpen/env"
)

// variantResult describes a variant; its columns are those of the default
// game. FaceWeights is empty if all faces are equally likely, FaceNames if they are
// numbers.
type variantResult struct {
	Variant     string         `json:"variant"`
	Title       string         `json:"title"`
	Aliases     []string       `json:"aliases"`
	Summary     string         `json:"summary"`
	Note        string         `json:"note"`
	MinPlayers  int            `json:"min_players"`
	MaxPlayers  int            `json:"max_players"`
	Target      targetResult   `json:"target"`
	Options     []optionResult `json:"options"`
	Dice        int            `json:"dice"`
	Faces       int            `json:"faces"`
	FaceWeights []int          `json:"face_weights"`
	FaceNames   []string       `json:"face_names"`
	Observation []env.Column   `json:"observation"`
}

type targetResult struct {
	Min     int `json:"min"`
	Max     int `json:"max"`
	Default int `json:"default"`
}

type optionResult struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
	Doc     string `json:"doc"`
}

func variantsCommand() command {
	fs := newFlags("variants")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "variants", flags: fs,
		short:   "list the games",
		long:    "Lists the games with their rules, players, options and observations.",
		example: "pigpen variants --json",
		run: func(_ context.Context, s streams, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			list := variantResults()
			if *asJSON {
				return printJSON(s.out, struct {
					Variants []variantResult `json:"variants"`
				}{list})
			}
			var b strings.Builder
			width := widthOf(s.out)
			say := func(format string, args ...any) {
				b.WriteString(wrap(fmt.Sprintf(format, args...), "  ", width) + "\n")
			}
			for i, v := range list {
				if i > 0 {
					b.WriteByte('\n')
				}
				b.WriteString(v.Variant)
				if len(v.Aliases) > 0 {
					fmt.Fprintf(&b, " (also %s)", strings.Join(v.Aliases, ", "))
				}
				b.WriteByte('\n')
				say("%s", v.Summary)
				if v.Note != "" {
					say("%s", v.Note)
				}
				between := ""
				if v.Target.Min < v.Target.Max {
					between = fmt.Sprintf(" (%d to %d)", v.Target.Min, v.Target.Max)
				}
				say("%d to %d players, target %d%s", v.MinPlayers, v.MaxPlayers, v.Target.Default, between)
				for _, o := range v.Options {
					say("option %s (%t): %s", o.Name, o.Default, o.Doc)
				}
				var columns []string
				for _, c := range v.Observation {
					columns = append(columns, c.Name)
				}
				say("a player sees %s", strings.Join(columns, ", "))
			}
			return print(s.out, b.String())
		},
	}
}

// variantResults describes every variant.
func variantResults() []variantResult {
	list := []variantResult{}
	for _, v := range env.Variants() {
		g := env.Must(env.New(env.Config{Variant: v.ID}))
		r := variantResult{
			Variant: v.ID, Title: v.Title, Aliases: append([]string{}, v.Aliases...), Summary: v.Summary, Note: v.Note,
			MinPlayers: v.MinPlayers, MaxPlayers: v.MaxPlayers, Target: targetResult(v.Target),
			Options: []optionResult{}, Dice: v.Dice, Faces: v.Faces, Observation: g.Columns(),
			FaceWeights: append([]int{}, v.FaceWeights...), FaceNames: append([]string{}, v.FaceNames...),
		}
		for _, o := range v.Options {
			r.Options = append(r.Options, optionResult(o))
		}
		list = append(list, r)
	}
	return list
}
