package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/train"
)

// settingFlags are the flags for the settings of all recipes.
type settingFlags struct {
	flags *pflag.FlagSet
	lists map[string]*settingList // by name of the setting
}

// addSettingFlags adds a flag for each setting that a recipe declares.
func addSettingFlags(fs *pflag.FlagSet) *settingFlags {
	f := &settingFlags{flags: fs, lists: make(map[string]*settingList)}
	for _, s := range agents.AllSettings() {
		list := newSettingList(s.Domain)
		fs.Var(list, s.Name, fmt.Sprintf("%s: %v%s", s.Doc, s.Domain, defaultNote(s)))
		f.lists[s.Name] = list
	}
	return f
}

// defaultNote returns what the help says of the default of a setting and of the
// setting that it needs.
func defaultNote(s agents.Setting) string {
	note := ""
	if s.Needs != "" {
		note = "; needs --" + s.Needs
	}
	for _, k := range agents.Kinds() {
		for _, r := range k.Recipes {
			if other, ok := r.Setting(s.Name); ok && (other.Default != s.Default || len(other.Cases) > 0) {
				return note + " (default: the recipe's)"
			}
		}
	}
	return fmt.Sprintf("%s (default %s)", note, s.Default)
}

// of returns the settings of r for g: those of the flags, with the values of point where
// a flag has several, else those of the checkpoint k, if it is not nil, else the defaults.
func (f *settingFlags) of(r agents.Recipe, g env.Game, k *train.Checkpoint, point agents.Settings) (agents.Settings, error) {
	values := make(agents.Settings)
	if k != nil {
		var err error
		if values, err = r.Resolve(g, k.Settings); err != nil {
			return nil, fmt.Errorf("%w: %w", train.ErrCheckpoint, err)
		}
	}
	for name, list := range f.lists {
		if !f.flags.Changed(name) {
			continue
		}
		if _, ok := r.Setting(name); !ok {
			return nil, usagef("the recipe %s does not heed --%s", r.Name, name)
		}
		values[name] = cmp.Or(point[name], list.values[0])
	}
	resolved, err := r.Resolve(g, values)
	var wrong *agents.SettingError
	if errors.As(err, &wrong) {
		return nil, usagef("--%s %s", wrong.Name, wrong.What())
	} else if err != nil {
		return nil, usageError{err}
	}
	for _, s := range r.Settings {
		if s.Needs != "" && f.flags.Changed(s.Name) && resolved[s.Needs] == "0" {
			return nil, usagef("--%s has no effect without --%s", s.Name, s.Needs)
		}
	}
	return resolved, nil
}

func agentNames() string {
	var names []string
	for _, k := range agents.Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// agentTable describes every agent, its recipes and their settings.
func agentTable() string {
	indent := strings.Repeat(" ", 25)
	var b strings.Builder
	for _, k := range agents.Kinds() {
		fmt.Fprintf(&b, "\n  %s: %s", k.Name, k.Doc)
		for _, r := range k.Recipes {
			players := "any number of players"
			if r.MaxPlayers > 0 && r.MaxPlayers < env.MaxPlayers {
				players = fmt.Sprintf("up to %d players", r.MaxPlayers)
			}
			about := wrap(fmt.Sprintf("%s; %s", r.Doc, players), indent, helpWidth)
			fmt.Fprintf(&b, "\n    --recipe %-11s %s", r.Name, strings.TrimPrefix(about, indent))
			for _, group := range defaultGroups(r) {
				b.WriteString("\n" + wrapWords(group, indent, helpWidth))
			}
		}
	}
	return b.String()
}

// defaultGroups returns the defaults of a recipe as flags: first those that apply
// unless a condition holds, then, behind each condition, those that apply if it does.
func defaultGroups(r agents.Recipe) (groups [][]string) {
	var always []string
	group := make(map[string]int) // by condition
	for _, s := range r.Settings {
		always = append(always, fmt.Sprintf("--%s %s", s.Name, s.Default))
		for _, c := range s.Cases {
			i, ok := group[c.On.Doc]
			if !ok {
				i = len(groups)
				group[c.On.Doc] = i
				groups = append(groups, []string{c.On.Doc + ":"})
			}
			groups[i] = append(groups[i], fmt.Sprintf("--%s %s", s.Name, c.Default))
		}
	}
	if always != nil {
		groups = slices.Insert(groups, 0, always)
	}
	return groups
}
