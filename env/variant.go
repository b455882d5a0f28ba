package env

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// A Variant describes one set of rules as data. Each variant of this package has a file
// and a line in [Variants]; other modules define variants of their own and hand them to
// [New]. [Variant.Check] says what the fields may be. A [Game] is a variant with a choice of players, target and
// options.
type Variant struct {
	// ID names the variant in files, on the command line and on the wire.
	ID string
	// Title is a short name for people, as in "Pig, doubles".
	Title string
	// Aliases are other names that [Lookup] accepts.
	Aliases []string
	// Summary states the rules in a sentence or two.
	Summary string
	// Note mentions other games of the same name and other versions of the rules; it
	// may be empty.
	Note string
	// Unit is the unit of scores: "points" or "pieces".
	Unit string

	// MinPlayers and MaxPlayers bound the number of seats.
	MinPlayers, MaxPlayers int
	// Target bounds the score that ends the game.
	Target Range
	// Ending says when the game ends once a player has reached the target.
	Ending Ending
	// Options are the options of the variant; Options[i] is bit i of [Options].
	Options []Option

	// Dice is the number of dice in a roll, Faces the number of faces of each.
	Dice, Faces int
	// FaceWeights are the weights of the faces 1 to Faces: a die shows a face with a
	// probability in proportion to its weight, which is at least 1. If nil, all faces are
	// equally likely. The sum to the power of Dice must be below 2^31.
	FaceWeights []int
	// FaceNames are names of the faces 1 to Faces for people; nil if they are numbers.
	FaceNames []string
	// Roll returns the outcome of a roll for a player whose banked score plus turn
	// total is held, with the options on. It must not depend on held if ByHeld is
	// false.
	Roll func(dice []int, held int, on Options) Outcome
	// ByHeld says whether Roll depends on held.
	ByHeld bool

	tables [1 << maxOptions]struct {
		once  sync.Once
		table *outcomeTable
	}
}

// A Range is a closed interval of integers with a default value.
type Range struct{ Min, Max, Default int }

// An Ending says when a game ends once a player has reached the target.
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

// An Option turns on or off one rule of a variant on which published rules differ.
type Option struct {
	Name    string
	Default bool
	Doc     string
}

// Options is the set of options that are on: bit i is set if the i-th [Option] of the
// variant is on.
type Options uint8

const maxOptions = 2

// Has reports whether the i-th option is on.
func (o Options) Has(i int) bool { return o>>i&1 == 1 }

// Variants returns every variant, in the order in which lists show them. The
// slice is the caller's; the variants are shared and must not be changed.
func Variants() []*Variant {
	return []*Variant{pig, pigDoubles, pigLastRound, cochon, piglet, pigSnakeEyes, passThePigs, doubleTrouble}
}

// ErrUnknownVariant is wrapped by the error of [Lookup] if no variant has the name.
var ErrUnknownVariant = errors.New("env: unknown variant")

// ErrVariant is wrapped by the error of [Variant.Check].
var ErrVariant = errors.New("env: bad variant")

// The limits of a variant. They keep scores within an int16 and the table of outcomes
// within a few megabytes.
const (
	maxTarget = 1000
	maxRolls  = 1 << 16
)

