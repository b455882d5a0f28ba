package exact_test

import (
	"fmt"
	"testing"

	"pigpen/env"
	"pigpen/policies/exact"
)

// turns returns the number of beginnings of a turn that differ: pairs of
// banked scores below the target, by who is to move where that matters.
func turns(g env.Game) int {
	n := g.Target()
	if g.Players() == 2 {
		n *= g.Target()
	}
	if g.Variant().Ending == env.AfterRound {
		n *= 2
	}
	return n
}

// points returns the number of decision points of g, (own, other, turn total)
// with own + turn total below the target: 505,000 of Pig with a target of 100.
// Games that end after a round have as many for each of two roles, and more
// beyond the target.
func points(g env.Game) int { return turns(g) * (g.Target() + 1) / 2 }

// report adds the time per decision point, which tells how far a figure
// carries over from one target to another. In games of two that are alike to
// both, a point is worked out once; where a roll can cost the banked score,
// once in each of about ten sweeps.
func report(b *testing.B, g env.Game) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(points(g)), "ns/point")
}

// BenchmarkSolve finds perfect play, on one core unless the name says more: of
// every game with its default target, and of Pig with others. An iteration is
// a whole game.
func BenchmarkSolve(b *testing.B) {
	run := func(name string, g env.Game, workers int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exact.Solve(b.Context(), g, exact.Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			report(b, g)
		})
	}
	for _, g := range defaults(1000) {
		run(fmt.Sprintf("%s/target-%d", g.Variant().ID, g.Target()), g, 1)
	}
	for _, target := range []int{50, 200, 500, 1000} {
		run(fmt.Sprintf("pig/target-%d", target), pig(target), 1)
	}
	run("pig/target-1000/workers-2", pig(1000), 2)
	run("pig/solitaire/target-100", game("pig", 1, 100), 1)
}

// BenchmarkPlan asks a new solution for its first action, for which it works
// out all of them. The time of [exact.Solve] is not counted.
func BenchmarkPlan(b *testing.B) {
	for _, g := range []env.Game{pig(100), game("pig-last-round", 2, 100)} {
		b.Run(fmt.Sprintf("%s/target-%d", g.Variant().ID, g.Target()), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := solve(b, g)
				b.StartTimer()
				s.LastRoll()
			}
		})
	}
}

// BenchmarkRollChance asks perfect play for an action, state after state.
func BenchmarkRollChance(b *testing.B) {
	s := solve(b, pig(100))
	states := sample(pig(100), 1024)
	s.LastRoll()
	rolls, i := 0.0, 0
	for b.Loop() {
		rolls += s.RollChance(states[i&1023])
		i++
	}
	if rolls == 0 {
		b.Error("RollChance never rolls")
	}
}

// BenchmarkEvaluate evaluates two policies against each other in Pig with a
// target of 100, on one core: from a table of rules, from rules alone, and with
// turns as long as they can be.
func BenchmarkEvaluate(b *testing.B) {
	g := pig(100)
	optimal := policy{"optimal", solve(b, g)}
	hold, race, roll := named(b, "hold-20", g), named(b, "race", g), named(b, "always-roll", g)
	for _, seats := range [][]policy{{hold, optimal}, {race, hold}, {roll, roll}} {
		b.Run(fmt.Sprintf("pig/%s-v-%s", seats[0].name, seats[1].name), func(b *testing.B) {
			players := []env.Player{seats[0].Player, seats[1].Player}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exact.Evaluate(b.Context(), g, players, exact.Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			// Each policy is asked at every point.
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*points(g)), "ns/point")
		})
	}
}

// BenchmarkWipes evaluates hold-20 against itself, and finds the best response to it, where
// a roll can cost the banked score and sweeps are repeated, on one core.
func BenchmarkWipes(b *testing.B) {
	for _, target := range []int{100, 200} {
		g := game("pig-snake-eyes", 2, target)
		hold := named(b, "hold-20", g).Player
		o := exact.Options{Workers: 1}
		b.Run(fmt.Sprintf("evaluate/target-%d", target), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exact.Evaluate(b.Context(), g, []env.Player{hold, hold}, o); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("best-response/target-%d", target), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exact.BestResponse(b.Context(), g, hold, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBestResponse finds the best response in Pig with a target of 100,
// on one core.
func BenchmarkBestResponse(b *testing.B) {
	g := pig(100)
	for _, p := range []policy{named(b, "hold-20", g), {"optimal", solve(b, g)}} {
		b.Run("pig/"+p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exact.BestResponse(b.Context(), g, p.Player, exact.Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			report(b, g)
		})
	}
}
