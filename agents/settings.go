package agents

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pigpen/env"
)

// A Setting declares one parameter of a recipe. Everything else reads this
// declaration: the flag and its help, the checks, policy files, checkpoints and logs.
type Setting struct {
	// Name is the name of the flag and the key in files, as in "step-size".
	// Settings of the same name, in several recipes, have the same Domain and Doc.
	Name string
	// Domain is the set of values that the setting can take.
	Domain Domain
	// Default is the value of a setting that is not given, unless a case applies.
	Default string
	// Cases are other defaults, on conditions. The first one whose condition holds
	// applies.
	Cases []Case
	// Doc says in one line what the setting does.
	Doc string
	// Needs, if not empty, names a setting without which this one has no effect:
	// while that setting is 0.
	Needs string
}

// A Case is a default that applies on a condition.
type Case struct {
	On      Condition
	Default string
}

// A Condition decides between the defaults of a setting.
type Condition struct {
	// Doc describes the condition in the help, as in "with three or more players".
	Doc string
	// Holds reports whether the condition holds for g. earlier holds the values of
	// the settings that are listed before.
	Holds func(g env.Game, earlier Settings) bool
}

// withDefault returns s with other defaults.
func (s Setting) withDefault(value string, cases ...Case) Setting {
	s.Default, s.Cases = value, cases
	return s
}

// defaultFor returns the default for g.
func (s Setting) defaultFor(g env.Game, earlier Settings) string {
	for _, c := range s.Cases {
		if c.On.Holds(g, earlier) {
			return c.Default
		}
	}
	return s.Default
}

// A Domain is the set of values that a setting can take.
type Domain interface {
	// Parse returns the value that text stands for, in the one form in which files
	// hold it. ok is false if text is not in the domain.
	Parse(text string) (value string, ok bool)
	// String describes the domain, as in "a number in [0, 1]".
	String() string
}

// Numbers are the numbers from Min to Max, as Go writes them.
type Numbers struct{ Min, Max float64 }

// Parse implements [Domain].
func (d Numbers) Parse(text string) (value string, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= d.Min && x <= d.Max) { // true for NaN
		return "", false
	}
	return strconv.FormatFloat(x+0, 'g', -1, 64), true // -0 + 0 is 0
}

// String implements [Domain].
func (d Numbers) String() string { return fmt.Sprintf("a number in [%g, %g]", d.Min, d.Max) }

// Integers are the whole numbers from Min to Max.
type Integers struct{ Min, Max int64 }

// Parse implements [Domain].
func (d Integers) Parse(text string) (value string, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < d.Min || n > d.Max {
		return "", false
	}
	return strconv.FormatInt(n, 10), true
}

// String implements [Domain].
func (d Integers) String() string {
	if d.Max == math.MaxInt64 {
		return fmt.Sprintf("a whole number, at least %d", d.Min)
	}
	return fmt.Sprintf("a whole number from %d to %d", d.Min, d.Max)
}

// Words are a choice between words.
type Words []string

// Parse implements [Domain].
func (d Words) Parse(text string) (value string, ok bool) { return text, slices.Contains(d, text) }

// String implements [Domain].
func (d Words) String() string {
	last := len(d) - 1
	return strings.Join(d[:last], ", ") + " or " + d[last]
}

// Settings are values of settings by name, in the form that [Domain.Parse] returns.
type Settings map[string]string

// Number returns the value of a setting whose domain is [Numbers]. It panics if
// the setting has no value.
func (s Settings) Number(name string) float64 {
	x, err := strconv.ParseFloat(s.Text(name), 64)
	if err != nil {
		panic(fmt.Sprintf("agents: setting %s: %v", name, err))
	}
	return x
}

// Integer returns the value of a setting whose domain is [Integers]. It panics if
// the setting has no value.
func (s Settings) Integer(name string) int64 {
	n, err := strconv.ParseInt(s.Text(name), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("agents: setting %s: %v", name, err))
	}
	return n
}

// Text returns the value of a setting. It panics if the setting has no value.
func (s Settings) Text(name string) string {
	value, ok := s[name]
	if !ok {
		panic(fmt.Sprintf("agents: setting %s has no value", name))
	}
	return value
}

// ErrSetting is wrapped by the error of a setting that does not exist or has a
// wrong value.
var ErrSetting = errors.New("agents: bad setting")

// A SettingError is the error of a value outside the domain of its setting. It
// wraps [ErrSetting].
type SettingError struct {
	Name, Value string
	Domain      Domain
}

// Error implements error.
func (e *SettingError) Error() string { return fmt.Sprintf("%v: %s %s", ErrSetting, e.Name, e.What()) }

// What returns the part of the text behind the name of the setting.
func (e *SettingError) What() string { return fmt.Sprintf("%q; write %v", e.Value, e.Domain) }

// Unwrap returns [ErrSetting].
func (e *SettingError) Unwrap() error { return ErrSetting }

// Setting returns the setting of that name. ok is false if r has none.
func (r Recipe) Setting(name string) (s Setting, ok bool) {
	i := slices.IndexFunc(r.Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return Setting{}, false
	}
	return r.Settings[i], true
}

// Resolve returns a value for each setting of r: the one in given, else its default
// for g. The error wraps [ErrSetting]; it is a [*SettingError] if a value is wrong.
func (r Recipe) Resolve(g env.Game, given Settings) (Settings, error) {
	resolved := make(Settings, len(r.Settings))
	for _, s := range r.Settings {
		text, ok := given[s.Name]
		if !ok {
			text = s.defaultFor(g, resolved)
		}
		value, ok := s.Domain.Parse(text)
		if !ok {
			return nil, &SettingError{s.Name, text, s.Domain}
		}
		resolved[s.Name] = value
	}
	for name := range given {
		if _, ok := r.Setting(name); !ok {
			return nil, fmt.Errorf("%w: the recipe %s has no setting %s", ErrSetting, r.Name, name)
		}
	}
	return resolved, nil
}

// AllSettings returns the settings of the recipes of all kinds, each name once, in
// the order in which they are listed there.
func AllSettings() (all []Setting) {
	for _, k := range Kinds() {
		for _, r := range k.Recipes {
			for _, s := range r.Settings {
				if !slices.ContainsFunc(all, func(known Setting) bool { return known.Name == s.Name }) {
					all = append(all, s)
				}
			}
		}
	}
	return all
}
