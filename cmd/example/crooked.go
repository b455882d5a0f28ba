// Package crooked is an example of a module that brings a game and a learner of its own
// and uses all of Pigpen with them. See TestCrooked for how.
package crooked

import "pigpen/env"

// Game is Pig with two loaded dice, of which the higher one counts.
var Game = &env.Variant{
	ID:      "crooked-pig",
	Title:   "Crooked Pig",
	Summary: "Two loaded dice. A 6 ends the turn and loses its points; the rest add the higher of the two. First to the target wins.",
	Unit:    "points", MinPlayers: 2, MaxPlayers: 4,
	Target: env.Range{Min: 2, Max: 200, Default: 50},
	Ending: env.AtTarget,
	Dice:   2, Faces: 6,
	FaceWeights: []int{1, 2, 3, 4, 3, 2},
	Roll: func(dice []int, _ int, _ env.Options) env.Outcome {
		high := max(dice[0], dice[1])
		if high == 6 {
			return env.Outcome{Effect: env.Bust}
		}
		return env.Outcome{Effect: env.Gain, Points: int16(high)}
	},
}
