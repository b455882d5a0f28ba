package policies

import (
	"cmp"
	"math"
	"slices"

	"pigpen/env"
)

// A Choice is a decision that was made in a game: State, in which both actions were
// legal, and the action that was taken.
type Choice struct {
	State  env.State
	Action env.Action
}

// A JudgedChoice is a choice with what both actions were worth; see [Valuer].
type JudgedChoice struct {
	Choice
	Hold, Roll float64
	// Loss is what the choice gave away: what the better action was worth, less what
	// the one that was taken was worth.
	Loss float64
}

// A Review tells how good the choices of a player were.
type Review struct {
	// Choices are those that were reviewed, the costliest first; those that cost the
	// same are in their order in the game.
	Choices []JudgedChoice
	// Right is the number of choices that gave nothing away.
	Right int
	// Loss is the sum of what they gave away.
	Loss float64
}

// sameWorth is the most by which two actions of the same worth differ by rounding.
const sameWorth = 1e-12

// Judge reviews choices by the values of v. A loss of 1e-12 or less is none.
func Judge(v Valuer, choices []Choice) Review {
	var r Review
	for _, c := range choices {
		j := JudgedChoice{Choice: c, Loss: Loss(v, c.State, c.Action)}
		j.Hold, j.Roll = v.Values(c.State)
		if j.Loss <= sameWorth {
			j.Loss = 0
			r.Right++
		}
		r.Loss += j.Loss
		r.Choices = append(r.Choices, j)
	}
	slices.SortStableFunc(r.Choices, func(a, b JudgedChoice) int { return cmp.Compare(b.Loss, a.Loss) })
	return r
}

// Accuracy returns the part of the choices that gave nothing away, NaN if there are
// none.
func (r *Review) Accuracy() float64 {
	if len(r.Choices) == 0 {
		return math.NaN()
	}
	return float64(r.Right) / float64(len(r.Choices))
}
