package exact

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// wipingGames returns the games, with a target, in which a roll can cost the banked score.
func wipingGames(t *testing.T, players, target int) []env.Game {
	var games []env.Game
	for _, v := range env.Variants() {
		g, err := env.New(env.Config{Variant: v.ID, Players: players, Target: target})
		if err == nil && rulesOf(g).wipes { // else its target or its players are fixed
			games = append(games, g)
		}
	}
	if len(games) < 2 {
		t.Fatalf("%d games wipe scores, want pig-snake-eyes and double-trouble at least", len(games))
	}
	return games
}

// plainSweeps repeats a sweep until it changes nothing by more than the rounding error. The
// values at a banked score of 0 are those that it begins with.
func plainSweeps(t *testing.T, sweep func() error, each wipedValues) {
	t.Helper()
	var was []float64
	for range 5000 {
		if err := sweep(); err != nil {
			t.Fatal(err)
		}
		change, i := 0.0, 0
		var is []float64
		each(func(_ int, value *float64, _ bool) {
			is = append(is, *value)
			if was != nil {
				change = max(change, math.Abs(*value-was[i])/max(1, math.Abs(*value)))
			}
			i++
		})
		if was != nil && change < 4e-15 {
			return
		}
		was = is
	}
	t.Fatal("plain sweeps do not converge")
}

// TestMixedSweepsAgree compares all values that mixed sweeps find with those of plain ones.
func TestMixedSweepsAgree(t *testing.T) {
	const tolerance = 1e-12
	pairs := [][2]env.Player{{}, {nil, holdAt(20)}, {nil, uneven{}}, {holdAt(20), holdAt(20)}, {uneven{}, holdAt(9)}, {holdAt(30), holdAt(3)}}
	targets := []int{7, 30}
	if racedetector.On {
		targets = targets[:1]
	}
	for _, target := range targets {
		for _, g := range wipingGames(t, 2, target) {
			r := rulesOf(g)
			o := Options{Workers: 1}
			for i, players := range pairs {
				name := fmt.Sprintf("%v, pair %d", g, i)
				if players[0] == nil {
					b, want := newValueTable(r, players), newValueTable(r, players)
					if err := b.iterate(t.Context(), o); err != nil {
						t.Fatal(err)
					}
					plainSweeps(t, func() error {
						_, err := r.sweep(t.Context(), newWorkers(r, o), want.symmetric, want.solvePair, r.optimalCost, nil)
						return err
					}, want.eachWiped)
					for role, rows := range b.afterPass {
						for other, row := range rows {
							for own, got := range row {
								if want := want.afterPass[role][other][own]; math.Abs(got-want) > tolerance {
									t.Fatalf("%s: role %d has %v with %d against %d, want %v as with plain sweeps", name, role, got, own, other, want)
								}
							}
						}
					}
					continue
				}
				e, err := evaluatePolicies(t.Context(), g, players, o)
				if err != nil {
					t.Fatal(err)
				}
				want := newEvaluationTable(r, players)
				plainSweeps(t, func() error {
					_, err := r.sweep(t.Context(), newWorkers(r, o), false, want.solvePair, r.givenCost, nil)
					return err
				}, want.eachWiped)
				for role, rows := range e.afterPass {
					for other, row := range rows {
						for own, got := range row {
							want := want.afterPass[role][other][own]
							if math.Abs(got.win[0]-want.win[0]) > tolerance || math.Abs(got.win[1]-want.win[1]) > tolerance ||
								math.Abs(got.turns/want.turns-1) > tolerance || math.Abs(got.decisions/want.decisions-1) > tolerance {
								t.Fatalf("%s: role %d has %v with %d against %d, want %v as with plain sweeps", name, role, got, own, other, want)
							}
						}
					}
				}
			}
		}
	}
}

// TestMixedSweepsAgreeForMorePlayers is TestMixedSweepsAgree for three players, of whom
// one or none optimizes.
func TestMixedSweepsAgreeForMorePlayers(t *testing.T) {
	for _, g := range wipingGames(t, 3, 12) {
		for _, players := range [][]env.Player{
			{holdAt(5), holdAt(8), uneven{}},
			{nil, holdAt(5), holdAt(5)},
		} {
			b, want := newMultiTable(rulesOf(g), players), newMultiTable(rulesOf(g), players)
			b.allocate(false)
			want.allocate(false)
			o := Options{Workers: 1}
			if err := b.iterate(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			plainSweeps(t, func() error {
				change := 0.0
				_, err := want.sweepBlocks(t.Context(), want.newMultiWorkers(o), &change, nil)
				return err
			}, want.eachWiped)
			for role := range b.futures {
				for i, got := range b.futures[role] {
					if want := want.futures[role][i]; math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
						t.Fatalf("%v: value %d of role %d is %v, want %v as with plain sweeps", g, i, role, got, want)
					}
				}
			}
		}
	}
}

