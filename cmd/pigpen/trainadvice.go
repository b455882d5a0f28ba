package main

import (
	"fmt"
	"maps"
	"slices"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// defaultSteps returns the length of a training that is given none.
func defaultSteps(p *plan) int64 { return p.Recipe.Steps(p.Game, p.Settings, p.entries) }

// Evaluations on the way are so many decisions apart that they take a small part
// of the time, and there are some of them in every training.
const (
	leastEvalEvery   = 20_000_000
	evalPerEntry     = 40
	wipedEvalPerOnce = 50      // sweeps that games take in which rolls cost banked scores
	fewestEvals      = 10      // in a training whose number of decisions is known
	mostQuickEntries = 1 << 24 // of a table that is evaluated in a second or two
)

// defaultEvalEvery returns the number of decisions between evaluations, which
// does not depend on the seed.
func defaultEvalEvery(p *plan) int64 {
	every := evalPerEntry * int64(p.entries)
	if wipes(p.Game) {
		every *= wipedEvalPerOnce
	}
	every = max(leastEvalEvery, every)
	if steps := p.Length.Steps; steps > 0 && p.entries <= mostQuickEntries {
		every = min(every, steps/fewestEvals)
	}
	return max(1, every)
}

// wipes reports whether a roll can cost the banked score.
func wipes(g env.Game) bool {
	return slices.ContainsFunc(g.Outcomes(env.State{}), func(c env.Chance) bool { return c.Effect == env.Wipe })
}

// enough is the win probability against perfect play from which on there is no
// need for advice.
const enough = 0.49

// advice returns what is to be said before a training begins about what it can be
// expected to reach, and about what reaches more, a line each.
func advice(p *plan) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	players, steps := p.Game.Players(), float64(p.Length.Steps)
	if p.Resume == nil && steps > longSteps {
		say("%s decisions take hours; --time 10m or --steps ends the training sooner, Ctrl-C at any time, and --checkpoint keeps what is learned", humanCount(steps))
	}
	against := "perfect play"
	if players > 2 {
		against = commonRule // of the trainings that are known
		say("with %d players scores are %s; an even share is %.1f%%", players, scoring(p), 100/float64(players))
	}
	if policies.Reference(p.Game) == commonRule && p.Notes[againstFlag] == commonRule {
		say("%v takes long to solve, so that scores are against %s", p.Game, commonRule)
	}
	if p.Length.Steps == 0 || !maps.Equal(p.Settings, p.Recipe.Defaults(p.Game)) {
		return lines // nothing is known of the length, or of these settings
	}
	perEntry := steps / float64(p.entries)
	wins, less, known := p.Recipe.Expect(players, perEntry)
	if !known || players <= 2 && wins >= enough && !less {
		return lines
	}
	about := "about"
	if less {
		about = "less than"
	}
	say("%s decisions are %.3g for each of %d entries of the table: on pig to 100, trainings like that won %s %.0f%% against %s",
		humanCount(steps), perEntry, p.entries, about, 100*wins, against)
	for _, k := range agents.Kinds() {
		if r, err := k.Recipe("", p.Game); err == nil {
			if better, less, known := r.Expect(players, perEntry); known && !less && better > wins+0.01 {
				say("--agent %s with its defaults won about %.0f%% with as many", k.Name, 100*better)
			}
		}
	}
	if steps := defaultSteps(p); p.Length.Steps < steps {
		if more, less, known := p.Recipe.Expect(players, float64(steps)/float64(p.entries)); known && !less && more > wins {
			say("--steps %s won about %.0f%%; a lower --target needs fewer", quantity{value: &steps, units: counts}, 100*more)
		}
	}
	return lines
}

// scoring says how a training is evaluated.
func scoring(p *plan) string {
	switch {
	case !exact.Evaluates(p.Game):
		return "simulated"
	case p.EvalEvery > 0 && !exactOnTheWay(p.Config):
		return "exact at the end and simulated on the way"
	}
	return "exact"
}

// longSteps is what takes an hour at 50M decisions a second.
const longSteps = 3600 * 50e6
