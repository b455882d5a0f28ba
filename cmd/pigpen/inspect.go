package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
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
	// Values describes the learner's estimates; nil if the file has none.
	Values *inspectValues `json:"values,omitempty"`
}

// inspectValues describes what a policy file has of a learner's estimates.
type inspectValues struct {
	// Entries is the number of entries with a value of rolling.
	Entries int `json:"entries"`
	// Win is the estimated win probability of seat 0 at the start of a game, and Turns,
	// with one player, the number of its turns; nil if they are not known.
	Win   *float64 `json:"win,omitempty"`
	Turns *float64 `json:"turns,omitempty"`
}

func valuesOf(f policies.File) *inspectValues {
	if f.Values == nil {
		return nil
	}
	index := f.Table.Index()
	g := index.Game()
	start := g.Start(0)
	_, roll := f.Values.At(index.Of(&start))
	v := &inspectValues{Entries: f.Values.Known()}
	if g.Players() == 1 {
		v.Turns = known(1 - float64(roll)) // the first, and those yet to begin
	} else {
		v.Win = known(float64(roll))
	}
	return v
}

func inspectCommand() command {
	fs := newFlags("inspect")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "inspect", args: "FILE", flags: fs,
		short: "tell what a policy file holds",
		long: `Checks a policy file and prints the game it is for and how it was made. Where
the policy rolls with a chance other than 0 and 1, mixed is the number of
entries in which it does. If the file has what the agent estimated both actions
to be worth, values is the number of entries with an estimate, followed by that
of a game at its start.`,
		example: "pigpen inspect q.msgpack",
		run: func(_ context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("files given: %d; one is needed", len(args))
			}
			f, err := loadPolicy(args[0])
			if err != nil {
				return err
			}
			index, m, values := f.Table.Index(), f.Provenance, valuesOf(f)
			g := index.Game()
			if *asJSON {
				return printJSON(s.out, inspectResult{
					gameResult: resultOf(g, m.Seed), Fingerprint: g.Fingerprint(),
					Agent: m.Agent, Settings: m.Settings, Steps: m.Steps, Episodes: m.Episodes,
					Program: m.Program, States: string(index.Abstraction()), Entries: index.Size(), Mixed: f.Table.Mixed(),
					Values: values,
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
			if values != nil {
				start := ""
				if values.Win != nil {
					start = fmt.Sprintf("; by them seat 0 wins %.4f%%", 100**values.Win)
				} else if values.Turns != nil {
					start = fmt.Sprintf("; by them a game takes %.4f turns", *values.Turns)
				}
				line("values", fmt.Sprint(values.Entries)+start)
			}
			return print(s.out, b.String())
		},
	}
}
