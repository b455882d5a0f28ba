package main

import (
	"flag"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

var (
	update = flag.Bool("update", false, "rewrite the outputs that the scripts show")
	long   = flag.Bool("long", false, "run the tests that take minutes")
)

// must panics if there is an error.
func must(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}

// TestMain lets the test binary be run as the command pigpen, which stands on
// PATH as long as the tests run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pigpen": main})
}

// TestScripts runs the command line as testdata/script writes it. The scripts
// name lists that messages end with by variables, as in '${VARIANTS@R}', so that
// a new name needs no change there.
func TestScripts(t *testing.T) {
	racedetector.Skip(t)
	lists := scriptLists()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update,
		RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, lists...)
			return nil
		},
	})
}

// scriptLists returns, as VARIABLE=value, the names of each kind as messages
// list them.
func scriptLists() []string {
	var variants, fixed, kinds, words []string
	for _, v := range env.Variants() {
		variants = append(variants, v.ID)
	}
	for _, f := range policies.FixedPolicies() {
		fixed = append(fixed, f.Name)
	}
	for _, k := range agents.Kinds() {
		kinds = append(kinds, k.Name)
	}
	for _, c := range commands() {
		words = append(words, c.name)
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	return []string{
		"VARIANTS=" + list(variants), "POLICIES=" + list(fixed), "AGENTS=" + list(kinds), "COMMANDS=" + list(words),
	}
}
