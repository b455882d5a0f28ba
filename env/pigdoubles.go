package env

// pigDoubles is the two-dice game, "Alternative Versions" on the rule sheet of
// Pig.
//
// Exactly one 1 ends the turn and forfeits its points. Two 1s, "snake eyes",
// count 25. Other doubles count twice their sum: 8, 12, 16, 20, 24. Anything
// else counts its sum. Target and end are as in pig.
var pigDoubles = &Variant{
	ID:      "pig-doubles",
	Title:   "Pig, doubles",
	Aliases: []string{"two-dice"},
	Summary: "Two dice. Exactly one 1 ends the turn and loses its points; two 1s add 25, other doubles twice their sum, the rest their sum. First to the target wins.",
	Note:    `Others call this rule "Big Pig"; here big-pig is the game with a last round, as on its rule sheet.`,
	Unit:    "points", MinPlayers: 2, MaxPlayers: 10,
	Target: Range{Min: 2, Max: 1000, Default: 100},
	Ending: AtTarget,
	Dice:   2, Faces: 6,
	Roll: func(dice []int, _ int, _ Options) Outcome {
		a, b := dice[0], dice[1]
		switch {
		case a == 1 && b == 1:
			return gain(25)
		case a == 1 || b == 1:
			return bust()
		case a == b:
			return gain(2 * (a + b))
		}
		return gain(a + b)
	},
}
