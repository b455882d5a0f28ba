package main

import (
	"os"
	"os/exec"
	"testing"

	"pigpen/env/envtest/racedetector"
)

// TestExampleModule tests the module in cmd/example, which uses this one with a game and a
// learner of its own, and stands outside of this module's packages.
func TestExampleModule(t *testing.T) {
	t.Parallel()
	racedetector.Skip(t)
	test := exec.CommandContext(t.Context(), "go", "test", ".")
	test.Dir = "../example"
	test.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("go test in cmd/example: %v\n%s", err, out)
	}
}
