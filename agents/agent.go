// Package agents holds the learners, one a file.
//
// An [Agent] learns by playing every seat of a game against itself, from the
// point of view of whoever moves, with one table for all seats. It sees what
// a player at the table sees: states, legal actions and rewards, and nothing of
// the chances of the dice.
//
// Start with [Kinds] and [Kind.New].
package agents

import (
	"errors"
	"fmt"
	"strings"

	"pigpen/env"
	"pigpen/policies"
)

// An Agent learns a game by self-play. It is not safe for concurrent use.
type Agent interface {
	// Episode begins an episode on m, plays it to the end for every seat, and
	// learns from it. Every draw, exploration included, comes from m.Rand().
	Episode(m *env.Match)
	// Greedy returns the policy that takes the better action by what has been
	// learned so far, and holds where the two are equal. Where a turn begins,
	// and nothing else is legal, it rolls.
	Greedy() *policies.Table
}

// Settings are an agent's parameters.
type Settings struct {
	// StepSize says how far an estimate moves towards each new sample.
	StepSize StepSize
	// Epsilon is the chance of taking a random legal action instead of the
	// best one.
	Epsilon Epsilon
	// ExploringStarts begins episodes in drawn states (env.Game.DrawStart)
	// and draws their first action; otherwise they begin where games do.
	ExploringStarts bool
}

// A Kind is a learner that [New] can make.
type Kind struct {
	Name string
	// Doc describes the learner in a line.
	Doc string
	// Defaults are the settings taken unless others are asked for. They pass
	// Settings.Check.
	Defaults Settings
	// BytesPerEntry is the memory that each entry of the layout takes while
	// learning, exactly: what a training needs is refused by it.
	BytesPerEntry int

	make func(policies.Layout, Settings) Agent
}

// Kinds returns every learner, in the order in which they are shown.
func Kinds() []Kind { return []Kind{qLearning, monteCarlo} }

// ErrUnknown is what [Lookup] wraps.
var ErrUnknown = errors.New("agents: unknown agent")

// Lookup returns the learner of that name.
func Lookup(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("%w %q; %sthe agents are %s", ErrUnknown, name, env.DidYouMean(name, names), strings.Join(names, ", "))
}

// New returns an untrained agent for the layout's game. It allocates
// k.BytesPerEntry bytes for each of the layout's entries.
func (k Kind) New(l policies.Layout, s Settings) Agent { return k.make(l, s) }
