package exact

import (
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// uneven rolls with chances of all kinds.
type uneven struct{}

func (uneven) RollChance(s env.State) float64 {
	x := 7*int(s.Scores[0]) + 13*int(s.Scores[1]) + 5*int(s.TurnTotal) + 3*int(s.Seat)
	return float64(x%11) / 10
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// TestDeterminism holds that the number of workers changes no bit of any
// result: every value that is kept, every action, every evaluation.
func TestDeterminism(t *testing.T) {
	for _, v := range env.Variants() {
		// From a target of 40 on, five workers share the pairs of a sum, and from
		// one of 80 on even if these are symmetric.
		target := 85
		switch {
		case v.Target.Min == v.Target.Max:
			target = v.Target.Min
		case testRules(t, v.ID, 2, 2).wipes:
			target = 41 // many sweeps
		case v.Ending == env.AfterRound && !*Long:
			target = 41 // many states
		}
		if racedetector.On {
			target = max(v.Target.Min, min(target, 41))
		}
		g := env.Must(env.New(env.Config{Variant: v.ID, Target: target}))
		t.Run(g.String(), func(t *testing.T) {
			var solutions [2]*Solution
			var evaluated *evaluationTable
			counts := []int{1, 5}
			if *Long {
				counts = []int{1, 2, 5}
			}
			for _, workers := range counts {
				o := Options{Workers: workers}
				s, err := Solve(t.Context(), g, o)
				if err != nil {
					t.Fatal(err)
				}
				r, err := BestResponse(t.Context(), g, uneven{}, o)
				if err != nil {
					t.Fatal(err)
				}
				e, err := evaluatePolicies(t.Context(), g, [2]env.Player{uneven{}, holdAt(20)}, o)
				if err != nil {
					t.Fatal(err)
				}
				if workers == 1 {
					solutions, evaluated = [2]*Solution{s, r}, e
					continue
				}
				checkSame(t, "Solve", workers, s, solutions[0])
				checkSame(t, "BestResponse", workers, r, solutions[1])
				for role := range e.afterPass {
					for other := range e.afterPass[role] {
						for own, f := range e.afterPass[role][other] {
							if want := evaluated.afterPass[role][other][own]; f != want {
								t.Fatalf("Evaluate(%v) with %d workers: role %d, %d against %d: %+v, want %+v as with one", g, workers, role, own, other, f, want)
							}
						}
					}
				}
				if !sameBits(e.residual, evaluated.residual) {
					t.Errorf("Evaluate(%v) with %d workers: the residual is %v, want %v as with one", g, workers, e.residual, evaluated.residual)
				}
			}
		})
	}
}

// checkSame compares every number of two solutions.
func checkSame(t *testing.T, call string, workers int, got, want *Solution) {
	t.Helper()
	if !slices.EqualFunc(got.WinBySeat(), want.WinBySeat(), sameBits) || !sameBits(got.Residual(), want.Residual()) {
		t.Errorf("%s(%v) with %d workers: WinBySeat() = %v, Residual() = %v, want %v, %v as with one", call, got.Game(), workers, got.WinBySeat(), got.Residual(), want.WinBySeat(), want.Residual())
	}
	for i, b := range got.tables {
		for role := range b.afterPass {
			for other, row := range b.afterPass[role] {
				if want := want.tables[i].afterPass[role][other]; !slices.EqualFunc(row, want, sameBits) {
					t.Fatalf("%s(%v) with %d workers: role %d against %d has %v, want %v as with one", call, got.Game(), workers, role, other, row, want)
				}
			}
		}
	}
	gotPolicies, wantPolicies := got.prepared(), want.prepared()
	for role := range gotPolicies {
		got, want := &gotPolicies[role], &wantPolicies[role]
		if !slices.Equal(got.switches, want.switches) || !slices.Equal(got.offsets, want.offsets) || got.highestRoll != want.highestRoll {
			t.Fatalf("%s with %d workers: the policy of role %d differs from that with one", call, workers, role)
		}
	}
}
