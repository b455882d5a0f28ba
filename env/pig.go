package env

// pig is the one-die game, "Pig" on its rule sheet.
//
// On a turn a player rolls the die repeatedly. A 1 ends the turn and forfeits
// the points rolled this turn, never the score banked before; any other
// number is added to the turn total. After a roll the player may hold, which
// banks the turn total and ends the turn. The first player whose banked score
// and turn total together reach the target has won.
//
// One player alone races against the clock: each turn begun costs 1.
var pig = &Variant{
	ID:         "pig",
	Title:      "Pig",
	Summary:    "One die. A 1 ends the turn and loses its points; 2 to 6 add to the turn total; hold to bank it. First to the target wins; one player alone wants the fewest turns.",
	Unit:       "points",
	MinPlayers: 1, MaxPlayers: 10,
	Target: Range{Min: 2, Max: 1000, Default: 100},
	Ending: AtTarget,
	Dice:   1, Faces: 6,
	Roll: func(dice []int, _ int, _ Options) Outcome {
		if dice[0] == 1 {
			return bust()
		}
		return gain(dice[0])
	},
}
