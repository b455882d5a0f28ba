package main

import (
	"context"
	"errors"
	"fmt"

	"pigpen/agents"
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

// newPlan returns the training that the flags ask for. It fills in f.out.
func (f *trainFlags) newPlan(ctx context.Context) (p plan, err error) {
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
	if p.Game, err = f.players(&p); err != nil {
		return p, err
	}
	if err := f.fill(&p, nil); err != nil {
		return p, err
	}
	return p, f.checkFiles()
}

// fill fills in a plan of which Game, Resume and opponent are known, with the settings of
// a point of a grid. It fills in f.out.
func (f *trainFlags) fill(p *plan, point agents.Settings) error {
	kind, err := agents.Lookup(f.agent)
	if err != nil {
		return usageError{err}
	}
	g := p.Game
	recipe, err := kind.Recipe(f.recipe, g)
	if err != nil {
		return usageError{err}
	}
	p.Agent, p.Recipe, p.Seed, p.Program = kind, recipe, f.seed, version
	if p.Settings, err = f.settings.of(recipe, g, p.Resume, point); err != nil {
		return err
	}
	switch p.Abstraction = policies.Abstraction(f.states); p.Abstraction {
	case "auto":
		p.Abstraction = recipe.Abstraction(g)
	case policies.FullAbstraction, policies.SummaryAbstraction:
	default:
		return usagef("--states %q; it is full, summary or auto", p.Abstraction)
	}
	if err := checkGames("eval-games", f.evalGames, g); err != nil {
		return err
	}
	if p.StepLimit = int(f.stepLimit); p.StepLimit == 0 { // of a checkpoint
		p.StepLimit = train.NoStepLimit
	}
	p.MemoryLimit, p.Workers, p.Values = f.memory, f.workers, f.values
	p.Checkpoint, p.CheckpointEvery = f.checkpoint, f.checkpointEvery
	if p.entries, p.bytes, err = p.Bytes(); err != nil {
		return usageError{err}
	}
	if p.bytes > float64(f.memory) {
		return f.tooLarge(p)
	}
	f.lengths(p)
	p.Notes = map[string]string{againstFlag: f.rivalOf(g), "eval-every": fmt.Sprint(p.EvalEvery), "eval-games": fmt.Sprint(f.evalGames)}
	if f.values {
		p.Notes[valuesFlag] = "true"
	}
	if err := p.Check(); errors.Is(err, train.ErrDisagrees) || errors.Is(err, train.ErrValues) {
		return usageError{err}
	} else if err != nil {
		return err
	}
	if f.out == "" {
		f.out = defaultName(g, kind.Name)
	}
	return nil
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