// TestMixedSweepCount bounds the numbers of sweeps. Without mixing, two policies that hold
// at 20 need 88 sweeps to 200 in pig-snake-eyes, a best response 74, and optimal play 17.
func TestMixedSweepCount(t *testing.T) {
	racedetector.Skip(t)
	target, most := 60, [3]int{10, 11, 9}
	if *Long {
		target, most = 200, [3]int{13, 15, 12}
	}
	for _, g := range wipingGames(t, 2, target) {
		for i, players := range [][2]env.Player{{holdAt(20), holdAt(20)}, {nil, holdAt(20)}, {}} {
			reports := 0
			o := Options{Workers: 1, Progress: func(float64) { reports++ }}
			var err error
			if players[0] != nil {
				_, err = evaluatePolicies(t.Context(), g, players, o)
			} else {
				err = newValueTable(rulesOf(g), players).iterate(t.Context(), o)
			}
			if err != nil {
				t.Fatal(err)
			}
			// A sweep reports each sum of the banked scores.
			if sweeps := reports / (2*target - 1); sweeps > most[i] {
				t.Errorf("%v, case %d: %d sweeps, want at most %d", g, i, sweeps, most[i])
			}
		}
	}
}

// A vectorTable stands for a table: a sweep applies a map to its values.
type vectorTable []float64

func (v vectorTable) each(visit func(component int, value *float64, relative bool)) {
	for i := range v {
		visit(0, &v[i], false)
	}
}

// convergeVector lets converge find the fixed point of g from 0, and returns the values, the
// mixer, the number of sweeps and the residual.
func convergeVector(t *testing.T, n int, g func(x []float64) []float64) (x vectorTable, m *mixer, sweeps int, residual float64) {
	t.Helper()
	x = make(vectorTable, n)
	r := testRules(t, "pig-snake-eyes", 2, 100)
	m = r.newMixer(x.each)
	residual, err := r.converge(Options{}, 1, func(func(float64)) (float64, error) {
		sweeps++
		copy(x, g(slices.Clone(x)))
		return 0, nil
	}, m.change, m)
	if err != nil {
		t.Fatal(err)
	}
	return x, m, sweeps, residual
}

// TestMixerLinear solves linear equations of n unknowns, for which GMRES needs at most n
// steps, whatever the rate of plain sweeps: n + 1 sweeps determine n differences, and the
// next ones confirm.
func TestMixerLinear(t *testing.T) {
	rates := []float64{0.999, -0.9, 0.7, 0.1}
	x, _, sweeps, residual := convergeVector(t, len(rates), func(x []float64) []float64 {
		for i := range x {
			x[i] = float64(rates[i]*x[i]) + 1e-3*float64(i+1)
		}
		return x
	})
	for i, got := range x {
		if want := 1e-3 * float64(i+1) / (1 - rates[i]); math.Abs(got-want) > 1e-10 {
			t.Errorf("x[%d] = %v, want %v", i, got, want)
		}
	}
	if sweeps > len(rates)+4 || residual > sweepTolerance {
		t.Errorf("%d sweeps, with a residual of %v; want at most %d, and %v", sweeps, residual, len(rates)+4, sweepTolerance)
	}
}

// TestMixerFails gives the mixer sweeps that it cannot predict: each halves the distance to
// the fixed point, in a direction that changes from one sweep to the next. After maxFailures
// failures sweeps are plain, and converge as they do without a mixer.
func TestMixerFails(t *testing.T) {
	const plain = 46 // halvings from 1 to below the tolerance
	seen := 0
	x, m, sweeps, residual := convergeVector(t, 2, func(x []float64) []float64 {
		seen++
		r := math.Hypot(x[0]-1, x[1]) / 2
		angle := 2.4 * float64(seen*seen)
		return []float64{1 + float64(r*math.Cos(angle)), float64(r * math.Sin(angle))}
	})
	if math.Hypot(x[0]-1, x[1]) > 1e-13 || residual > sweepTolerance {
		t.Errorf("x = %v with a residual of %v, want (1, 0)", x, residual)
	}
	if m.failures != maxFailures || m.mixed {
		t.Errorf("%d failures, and mixed is %v at the end; want %d and false", m.failures, m.mixed, maxFailures)
	}
	if sweeps > plain+4*maxFailures {
		t.Errorf("%d sweeps, want at most %d", sweeps, plain+4*maxFailures)
	}
}
