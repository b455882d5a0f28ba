package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// inspectResult is what a policy file says of itself.
type inspectResult struct {
	gameResult
	Fingerprint string            `json:"fingerprint"`
	Agent       string            `json:"agent"`
	Settings    map[string]string `json:"settings"`
	Steps       int64             `json:"steps"`
	Episodes    int64             `json:"episodes"`
	Program     string            `json:"program"`
	States      string            `json:"states"`
	Entries     int               `json:"entries"`
	// Mixed is the number of entries with a chance of rolling other than 0 and 1.
	Mixed int `json:"mixed"`
}

func inspectCommand() command {
	fs := newFlags("inspect")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "inspect", args: "FILE", flags: fs,
		short: "tell what a policy file holds",
		long: `Checks a policy file and prints the game it is for and how it was made. Where
the policy rolls with a chance other than 0 and 1, mixed is the number of
entries in which it does.`,
		example: "pigpen inspect q.msgpack",
		run: func(_ context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("files given: %d; one is needed", len(args))
			}
			f, err := loadPolicy(args[0])
			if err != nil {
				return err
			}
			index, m := f.Table.Index(), f.Provenance
			g := index.Game()
			if *asJSON {
				return printJSON(s.out, inspectResult{
					gameResult: resultOf(g, m.Seed), Fingerprint: g.Fingerprint(),
					Agent: m.Agent, Settings: m.Settings, Steps: m.Steps, Episodes: m.Episodes,
					Program: m.Program, States: string(index.Abstraction()), Entries: index.Size(), Mixed: f.Table.Mixed(),
				})
			}
			var b strings.Builder
			line := func(name string, value any) {
				fmt.Fprintf(&b, "%-18s %s\n", plaintext.Escape(name), plaintext.Escape(fmt.Sprint(value)))
			}
			line("game", g)
			line("fingerprint", g.Fingerprint())
			line("agent", m.Agent)
			for _, name := range slices.Sorted(maps.Keys(m.Settings)) {
				line("  "+name, m.Settings[name])
			}
			line("seed", m.Seed)
			line("decisions", m.Steps)
			line("episodes", m.Episodes)
			line("program", "pigpen "+m.Program)
			line("states", index.Abstraction())
			line("entries", index.Size())
			if mixed := f.Table.Mixed(); mixed > 0 {
				line("mixed", mixed)
			}
			return print(s.out, b.String())
		},
	}
}
