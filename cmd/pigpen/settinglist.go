package main

import (
	"errors"
	"maps"
	"strconv"
	"strings"

	"pigpen/agents"
)

// A settingList is a flag for the values of a setting, one or several separated by
// commas. No value of a setting has a comma in it.
type settingList struct {
	kind   string // what pflag shows as the type
	parse  func(text string) (value string, err error)
	values []string // as the domain of the setting reads them
}

// newSettingList returns a flag for values of a domain. Whether they are in the domain is
// checked with the recipe.
func newSettingList(d agents.Domain) *settingList {
	switch d.(type) {
	case agents.Numbers:
		return &settingList{kind: "float64", parse: func(text string) (string, error) {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return "", errors.New(wanted["float64"])
			}
			return strconv.FormatFloat(x, 'g', -1, 64), nil
		}}
	case agents.Integers:
		return &settingList{kind: "count", parse: func(text string) (string, error) {
			n := new(int64)
			if err := count(n).Set(text); err != nil {
				return "", err
			}
			return strconv.FormatInt(*n, 10), nil
		}}
	}
	return &settingList{kind: "string", parse: func(text string) (string, error) { return text, nil }}
}

// Set implements pflag.Value.
func (l *settingList) Set(text string) error {
	l.values = nil
	for part := range strings.SplitSeq(text, ",") {
		if part == "" && text != "" {
			return errors.New("a value is empty; write values separated by commas, as in A,B")
		}
		value, err := l.parse(part)
		if err != nil {
			return err
		}
		l.values = append(l.values, value)
	}
	return nil
}

// String implements pflag.Value.
func (l *settingList) String() string { return strings.Join(l.values, ",") }

// Type implements pflag.Value; pflag shows it in the help.
func (l *settingList) Type() string { return l.kind }

// varying returns the names of the settings of which the flags give several values, in
// the order of the settings.
func (f *settingFlags) varying() (names []string) {
	for _, s := range agents.AllSettings() {
		if list := f.lists[s.Name]; len(list.values) > 1 {
			names = append(names, s.Name)
		}
	}
	return names
}

// grid returns the values of the varying settings at each point of their grid. The last
// setting changes from each point to the next.
func (f *settingFlags) grid() []agents.Settings {
	points := []agents.Settings{{}}
	for _, name := range f.varying() {
		var next []agents.Settings
		for _, p := range points {
			for _, value := range f.lists[name].values {
				q := maps.Clone(p)
				q[name] = value
				next = append(next, q)
			}
		}
		points = next
	}
	return points
}
