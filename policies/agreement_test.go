package policies_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// tolerance returns how far the share of wins in a number of games may be from
// their probability p. By Bernstein's inequality a right simulation is farther
// off with a chance below 1e-9, whatever p and the number of games.
func tolerance(p float64, games int) float64 {
	log, n := math.Log(2/1e-9), float64(games)
	return log/(3*n) + math.Sqrt(log*log/(9*n*n)+2*log*p*(1-p)/n)
}

// TestSimulationAgrees simulates every variant, and checks that each seat wins
// as often as its exact win probability says, or takes as many turns. The seed
// is fixed; for another one, or another variant, a check fails by chance less
// often than once in 10^8 times.
func TestSimulationAgrees(t *testing.T) {
	racedetector.Skip(t)
	target, plays := 30, 40_000
	if *long {
		target, plays = 100, 400_000
	}
	var games []env.Game
	for _, v := range env.Variants() {
		for players := v.MinPlayers; players <= 2; players++ {
			target := max(v.Target.Min, min(v.Target.Default, target))
			games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: target})))
		}
	}
	for _, g := range games {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			for _, names := range [][2]string{{"hold-7", "optimal"}, {"optimal", "random"}} {
				p, against := named(t, names[0], g), named(t, names[1], g)
				exactly, err := exact.Compare(t.Context(), g, p, against, exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				tallies, err := policies.Simulate(t.Context(), g, p, against, policies.SimulateOptions{Games: plays, Seed: 4, Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				for seat, tally := range tallies {
					what, want, got := "wins", exactly.WinBySeat[seat], tally.WinRate()
					within := tolerance(want, tally.Games)
					if g.Players() == 1 {
						mean, ci := tally.MeanTurns()
						what, want, got = "takes turns", exactly.TurnsBySeat[seat], mean
						within = 6 / 1.96 * (ci[1] - ci[0]) / 2 // six standard errors
					}
					if math.Abs(got-want) > within {
						t.Errorf("%s in seat %d against %s %s %v exactly, and %v in %d games, want within %v", names[0], seat, names[1], what, want, got, tally.Games, within)
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
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		target := min(10, v.Target.Max)
		if *long {
			target = min(40, v.Target.Max)
		}
		for players := v.MinPlayers; players <= 3; players++ {
			g := env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: target}))
			index, err := policies.NewStateIndex(g, policies.SummaryAbstraction)
			if err != nil {
				t.Fatal(err)
			}
			r := env.NewRand(7)
			table := policies.NewTable(index)
			for i := range index.Size() {
				table.Set(i, r.Uint64()&1 == 0)
			}
			thresholds := policies.NewTable(index)
			for start, s := range index.Turns() {
				_, last := index.Turn(&s)
				for i := start; i < start+int(r.Below(uint32(last-start+2))); i++ {
					thresholds.Set(i, true)
				}
			}
			all := map[string]policies.Policy{"a table": table, "a table of thresholds": thresholds}
			for _, f := range policies.FixedPolicies() {
				if f.Name == policies.Optimal && players > 2 || f.Name == policies.TwoPlayer && players <= 2 {
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
					checkTurns(t, index, byTurn)
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

// checkTurns compares RollChances and HoldsAt with RollChance.
func checkTurns(t *testing.T, index policies.StateIndex, p exact.TurnPlayer) {
	t.Helper()
	for start, s := range index.Turns() {
		_, last := index.Turn(&s)
		beyond := 0
		if g := index.Game(); g.Variant().Ending == env.AfterRound {
			beyond = 20
		}
		n := last - start + 1 + beyond
		want := make([]float64, n)
		for i := 1; i < n; i++ {
			s.TurnTotal = int16(i)
			want[i] = p.RollChance(s)
		}
		checkThreshold(t, s, want[1:], p)
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

// checkThreshold checks that HoldsAt, in the turn that s is in, returns the turn total from
// which on the chances of rolling, which are those at turn totals 1, 2, …, are 0 after
// they have been 1; and that it says so if there is none.
func checkThreshold(t *testing.T, s env.State, chances []float64, p policies.Policy) {
	t.Helper()
	if len(chances) == 0 {
		return
	}
	rolls := 0
	for rolls < len(chances) && chances[rolls] == 1 {
		rolls++
	}
	want := !slices.ContainsFunc(chances[rolls:], func(chance float64) bool { return chance != 0 })
	s.TurnTotal = 0
	at, ok := p.(env.ThresholdPlayer).HoldsAt(&s)
	if ok != want || ok && min(max(at, 1), len(chances)+1) != rolls+1 {
		t.Fatalf("HoldsAt(%+v) = %d, %t, want %d, %t, since it rolls with chances %v", s, at, ok, rolls+1, want, chances)
	}
}
