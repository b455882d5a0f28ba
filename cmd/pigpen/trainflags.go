package main

import (
	"time"

	"github.com/spf13/pflag"

	"pigpen/policies"
	"pigpen/train"
)

// trainFlags are what the command line says of a training.
type trainFlags struct {
	flags *pflag.FlagSet
	game  *gameFlags

	agent, recipe, states string
	out                   string
	rival                 func() string
	seed                  uint64
	seeds                 []uint64
	workers               int
	steps, episodes       int64
	time                  time.Duration

	settings          *settingFlags
	stepLimit, memory int64

	evalEvery, evalGames int64
	log                  string
	checkpoint, resume   string
	checkpointEvery      time.Duration
	values               bool
	quiet, json          bool
}

func addTrainFlags(fs *pflag.FlagSet) *trainFlags {
	f := &trainFlags{flags: fs, game: addGameFlags(fs), stepLimit: policies.DefaultStepLimit, memory: quarterOfMemory(), evalGames: defaultEvalGames}
	// unset adds a flag whose default its description tells.
	unset := func(value pflag.Value, name, usage string) {
		fs.Var(value, name, usage)
		fs.Lookup(name).DefValue = ""
	}
	fs.StringVar(&f.agent, "agent", "qlearning", "learner: "+agentNames())
	fs.StringVar(&f.recipe, "recipe", "", "how it learns; see above (default: the first that is the default for so many players)")
	fs.Var(file(&f.out), "out", "policy file to write (default VARIANT-PLAYERSp-TARGET-AGENT.msgpack)")
	fs.BoolVar(&f.values, "values", false, "keep what the agent estimates both actions to be worth in the policy file; see above")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of dice and exploration")
	fs.Var(seedList{&f.seeds}, "seeds", "train once with each of these seeds, as in 1-8 or 1,3,5-7; see above")
	addWorkers(fs, &f.workers, "the result")
	unset(count(&f.steps), "steps", "train for so many decisions (default: some thousands for each entry of the table, 2.5G for pig to 100; see above)")
	unset(count(&f.episodes), "episodes", "train for so many episodes; what an agent learns at a time, up to some thousands of them, is played to its end")
	fs.DurationVar(&f.time, "time", 0, "train for so long, as in 30s; the result then depends on the machine")

	fs.StringVar(&f.states, "states", "auto", "what the table distinguishes: full, summary (own score, turn total, best other score), or auto")
	f.settings = addSettingFlags(fs)
	fs.Var(count(&f.stepLimit), "step-limit", "decisions after which a game is cut off")
	fs.Var(size(&f.memory), "memory", "most memory that the agent's tables may take")
	fs.Lookup("memory").DefValue = "a quarter of the machine's, or of what a container may use"

	f.rival = addAgainst(fs)
	unset(count(&f.evalEvery), "eval-every", "decisions between the evaluations on the way, the first before any; 0 for none (default 20M, or more for a large table)")
	fs.Var(count(&f.evalGames), "eval-games", "games of the final evaluation, and a tenth of them on the way, where these are simulated")
	fs.Var(file(&f.log), "log", "file for a row of figures at each evaluation: CSV if its name ends in .csv, JSON lines if in .jsonl")
	fs.Var(file(&f.checkpoint), "checkpoint", "file that keeps a state from which the training can go on, written at the end (default: the file of --resume)")
	fs.DurationVar(&f.checkpointEvery, "checkpoint-every", 0, "write it on the way too, so often, as in 1m")
	fs.Var(file(&f.resume), "resume", "go on from this checkpoint, with its settings and length; a length counts from the very start")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	return f
}

// check returns what is wrong with the flags as they are, before anything is
// read.
func (f *trainFlags) check() error {
	given := f.flags.Changed
	switch {
	case given("steps") && f.steps < 1:
		return usagef("--steps %d; at least one is needed", f.steps)
	case given("episodes") && f.episodes < 1:
		return usagef("--episodes %d; at least one is needed", f.episodes)
	case given("time") && f.time <= 0:
		return usagef("--time %v; it must be positive", f.time)
	case f.stepLimit < 1 || f.stepLimit > maxStepLimit:
		return usagef("--step-limit %d is not in [1, 10M]", f.stepLimit)
	case f.checkpointEvery < 0 || given("checkpoint-every") && f.checkpointEvery == 0:
		return usagef("--checkpoint-every %v; it must be positive", f.checkpointEvery)
	case f.checkpointEvery > 0 && f.checkpoint == "" && f.resume == "":
		return usagef("--checkpoint-every %v says no file; --checkpoint does", f.checkpointEvery)
	case f.evalEvery < 0:
		return usagef("--eval-every %d is negative; 0 is for no evaluations on the way", f.evalEvery)
	}
	if f.log != "" {
		if err := train.LogFormat(f.log); err != nil {
			return usageError{err}
		}
	}
	return nil
}
