package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/env"
	"pigpen/policies"
)

// againstUsage describes the flag --against.
const againstUsage = "policy in all other seats: a name or a file (default optimal or, where that takes long to solve, hold-20)"

// addAgainst adds the flag --against for one policy and returns a function that reads
// it: "" if it is not given.
func addAgainst(fs *pflag.FlagSet) func() string { return addPolicy(fs, "against", againstUsage) }

// addPolicy adds a flag for the name of one policy and returns a function that reads
// it: "" if it is not given.
func addPolicy(fs *pflag.FlagSet, name, usage string) func() string {
	names := nameList{single: true}
	fs.Var(&names, name, usage)
	return func() string {
		if len(names.names) == 0 {
			return ""
		}
		return names.names[0]
	}
}

// everyRule is the name that stands for all [rules] in --against.
const everyRule = "all"

// addAgainstSeveral adds the flag --against for any number of policies and returns a
// function that reads it: nil if it is not given.
func addAgainstSeveral(fs *pflag.FlagSet) func() []string {
	var names nameList
	fs.Var(&names, "against", againstUsage+`; repeated or as a list, A,B,C, several; "all" stands for optimal and every rule of thumb, with hold-20 and hold-25`)
	return func() []string { return names.names }
}

// rules returns the fixed policies that a policy of a game is scored against, hold-N as
// hold-20 and hold-25, and optimal where it is the game's reference.
func rules(game env.Game) []string {
	var names []string
	solved := policies.Reference(game) == policies.Optimal
	for _, f := range policies.FixedPolicies() {
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			names = append(names, stem+"20", stem+"25")
		} else if f.Name == policies.TwoPlayer && game.Players() <= 2 {
			continue // it is optimal
		} else if f.Name != policies.Optimal || solved {
			names = append(names, f.Name)
		}
	}
	return names
}

// A nameList is a flag for names of policies, separated by commas or in several
// flags; a value that is the name of a file is one name, commas or not. If it is
// single, only one name is taken.
type nameList struct {
	names  []string
	single bool
}

// Set implements pflag.Value.
func (l *nameList) Set(text string) error {
	names := []string{text}
	if _, err := os.Stat(text); err != nil && !l.single {
		names = strings.Split(text, ",")
	}
	if l.single && len(l.names) > 0 {
		return fmt.Errorf("it is given already, as %s; one policy is wanted", l.names[0])
	}
	for _, name := range names {
		if err := checkFileName(name); err != nil {
			return err
		}
	}
	l.names = append(l.names, names...)
	return nil
}

// String implements pflag.Value.
func (l *nameList) String() string { return strings.Join(l.names, ",") }

// Type implements pflag.Value.
func (l *nameList) Type() string { return "policy" }
