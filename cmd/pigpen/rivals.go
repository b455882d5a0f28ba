package main

import (
	"slices"

	"pigpen/env"
	"pigpen/policies"
)

// findRivals finds a policy and its rivals, in this order. [everyRule] stands for
// all rules of the game; without rivals there is the game's reference.
func (g *gameFlags) findRivals(policy string, rivals []string) (env.Game, []player, error) {
	files := []string{policy} // and other names that may say what the game is
	for _, name := range rivals {
		if name != everyRule {
			files = append(files, name)
		}
	}
	game, _, err := g.find(files...)
	if err != nil {
		return env.Game{}, nil, err
	}
	if len(rivals) == 0 {
		return g.find(policy, policies.Reference(game))
	}
	names := []string{policy}
	for _, name := range rivals {
		expanded := []string{name}
		if name == everyRule {
			expanded = rules(game)
		}
		for _, name := range expanded {
			if !slices.Contains(names[1:], name) { // a rival that is named again is scored once
				names = append(names, name)
			}
		}
	}
	return g.find(names...)
}
