package policies_test

import (
	"math"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// goal is the target of the published results.
const goal = 100

// values[own][other][turn total] is a number for each decision of a player.
type values [goal][goal][goal]float64

// A strategy is the chance of rolling; nil takes the better action.
type strategy *values

// duel returns the chances of winning of two players of Pig, a against b: of a
// when a is to move, and of b when b is. The rules stand here once more, by hand.
//
// Holding raises the sum of the banked scores, so that sums are done from the
// highest down. At one sum, a bust leads from a at (own, other) to b at
// (other, own) and back: these two are repeated until they stand still.
func duel(a, b strategy) (va, vb *values) {
	va, vb = new(values), new(values)
	for sum := 2 * (goal - 1); sum >= 0; sum-- {
		for own := max(0, sum-goal+1); own <= min(sum, goal-1); own++ {
			other := sum - own
			for change := 1.0; change > 1e-10; {
				change = max(va.turn(vb, a, own, other), vb.turn(va, b, other, own))
			}
		}
	}
	return va, vb
}

// turn improves v along one turn, whose end the other player's values judge,
// and returns the change at its beginning.
func (v *values) turn(others *values, choose strategy, own, other int) float64 {
	row := &v[own][other]
	before := row[0]
	for turn := goal - own - 1; turn >= 0; turn-- {
		roll := 1 - others[other][own][0] // a 1
		for face := 2; face <= 6; face++ {
			if own+turn+face >= goal {
				roll++
			} else {
				roll += row[turn+face]
			}
		}
		roll /= 6
		hold := 1 - others[other][own+turn][0]
		switch {
		case turn == 0:
			row[turn] = roll
		case choose == nil:
			row[turn] = max(roll, hold)
		default:
			c := choose[own][other][turn]
			row[turn] = c*roll + (1-c)*hold
		}
	}
	return math.Abs(row[0] - before)
}

// wins returns the chance that a wins against b, by the seat of a.
func wins(a, b strategy) (seat0, seat1 float64) {
	va, vb := duel(a, b)
	return va[0][0][0], 1 - vb[0][0][0]
}

// tabulate makes a strategy of a function of its decisions.
func tabulate(rolls func(own, other, turn int) float64) strategy {
	table := new(values)
	for own := range goal {
		for other := range goal {
			for turn := range goal - own {
				table[own][other][turn] = rolls(own, other, turn)
			}
		}
	}
	return table
}

func strategyOf(p policies.Policy) strategy {
	return tabulate(func(own, other, turn int) float64 {
		return p.RollChance(env.State{Scores: scores(int16(own), int16(other)), TurnTotal: int16(turn)})
	})
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// TestPublished computes what the literature says of the fixed policies.
func TestPublished(t *testing.T) {
	best, reply := duel(nil, nil)
	// T. Neller, C. Presser, "Optimal Play of the Dice Game Pig", UMAP Journal
	// 25(1), 2004: seat 0 wins 53.06%.
	if got := best[0][0][0]; !near(got, 0.530593, 5e-7) {
		t.Fatalf("seat 0 wins %.6f of perfect play, want 0.530593", got)
	}
	optimal := tabulate(func(own, other, turn int) float64 {
		if best[own][other][turn] > 1-reply[other][own+turn][0] {
			return 1
		}
		return 0
	})
	g := pig(2, goal)

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
		t.Run(test.policy+" against optimal", func(t *testing.T) {
			t.Parallel()
			seat0, seat1 := wins(strategyOf(named(t, test.policy, g)), optimal)
			if gap := 1 - seat0 - seat1; !near(gap, test.gap, test.tolerance) {
				t.Errorf("the gap of %s is %.6f, want %v", test.policy, gap, test.gap)
			}
		})
	}

	for _, test := range []struct {
		a, b         string
		seat0, seat1 float64
		tolerance    float64
		source       string
	}{
		{"hold-20", "hold-20", 0.5347, 0.4653, 5e-5, "T. Neller, Nifty Assignments 2010"},
		{"hold-20", "hold-21", 0.542626, 0, 5e-7, "Antzy21/Pig-Dice-Game-Analysis"},
		{"always-roll", "optimal", 0.121, 0.112, 5e-4, "Rosetta Code, talk page of Pig player"},
	} {
		name := test.a + " against " + test.b
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			against := optimal
			if test.b != "optimal" {
				against = strategyOf(named(t, test.b, g))
			}
			seat0, seat1 := wins(strategyOf(named(t, test.a, g)), against)
			if !near(seat0, test.seat0, test.tolerance) {
				t.Errorf("%s wins %.6f in seat 0, want %v (%s)", name, seat0, test.seat0, test.source)
			}
			if test.seat1 != 0 && !near(seat1, test.seat1, test.tolerance) {
				t.Errorf("%s wins %.6f in seat 1, want %v (%s)", name, seat1, test.seat1, test.source)
			}
		})
	}
}
