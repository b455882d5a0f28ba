// Package train runs a learner until its length is reached and hands back the
// policy it has learned. On the way it evaluates the learner, and keeps
// checkpoints from which it can go on.
//
// Start with [Run].
package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// A Config says what to train and for how long.
type Config struct {
	Game  env.Game
	Agent agents.Kind
	// Recipe is one of Agent's recipes.
	Recipe agents.Recipe
	// Settings are values of settings of Recipe; those left out have defaults.
	Settings agents.Settings
	// Abstraction says which states the agent's table distinguishes; "" is
	// [policies.DefaultAbstraction].
	Abstraction policies.Abstraction
	// Seed decides every roll and every exploration.
	Seed uint64
	// Length ends the training.
	Length Length
	// StepLimit is the number of decisions after which an episode is truncated; 0 is
	// [policies.DefaultStepLimit], and [NoStepLimit] is no limit.
	StepLimit int
	// MemoryLimit is the most memory, in bytes, that the agent's tables may take; 0 is
	// no limit.
	MemoryLimit int64
	// Workers is the number of goroutines that learn; 0 is one for each processor
	// that Go may use, and more than 256 count as 256. The policy does not depend on it.
	Workers int

	// EvalEvery is the number of decisions between evaluations on the way, the
	// first of them before the first decision; 0 is none. Where Evaluate is not
	// nil there is always one at the end.
	EvalEvery int64
	// Evaluate tells how good a policy is; last tells that it is the final one.
	Evaluate func(ctx context.Context, p policies.Policy, last bool) (Score, error)
	// Evaluated, where not nil, is told of each evaluation, once for a number of
	// decisions. Its error ends the training.
	Evaluated func(Row) error
	// Learned, where not nil, is told of the result as soon as there is one,
	// before the last evaluation, so that nothing is lost if that takes long.
	Learned func(Result)
	// Grace ends the last evaluation of a training that its context has ended;
	// nil never does.
	Grace context.Context

	// ReportEvery is the number of decisions between calls of Report; 0 is none.
	ReportEvery int64
	// Report, where not nil, is told how far the training is.
	Report func(Progress)

	// Checkpoint, where not empty, is the file that keeps the last checkpoint:
	// written each time that CheckpointEvery has passed, if not 0, and at the
	// end. A file of other content that is there before the first stays beside
	// it under a numbered name. If something else comes to be at Checkpoint later,
	// such as the checkpoint of another training, it stays, and this training's
	// checkpoints have a numbered name from then on.
	Checkpoint      string
	CheckpointEvery time.Duration
	// Checkpointed, where not nil, is told of each checkpoint: the name of its
	// file, and the one under which the file that was there is kept, or the error.
	// A checkpoint that could not be written ends nothing.
	Checkpointed func(path, kept string, err error)
	// Notes are kept in checkpoints for the caller of Run, who finds them in
	// Checkpoint.Notes: names and values that decide nothing that is learned.
	Notes map[string]string
	// Resume, where not nil, is what the training goes on from. All that decides
	// what is learned, but the length, must be as it was.
	Resume *Checkpoint

	// Program is the version that the policy file names as its maker.
	Program string
}

// NoStepLimit is the step limit of a training that truncates no episode.
const NoStepLimit = -1

// A Length ends a training when the first of its limits is reached, counted
// from its very start, resumed or not; what the agent learns at a time is
// learned to its end. A limit of 0 is none.
type Length struct {
	Steps    int64         `msgpack:"steps"` // decisions
	Episodes int64         `msgpack:"episodes"`
	Time     time.Duration `msgpack:"nanoseconds"` // of learning, so that the result depends on the machine
}

// Progress tells how far a training is.
type Progress struct {
	Steps    int64 // decisions
	Episodes int64
	Elapsed  time.Duration // learning; evaluations and checkpoints apart
	// Done is the part of the length that is reached, in [0, 1].
	Done float64
}

// StepsPerSecond returns the decisions made in a second of Elapsed.
func (p Progress) StepsPerSecond() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Steps) / p.Elapsed.Seconds()
}

// A Result is what a training has come to.
type Result struct {
	Progress
	File policies.File
	// Interrupted tells that the context ended before the length was reached.
	Interrupted bool
	// CheckpointErr is why the last checkpoint could not be written.
	CheckpointErr error
}

var (
	// ErrLength is returned by [Run] for a training without end.
	ErrLength = errors.New("train: a length is needed: steps, episodes or time")
	// ErrMemory is wrapped by [Run] when the tables would not fit the limit.
	ErrMemory = errors.New("train: too little memory")
)

