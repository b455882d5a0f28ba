package policies_test

import (
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestCochonEdge checks that no policy has an edge over always-roll in the game
// without risk, whose win probabilities sum to 1 over the seats: none wins more
// than an even share. Two players are scored exactly; more play games, of
// which a fair policy wins too many with a chance below 1e-9.
func TestCochonEdge(t *testing.T) {
	racedetector.Skip(t)
	plays := 10_000
	if *long {
		plays = 30_000
	}
	for players := 2; players <= 4; players++ {
		g := env.Must(env.New(env.Config{Variant: "cochon", Players: players}))
		roll := named(t, "always-roll", g)
		even := 1 / float64(players)
		for _, name := range []string{"hold-1", "hold-2", "hold-3", "hold-4", "hold-10", "random", "race", "base-race", "always-roll"} {
			p := named(t, name, g)
			var wins, within float64
			if players == 2 {
				c, err := exact.Compare(t.Context(), g, p, roll, exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				wins, within = c.WinMean(), 1e-12
			} else {
				var total policies.Tally
				for _, s := range simulate(t, g, p, roll, policies.SimulateOptions{Games: plays, Seed: 1, Workers: 2}) {
					total = total.Add(s)
				}
				wins, within = total.WinRate(), tolerance(even, total.Games)
			}
			if wins > even+within {
				t.Errorf("%v: %s wins %v against always-roll, want no more than %v + %v", g, name, wins, even, within)
			}
			// Stopping after every piece is a gift to the others.
			if name == "hold-1" && wins > even-0.1 {
				t.Errorf("%v: %s wins %v against always-roll, want less by a tenth than %v", g, name, wins, even)
			}
		}
	}
}
