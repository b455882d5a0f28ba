package main

import (
	"context"
	"fmt"
	"strings"

	"pigpen/cmd/pigpen/internal/serve"
	"pigpen/env"
)

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
			list := serve.DescribeVariants(env.Variants())
			if *asJSON {
				return printJSON(s.out, struct {
					Variants []serve.VariantResult `json:"variants"`
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
