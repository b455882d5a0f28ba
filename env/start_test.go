package env_test

import (
	"testing"

	"pigpen/env"
	"pigpen/env/envtest"
)

// TestDrawStart checks that exploring starts are states in which a player has
// to decide, that the seed fixes them, and that they are spread evenly.
func TestDrawStart(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		target := g.Target()
		r := env.NewRand(1)
		twin := r
		counts, weights := make([]int, target), make([]int, target)
		for i := range weights {
			weights[i] = 1
		}
		var largest int16
		for range 100 * target {
			s := g.DrawStart(&r)
			if err := g.Validate(s); err != nil || s.Over || s.TurnTotal >= 40 {
				t.Fatalf("DrawStart() = %+v, Validate: %v, want a state to decide in, turn total below 40", s, err)
			}
			if again := g.DrawStart(&twin); again != s {
				t.Fatalf("DrawStart() = %+v, and from the same generator %+v", s, again)
			}
			largest = max(largest, s.TurnTotal)
			counts[s.Scores[g.Players()-1]]++
		}
		envtest.CheckFrequencies(t, "the last seat's score", counts, weights)
		if want := int16(min(39, target-1)); largest < want*3/4 {
			t.Errorf("the largest turn total of %d starts is %d, want about %d", 100*target, largest, want)
		}
	})
}
