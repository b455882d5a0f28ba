package exact_test

import (
	"math"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
)

// goal is the target of the games that are played by hand.
const goal = 100

// values[own][other][turn total] is a number for each decision of a player.
type values [goal][goal][goal]float64

// A strategy is the chance of rolling; nil takes the better action.
type strategy *values

// evaluateByHand returns the win probabilities of two players of Pig, a against b:
// of a when a is to move, and of b when b is. The rules stand here once more, by hand.
//
// Holding raises the sum of the banked scores, so that sums are done from the
// highest down. At one sum, a bust leads from a at (own, other) to b at
// (other, own) and back: these two are repeated until they stand still.
func evaluateByHand(a, b strategy) (va, vb *values) {
	va, vb = new(values), new(values)
	for sum := 2 * (goal - 1); sum >= 0; sum-- {
		for own := max(0, sum-goal+1); own <= min(sum, goal-1); own++ {
			other := sum - own
			for change := 1.0; change > 1e-13; {
				change = max(va.turn(vb, a, own, other), vb.turn(va, b, other, own))
			}
		}
	}
	return va, vb
}

// turn improves v along one turn, whose end has the value that others give it, and
// returns the change at its beginning.
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
	va, vb := evaluateByHand(a, b)
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

func strategyOf(p env.Player) strategy {
	return tabulate(func(own, other, turn int) float64 {
		return p.RollChance(state(0, own, other, turn))
	})
}

// TestAgainstRulesByHand holds, at full size, that policies win what they do by rules that are
// written here once more, and that so does perfect play.
func TestAgainstRulesByHand(t *testing.T) {
	racedetector.Skip(t)
	const tolerance = 1e-11
	g := pig(goal)
	solution := solve(t, g)
	perfect, _ := evaluateByHand(nil, nil)
	if got, want := solution.WinBySeat()[0], perfect[0][0][0]; math.Abs(got-want) > tolerance {
		t.Errorf("Solve(%v).WinBySeat()[0] = %v, want %v", g, got, want)
	}
	optimal := policy{"optimal", solution}
	pairs := [][2]policy{{hashed(g, 4), optimal}}
	if *exact.Long {
		pairs = append(pairs, [][2]policy{
			{optimal, optimal},
			{named(t, "hold-20", g), optimal},
			{hashed(g, 4), named(t, "random", g)},
			{named(t, "race", g), optimal},
			{named(t, "base-race", g), named(t, "hold-21", g)},
			{named(t, "always-roll", g), hashed(g, 3)},
		}...)
	}
	for _, test := range pairs {
		t.Run(names(test[:]), func(t *testing.T) {
			t.Parallel()
			seat0, seat1 := wins(strategyOf(test[0]), strategyOf(test[1]))
			if got := compare(t, g, test[0], test[1]).WinBySeat; !allNear(got, []float64{seat0, seat1}, tolerance) {
				t.Errorf("Compare(%v, %s).WinBySeat = %v, want %v, %v", g, names(test[:]), got, seat0, seat1)
			}
		})
	}
}
