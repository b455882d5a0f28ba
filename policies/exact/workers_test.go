package exact

import (
	"math"
	"testing"

	"pigpen/env"
)

// TestCrewIsBounded asks for more workers than there can be work for.
func TestCrewIsBounded(t *testing.T) {
	for _, target := range []int{2, 100, 1000} {
		r, err := newRules(env.Must(env.New(env.Config{Target: target})))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(newCrew(r, Options{Workers: math.MaxInt})), max(1, target/grain); got != want {
			t.Errorf("a target of %d has a crew of %d, want %d", target, got, want)
		}
	}
}