// Bytes returns the number of entries of the agent's table, and the memory in bytes
// that its tables take.
func (c Config) Bytes() (entries int, bytes float64, err error) {
	if err := c.Recipe.Check(c.Game, c.Settings); err != nil {
		return 0, 0, err
	}
	c = c.withDefaults()
	index, err := policies.NewStateIndex(c.Game, c.Abstraction)
	if err != nil {
		return 0, 0, err
	}
	return index.Size(), float64(index.Size()) * float64(c.Recipe.BytesPerEntry(c.Workers)), nil
}

// withDefaults returns c with the fields that are zero filled in. Settings must be
// those of the recipe.
func (c Config) withDefaults() Config {
	if s, err := c.Recipe.Resolve(c.Game, c.Settings); err == nil {
		c.Settings = s
	}
	if c.Abstraction == "" {
		c.Abstraction = policies.DefaultAbstraction(c.Game)
	}
	if c.StepLimit == 0 {
		c.StepLimit = policies.DefaultStepLimit
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	c.Workers = min(c.Workers, 256)
	if c.MemoryLimit == 0 {
		c.MemoryLimit = math.MaxInt64
	}
	return c
}

// stepLimit returns the step limit as agents and files have it: 0 is no limit.
func (c Config) stepLimit() int { return max(0, c.StepLimit) }

// Check returns the error that [Run] would return before it learns anything. It is
// cheap.
func (c Config) Check() error {
	switch {
	case c.Game == (env.Game{}):
		return errors.New("train: no game to learn; env.New makes one")
	case c.StepLimit < NoStepLimit:
		return fmt.Errorf("train: step limit %d is negative", c.StepLimit)
	case c.Workers < 0:
		return fmt.Errorf("train: %d workers; at least one is needed", c.Workers)
	case c.Length.Steps <= 0 && c.Length.Episodes <= 0 && c.Length.Time <= 0:
		return ErrLength
	}
	entries, bytes, err := c.Bytes()
	if err != nil {
		return err
	}
	c = c.withDefaults()
	if bytes > float64(c.MemoryLimit) {
		return fmt.Errorf("%w: the tables of %v with %s states, %d entries, take %.0f bytes; the limit is %d",
			ErrMemory, c.Game, c.Abstraction, entries, bytes, c.MemoryLimit)
	}
	if c.Resume != nil {
		return c.Resume.agrees(c)
	}
	return nil
}

// clockEvery is the least number of decisions between looks at the clock and
// the context.
const clockEvery = 1 << 14

// A run is a training under way.
type run struct {
	Config
	agent agents.Agent
	Progress
	since          time.Time     // when the clock of learning was started last
	before         time.Duration // on that clock until then
	nextCheckpoint time.Duration
	evaluated      int64       // decisions at the last evaluation; -1 before the first
	saved          int64       // decisions at the last checkpoint; -1 before the first
	written        os.FileInfo // of the file at Checkpoint, as this training left it; nil before the first
	checkpointErr  error       // of the last attempt
}

// Run trains until the length is reached or ctx ends; both give a whole
// result. The same configuration gives the same file, byte for byte, however
// often it was resumed on the way, unless Length.Time or ctx ended it.
func Run(ctx context.Context, c Config) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, err
	}
	c = c.withDefaults()
	index, err := policies.NewStateIndex(c.Game, c.Abstraction)
	if err != nil {
		return Result{}, err
	}
	agent, err := c.Recipe.New(agents.Config{Index: index, Settings: c.Settings, Seed: c.Seed, StepLimit: c.stepLimit()})
	if err != nil {
		return Result{}, err
	}
	r := &run{Config: c, agent: agent, evaluated: -1, saved: -1}
	if k := c.Resume; k != nil {
		if err := k.restore(r.agent); err != nil {
			return Result{}, err
		}
		r.Steps, r.Episodes, r.before, r.evaluated = k.Steps, k.Episodes, k.Elapsed, k.Evaluated
		if k.path == c.Checkpoint {
			r.saved = k.Steps
		}
	}
	if err := r.learn(ctx); err != nil {
		return Result{}, err
	}
	return r.finish(ctx)
}

// due returns the multiple of every that n has reached last.
func due(n, every int64) int64 { return n / max(1, every) * every }