// Check returns nil if v can be played, else an error that wraps [ErrVariant] and says
// what would be right. It is for variants that other modules define. What Roll returns is
// checked by [New], and more thoroughly by envtest.TestGame.
func (v *Variant) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w %q: %s", ErrVariant, v.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case v.ID == "" || strings.TrimSpace(v.ID) != v.ID:
		return bad("the ID is empty or has spaces around it")
	case v.MinPlayers < 1 || v.MaxPlayers < v.MinPlayers || v.MaxPlayers > MaxPlayers:
		return bad("%d to %d players; the range is within 1 to %d", v.MinPlayers, v.MaxPlayers, MaxPlayers)
	case v.Target.Min < 1 || v.Target.Max > maxTarget || v.Target.Default < v.Target.Min || v.Target.Default > v.Target.Max:
		return bad("targets %d to %d, %d by default; they are within 1 to %d", v.Target.Min, v.Target.Max, v.Target.Default, maxTarget)
	case v.Ending != AtTarget && v.Ending != AfterRound:
		return bad("the ending %v does not exist", v.Ending)
	case len(v.Options) > maxOptions:
		return bad("%d options; there are %d at most", len(v.Options), maxOptions)
	case v.Dice < 1 || v.Faces < 1:
		return bad("%d dice of %d faces; there is at least one of each", v.Dice, v.Faces)
	case v.Roll == nil:
		return bad("it has no Roll")
	case v.ByHeld && v.Ending == AfterRound:
		return bad("outcomes that depend on the score need the ending %v, since scores have no bound after a round", AtTarget)
	case v.FaceNames != nil && len(v.FaceNames) != v.Faces:
		return bad("%d names for %d faces", len(v.FaceNames), v.Faces)
	}
	rolls := 1
	for range v.Dice {
		if rolls *= v.Faces; rolls > maxRolls {
			return bad("%d dice of %d faces have more than %d rolls", v.Dice, v.Faces, maxRolls)
		}
	}
	return v.checkWeights(bad)
}

// checkWeights returns an error made by bad if FaceWeights are out of range.
func (v *Variant) checkWeights(bad func(format string, args ...any) error) error {
	if v.FaceWeights == nil {
		return nil
	}
	if len(v.FaceWeights) != v.Faces {
		return bad("%d face weights for %d faces", len(v.FaceWeights), v.Faces)
	}
	sum, total := 0, 1
	for _, w := range v.FaceWeights {
		if w < 1 || w > math.MaxInt32 {
			return bad("a face has weight %d; weights are at least 1", w)
		}
		sum = min(sum+w, math.MaxInt32)
	}
	for range v.Dice {
		if int64(total)*int64(sum) > math.MaxInt32 {
			return bad("the sum of the face weights to the power of %d is 2^31 or more", v.Dice)
		}
		total *= sum
	}
	return nil
}

// maxGain is the most points of one roll.
const maxGain = 1000

// checkOutcomes returns an error that wraps [ErrVariant] if c, a table of v, has outcomes
// that are none, or with which games may not end.
func (v *Variant) checkOutcomes(c *outcomeTable) error {
	for held, row := range c.merged {
		gains := 0 // weight
		for _, o := range row {
			switch {
			case o.Effect > Again:
				return fmt.Errorf("%w %q: Roll returns the effect %d, which does not exist", ErrVariant, v.ID, o.Effect)
			case !o.Effect.Gains() && o.Points != 0:
				return fmt.Errorf("%w %q: Roll returns a %v with %d points; it has 0", ErrVariant, v.ID, o.Effect, o.Points)
			case o.Effect.Gains() && (o.Points < 1 || o.Points > maxGain):
				return fmt.Errorf("%w %q: Roll returns a gain of %d points, which is not in [1, %d]", ErrVariant, v.ID, o.Points, maxGain)
			case o.Effect == Again && v.Ending == AfterRound:
				return fmt.Errorf("%w %q: Roll returns the effect %v, which needs the ending %v", ErrVariant, v.ID, o.Effect, AtTarget)
			case o.Effect.Gains():
				gains += o.Weight
			}
		}
		switch {
		case gains == 0:
			return fmt.Errorf("%w %q: no roll gains points for a player with %d, so games may not end", ErrVariant, v.ID, held)
		case v.Ending == AfterRound && int64(c.weight-gains)*20 < int64(c.weight):
			return fmt.Errorf("%w %q: fewer than 1 of 20 rolls end the turn, so turns of a last round may be too long", ErrVariant, v.ID)
		}
	}
	return nil
}

// Lookup returns the variant with the given ID or alias, of own or else of [Variants].
// The error is an [*UnknownNameError] that wraps [ErrUnknownVariant].
func Lookup(name string, own ...*Variant) (*Variant, error) {
	var ids, names []string
	for _, v := range append(slices.Clip(own), Variants()...) {
		if v.ID == name || slices.Contains(v.Aliases, name) {
			return v, nil
		}
		ids = append(ids, v.ID)
		names = append(append(names, v.ID), v.Aliases...)
	}
	return nil, &UnknownNameError{ErrUnknownVariant, name, names, "the variants are " + strings.Join(ids, ", ")}
}
