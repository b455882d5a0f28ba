package envtest

import "testing"

// SkipUnderRaceDetector skips a test that computes for long where the race
// detector is on, which takes ten times as long and more. Such a test must
// start no goroutines other than those that a quick test starts as well.
func SkipUnderRaceDetector(t testing.TB) {
	t.Helper()
	if RaceDetector {
		t.Skip("computes for long; quick tests run the same code under the race detector")
	}
}
