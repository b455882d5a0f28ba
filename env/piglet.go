package env

// piglet is Pig with a coin, the smallest game that has the whole problem:
// T. Neller, C. Presser, "Optimal Play of the Dice Game Pig", UMAP Journal
// 25(1), 2004. Face 1 is tails, face 2 heads. It ends as pig does.
var piglet = &Variant{
	ID:      "piglet",
	Title:   "Piglet",
	Summary: "A coin. Tails ends the turn and loses its points; heads adds 1; hold to bank. First to the target wins.",
	Unit:    "points", MinPlayers: 2, MaxPlayers: 10,
	Target: Range{Min: 2, Max: 1000, Default: 10},
	Ending: AtTarget,
	Dice:   1, Faces: 2,
	FaceNames: []string{"tails", "heads"},
	Roll: func(dice []int, _ int, _ Options) Outcome {
		if dice[0] == 1 {
			return bust()
		}
		return gain(1)
	},
}
