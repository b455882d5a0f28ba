package main

import (
	"fmt"
	"math"
	"slices"

	"pigpen/agents"
	"pigpen/env"
)

// The default length of a training is so many decisions for each entry of the
// table, and at least leastSteps: 2.5G by sample updates and 400M by expected ones
// for pig to 100, whose table has 505,000 entries. README.md shows what they
// reach.
const (
	sampleStepsPerEntry   = 5000
	expectedStepsPerEntry = 800
	leastSteps            = 100_000_000
)

// The textbook's recipes gain little from more than this.
const (
	textbookSteps            = 100_000_000
	textbookStepsManyPlayers = 400_000_000
)

// defaultSteps returns the length of a training that is given none: rounded down
// to two digits.
func defaultSteps(p *plan) int64 {
	switch {
	case p.Recipe.Name == agents.Textbook && p.Game.Players() > 2:
		return textbookStepsManyPlayers
	case p.Recipe.Name == agents.Textbook:
		return textbookSteps
	case p.Settings.Update == agents.ExpectedUpdate:
		return twoDigits(max(leastSteps, expectedStepsPerEntry*int64(p.entries)))
	}
	return twoDigits(max(leastSteps, sampleStepsPerEntry*int64(p.entries)))
}

// twoDigits rounds n, which is positive, down to two significant digits.
func twoDigits(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// Evaluations on the way are so many decisions apart that they take a small part
// of the time, and there are some of them in every training.
const (
	leastEvalEvery   = 20_000_000
	evalPerEntry     = 40
	wipedEvalPerOnce = 50 // sweeps that games take in which rolls cost banked scores
	fewestEvals      = 10 // in a training whose number of decisions is known
)

// defaultEvalEvery returns the number of decisions between evaluations, which
// does not depend on the seed.
func defaultEvalEvery(p *plan) int64 {
	every := evalPerEntry * int64(p.entries)
	if wipes(p.Game) {
		every *= wipedEvalPerOnce
	}
	every = max(leastEvalEvery, every)
	if steps := p.Length.Steps; steps > 0 {
		every = min(every, steps/fewestEvals)
	}
	return max(1, every)
}

// wipes reports whether a roll can cost the banked score.
func wipes(g env.Game) bool {
	return slices.ContainsFunc(g.Outcomes(env.State{}), func(c env.Chance) bool { return c.Effect == env.Wipe })
}

// expected is what a training reaches as a rule.
type expected struct {
	decisions float64 // for each entry of the table
	wins      float64 // percent, against perfect play
}

// reached tells what the default recipes reached: on pig to 50, 100 and 200, at
// least this, `pigpen train --target TARGET --steps N` by either agent.
var reached = []expected{{50, 15}, {100, 32}, {200, 47.5}, {400, 48.7}, {800, 49}, {5000, 49.7}}

// enoughDecisions is the number of decisions for each entry of the table below
// which advice is given.
const enoughDecisions = 400

// advice returns what is to be said before a training begins about what it can be
// expected to reach, a line each.
func advice(p *plan) (lines []string) {
	steps := float64(p.Length.Steps)
	if p.Length.Steps == 0 {
		steps = math.Inf(1) // it ends by something else
	}
	perEntry := steps / float64(p.entries)
	switch {
	case p.Game.Players() > 2:
		lines = append(lines, fmt.Sprintf("with %d players there is no exact score, and an even share is %.1f%%; "+
			"qlearning with its defaults has won 37%% of pig to 100 for 3 against hold-20 after 400M decisions, 39%% after 2G, montecarlo 25%%",
			p.Game.Players(), 100/float64(p.Game.Players())))
		if p.Settings.ExploringStarts {
			lines = append(lines, "--starts exploring has won 25% of these; --starts game helps")
		}
		if p.States == "full" && perEntry < enoughDecisions {
			lines = append(lines, fmt.Sprintf("%s decisions are %.3g for each of %d entries; --states summary needs fewer", humanCount(steps), perEntry, p.entries))
		}
	case p.Recipe.Name == agents.Textbook:
		if p.Game.Target() > 50 {
			lines = append(lines, "the textbook's recipe has won 30 to 47% against perfect play of pig to 100; leave --recipe out for more")
		}
	case perEntry < enoughDecisions && p.Settings.Update == agents.SampleUpdate:
		i := slices.IndexFunc(reached, func(e expected) bool { return e.decisions > perEntry })
		can := fmt.Sprintf("less than %g%%", reached[0].wins)
		if i > 0 {
			can = fmt.Sprintf("%g to %g%%", reached[i-1].wins, reached[i].wins)
		}
		lines = append(lines, fmt.Sprintf("%s decisions are %.3g for each of %d entries of the table, with which %s of games against perfect play are won as a rule; "+
			"--steps %s, which is %d for each, is enough for 49.7%%, and a lower --target needs fewer",
			humanCount(steps), perEntry, p.entries, can, quantity{value: new(twoDigits(max(leastSteps, sampleStepsPerEntry*int64(p.entries)))), units: counts}, sampleStepsPerEntry))
	}
	if p.Resume == nil && steps > longSteps && steps < math.Inf(1) {
		lines = append(lines, fmt.Sprintf("this takes %s decisions, which is hours; --time 10m or --steps ends it sooner, Ctrl-C at any time, and --checkpoint keeps what is learned", humanCount(steps)))
	}
	return lines
}

// longSteps is what takes an hour at 50M decisions a second.
const longSteps = 3600 * 50e6
