// Package agents holds the learners, one a file.
//
// An [Agent] learns a game by playing every seat of it against itself, from the
// point of view of whoever moves, with one table for all seats. It sees what
// a player at the table sees: states, legal actions and rewards, and, unless
// its settings say otherwise, nothing of the chances of the dice.
//
// Start with [Kinds], [Kind.Recipe] and [Recipe.New].
package agents

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"pigpen/env"
	"pigpen/policies"
)

// An Agent learns a game by self-play. What it has learned depends on its
// recipe, settings and seed and on how often Learn was called, and on nothing
// else. It is not safe for concurrent use.
type Agent interface {
	// Learn goes on learning for a moment, some thousands of decisions as a
	// rule, with so many goroutines, at least 1. It returns what it played.
	Learn(workers int) Played
	// Greedy returns the policy that takes the better action by what has been
	// learned so far, and holds where the two are equal. Where a turn begins,
	// and nothing else is legal, it rolls.
	Greedy() *policies.Table
	// Gauges tells how the learning stands.
	Gauges() Gauges

	// StateSize returns the number of bytes that WriteState writes.
	StateSize() int64
	// WriteState writes the agent's state between two calls of Learn. It takes
	// little memory beside the agent's own.
	WriteState(w io.Writer) error
	// ReadState reads the state of an agent that was made alike, up to the end
	// of r; the agent then goes on as that one would. The error wraps
	// [ErrState], or is the reader's own; after an error the agent can only read
	// another state.
	ReadState(r io.Reader) error
}

// Played counts what an agent played.
type Played struct{ Steps, Episodes int64 }

// Gauges are figures to watch while an agent learns.
type Gauges struct {
	// Epsilon is the chance of exploring where the agent would not.
	Epsilon float64
	// StepSize is the mean weight of the last sample in its estimate, over the
	// estimates that have any.
	StepSize float64
	// Coverage is the part of the table's entries that have samples.
	Coverage float64
}

// Settings are an agent's parameters. A recipe uses those that it lists.
type Settings struct {
	// Update says what an estimate is moved towards.
	Update Update
	// StepSize says how far an estimate moves towards each new sample.
	StepSize StepSize
	// Epsilon is the chance of exploring.
	Epsilon Epsilon
	// ExploringStarts begins episodes in drawn states (env.Game.DrawStart)
	// and draws their first action; otherwise they begin where games do.
	ExploringStarts bool
}

// An Update says what an estimate of rolling is moved towards.
type Update uint8

const (
	// SampleUpdate takes the value of what the dice did.
	SampleUpdate Update = iota
	// ExpectedUpdate takes the mean over all that the dice can do, which the
	// agent is told (env.Game.Outcomes).
	ExpectedUpdate
)

// String returns "sample" or "expected".
func (u Update) String() string {
	switch u {
	case SampleUpdate:
		return "sample"
	case ExpectedUpdate:
		return "expected"
	}
	return fmt.Sprintf("Update(%d)", uint8(u))
}

// A Setting names a field of [Settings].
type Setting string

// The settings, as flags and policy files name them.
const (
	UpdateSetting   Setting = "update"
	StepSizeSetting Setting = "step-size"
	EpsilonSetting  Setting = "epsilon"
	StartsSetting   Setting = "starts"
)

// A Recipe is a way in which a kind of agent learns.
type Recipe struct {
	Name string
	// Doc describes the recipe in a line.
	Doc string
	// Defaults are the settings taken unless others are asked for. They pass
	// Settings.Check.
	Defaults Settings
	// Expected are the defaults with expected updates, where there are any.
	Expected Settings
	// ManyPlayers are the defaults with three and more players, where they differ.
	ManyPlayers Settings
	// Uses lists the settings that the recipe heeds.
	Uses []Setting
	// MaxPlayers is the largest number of players that it learns for.
	MaxPlayers int

	// Reached are what trainings with the default settings came to on pig to 100,
	// by number of players and then by length.
	Reached []Reached

	bytes func(workers int) int
	make  func(Config) Agent
}

// A Reached is what a training came to: so much that somebody who sees a poor
// result can tell whether to expect a better one.
type Reached struct {
	Players int
	// PerEntry is the number of decisions for each entry of the table.
	PerEntry float64
	// Wins is the win probability, the mean of all seats, against perfect play or,
	// with more than two players, against hold-20 in all other seats.
	Wins float64
}

// Expect returns what a training for so many players with so many decisions for
// each entry of the table can be expected to reach: the win probability of the
// longest one in Reached that was not longer or, with less set, of the shortest,
// which was longer. known is false if there is none for so many players.
func (r Recipe) Expect(players int, perEntry float64) (wins float64, less, known bool) {
	for _, x := range r.Reached {
		switch {
		case x.Players != players:
		case x.PerEntry <= perEntry:
			wins, known = x.Wins, true
		case !known:
			return x.Wins, true, true
		}
	}
	return wins, false, known
}

// A Config is what an agent is made of.
type Config struct {
	Layout   policies.Layout
	Settings Settings
	Seed     uint64
	// StepLimit truncates an episode after so many decisions; 0 is no limit.
	StepLimit int
}

// BytesPerEntry returns the memory that each entry of the layout takes while
// learning with so many goroutines: what a training needs is refused by it. It
// is exact but for what is made and dropped at the end of a round, a third more
// at most.
func (r Recipe) BytesPerEntry(workers int) int { return r.bytes(workers) }

// DefaultsFor returns the settings that are taken for g unless others are asked
// for.
func (r Recipe) DefaultsFor(g env.Game) Settings {
	if g.Players() > 2 && r.ManyPlayers != (Settings{}) {
		return r.ManyPlayers
	}
	return r.Defaults
}

// New returns an untrained agent for the layout's game, which must not have
// more players than MaxPlayers.
func (r Recipe) New(c Config) Agent { return r.make(c) }

// A Kind is a learner, with the recipes that it can follow.
type Kind struct {
	Name string
	// Doc describes the learner in a line.
	Doc string
	// Recipes, the default first, end with one for any number of players.
	Recipes []Recipe
}

// Textbook is the name of every kind's plain recipe.
const Textbook = "textbook"

// Kinds returns every learner, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{
		{"qlearning", "tabular Q-learning by self-play", []Recipe{curriculumRecipe, qLearningTextbook}},
		{"montecarlo", "Monte Carlo control by self-play", []Recipe{roundsRecipe, monteCarloTextbook}},
	}
}

var (
	// ErrUnknown is what [Lookup] wraps.
	ErrUnknown = errors.New("agents: unknown agent")
	// ErrRecipe is what [Kind.Recipe] wraps.
	ErrRecipe = errors.New("agents: no such recipe")
)

// Lookup returns the learner of that name.
func Lookup(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, &env.UnknownNameError{Err: ErrUnknown, Name: name, Known: names, List: "the agents are " + strings.Join(names, ", ")}
}

// Recipe returns the recipe of that name, or the first one that is for g if
// name is empty. The error wraps [ErrRecipe].
func (k Kind) Recipe(name string, g env.Game) (Recipe, error) {
	var names []string
	for _, r := range k.Recipes {
		fits := g.Players() <= r.MaxPlayers
		if r.Name == name && !fits {
			return Recipe{}, fmt.Errorf("%w for %v: %s of %s is for up to %d players", ErrRecipe, g, name, k.Name, r.MaxPlayers)
		}
		if r.Name == name || name == "" && fits {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Recipe{}, &env.UnknownNameError{Err: ErrRecipe, Name: name, Known: names, List: "those of " + k.Name + " are " + strings.Join(names, ", ")}
}
