package main

import (
	"slices"

	"pigpen/agents"
)

// recipeNames returns the names of the recipes of all agents, each once.
func recipeNames() (names []string) {
	for _, k := range agents.Kinds() {
		for _, r := range k.Recipes {
			if !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// settingWords returns the values of a setting that is a choice between words, or nil.
func settingWords(name string) []string {
	for _, s := range agents.AllSettings() {
		if words, ok := s.Domain.(agents.Words); ok && s.Name == name {
			return words
		}
	}
	return nil
}
