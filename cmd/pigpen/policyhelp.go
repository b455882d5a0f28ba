package main

import (
	"fmt"
	"strings"

	"pigpen/policies"
	"pigpen/policies/trained"
)

// fixedTable lists the policies that need no file.
func fixedTable() string {
	var b strings.Builder
	indent := strings.Repeat(" ", 15)
	entry := func(name, doc string) {
		fmt.Fprintf(&b, "\n  %-12s %s", name, strings.TrimPrefix(wrap(doc, indent, helpWidth), indent))
	}
	for _, f := range policies.FixedPolicies() {
		entry(f.Name, f.Doc)
	}
	var names []string
	for _, p := range trained.List() {
		names = append(names, p.Name)
	}
	entry(policies.TrainedPrefix+"NAME", "learned, where NAME is one of "+strings.Join(names, ", "))
	b.WriteString(`

hold-N, race and base-race hold on reaching the target in games that go on to
the end of the round, and once somebody else has it they roll until ahead. A
name is looked for among these policies before the files; ./NAME is always a
file.`)
	return b.String()
}
