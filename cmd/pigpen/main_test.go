package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	update = flag.Bool("update", false, "rewrite the outputs that the scripts show")
	long   = flag.Bool("long", false, "run the tests that take minutes")
)

// TestMain lets the test binary be run as the command pigpen, which stands on
// PATH as long as the tests run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pigpen": main})
}

// TestScripts runs the command line as testdata/script writes it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update,
		RequireExplicitExec: true, RequireUniqueNames: true,
	})
}
