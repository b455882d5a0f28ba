package agents

import "pigpen/env"

// leastSteps is the default length of a training with a recipe that declares none, and
// the least of most others, in decisions.
const leastSteps = 100_000_000

// Steps returns the default length of a training, in decisions: with the settings s,
// which have a value for each of r.Settings, on the game g, in a table with the given
// number of entries. Longer trainings gain little. It is rounded down to two digits.
func (r Recipe) Steps(g env.Game, s Settings, entries int) int64 {
	steps := int64(leastSteps)
	if r.DefaultSteps != nil {
		steps = r.DefaultSteps(g, s, entries)
	}
	unit := int64(1)
	for steps/unit >= 100 {
		unit *= 10
	}
	return steps / unit * unit
}

// backwardsSteps returns the default length of a training that starts where games end,
// perEntry decisions for each entry of the table. With three and more players it is bounded
// by 5G, some minutes.
func backwardsSteps(g env.Game, entries int, perEntry int64) int64 {
	steps := max(leastSteps, perEntry*int64(entries))
	if g.Players() > 2 {
		steps = min(steps, 5_000_000_000)
	}
	return steps
}

// textbookSteps is the [Recipe.DefaultSteps] of the textbook's recipes, which gain
// little from more for each entry of a table.
func textbookSteps(g env.Game, _ Settings, _ int) int64 {
	if g.Players() > 2 {
		return 400_000_000
	}
	return leastSteps
}
