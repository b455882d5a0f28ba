package exact_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
)

// TestPublishedWins checks the win probabilities of the literature.
func TestPublishedWins(t *testing.T) {
	g := pig(100)
	solution := solve(t, g)
	optimal := policy{"optimal", solution}
	player := func(name string) policy {
		if name == optimal.name {
			return optimal
		}
		return named(t, name, g)
	}
	// T. Neller, C. Presser, "Optimal Play of the Dice Game Pig", UMAP Journal
	// 25(1), 2004, to more digits than there.
	if got := solution.WinBySeat()[0]; math.Abs(got-0.530593) > 5e-7 {
		t.Errorf("Solve(%v).WinBySeat()[0] = %.7f, want 0.530593", g, got)
	}
	const unknown = -1
	for _, test := range []struct {
		a, b         string
		seat0, seat1 float64 // of a
		tolerance    float64
		source       string
	}{
		{"optimal", "optimal", 0.530593, 0.469407, 5e-7, "Neller & Presser 2004"},
		{"hold-20", "hold-20", 0.5347, unknown, 5e-5, `T. Neller, Nifty Assignments 2010, "advantage"`},
		{"hold-20", "hold-21", 0.542626, unknown, 5e-7, "Antzy21/Pig-Dice-Game-Analysis"},
		{"always-roll", "optimal", 0.121, 0.112, 5e-4, "Rosetta Code, talk page of Pig player"},
	} {
		got := compare(t, g, player(test.a), player(test.b)).WinBySeat
		for seat, want := range []float64{test.seat0, test.seat1} {
			if want != unknown && math.Abs(got[seat]-want) > test.tolerance {
				t.Errorf("Compare(%v, %s, %s).WinBySeat[%d] = %.7f, want %v (%s)", g, test.a, test.b, seat, got[seat], want, test.source)
			}
		}
	}

	// The gap is P(optimal wins) - P(policy wins), the mean of both seats. T.
	// Neller, C. Presser, "Practical Play of the Dice Game Pig", UMAP Journal
	// 31(1), 2010.
	for _, test := range []struct {
		policy         string
		gap, tolerance float64
	}{
		{"hold-20", 0.0798, 5e-5},
		{"hold-25", 0.0421, 5e-5},
		{"base-race", 0.01886, 5e-6},
		{"race", 0.00922, 5e-6},
	} {
		if gap := 1 - 2*compare(t, g, player(test.policy), optimal).WinMean(); math.Abs(gap-test.gap) > test.tolerance {
			t.Errorf("Compare(%v, %s, optimal): the gap is %.6f, want %v", g, test.policy, gap, test.gap)
		}
	}

	// T. Zhu, M. Ma, Stats 5(3), 2022: a game takes about 19 turns.
	if e := evaluate(t, g, optimal, optimal); math.Abs(e.Turns-19.25) > 0.005 {
		t.Errorf("Evaluate(%v, optimal v optimal).Turns = %.4f, want 19.25", g, e.Turns)
	}
}

// TestPublishedSolitaire checks the expected turns of one player.
func TestPublishedSolitaire(t *testing.T) {
	g := game("pig", 1, 100)
	solution := solve(t, g)
	// H. Tijms, "Dice Games and Stochastic Dynamic Programming".
	if got := solution.FewestTurns(); math.Abs(got-12.545) > 5e-4 {
		t.Errorf("Solve(%v).FewestTurns() = %.5f, want 12.545", g, got)
	}
	for _, test := range []struct {
		policy
		want float64
	}{
		{policy{"optimal", solution}, 12.545},
		// T. Neller, Nifty Assignments 2010; 12.635 by simulation.
		{named(t, "hold-20", g), 12.637},
	} {
		if e := evaluate(t, g, test.policy); math.Abs(e.Turns-test.want) > 5e-4 {
			t.Errorf("Evaluate(%v, %s).Turns = %.5f, want %v", g, test.name, e.Turns, test.want)
		}
		if c := compare(t, g, test.policy, policy{}); math.Abs(c.Turns()-test.want) > 5e-4 || c.WinMean() != 1 {
			t.Errorf("Compare(%v, %s, nil): Turns() = %.5f, WinMean() = %v, want %v and 1", g, test.name, c.Turns(), c.WinMean(), test.want)
		}
	}
}

// TestPublishedPiglet checks the win probabilities of Piglet with target 2: T.
// Neller, C. Presser, "Optimal Play of the Dice Game Pig", UMAP Journal 25(1),
// 2004.
func TestPublishedPiglet(t *testing.T) {
	g := game("piglet", 2, 2)
	s := solve(t, g)
	for _, test := range []struct {
		own, other, turnTotal int
		want                  float64
	}{
		{0, 0, 0, 4. / 7},
		{0, 0, 1, 5. / 7},
		{0, 1, 0, 2. / 5},
		{0, 1, 1, 3. / 5},
		{1, 0, 0, 4. / 5},
		{1, 1, 0, 2. / 3},
	} {
		for seat := range 2 {
			at := state(seat, test.own, test.other, test.turnTotal)
			hold, roll := s.Values(at)
			if math.IsNaN(hold) != (test.turnTotal == 0) {
				t.Errorf("Solve(%v).Values(%+v): hold is worth %v, want NaN where it is not legal", g, at, hold)
			}
			// In this game rolling is right everywhere.
			if math.Abs(roll-test.want) > 1e-12 || hold >= roll {
				t.Errorf("Solve(%v).Values(%+v) = %v, %v, want no more and %v", g, at, hold, roll, test.want)
			}
		}
	}
	if got := s.WinBySeat(); !allNear(got, []float64{4. / 7, 3. / 7}, 1e-12) {
		t.Errorf("Solve(%v).WinBySeat() = %v, want 4/7, 3/7", g, got)
	}
}

