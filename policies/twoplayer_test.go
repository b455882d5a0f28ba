package policies_test

import (
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestTwoPlayer compares the policy with perfect play for two in every state of games for
// three, with states for two made by hand.
func TestTwoPlayer(t *testing.T) {
	racedetector.Skip(t)
	for _, variant := range []string{"pig", "pig-last-round", "double-trouble"} {
		g, two := game(variant, 3, 6), game(variant, 2, 6)
		p, perfect := named(t, policies.TwoPlayer, g), named(t, policies.Optimal, two)
		holds := 0
		for a := range int16(9) {
			for b := range int16(9) {
				for first := range int8(3) {
					s := env.State{Scores: scores(3, a, b), First: first, TurnTotal: 1}
					if variant == "pig" && max(a, b) >= 6 || g.Validate(s) != nil {
						continue
					}
					// Seat 1 acts last in the round of two.
					want := env.State{Scores: scores(3, max(a, b)), TurnTotal: 1}
					if variant == "pig-last-round" && (max(a, b) >= 6 || first == 1) {
						want = env.State{Scores: scores(max(a, b), 3), Seat: 1, TurnTotal: 1}
					}
					for ; s.TurnTotal < 12 && (variant == "pig-last-round" || s.TurnTotal < 3); s.TurnTotal++ {
						want.TurnTotal = s.TurnTotal
						if got := p.RollChance(s); got != perfect.RollChance(want) {
							t.Fatalf("%v: RollChance(%+v) = %v, want that of two in %+v", g, s, got, want)
						} else if got == 0 {
							holds++
						}
					}
				}
			}
		}
		if holds == 0 && variant == "pig-last-round" {
			t.Errorf("%v: it never holds", g)
		}
	}
	// For two it is perfect play, and for more it is no better than an equilibrium's seat.
	g := pig(2, 30)
	c, err := exact.Compare(t.Context(), g, named(t, policies.TwoPlayer, g), named(t, policies.Optimal, g), exact.Options{})
	if err != nil || c.WinMean() != 0.5 {
		t.Errorf("for two it wins %v, %v, want one half", c.WinMean(), err)
	}
	g = pig(3, 40)
	c, err = exact.Compare(t.Context(), g, named(t, policies.TwoPlayer, g), named(t, policies.Optimal, g), exact.Options{})
	if win := c.WinMean(); err != nil || win >= 1.0/3 || win < 0.28 {
		t.Errorf("for three it wins %v, %v, want less than a third", win, err)
	}
}
