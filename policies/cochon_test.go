package policies

import (
	"testing"

	"pigpen/env"
	"pigpen/policies/exact"
)

// TestCochonEdge holds that nobody has an edge over always-roll in the game
// without risk, whose win probabilities over the seats sum to 1: the interval
// of no policy may lie above an even share.
func TestCochonEdge(t *testing.T) {
	for players := 2; players <= 4; players++ {
		g := env.Must(env.New(env.Config{Variant: "cochon", Players: players}))
		roll := &constant{1}
		even := 1 / float64(players)
		for _, name := range []string{"hold-1", "hold-2", "hold-3", "hold-4", "hold-10", "random", "race", "base-race", "always-roll"} {
			p, err := Named(t.Context(), name, g, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			seats, err := Simulate(t.Context(), g, p, roll, SimulateOptions{Games: 60_000, Seed: 1, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			var total Tally
			for _, s := range seats {
				total = total.Add(s)
			}
			if total.CI95()[0] > even {
				t.Errorf("%v: %s wins %v against always-roll, with 95%% confidence in %v; want no more than %v", g, name, total.WinRate(), total.CI95(), even)
			}
			// Stopping after every piece is a gift to the others.
			if name == "hold-1" && total.CI95()[1] > even-0.1 {
				t.Errorf("%v: %s wins %v against always-roll, want less by a tenth than %v", g, name, total.WinRate(), even)
			}
		}
	}
}
