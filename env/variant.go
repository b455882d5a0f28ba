package env

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// A Variant is one set of rules, as data: one file of this package each, one
// line in [Variants]. A [Game] is a variant with its players, target and
// options chosen.
type Variant struct {
	// ID names the variant in files, on the command line and on the wire.
	ID string
	// Aliases are other names that [Lookup] takes.
	Aliases []string
	// Summary states the rules in a sentence or two.
	Summary string
	// Note warns of names that clash or rules that differ elsewhere; often empty.
	Note string
	// Unit is what a score counts: "points" or "pieces".
	Unit string

	// MinPlayers and MaxPlayers bound the number of seats.
	MinPlayers, MaxPlayers int
	// Target bounds the score that ends the game.
	Target Range
	// Ending says what happens when a player has reached the target.
	Ending Ending
	// Options are the variant's own switches, by position in [Options].
	Options []Option

	// Dice is the number of dice in a roll, Faces the number of faces of each.
	Dice, Faces int
	// Roll is the rule itself: what a roll is worth to a player who holds
	// held points or pieces, counting the turn total. It must not depend on
	// held where ByHeld is false.
	Roll func(dice []int, held int, on Options) Outcome
	// ByHeld tells that Roll depends on held.
	ByHeld bool

	tables [1 << maxOptions]struct {
		once  sync.Once
		table *chance
	}
}

// A Range is a closed interval of integers with the value taken by default.
type Range struct{ Min, Max, Default int }

// An Ending is what reaching the target does.
type Ending uint8

const (
	// AtTarget ends the game at once when a player's banked score and turn
	// total together reach the target; that player has won.
	AtTarget Ending = iota
	// AfterRound ends the game at the end of the round in which a player has
	// banked the target or more; the highest banked score wins.
	AfterRound
)

// String returns the ending in words.
func (e Ending) String() string {
	switch e {
	case AtTarget:
		return "at target"
	case AfterRound:
		return "after round"
	}
	return fmt.Sprintf("Ending(%d)", uint8(e))
}

// An Option is a switch of a variant, where published rules differ.
type Option struct {
	Name    string
	Default bool
	Doc     string
}

// Options is a set of switches that are on: bit i stands for the variant's
// i-th [Option].
type Options uint8

const maxOptions = 2

// Has reports whether the i-th option is on.
func (o Options) Has(i int) bool { return o>>i&1 == 1 }

// Variants returns every variant, in the order in which they are shown. The
// slice is the caller's; the variants are shared and must not be changed.
func Variants() []*Variant {
	return []*Variant{pig, pigDoubles, pigLastRound, cochon, piglet, pigSnakeEyes}
}

// ErrUnknownVariant is what [Lookup] wraps when no variant has a name.
var ErrUnknownVariant = errors.New("env: unknown variant")

// Lookup returns the variant with the given ID or alias. The error names the
// nearest ID and lists all of them.
func Lookup(name string) (*Variant, error) {
	var ids, names []string
	for _, v := range Variants() {
		if v.ID == name || slices.Contains(v.Aliases, name) {
			return v, nil
		}
		ids = append(ids, v.ID)
		names = append(append(names, v.ID), v.Aliases...)
	}
	return nil, fmt.Errorf("%w %q; %sthe variants are %s", ErrUnknownVariant, name, DidYouMean(name, names), strings.Join(ids, ", "))
}

// DidYouMean returns a question about the [Nearest] name, and a space, to stand
// in an error about an unknown word; "" if no name is near.
func DidYouMean(word string, names []string) string {
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	return ""
}

// Nearest returns the name that takes the fewest edits (insert, delete,
// replace a letter, swap two neighbours) to reach from word, where they are at
// most half of the letters of the longer of the two; else the only name that
// begins with word, if that has two letters or more; else "".
func Nearest(word string, names []string) string {
	best, edits := "", math.MaxInt
	var begun []string
	for _, name := range names {
		if d := editDistance(word, name); d < edits && 2*d <= max(len(word), len(name)) {
			best, edits = name, d
		}
		if len(word) >= 2 && strings.HasPrefix(name, word) {
			begun = append(begun, name)
		}
	}
	if best == "" && len(begun) == 1 {
		return begun[0]
	}
	return best
}

// editDistance is the optimal string alignment distance of a and b, in bytes:
// the Levenshtein distance with swaps of neighbours, none of which is edited
// again.
func editDistance(a, b string) int {
	// row[j] is the distance of the first i letters of a and j of b; above and
	// beyond are the rows of i-1 and i-2.
	above, beyond := make([]int, len(b)+1), make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		beyond, above, row = above, row, beyond
		row[0] = i + 1
		for j := range len(b) {
			replace := above[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, row[j]+1, above[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], beyond[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
