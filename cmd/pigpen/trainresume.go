package main

import (
	"fmt"
	"time"

	"pigpen/train"
)

// adopt takes from a checkpoint what the flags do not say, and refuses a length
// that is behind it.
func (f *trainFlags) adopt(k *train.Checkpoint) error {
	g, err := k.Game()
	if err != nil {
		return err
	}
	if err := f.game.agree(f.resume, "a checkpoint of", g); err != nil {
		return err
	}
	given := f.flags.Changed
	for _, text := range []struct{ flag, has string }{{"agent", k.Agent}, {"recipe", k.Recipe}, {"states", string(k.Abstraction)}} {
		flag := f.flags.Lookup(text.flag).Value
		if given(text.flag) && flag.String() != text.has && flag.String() != "auto" {
			return usagef("%s is a checkpoint of a training with %s %s, not %s; leave --%s out", f.resume, text.flag, text.has, flag, text.flag)
		}
	}
	f.game.config, f.game.options = g.Config(), nil
	f.agent, f.recipe, f.states = k.Agent, k.Recipe, string(k.Abstraction)
	if !given("seed") {
		f.seed = k.Seed
	}
	if !given("step-limit") {
		f.stepLimit = int64(k.StepLimit)
	}
	if !given("checkpoint") {
		f.checkpoint = f.resume
	}
	for _, name := range evaluationFlags {
		if value, ok := k.Notes[name]; ok && !given(name) {
			if err := f.flags.Set(name, value); err != nil {
				return fmt.Errorf("%w: %s notes --%s %q: %w", train.ErrCheckpoint, f.resume, name, value, err)
			}
		}
	}
	// The length that the training had may have been passed by what an agent
	// learns at a time.
	behind := func(asked, had, reached int64) bool { return asked > 0 && asked < reached && (had == 0 || asked < had) }
	const counts = "a length counts from the very start, so give more, or leave it out"
	switch {
	case behind(f.steps, k.Length.Steps, k.Steps):
		return usagef("--steps %d, and %s has %d decisions already; %s", f.steps, f.resume, k.Steps, counts)
	case behind(f.episodes, k.Length.Episodes, k.Episodes):
		return usagef("--episodes %d, and %s has %d already; %s", f.episodes, f.resume, k.Episodes, counts)
	case behind(int64(f.time), int64(k.Length.Time), int64(k.Elapsed)):
		return usagef("--time %v, and %s has learned for %v already; %s", f.time, f.resume, k.Elapsed.Round(time.Millisecond), counts)
	}
	return nil
}
