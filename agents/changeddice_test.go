package agents

import (
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// TestModelFreeAgentsSeeTheDice changes the dice under agents that know no chances: they
// are made for pig, and play nearly perfectly with whichever dice are thrown in their
// games. So nothing of the dice comes to them but from steps.
func TestModelFreeAgentsSeeTheDice(t *testing.T) {
	racedetector.Skip(t)
	const steps = 6_000_000
	for _, thrown := range []env.Game{game("pig-doubles", 2, 50), game("piglet", 2, 10)} {
		pig, perfect := game("pig", 2, thrown.Target()), perfectPlay(t, thrown)
		index := indexOf(pig, "full")
		for name, agentWith := range map[string]func(dice env.Game) Agent{
			"curriculum": func(dice env.Game) Agent {
				q := newAgent(curriculumRecipe, Config{Index: index, Seed: 1, StepLimit: 10_000}).(*curriculum)
				w := &curriculumWorker{match: *env.NewMatch(dice, env.MatchOptions{StepLimit: 10_000})}
				for range pig.Players() {
					w.hold = append(w.hold, make([]float32, index.Width()))
				}
				q.workers = []*curriculumWorker{w}
				return q
			},
			"rounds": func(dice env.Game) Agent {
				mc := newAgent(roundsRecipe, Config{Index: index, Seed: 1, StepLimit: 10_000}).(*rounds)
				mc.addWorkers(1)
				mc.workers[0].match = *env.NewMatch(dice, env.MatchOptions{StepLimit: 10_000})
				return mc
			},
		} {
			wins := func(dice env.Game) float64 {
				a := agentWith(dice)
				for n := int64(0); n < steps; {
					n += a.Learn(1).Steps
				}
				return compare(t, a.Greedy(), perfect).WinMean()
			}
			if win := wins(thrown); win < 0.49 {
				t.Errorf("%s for %v with the dice of %v wins %.5f against perfect play, want 0.49 or more", name, pig, thrown, win)
			}
			if win := wins(pig); win > 0.488 {
				t.Errorf("%s that saw the dice of pig wins %.5f at %v, want less: the test tells nothing", name, win, thrown)
			}
		}
	}
}
