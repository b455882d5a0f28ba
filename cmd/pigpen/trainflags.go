package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
	"pigpen/policies/exact"
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
	workers               int
	steps, episodes       int64
	time                  time.Duration

	settings          *settingFlags
	stepLimit, memory int64

	evalEvery, evalGames int64
	log                  string
	checkpoint, resume   string
	checkpointEvery      time.Duration
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
	fs.StringVar(&f.recipe, "recipe", "", "how it learns; see above (default: the first that is for so many players)")
	fs.Var(file(&f.out), "out", "policy file to write (default VARIANT-PLAYERSp-TARGET-AGENT.msgpack)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of dice and exploration")
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
	fs.Var(count(&f.evalGames), "eval-games", "games of the final evaluation, and a tenth of them on the way, with more than two players")
	fs.Var(file(&f.log), "log", "file for a row of figures at each evaluation: CSV if its name ends in .csv, JSON lines if in .jsonl")
	fs.Var(file(&f.checkpoint), "checkpoint", "file that keeps a state from which the training can go on, written at the end (default: the file of --resume)")
	fs.DurationVar(&f.checkpointEvery, "checkpoint-every", 0, "write it on the way too, so often, as in 1m")
	fs.Var(file(&f.resume), "resume", "go on from this checkpoint, with its settings and length; a length counts from the very start")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	return f
}

// A plan is a training that is about to begin, with all that is cheap checked.
type plan struct {
	train.Config
	entries int
	bytes   float64 // that the agent's tables take
	// opponent returns the policy that the agent is scored against; it may have to
	// be solved.
	opponent func(ctx context.Context, o exact.Options) (player, error)
}

