package exact_test

import (
	"errors"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
)

// TestValueFunction compares the values of policies with sweeps over all states of small
// games and, for perfect play, with its solution, which is computed from the end of a turn
// backwards.
func TestValueFunction(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v, 4) {
			gr := newGraph(g, far)
			perfect := solve(t, g)
			for _, p := range []policy{named(t, "hold-3", g), hashed(g, 1), {"optimal", perfect}} {
				values, err := exact.NewValueFunction(t.Context(), g, p, exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var win [][]float64 // by seat
				for seat := range g.Players() {
					if g.Players() == 2 {
						win = append(win, gr.best(t, seat, p, p))
					}
				}
				n := 0
				for i, s := range gr.states {
					if gr.over[i] || s.TurnTotal > 0 || int(max(s.Scores[0], s.Scores[1])) > g.Target()+compared {
						continue
					}
					n++
					got := values.At(s)
					if g.Players() == 2 && !near(got, win[s.Seat][i], 1e-9) {
						t.Fatalf("%v, %s: At(%+v) = %v, want %v", g, p.name, s, got, win[s.Seat][i])
					}
					if _, want := perfect.Values(s); p.name == "optimal" && !near(got, want, 1e-9) {
						t.Fatalf("%v: At(%+v) = %v, want %v", g, s, got, want)
					}
				}
				if n < 2 {
					t.Errorf("%v: %d states in which a turn begins", g, n)
				}
				if e := evaluate(t, g, []policy{p, p}[:g.Players()]...); g.Players() == 1 && !near(values.At(g.Start(0)), 1-e.Turns, 1e-12) {
					t.Errorf("%v, %s: the start is worth %v, and a game takes %v turns", g, p.name, values.At(g.Start(0)), e.Turns)
				}
			}
		}
	}
	if _, err := exact.NewValueFunction(t.Context(), game("pig", 3, 5), named(t, "hold-3", game("pig", 3, 5)), exact.Options{}); !errors.Is(err, exact.ErrPlayers) {
		t.Errorf("for three players the error is %v, want %v", err, exact.ErrPlayers)
	}
}
