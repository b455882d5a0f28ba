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
	"slices"
	"strings"
	"time"

	"pigpen/env"
	"pigpen/policies"
)

// An Agent learns a game by self-play. What it has learned depends on its
// recipe, settings and seed and on how often Learn was called, and on nothing
// else. It is not safe for concurrent use.
type Agent interface {
	// Learn plays and learns from a batch of episodes, as a rule some thousands of
	// decisions, on the given number of goroutines, at least 1. It returns the number
	// of decisions and episodes of the batch.
	Learn(workers int) Played
	// Greedy returns the policy that takes the action with the higher estimate, and
	// holds if the estimates are equal. It rolls where a turn begins, since holding is
	// not legal there.
	Greedy() *policies.Table
	// Metrics returns figures of the learning so far.
	Metrics() Metrics

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

// A Planner is an agent that plans with a model between episodes.
type Planner interface {
	Agent
	// PlanningTime returns the part of the time in Learn that plans took, in this
	// process.
	PlanningTime() time.Duration
}

// Played counts what an agent played.
type Played struct{ Steps, Episodes int64 }

// Metrics are figures of an agent that learns.
type Metrics struct {
	// Epsilon is the chance of exploring where the agent would not.
	Epsilon float64
	// StepSize is the mean weight of the last sample in its estimate, over the
	// estimates that have any.
	StepSize float64
	// Coverage is the part of the table's entries that have samples.
	Coverage float64
}

// A Recipe is a way in which a kind of agent learns. Packages that bring learners of
// their own make recipes as literals; Name, BytesPerEntry and Make must be set.
type Recipe struct {
	Name string
	// Doc describes the recipe in one line.
	Doc string
	// Settings declares the parameters of the recipe, in the order of the help.
	Settings []Setting
	// MaxPlayers is the largest number of players of a game that the recipe can
	// learn; 0 is any number.
	MaxPlayers int
	// FullEntries is the largest size of a table for three and more players that
	// distinguishes all states by default; 0 is that of [policies.DefaultAbstraction].
	FullEntries int
	// Reached holds results of trainings with the default settings on pig to 100, in
	// order of number of players and then of length.
	Reached []Reached
	// DefaultSteps returns the default length of a training, in decisions, for the
	// arguments that [Recipe.Steps] describes; nil is 100M.
	DefaultSteps func(g env.Game, s Settings, entries int) int64

	// BytesPerEntry returns the memory, in bytes for each entry of the index, that an
	// agent takes while it learns with the settings s, which have a value for each of
	// Settings, and the given number of workers. [pigpen/train] compares this with its
	// memory limit. Temporary memory at the end of a round, up to a third more, is left
	// out.
	BytesPerEntry func(s Settings, workers int) int
	// Make returns an untrained agent. c.Settings has a value for each of Settings.
	// Call [Recipe.New] instead, which sees to that.
	Make func(c Config) Agent
}

// A Reached is the result of one training. It tells users who see a poor result
// whether to expect a better one.
type Reached struct {
	Players int
	// PerEntry is the number of decisions for each entry of the table.
	PerEntry float64
	// Wins is the win probability, the mean of all seats, against perfect play or,
	// with more than two players, against hold-20 in all other seats.
	Wins float64
}

// Expect returns the win probability that a training can be expected to reach on a
// game for the given number of players, with perEntry decisions for each entry of
// the table. It is that of the longest training in Reached with at most perEntry
// decisions. If all were longer, less is true and the win probability is that of
// the shortest one. If Reached has no training with that number of players, known
// is false.
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

// Abstraction returns which states of g the tables of r distinguish by default.
func (r Recipe) Abstraction(g env.Game) policies.Abstraction {
	if full, err := policies.NewStateIndex(g, policies.FullAbstraction); err == nil && full.Size() <= r.FullEntries {
		return policies.FullAbstraction
	}
	return policies.DefaultAbstraction(g)
}

// A Config describes an agent.
type Config struct {
	Index policies.StateIndex
	// Settings are values of settings of the recipe; those left out have defaults.
	Settings Settings
	Seed     uint64
	// StepLimit is the number of decisions after which an episode is truncated; 0 is
	// no limit.
	StepLimit int
}

// Defaults returns the default value of each setting for g. It panics if a default
// is not in its domain.
func (r Recipe) Defaults(g env.Game) Settings {
	s, err := r.Resolve(g, nil)
	if err != nil {
		panic(err)
	}
	return s
}

// Plays returns nil if r can learn g, or an error that wraps [ErrRecipe].
func (r Recipe) Plays(g env.Game) error {
	if r.MaxPlayers > 0 && g.Players() > r.MaxPlayers {
		return fmt.Errorf("%w for %v: %s is for up to %d players", ErrRecipe, g, r.Name, r.MaxPlayers)
	}
	return nil
}

// Check returns nil if r can make agents that learn g with the given settings, or
// an error that wraps [ErrRecipe] or [ErrSetting].
func (r Recipe) Check(g env.Game, given Settings) error {
	switch {
	case r.Name == "":
		return fmt.Errorf("%w: it has no name", ErrRecipe)
	case r.Make == nil || r.BytesPerEntry == nil:
		return fmt.Errorf("%w: %s has no Make or no BytesPerEntry", ErrRecipe, r.Name)
	}
	for _, s := range r.Settings {
		if s.Name == "" || s.Domain == nil {
			return fmt.Errorf("%w: %s declares a setting %q without a name or a domain", ErrRecipe, r.Name, s.Name)
		}
	}
	if err := r.Plays(g); err != nil {
		return err
	}
	_, err := r.Resolve(g, given)
	return err
}

// New returns an untrained agent. The error is that of [Recipe.Check].
func (r Recipe) New(c Config) (Agent, error) {
	if err := r.Check(c.Index.Game(), c.Settings); err != nil {
		return nil, err
	}
	c.Settings, _ = r.Resolve(c.Index.Game(), c.Settings)
	return r.Make(c), nil
}

// A Kind is a learner, with the recipes that it can follow.
type Kind struct {
	Name string
	// Doc describes the learner in a line.
	Doc string
	// Recipes, the default first. One for more players stands behind those for fewer.
	Recipes []Recipe
}

// Textbook is the name of every kind's plain recipe.
const Textbook = "textbook"

// Kinds returns every learner, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{
		{"qlearning", "tabular Q-learning by self-play", []Recipe{curriculumRecipe, qLearningTextbook}},
		{"montecarlo", "Monte Carlo control by self-play", []Recipe{roundsRecipe, monteCarloTextbook}},
		{"dyna", "planning with dice learned by counting, in self-play", []Recipe{dynaRecipe}},
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

// Recipe returns the recipe of that name, or the first one that is for g if name is
// empty. The error wraps [ErrRecipe].
func (k Kind) Recipe(name string, g env.Game) (Recipe, error) {
	var names []string
	for _, r := range k.Recipes {
		fits := r.Plays(g) == nil
		if r.Name == name && !fits {
			return Recipe{}, fmt.Errorf("%w for %v: %s of %s is for up to %d players", ErrRecipe, g, name, k.Name, r.MaxPlayers)
		}
		if r.Name == name || name == "" && fits {
			return r, nil
		}
		names = append(names, r.Name)
	}
	if name == "" {
		most := 0
		for _, r := range k.Recipes {
			most = max(most, r.MaxPlayers)
		}
		return Recipe{}, fmt.Errorf("%w for %v: %s is for up to %d players", ErrRecipe, g, k.Name, most)
	}
	list := "those of " + k.Name + " are " + strings.Join(names, ", ")
	for _, other := range Kinds() {
		if slices.ContainsFunc(other.Recipes, func(r Recipe) bool { return r.Name == name }) {
			list = "it is one of " + other.Name + "; " + list
		}
	}
	return Recipe{}, &env.UnknownNameError{Err: ErrRecipe, Name: name, Known: names, List: list}
}
