package env

// The positions in which a pig lands, as faces of a die.
const (
	pigSide = iota + 1
	pigDottedSide
	pigRazorback
	pigTrotter
	pigSnouter
	pigLeaningJowler
)

// passThePigs is the game with two plastic pigs in place of dice, which land
// independently of each other. Pigs that touch or lie on each other are thrown again: how
// often that happens depends on the thrower. It ends as pig does.
var passThePigs = &Variant{
	ID:      "pass-the-pigs",
	Title:   "Pass the Pigs",
	Aliases: []string{"pigmania"},
	Summary: "Two pigs are thrown. Both on the same side: 1 point; one on each side ends the turn and loses its points. Razorback and trotter 5, snouter 10, leaning jowler 15, alone or added; two alike count double their sum. First to the target wins.",
	Note:    "Pass the Pigs is a trademark of its maker, with whom this program has no connection. Pigs that touch are thrown again. How pigs land: J. Kern, Journal of Statistics Education 14(3), 2006.",
	Unit:    "points", MinPlayers: 2, MaxPlayers: 10,
	Target: Range{Min: 2, Max: 1000, Default: 100},
	Ending: AtTarget,
	Dice:   2, Faces: 6,
	// Source: J. Kern, "Pig Data and Bayesian Inference on Multinomial Probabilities",
	// Journal of Statistics Education 14(3), 2006, from throws of 11,954 pigs.
	FaceWeights: []int{3490, 3020, 2240, 880, 300, 61},
	FaceNames:   []string{"side", "dotted side", "razorback", "trotter", "snouter", "leaning jowler"},
	Roll: func(pigs []int, _ int, _ Options) Outcome {
		points := [...]int{pigRazorback: 5, pigTrotter: 5, pigSnouter: 10, pigLeaningJowler: 15}
		a, b := pigs[0], pigs[1]
		sum := points[a] + points[b]
		switch {
		case sum == 0 && a == b:
			return gain(1)
		case sum == 0:
			return bust()
		case a == b:
			return gain(2 * sum)
		}
		return gain(sum)
	},
}
