package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/train"
)

// groupNames returns the names of groups in the legend: the agent with its recipe, and
// what differs from other groups of the same agent.
func groupNames(groups []runGroup) []string {
	short := make([]string, len(groups))
	same := make(map[string][]int) // groups by their first name
	for i, group := range groups {
		r := group[0].rows[0]
		if short[i] = plaintext.Escape(r.From["agent"]); short[i] == "" {
			base := filepath.Base(group[0].file)
			short[i] = plaintext.Escape(strings.TrimSuffix(base, filepath.Ext(base)))
		} else if recipe := r.Settings["recipe"]; recipe != "" {
			short[i] += " (" + plaintext.Escape(recipe) + ")"
		}
		same[short[i]] = append(same[short[i]], i)
	}
	names := slices.Clone(short)
	for _, list := range same {
		if len(list) == 1 {
			continue
		}
		for _, i := range list {
			for _, what := range differences(groups, list) {
				if value := describes(groups[i][0].rows[0])[what]; value != "" {
					names[i] += ", " + plaintext.Escape(what+" "+value)
				}
			}
		}
	}
	for i, group := range groups {
		if n := len(group); n > 1 {
			names[i] += fmt.Sprintf(", %d seeds", n)
		}
	}
	return names
}

// describes returns all that describes the training of a row but its seed and program.
func describes(r train.LoggedRow) map[string]string {
	all := maps.Clone(r.From)
	delete(all, "seed")
	delete(all, "program")
	maps.Copy(all, r.Options)
	maps.Copy(all, r.Settings)
	return all
}

// differences returns the names of what differs among the groups of a list.
func differences(groups []runGroup, list []int) []string {
	values := make(map[string]map[string]bool)
	for _, i := range list {
		for name, value := range describes(groups[i][0].rows[0]) {
			if values[name] == nil {
				values[name] = make(map[string]bool)
			}
			values[name][value] = true
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			names = append(names, name)
		}
	}
	return names
}
