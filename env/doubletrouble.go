package env

// doubleTrouble is Two-Dice Pig in which doubles are rolled again.
//
// Source: T. Zhu, M. Ma, "Deriving the Optimal Strategy for the Two Dice Pig Game via
// Reinforcement Learning", Stats 5(3), 2022. It ends as pig does: doubles that reach the
// target win, and need no other roll.
var doubleTrouble = &Variant{
	ID:      "double-trouble",
	Title:   "Double Trouble",
	Summary: "Two dice. Exactly one 1 ends the turn and loses its points; two 1s lose the banked score too; the rest add their sum, and after doubles you must roll again. First to the target wins.",
	Note:    "Doubles that reach the target win at once.",
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
		case a == b:
			return again(a + b)
		}
		return gain(a + b)
	},
}
