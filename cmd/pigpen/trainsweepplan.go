package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/agents"
	"pigpen/train"
)

// A sweepPlan is a sweep that is about to begin, with all that is cheap checked.
type sweepPlan struct {
	train.Sweep
	first   plan              // that of the first point
	grid    []agents.Settings // of each point the settings that vary
	varying []string          // their names
}

// sweeps reports whether the flags ask for a sweep.
func (f *trainFlags) sweeps() bool {
	return f.flags.Changed("seeds") || len(f.settings.varying()) > 0
}

// ownOfRun are the flags that do not say what a sweep is, so that its checkpoint does not
// note them.
var ownOfRun = map[string]bool{"checkpoint": true, "resume": true, "memory": true, "workers": true, "quiet": true, "json": true, "help": true}

// resumeSweep returns the checkpoint of a sweep at --resume, and takes from it the flags
// that are not given. It is nil if --resume names none.
func (f *trainFlags) resumeSweep() (*train.SweepCheckpoint, error) {
	if f.resume == "" || !f.sweeps() && !train.IsSweep(f.resume) {
		return nil, nil
	}
	k, err := train.LoadSweep(f.resume, f.memory)
	if errors.Is(err, train.ErrCheckpoint) && f.sweeps() && !train.IsSweep(f.resume) {
		return nil, usagef("%w; leave out --seeds and lists of settings to resume one training, or write --checkpoint for a new sweep", err)
	} else if err != nil {
		return nil, err
	}
	for name, value := range k.Notes {
		if f.flags.Lookup(name) == nil || ownOfRun[name] {
			return nil, fmt.Errorf("%w: %s notes --%s, which is no flag of a sweep", train.ErrCheckpoint, f.resume, name)
		}
		if name == "seeds" && f.flags.Changed("seed") {
			return nil, usagef("%s is the checkpoint of a sweep of --seeds %s; leave --seed out", f.resume, value)
		}
		if f.flags.Changed(name) {
			continue
		}
		if err := f.flags.Set(name, value); err != nil {
			return nil, fmt.Errorf("%w: %s notes --%s %q: %w", train.ErrCheckpoint, f.resume, name, value, err)
		}
	}
	if f.checkpoint == "" {
		f.checkpoint = f.resume
	}
	return k, nil
}

// newSweep returns the sweep that the flags ask for. It fills in f.out.
func (f *trainFlags) newSweep(k *train.SweepCheckpoint) (s sweepPlan, err error) {
	given := f.flags.Changed
	switch {
	case given("seed") && given("seeds"):
		return s, usagef("--seed %d and --seeds %v; give one of them", f.seed, f.flags.Lookup("seeds").Value)
	case given("time"):
		return s, usagef("--time %v; the trainings of a sweep share the machine, so give --steps or --episodes", f.time)
	case given("checkpoint-every"):
		return s, usagef("--checkpoint-every %v; a sweep writes its checkpoint as each training ends, so leave it out", f.checkpointEvery)
	}
	if err := f.check(); err != nil {
		return s, err
	}
	seeds := f.seeds
	if !given("seeds") {
		seeds = []uint64{f.seed}
	}
	s.varying = f.settings.varying()
	trainings := len(seeds)
	for _, name := range s.varying {
		if trainings *= len(f.settings.lists[name].values); trainings > mostTrainings {
			return s, usagef("these are more than %d trainings; give fewer seeds, or fewer values of --%s", mostTrainings, strings.Join(s.varying, ", --"))
		}
	}
	base := plan{}
	if base.Game, err = f.players(&base); err != nil {
		return s, err
	}
	seen := make(map[string]bool)
	for _, values := range f.settings.grid() {
		p := base
		if err := f.fill(&p, values); err != nil {
			return s, err
		}
		of := make(agents.Settings)
		for _, name := range s.varying {
			of[name] = p.Settings[name]
		}
		if seen[settingText(s.varying, of)] {
			return s, usagef("%s is in the grid twice; give each value once", settingText(s.varying, of))
		}
		seen[settingText(s.varying, of)] = true
		if f.log == "" && f.checkpoint == "" {
			p.EvalEvery = 0 // nobody looks
		}
		p.Checkpoint, p.CheckpointEvery = "", 0
		if s.grid == nil {
			s.first = p
		}
		s.grid, s.Points = append(s.grid, of), append(s.Points, p.Config)
	}
	s.Seeds, s.Workers, s.MemoryLimit, s.Resume = seeds, f.workers, f.memory, k
	s.Checkpoint, s.Log, s.Notes = f.checkpoint, f.log, make(map[string]string)
	f.flags.Visit(func(flag *pflag.Flag) {
		if !ownOfRun[flag.Name] {
			s.Notes[flag.Name] = flag.Value.String()
		}
	})
	if given("option") {
		s.Notes["option"] = strings.Join(f.game.options, ",") // without brackets
	}
	return s, f.checkFiles()
}

// settingText returns the values of the settings of some names, as in "epsilon 0.3,
// step-size 0.1".
func settingText(names []string, values agents.Settings) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, name+" "+values[name])
	}
	return strings.Join(parts, ", ")
}