// learn goes on until the length is reached or ctx ends.
func (r *run) learn(ctx context.Context) error {
	r.Elapsed = r.before
	r.Done = r.Length.done(r.Progress)
	// The first evaluation, or one that was due when the training stood still.
	if r.EvalEvery > 0 && r.Done < 1 && due(r.Steps, r.EvalEvery) > r.evaluated {
		if err := r.evaluate(ctx, r.agent.Greedy(), due(r.Steps, r.EvalEvery), false); err != nil {
			return err
		}
	}
	next := func(every int64) int64 { return due(r.Steps, every) + max(1, every) }
	nextClock, nextReport, nextEval := r.Steps+clockEvery, next(r.ReportEvery), next(r.EvalEvery)
	r.since = time.Now()
	r.nextCheckpoint = r.before + r.CheckpointEvery
	for ctx.Err() == nil && r.Done < 1 {
		played := r.agent.Learn(r.Workers)
		r.Steps += played.Steps
		r.Episodes += played.Episodes
		clock := r.Steps >= nextClock
		if clock {
			nextClock = r.Steps + clockEvery
			r.tick()
			if ctx.Err() != nil {
				break
			}
		}
		r.Done = r.Length.done(r.Progress)
		if r.EvalEvery > 0 && r.Steps >= nextEval && r.Done < 1 {
			nextEval = next(r.EvalEvery)
			r.tick()
			if err := r.evaluate(ctx, r.agent.Greedy(), due(r.Steps, r.EvalEvery), false); err != nil {
				return err
			}
		}
		// A checkpoint comes after the evaluation, which a training that is resumed
		// from it does not make up for.
		if clock && r.Checkpoint != "" && r.CheckpointEvery > 0 && r.Elapsed >= r.nextCheckpoint {
			r.tick()
			r.save()
			r.nextCheckpoint = r.Elapsed + r.CheckpointEvery
		}
		if r.Report != nil && r.ReportEvery > 0 && r.Steps >= nextReport {
			nextReport = next(r.ReportEvery)
			r.tick()
			r.Report(r.Progress)
		}
	}
	r.tick()
	r.Done = r.Length.done(r.Progress)
	return nil
}

// finish hands over what has been learned, and evaluates it.
func (r *run) finish(ctx context.Context) (Result, error) {
	greedy := r.agent.Greedy()
	result := Result{
		Progress:    r.Progress,
		Interrupted: r.Done < 1,
		File: policies.File{Table: greedy, Provenance: policies.Provenance{
			Agent: r.Agent.Name, Settings: r.describe(), Seed: r.Seed,
			Steps: r.Steps, Episodes: r.Episodes, Program: r.Program,
		}},
	}
	if r.Learned != nil {
		r.Learned(result)
	}
	if r.Checkpoint != "" && r.Steps > 0 && r.saved != r.Steps {
		r.save()
	}
	result.CheckpointErr = r.checkpointErr
	if result.Interrupted && r.Steps == 0 {
		return result, nil // nothing has been learned
	}
	scheduled := r.Steps
	if r.Length.Steps > 0 && r.Steps >= r.Length.Steps {
		scheduled = r.Length.Steps
	}
	// An interrupted training is still evaluated, until Grace ends.
	last := context.WithoutCancel(ctx)
	if r.Grace != nil {
		last = r.Grace
	}
	return result, r.evaluate(last, greedy, scheduled, true)
}

// tick reads the clock of learning.
func (r *run) tick() { r.Elapsed = r.before + time.Since(r.since) }

// pause does something while the clock of learning stands still, which has just
// been read.
func (r *run) pause(do func() error) error {
	r.before = r.Elapsed
	err := do()
	r.since = time.Now()
	return err
}

// save writes a checkpoint.
func (r *run) save() {
	r.pause(func() error {
		kept, err := r.writeCheckpoint()
		if err == nil {
			r.saved = r.Steps
		}
		r.checkpointErr = err
		if r.Checkpointed != nil {
			r.Checkpointed(r.Checkpoint, kept, err)
		}
		return nil
	})
}

// evaluate scores a policy learned so far. An evaluation that ctx ends is no
// error: the training ends too.
func (r *run) evaluate(ctx context.Context, p *policies.Table, scheduled int64, last bool) error {
	if r.Evaluate == nil || r.Evaluated == nil {
		return nil
	}
	return r.pause(func() error {
		score, err := r.Evaluate(ctx, p, last)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if r.evaluated == r.Steps {
			return nil // there is a row of it
		}
		r.evaluated = r.Steps
		g := r.agent.Metrics()
		return r.Evaluated(Row{
			Steps: r.Steps, Episodes: r.Episodes, Seconds: r.Elapsed.Seconds(), Score: score,
			Epsilon: g.Epsilon, StepSize: g.StepSize, Coverage: g.Coverage, Scheduled: scheduled,
		})
	})
}

// done returns the part of l that is reached, 1 as soon as any limit is.
func (l Length) done(p Progress) float64 {
	part := func(have, limit int64) float64 {
		if limit <= 0 {
			return 0
		}
		return min(1, float64(have)/float64(limit))
	}
	return max(part(p.Steps, l.Steps), part(p.Episodes, l.Episodes), part(int64(p.Elapsed), int64(l.Time)))
}

// describe returns the recipe, its settings and the step limit, as policy files hold
// them. c has no defaults to be filled in.
func (c Config) describe() map[string]string {
	described := map[string]string{"recipe": c.Recipe.Name, "step-limit": strconv.Itoa(c.stepLimit())}
	maps.Copy(described, c.Settings)
	return described
}
