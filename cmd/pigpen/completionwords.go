package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/agents"
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/trained"
)

// printCompletions prints the completions of the last of some words, one a line, and
// ":files" if the names of files are others.
func printCompletions(w io.Writer, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	// PowerShell cannot pass an empty word.
	if last := &words[len(words)-1]; *last == `""` {
		*last = ""
	}
	list, files := completions(words)
	var b strings.Builder
	for _, word := range list {
		b.WriteString(word + "\n")
	}
	if files {
		b.WriteString(":files\n")
	}
	return print(w, b.String())
}

// completions returns what the last of some words of a command line may be completed
// to, without what stands before it, and whether it may be the name of a file, too.
func completions(words []string) (list []string, files bool) {
	last := words[len(words)-1]
	defer func() {
		list = slices.DeleteFunc(list, func(word string) bool { return !strings.HasPrefix(word, last) })
	}()
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	names = append(names, "help")
	if len(words) == 1 {
		return names, false
	}
	if words[0] == "help" {
		return names, false
	}
	for _, c := range commands() {
		if c.name != words[0] {
			continue
		}
		if flag, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(flag, "--") {
			list, files = c.flagValues(strings.TrimPrefix(flag, "--"))
			last = value
			return list, files
		}
		before := words[len(words)-2]
		if flag, ok := strings.CutPrefix(before, "--"); ok && len(words) > 2 && c.takesValue(flag) {
			return c.flagValues(flag)
		}
		if strings.HasPrefix(last, "-") {
			c.flags.VisitAll(func(f *pflag.Flag) { list = append(list, "--"+f.Name) })
			return append(list, "--help"), false
		}
		return c.arguments()
	}
	return nil, false
}

// takesValue reports whether a flag of c has a value behind it.
func (c command) takesValue(flag string) bool {
	f := c.flags.Lookup(flag)
	return f != nil && f.NoOptDefVal == ""
}

// flagValues returns the values that a flag may have, and whether it is for files.
func (c command) flagValues(flag string) (values []string, files bool) {
	f := c.flags.Lookup(flag)
	switch {
	case f == nil:
		return nil, false
	case flag == "variant":
		return variantNames(), false
	case flag == "agent" && c.name == "train":
		for _, k := range agents.Kinds() {
			values = append(values, k.Name)
		}
		return values, false
	case flag == "recipe" && c.name == "train":
		return recipeNames(), false
	case settingWords(flag) != nil && c.name == "train":
		return settingWords(flag), false
	case flag == "format" && c.name == "import":
		for _, format := range importFormats() {
			values = append(values, format.name)
		}
		return values, false
	case flag == "states":
		if c.name == "train" {
			values = append(values, "auto")
		}
		return append(values, string(policies.FullAbstraction), string(policies.SummaryAbstraction)), false
	case flag == "by" && c.name == "plot":
		return curveAxes, false
	case flag == "format":
		return wire.Formats(), false
	case f.Value.Type() == "policy":
		return policyNames(), true
	}
	return nil, f.Value.Type() == "file"
}

// arguments returns what may stand behind the flags of c.
func (c command) arguments() (words []string, files bool) {
	switch {
	case c.name == "completion":
		return shells(), false
	case strings.Contains(c.args, "NAME"):
		words = policyNames()
		if c.name == "plot" {
			for _, k := range plotKinds() {
				words = append(words, k.name)
			}
		}
		if strings.Contains(c.args, person) {
			words = append(words, person)
		}
		return words, true
	}
	return nil, strings.Contains(c.args, "FILE") || strings.Contains(c.args, "INPUT")
}

func variantNames() (names []string) {
	for _, v := range env.Variants() {
		names = append(append(names, v.ID), v.Aliases...)
	}
	return names
}

// policyNames returns the policies that need no file, hold-N as hold-20 and hold-25.
func policyNames() (names []string) {
	for _, f := range policies.FixedPolicies() {
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			names = append(names, stem+"20", stem+"25")
		} else {
			names = append(names, f.Name)
		}
	}
	for _, p := range trained.List() {
		names = append(names, policies.TrainedPrefix+p.Name)
	}
	return names
}
