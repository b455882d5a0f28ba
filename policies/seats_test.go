package policies_test

import (
	"reflect"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestEvaluateSeats compares the report of three different policies with package exact,
// and the games that are played with the exact figures and with themselves on other
// numbers of workers.
func TestEvaluateSeats(t *testing.T) {
	g := pig(3, 20)
	names := []string{"hold-9", "random", "race"}
	var seats []policies.Policy
	for _, name := range names {
		seats = append(seats, named(t, name, g))
	}
	want, err := exact.Evaluate(t.Context(), g, seats, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reports := make([]policies.SeatReport, 2)
	for i := range reports {
		e := policies.Evaluator{Game: g, Games: 5000, Seed: 3, Workers: 1 + 4*i}
		if reports[i], err = e.EvaluateSeats(t.Context(), names, seats); err != nil {
			t.Fatal(err)
		}
	}
	r := reports[0]
	if !reflect.DeepEqual(r, reports[1]) {
		t.Errorf("one worker reports %+v, five %+v", r, reports[1])
	}
	if !slices.Equal(r.Seats, names) || r.Method != policies.ExactMethod || !slices.Equal(r.WinBySeat, want.Win) || *r.Turns != want.Turns || *r.Decisions != want.Decisions || *r.Residual != want.Residual {
		t.Errorf("EvaluateSeats = %+v, want %+v", r, want)
	}
	wins := 0.0
	for seat, s := range r.Simulated.BySeat {
		if s.Games != 5000 || want.Win[seat] < s.CI95[0]-0.01 || want.Win[seat] > s.CI95[1]+0.01 {
			t.Errorf("seat %d: %+v, want a win rate of %v", seat, s, want.Win[seat])
		}
		wins += s.Wins
	}
	if r.Simulated.Truncated != 0 || wins != 5000 {
		t.Errorf("the seats win %v of 5000 games, %d truncated", wins, r.Simulated.Truncated)
	}

	e := policies.Evaluator{Game: g, Games: 50, Seed: 3, SimulateOnly: true}
	r, err = e.EvaluateSeats(t.Context(), names, seats)
	if err != nil {
		t.Fatal(err)
	}
	if r.Method != policies.SimulationMethod || r.Turns != nil || r.Residual != nil || r.WinBySeat[1] != r.Simulated.BySeat[1].WinRate {
		t.Errorf("simulated: %+v", r)
	}
}

// TestSimulateEverySeat plays games that never end, and refuses other numbers of policies.
func TestSimulateEverySeat(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "pig-last-round", Target: 10}))
	never := named(t, "always-roll", g)
	o := policies.SimulateOptions{Games: 3, Workers: 1, StepLimit: 50}
	tallies, err := policies.SimulateSeats(t.Context(), g, []policies.Policy{never, never}, o)
	if err != nil || len(tallies) != 2 || tallies[1].Truncated != 3 || tallies[1].Games != 3 || tallies[0].Wins() != 0 {
		t.Errorf("SimulateSeats = %+v, %v, want three truncated games", tallies, err)
	}
	for _, seats := range [][]policies.Policy{{never}, {never, never, never}, {never, nil}} {
		if _, err := policies.SimulateSeats(t.Context(), g, seats, o); err == nil {
			t.Errorf("SimulateSeats takes the seats %v", seats)
		}
	}
}
