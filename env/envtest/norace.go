//go:build !race

package envtest

// RaceDetector reports whether the race detector is on.
const RaceDetector = false
