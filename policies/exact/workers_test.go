package exact

import (
	"math"
	"testing"

	"pigpen/env"
)

// TestNewWorkersIsBounded checks that the number of workers is bounded by the work.
func TestNewWorkersIsBounded(t *testing.T) {
	for _, target := range []int{2, 100, 1000} {
		r := rulesOf(env.Must(env.New(env.Config{Target: target})))
		if got, want := len(newWorkers(r, Options{Workers: math.MaxInt})), max(1, target/minPairsPerWorker); got != want {
			t.Errorf("a target of %d has %d workers, want %d", target, got, want)
		}
	}
}
