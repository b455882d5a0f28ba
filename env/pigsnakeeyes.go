package env

// pigSnakeEyes is Two-Dice Pig, where a double 1 also loses the banked score.
// It ends as pig does.
var pigSnakeEyes = &Variant{
	ID:      "pig-snake-eyes",
	Title:   "Pig, snake eyes",
	Summary: "Two dice. Exactly one 1 ends the turn and loses its points; two 1s lose the banked score too; the rest add their sum. First to the target wins.",
	Note:    "Known as Two-Dice Pig.",
	Unit:    "points", MinPlayers: 2, MaxPlayers: 10,
	Target: Range{Min: 2, Max: 1000, Default: 100},
	Ending: AtTarget,
	Dice:   2, Faces: 6,
	Roll: func(dice []int, _ int, _ Options) Outcome {
		a, b := dice[0], dice[1]
		switch {
		case a == 1 && b == 1:
			return wipe()
		case a == 1 || b == 1:
			return bust()
		}
		return gain(a + b)
	},
}
