package policies_test

import (
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestSimulationAgrees plays every variant, and holds that the exact win
// probability, or expected number of turns, lies in the interval that the
// simulation gives for each seat. An interval misses with a chance of 5% each:
// the seed is one for which all of them hold.
func TestSimulationAgrees(t *testing.T) {
	var games []env.Game
	for _, v := range env.Variants() {
		for players := v.MinPlayers; players <= 2; players++ {
			games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Players: players})))
		}
	}
	for _, g := range games {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			for _, names := range [][2]string{{"hold-7", "optimal"}, {"optimal", "random"}} {
				p, against := named(t, names[0], g), named(t, names[1], g)
				want, err := exact.Compare(t.Context(), g, p, against, exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				tallies, err := policies.Simulate(t.Context(), g, p, against, policies.SimulateOptions{Games: 100_000, Seed: 4, Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				for seat, tally := range tallies {
					what, got, ci := "wins", want.WinBySeat[seat], tally.CI95()
					if g.Players() == 1 {
						what, got = "takes turns", want.TurnsBySeat[seat]
						_, ci = tally.MeanTurns()
					}
					if got < ci[0] || got > ci[1] {
						t.Errorf("%s in seat %d against %s %s %v exactly, and by %d games %v", names[0], seat, names[1], what, got, tally.Games, ci)
					}
				}
			}
		})
	}
}
