package env

import (
	"errors"
	"fmt"
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
		table *outcomeTable
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

// Lookup returns the variant with the given ID or alias. The error is an
// [*UnknownNameError] that wraps [ErrUnknownVariant].
func Lookup(name string) (*Variant, error) {
	var ids, names []string
	for _, v := range Variants() {
		if v.ID == name || slices.Contains(v.Aliases, name) {
			return v, nil
		}
		ids = append(ids, v.ID)
		names = append(append(names, v.ID), v.Aliases...)
	}
	return nil, &UnknownNameError{ErrUnknownVariant, name, names, "the variants are " + strings.Join(ids, ", ")}
}
