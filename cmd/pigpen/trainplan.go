package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

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
	switch p.Abstraction = policies.Abstraction(f.states); p.Abstraction {
	case "auto":
		p.Abstraction = policies.DefaultAbstraction(g)
	case policies.FullAbstraction, policies.SummaryAbstraction:
	default:
		return p, usagef("--states %q; it is full, summary or auto", p.Abstraction)
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
	p.Notes = map[string]string{"against": f.rivalOf(g), "eval-every": fmt.Sprint(p.EvalEvery), "eval-games": fmt.Sprint(f.evalGames)}
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

// evaluationFlags are those that decide how a training is evaluated. Its
// checkpoints note them, so that a log goes on as it began.
var evaluationFlags = []string{"against", "eval-every", "eval-games"}

// rivalOf returns the name of what a policy of g is scored against.
func (f *trainFlags) rivalOf(g env.Game) string {
	if name := f.rival(); name != "" {
		return name
	}
	return policies.Reference(g)
}

// tooLarge returns the error of a training whose tables take too much memory.
func (f *trainFlags) tooLarge(p *plan) error {
	less := "a lower --target"
	if p.Game.Players() > 2 && p.Abstraction == policies.FullAbstraction {
		less += " or --states summary"
	}
	return usagef("%w: the tables of %v with %s states, %d entries, take %s, and --memory allows %s; %s takes less",
		train.ErrMemory, p.Game, p.Abstraction, p.entries, humanBytes(p.bytes), humanBytes(float64(f.memory)), less)
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
