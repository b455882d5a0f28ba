package env

// The pieces of a pig, in the order in which they are placed.
const (
	cochonBody   = 1
	cochonParts  = 4 + 2 + 2 // legs, ears, eyes
	cochonTail   = 1
	cochonPieces = cochonBody + cochonParts + cochonTail
)

// The options of cochon.
const (
	acesWithBody = iota
	spillToTail
)

// cochon is Le Cochon qui rit, "the laughing pig".
//
// Each player assembles a pig of ten pieces with three dice. A 6 places the
// body, which comes first. Then each 1, an ace, places one part: a leg, an ear
// or an eye, which one does not matter. The tail comes last and takes two aces
// in a roll made when only it is missing. Aces beyond the remaining parts are
// wasted. A roll that places a piece lets the player roll again; any other
// roll ends the turn. Pieces are never lost, so rolling on is always right.
//
// A player's score is the number of pieces placed before this turn, the turn
// total those placed in it; a useless roll stops the turn and keeps both.
var cochon = &Variant{
	ID:      "cochon",
	Title:   "Cochon",
	Aliases: []string{"le-cochon-qui-rit"},
	Summary: "Three dice, ten pieces. A 6 places the body, then each ace a leg, an ear or an eye, then two aces in one roll the tail. A roll that places nothing ends the turn; pieces are never lost. First with a whole pig wins.",
	Note:    "There is no risk in rolling, so always-roll is perfect play: a control for learners.",
	Unit:    "pieces", MinPlayers: 2, MaxPlayers: 4,
	Target: Range{Min: cochonPieces, Max: cochonPieces, Default: cochonPieces},
	Ending: AtTarget,
	Options: []Option{
		acesWithBody: {Name: "aces_with_body", Default: true, Doc: "aces in the roll that places the body place parts"},
		spillToTail:  {Name: "spill_to_tail", Default: false, Doc: "two aces beyond the last part, in one roll, place the tail"},
	},
	Dice: 3, Faces: 6, ByHeld: true,
	Roll: func(dice []int, held int, on Options) Outcome {
		aces, six := 0, false
		for _, d := range dice {
			if d == 1 {
				aces++
			}
			six = six || d == 6
		}
		placed := 0
		if held < cochonBody {
			if !six {
				return stop()
			}
			placed = cochonBody
			if !on.Has(acesWithBody) {
				aces = 0
			}
		}
		parts := min(aces, max(0, cochonBody+cochonParts-held-placed))
		placed += parts
		onlyTail := held+placed == cochonBody+cochonParts
		if onlyTail && aces-parts >= 2 && (placed == 0 || on.Has(spillToTail)) {
			placed += cochonTail
		}
		if placed == 0 {
			return stop()
		}
		return gain(placed)
	},
}