// plan returns the training that the flags ask for. It fills in f.out.
func (f *trainFlags) plan(ctx context.Context) (p plan, err error) {
	if err := f.check(); err != nil {
		return p, err
	}
	if f.resume != "" {
		if p.Resume, err = train.LoadCheckpoint(ctx, f.resume, f.memory); err != nil {
			return p, err
		}
		defer func() {
			if err != nil {
				p.Resume.Close()
			}
		}()
		if err := f.adopt(p.Resume); err != nil {
			return p, err
		}
	}
	kind, err := agents.Lookup(f.agent)
	if err != nil {
		return p, usageError{err}
	}
	g, err := f.players(&p)
	if err != nil {
		return p, err
	}
	recipe, err := kind.Recipe(f.recipe, g)
	if err != nil {
		return p, usageError{err}
	}
	p.Game, p.Agent, p.Recipe, p.Seed, p.Program = g, kind, recipe, f.seed, version
	if p.Settings, err = f.settings.of(recipe, g, p.Resume); err != nil {
		return p, err
	}
	switch p.States = policies.States(f.states); p.States {
	case "auto":
		p.States = policies.AutoStates(g)
	case policies.FullStates, policies.SummaryStates:
	default:
		return p, usagef("--states %q; it is full, summary or auto", p.States)
	}
	if err := checkGames("eval-games", f.evalGames, g); err != nil {
		return p, err
	}
	if p.StepLimit = int(f.stepLimit); p.StepLimit == 0 { // of a checkpoint
		p.StepLimit = train.NoStepLimit
	}
	p.MemoryLimit, p.Workers = f.memory, f.workers
	p.Checkpoint, p.CheckpointEvery = f.checkpoint, f.checkpointEvery
	if p.entries, p.bytes, err = p.Bytes(); err != nil {
		return p, usageError{err}
	}
	if p.bytes > float64(f.memory) {
		return p, f.tooLarge(&p)
	}
	f.lengths(&p)
	if err := p.Check(); errors.Is(err, train.ErrDisagrees) {
		return p, usageError{err}
	} else if err != nil {
		return p, err
	}
	if f.out == "" {
		f.out = defaultName(g, kind.Name)
	}
	return p, f.checkFiles()
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
	for _, text := range []struct{ flag, has string }{{"agent", k.Agent}, {"recipe", k.Recipe}, {"states", string(k.States)}} {
		flag := f.flags.Lookup(text.flag).Value
		if given(text.flag) && flag.String() != text.has && flag.String() != "auto" {
			return usagef("%s is a checkpoint of a training with %s %s, not %s; leave --%s out", f.resume, text.flag, text.has, flag, text.flag)
		}
	}
	f.game.config, f.game.options = g.Config(), nil
	f.agent, f.recipe, f.states = k.Agent, k.Recipe, string(k.States)
	if !given("seed") {
		f.seed = k.Seed
	}
	if !given("step-limit") {
		f.stepLimit = int64(k.StepLimit)
	}
	if !given("checkpoint") {
		f.checkpoint = f.resume
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

// players returns the game, and notes in p how to come by the rival, without
// solving anything.
func (f *trainFlags) players(p *plan) (env.Game, error) {
	name := f.rival()
	if name == "" || policies.OriginOf(name) == policies.FromRule {
		var named []string
		if name != "" {
			named = append(named, name)
		}
		g, _, err := f.game.find(named...)
		if err != nil {
			return g, err
		}
		if name == "" {
			name = policies.Reference(g)
		}
		p.opponent = func(ctx context.Context, o exact.Options) (player, error) {
			rival, err := policies.Named(ctx, name, g, o)
			return player{name: name, policy: rival}, err
		}
		return g, nil
	}
	g, rivals, err := f.game.players(context.Background(), nil, f.workers, name)
	if err != nil {
		return g, err
	}
	p.opponent = func(context.Context, exact.Options) (player, error) { return rivals[0], nil }
	return g, nil
}

// tooLarge returns the error of a training whose tables take too much memory.
func (f *trainFlags) tooLarge(p *plan) error {
	less := "a lower --target"
	if p.Game.Players() > 2 && p.States == policies.FullStates {
		less += " or --states summary"
	}
	return usagef("%w: the tables of %v with %s states, %d entries, take %s, and --memory allows %s; %s takes less",
		train.ErrMemory, p.Game, p.States, p.entries, humanBytes(p.bytes), humanBytes(float64(f.memory)), less)
}

// lengths fills in how long the training is, and how often it is evaluated: as
// the flags have it, else as the checkpoint has it, else by the size of the table.
func (f *trainFlags) lengths(p *plan) {
	given, k := f.flags.Changed, p.Resume
	p.Length = train.Length{Steps: f.steps, Episodes: f.episodes, Time: f.time}
	if p.Length == (train.Length{}) {
		if p.Length.Steps = defaultSteps(p); k != nil && k.Length != (train.Length{}) {
			p.Length = k.Length
		}
	}
	switch {
	case given("eval-every"):
		p.EvalEvery = f.evalEvery
	case k != nil && k.EvalEvery > 0:
		p.EvalEvery = k.EvalEvery
	default:
		p.EvalEvery = defaultEvalEvery(p)
	}
}

// checkFiles refuses files that could not be written, and files with two roles.
func (f *trainFlags) checkFiles() error {
	if err := mayWrite(f.out); err != nil {
		return err
	}
	roles := []struct{ flag, path string }{{"out", f.out}, {"checkpoint", f.checkpoint}, {"log", f.log}, {"resume", f.resume}}
	for i, a := range roles {
		for _, b := range roles[:i] {
			// Without --checkpoint, checkpoints go where the one that is resumed is.
			if a.flag == "resume" && b.flag == "checkpoint" && !f.flags.Changed("checkpoint") {
				continue
			}
			if a.path != "" && b.path != "" && samePlace(a.path, b.path) {
				return usagef("--%s and --%s are both %s; each needs a file of its own", b.flag, a.flag, a.path)
			}
		}
	}
	if f.checkpoint != "" {
		if err := atomicfile.Check(f.checkpoint); err != nil {
			return fmt.Errorf("the checkpoint could not be written: %w", err)
		}
	}
	if f.log != "" {
		if err := atomicfile.Check(f.log); err != nil {
			return fmt.Errorf("the log could not be written: %w", err)
		}
	}
	return nil
}

// samePlace reports whether two paths name one file, there or not.
func samePlace(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	place := func(path string) string {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			folder = filepath.Dir(path)
		}
		if whole, err := filepath.Abs(filepath.Join(folder, filepath.Base(path))); err == nil {
			return whole
		}
		return filepath.Clean(path)
	}
	return place(a) == place(b)
}

// defaultName returns the name of the policy file of a training that is given
// none. It tells games and agents apart.
func defaultName(g env.Game, agent string) string {
	name := fmt.Sprintf("%s-%dp-%d", g.Variant().ID, g.Players(), g.Target())
	for _, o := range g.Variant().Options {
		if on := g.Config().Options[o.Name]; on != o.Default {
			name += fmt.Sprintf("-%s=%t", o.Name, on)
		}
	}
	return name + "-" + agent + ".msgpack"
}