// TestPigletFractions compares Piglet with fractions found by hand.
//
// A player with banked score i who holds at a turn total of k gets there with
// chance a = 2^-k, and else passes the turn with the scores as they were. If
// both do so, with k and m, the one to move wins with
//
//	x = a·s + (1-a)·(b·(1-r) + (1-b)·x)
//
// where b = 2^-m, and s and r are what each has of getting there. Of perfect
// play x is the saddle point: its largest value over k of the smallest over m.
func TestPigletFractions(t *testing.T) {
	if got := pigletFractions(2)[0][0].String(); got != "4/7" {
		t.Errorf("target 2: the fraction is %v, want 4/7 as published", got)
	}
	for target := 2; target <= 7; target++ {
		p := pigletFractions(target)
		g := game("piglet", 2, target)
		s := solve(t, g)
		for own := range target {
			for other := range target {
				want, _ := p[own][other].Float64()
				if _, roll := s.Values(state(0, own, other, 0)); math.Abs(roll-want) > 1e-12 {
					t.Errorf("Solve(%v).Values(%d, %d): rolling is worth %v, want %v = %v", g, own, other, roll, p[own][other], want)
				}
			}
		}
	}
}

// pigletFractions returns the win probabilities at the start of each turn, by
// own and other score.
func pigletFractions(target int) (p [][]*big.Rat) {
	one := big.NewRat(1, 1)
	for range target {
		p = append(p, make([]*big.Rat, target))
	}
	less := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(one, x) }
	times := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	// success is what a player has of banking k points.
	success := func(own, other, k int) *big.Rat {
		if own+k == target {
			return one
		}
		return less(p[other][own+k])
	}
	for sum := 2 * (target - 1); sum >= 0; sum-- {
		for i := max(0, sum-target+1); i <= min(sum, target-1); i++ {
			j := sum - i
			var best *big.Rat
			for k := 1; k <= target-i; k++ {
				var worst *big.Rat
				for m := 1; m <= target-j; m++ {
					a, b := big.NewRat(1, 1<<k), big.NewRat(1, 1<<m)
					won := times(a, success(i, j, k))
					won.Add(won, times(times(less(a), b), less(success(j, i, m))))
					x := won.Quo(won, less(times(less(a), less(b))))
					if worst == nil || x.Cmp(worst) < 0 {
						worst = x
					}
				}
				if best == nil || worst.Cmp(best) > 0 {
					best = worst
				}
			}
			p[i][j] = best
		}
	}
	return p
}

// TestCochonByHand checks the last roll of Le Cochon qui rit: with only the
// tail missing on both sides, each roll has two aces with a chance of 16/216,
// and else passes the turn, which makes p = q + (1-q)(1-p).
func TestCochonByHand(t *testing.T) {
	const q = 16. / 216
	for _, g := range gamesOf(env.Must(env.New(env.Config{Variant: "cochon"})).Variant(), 10) {
		s := solve(t, g)
		if _, roll := s.Values(state(1, 9, 9, 0)); math.Abs(roll-1/(2-q)) > 1e-12 {
			t.Errorf("Solve(%v).Values(9, 9): rolling is worth %v, want %v", g, roll, 1/(2-q))
		}
	}
}

// TestLastRoundByHand checks chances of the last player to move that are
// worked out on paper.
func TestLastRoundByHand(t *testing.T) {
	s := solve(t, game("pig-last-round", 2, 100))
	for _, test := range []struct {
		own, other, turnTotal int
		hold, roll            float64
	}{
		// Any roll but a 1 goes ahead.
		{99, 100, 0, math.NaN(), 5. / 6},
		{94, 100, 6, 0.5, 5. / 6},
		{94, 100, 5, 0, 5. / 6},
		{94, 100, 7, 1, 5. / 6},
		// A 2 draws level, which is worth another roll.
		{98, 100, 0, math.NaN(), 4./6 + 1./6*5/6},
		// So do 3s; a 2 is one short.
		{97, 100, 0, math.NaN(), 3./6 + 2./6*5/6},
	} {
		at := state(1, test.own, test.other, test.turnTotal)
		hold, roll := s.Values(at)
		if fmt.Sprintf("%.12f %.12f", hold, roll) != fmt.Sprintf("%.12f %.12f", test.hold, test.roll) {
			t.Errorf("Values(%+v) = %v, %v, want %v, %v", at, hold, roll, test.hold, test.roll)
		}
	}
}

// TestPublishedDoubleTrouble checks that hold-18 is the best of the rules that hold at a
// fixed turn total, and wins against each of them.
//
// Source: T. Zhu, M. Ma, "Deriving the Optimal Strategy for the Two Dice Pig Game via
// Reinforcement Learning", Stats 5(3), 2022.
func TestPublishedDoubleTrouble(t *testing.T) {
	racedetector.Skip(t)
	if !*exact.Long {
		t.Skip("takes half a minute; run it with -long")
	}
	g := game("double-trouble", 2, 100)
	best := named(t, "hold-18", g)
	for n := 14; n <= 25; n++ {
		if n == 18 {
			continue
		}
		other := named(t, fmt.Sprint("hold-", n), g)
		if got := compare(t, g, best, other).WinMean(); got <= 0.5 {
			t.Errorf("Compare(%v, %s, %s).WinMean() = %v, want more than 1/2", g, best.name, other.name, got)
		}
	}
}
