package env

// pigLastRound is the game that its rule sheet calls "Big Pig".
//
// Turns are those of pig, but reaching the target does not end the game:
// points count once they are banked, and when somebody has banked the target
// or more the round is played out, so that every player has had the same
// number of turns. Then the highest banked score wins. Players who share it
// share the win; the sheet is silent on that. A player may roll on beyond the
// target to be harder to catch.
var pigLastRound = &Variant{
	ID:      "pig-last-round",
	Title:   "Pig, last round",
	Aliases: []string{"big-pig"},
	Summary: "One die, as in pig, but when somebody has banked the target the round is played out; then the highest banked score wins, and ties share the win.",
	Note:    `Its rule sheet calls it "Big Pig"; others use that name for pig-doubles.`,
	Unit:    "points", MinPlayers: 2, MaxPlayers: 6,
	Target: pig.Target,
	Ending: AfterRound,
	Dice:   pig.Dice, Faces: pig.Faces, Roll: pig.Roll,
}
