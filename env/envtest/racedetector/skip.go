// Package racedetector tells tests whether the race detector is on. It imports nothing of
// the project, so that tests inside any package can use it.
package racedetector

import "testing"

// Skip skips a test that computes for long where the race detector is on, which takes ten
// times as long and more. Such a test must start no goroutines other than those that a
// quick test starts as well.
func Skip(t testing.TB) {
	t.Helper()
	if On {
		t.Skip("computes for long; quick tests run the same code under the race detector")
	}
}
