// Package train trains an agent up to a given length and returns the policy that it has
// learned. Between, it evaluates the agent and writes checkpoints from which a training
// can be resumed.
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
	"pigpen/policies/exact"
	"pigpen/policies/policyfile"
)

// A Config configures a training.
type Config struct {
	// Game is the game to learn, of a variant of package env or of the caller's. It must
	// be set; all other fields may be left zero.
	Game env.Game
	// Agent is the learner; policy files and checkpoints hold its name. If it has no name,
	// it is the first of [agents.Kinds] or, if Recipe is set, named as Recipe.
	Agent agents.Kind
	// Recipe is one of Agent's recipes, or a caller's own. If it is zero, it is Agent's
	// first recipe that can learn Game.
	Recipe agents.Recipe
	// Settings are values of the settings of Recipe. Missing ones have their defaults.
	Settings agents.Settings
	// Abstraction says which states the agent's table distinguishes; "" is
	// the default of Recipe, [agents.Recipe.Abstraction].
	Abstraction policies.Abstraction
	// Seed seeds all random numbers: the dice and the exploration.
	Seed uint64
	// Length is the length of the training. If none of its limits is set, Steps is the
	// default length of Recipe, [agents.Recipe.Steps].
	Length Length
	// StepLimit is the number of decisions after which an episode is truncated; 0 is
	// [policies.DefaultStepLimit], and [NoStepLimit] is no limit.
	StepLimit int
	// MemoryLimit is the most memory, in bytes, that the agent's tables may take; 0 is
	// no limit.
	MemoryLimit int64
	// Workers is the number of goroutines that learn; 0 is GOMAXPROCS, and values above
	// 256 count as 256. The learned policy does not depend on it.
	Workers int

	// EvalEvery is the number of decisions between evaluations during the training,
	// of which the first is before the first decision; 0 is none. If Evaluate and
	// Evaluated are not nil, there is always an evaluation at the end.
	EvalEvery int64
	// Evaluate returns the score of p; last says whether p is the final policy.
	Evaluate func(ctx context.Context, p policies.Policy, last bool) (Score, error)
	// Evaluated, if not nil, is called after each evaluation, at most once for the same
	// number of decisions. An error that it returns ends the training.
	Evaluated func(Row) error
	// Learned, if not nil, is called with the result before the last evaluation, so that
	// the caller can save the policy before an evaluation that takes long.
	Learned func(Result)
	// Grace, if not nil, is the context of the last evaluation, which goes on when the
	// context of the training has ended.
	Grace context.Context

	// ReportEvery is the number of decisions between calls of Report; 0 is none.
	ReportEvery int64
	// Report, if not nil, is called with the progress of the training.
	Report func(Progress)

	// Checkpoint, if not empty, is the path of the last checkpoint, which is written
	// every CheckpointEvery, if that is not 0, and at the end. If the path holds other
	// content before the first checkpoint, that is kept under a numbered name. If another
	// process replaces the file during the training, the replacement stays, and later
	// checkpoints of this training go to a numbered name.
	Checkpoint      string
	CheckpointEvery time.Duration
	// Checkpointed, if not nil, is called after each checkpoint with its path, the name
	// under which earlier content of that path is kept ("" for none), and the error.
	// An error does not end the training.
	Checkpointed func(path, kept string, err error)
	// Notes are names and values that checkpoints store for the caller of Run, as
	// Checkpoint.Notes. They do not affect what is learned.
	Notes map[string]string
	// Resume, if not nil, is the checkpoint from which the training continues. Every
	// field that affects what is learned, except Length, must be as it was.
	Resume *Checkpoint

	// Values says whether the policy file has the agent's estimates of what the actions
	// are worth, and the rows of evaluations their error. The agent must be an
	// [agents.Estimator]. What is learned does not depend on it.
	Values bool
	// Program is the version of the program that the policy file records.
	Program string
}

// NoStepLimit is the StepLimit of a training that does not truncate episodes.
const NoStepLimit = -1

// A Length is reached when the training reaches any of its limits; a limit of 0 is none.
// Limits count from the start of the training, before any resumption. A training may
// exceed them by up to one call of Learn.
type Length struct {
	Steps    int64         `msgpack:"steps"` // decisions
	Episodes int64         `msgpack:"episodes"`
	Time     time.Duration `msgpack:"nanoseconds"` // of learning; the result then depends on the speed of the machine
}

// Progress is the progress of a training.
type Progress struct {
	Steps    int64 // decisions
	Episodes int64
	Elapsed  time.Duration // learning; evaluations and checkpoints apart
	// Done is the fraction of the length that is reached, in [0, 1].
	Done float64
}

// StepsPerSecond returns Steps per second of Elapsed, or 0 if Elapsed is 0.
func (p Progress) StepsPerSecond() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Steps) / p.Elapsed.Seconds()
}

// A Result is the result of a training.
type Result struct {
	Progress
	File policies.File
	// Planning is the part of Elapsed, since the start or the resumption, in which the
	// agent planned with a model; 0 for agents without one.
	Planning time.Duration
	// Interrupted says whether the context ended before the length was reached.
	Interrupted bool
	// CheckpointErr is the error of writing the last checkpoint, or nil.
	CheckpointErr error
}

var (
	// ErrLength is returned by [Run] if no limit of the length is positive and one is
	// negative.
	ErrLength = errors.New("train: a length is needed: steps, episodes or time")
	// ErrMemory is wrapped by the error of [Run] if the tables exceed MemoryLimit.
	ErrMemory = errors.New("train: too little memory")
	// ErrValues is wrapped by the error of [Run] if the policy file cannot have values.
	ErrValues = errors.New("train: no values")
)

// valueBytes is the memory of the values of an entry in bytes: a float32 for each action.
const valueBytes = 4 * env.NumActions

// Bytes returns the number of entries of the agent's table, and the memory in bytes
// that its tables take, with the values of the policy file.
func (c Config) Bytes() (entries int, bytes float64, err error) {
	c = c.withDefaults()
	if err := c.Recipe.Check(c.Game, c.Settings); err != nil {
		return 0, 0, err
	}
	index, err := policies.NewStateIndex(c.Game, c.Abstraction)
	if err != nil {
		return 0, 0, err
	}
	perEntry := c.Recipe.BytesPerEntry(c.Settings, c.Workers)
	if c.Values {
		perEntry += valueBytes
	}
	return index.Size(), float64(index.Size()) * float64(perEntry), nil
}

// withDefaults returns c with its zero fields set to their defaults. Settings stays as
// it is if it does not suit the recipe, and Recipe if the agent has none for the game;
// [agents.Recipe.Check] then tells.
func (c Config) withDefaults() Config {
	if c.Recipe.Name == "" && c.Recipe.Make == nil {
		if c.Agent.Name == "" {
			c.Agent = agents.Kinds()[0]
		}
		if r, err := c.Agent.Recipe("", c.Game); err == nil {
			c.Recipe = r
		}
	}
	if c.Agent.Name == "" {
		c.Agent.Name = c.Recipe.Name
	}
	if c.Abstraction == "" {
		c.Abstraction = c.Recipe.Abstraction(c.Game)
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
	if c.Recipe.Check(c.Game, c.Settings) != nil {
		return c
	}
	c.Settings, _ = c.Recipe.Resolve(c.Game, c.Settings)
	if c.Length == (Length{}) {
		if index, err := policies.NewStateIndex(c.Game, c.Abstraction); err == nil {
			c.Length.Steps = c.Recipe.Steps(c.Game, c.Settings, index.Size())
		}
	}
	return c
}

// stepLimit returns StepLimit in the form of agents and files, where 0 is no limit.
func (c Config) stepLimit() int { return max(0, c.StepLimit) }

// Check returns the error that [Run] would return before it starts to learn, without
// allocating the tables. It does not know whether the agent is an [agents.Estimator].
func (c Config) Check() error {
	switch {
	case c.Game == (env.Game{}):
		return errors.New("train: no game to learn; env.New makes one")
	case c.StepLimit < NoStepLimit:
		return fmt.Errorf("train: step limit %d is negative", c.StepLimit)
	case c.Workers < 0:
		return fmt.Errorf("train: %d workers; at least one is needed", c.Workers)
	case c.Length != (Length{}) && c.Length.Steps <= 0 && c.Length.Episodes <= 0 && c.Length.Time <= 0:
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
	if c.Values && entries > policyfile.MaxValued {
		return fmt.Errorf("%w: a policy file holds those of up to %d entries; %v with %s states has %d", ErrValues, policyfile.MaxValued, c.Game, c.Abstraction, entries)
	}
	if c.Resume != nil {
		return c.Resume.agrees(c)
	}
	return nil
}

// clockEvery is the least number of decisions between two reads of the clock and of
// the context.
const clockEvery = 1 << 14

// A run is a training under way.
type run struct {
	Config
	agent agents.Agent
	Progress
	since          time.Time     // start of the current stretch of learning
	before         time.Duration // value of Elapsed at since
	nextCheckpoint time.Duration
	evaluated      int64       // decisions at the last evaluation; -1 before the first
	saved          int64       // decisions at the last checkpoint; -1 before the first
	written        os.FileInfo // of the file at Checkpoint, as this training left it; nil before the first
	checkpointErr  error       // of the last attempt
}

// Run trains until the length is reached or ctx ends, and returns the policy learned so
// far in both cases. The same configuration gives the same policy file, byte for byte,
// at any number of workers and resumptions, unless Length.Time or ctx ended the
// training. Errors are those of Check, of reading c.Resume, and of the callbacks.
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
	if _, ok := agent.(agents.Estimator); c.Values && !ok {
		return Result{}, fmt.Errorf("%w: the agents of recipe %s tell no estimates", ErrValues, c.Recipe.Name)
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

// due returns the largest multiple of every that is at most n.
func due(n, every int64) int64 { return n / max(1, every) * every }

// learn trains the agent until the length is reached or ctx ends.
func (r *run) learn(ctx context.Context) error {
	r.Elapsed = r.before
	r.Done = r.Length.done(r.Progress)
	// Make the first evaluation, or one that was due when the checkpoint was written.
	if r.EvalEvery > 0 && r.Done < 1 && due(r.Steps, r.EvalEvery) > r.evaluated {
		if err := r.evaluate(ctx, r.policy(), due(r.Steps, r.EvalEvery), false); err != nil {
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
			if err := r.evaluate(ctx, r.policy(), due(r.Steps, r.EvalEvery), false); err != nil {
				return err
			}
		}
		// Write the checkpoint after the evaluation, so that its Evaluated counts that
		// evaluation.
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

// finish returns the learned policy after it has written the last checkpoint and made
// the last evaluation.
func (r *run) finish(ctx context.Context) (Result, error) {
	result := Result{Progress: r.Progress, Interrupted: r.Done < 1, File: r.policy()}
	if p, ok := r.agent.(agents.Planner); ok {
		result.Planning = p.PlanningTime()
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
	return result, r.evaluate(last, result.File, scheduled, true)
}

// policy returns what the agent has learned so far.
func (r *run) policy() policies.File {
	f := policies.File{Table: r.agent.Greedy(), Provenance: policies.Provenance{
		Agent: r.Agent.Name, Settings: r.describe(), Seed: r.Seed,
		Steps: r.Steps, Episodes: r.Episodes, Program: r.Program,
	}}
	if r.Values {
		f.Values = r.agent.(agents.Estimator).Estimates()
	}
	return f
}

// tick updates Elapsed.
func (r *run) tick() { r.Elapsed = r.before + time.Since(r.since) }

// pause calls do without counting its time in Elapsed. tick must have been called just
// before.
func (r *run) pause(do func() error) error {
	r.before = r.Elapsed
	err := do()
	r.since = time.Now()
	return err
}

// save writes a checkpoint and calls Checkpointed.
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

// evaluate evaluates f and calls Evaluated. It returns nil if ctx ends during the
// evaluation, since the training then ends too.
func (r *run) evaluate(ctx context.Context, f policies.File, scheduled int64, last bool) error {
	if r.Evaluate == nil || r.Evaluated == nil {
		return nil
	}
	return r.pause(func() error {
		score, err := r.Evaluate(ctx, f.Table, last)
		var valueError *policies.ValueError
		if err == nil {
			valueError, err = r.valueError(ctx, f)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if r.evaluated == r.Steps {
			return nil // Evaluated has had this number of decisions
		}
		r.evaluated = r.Steps
		g := r.agent.Metrics()
		return r.Evaluated(Row{
			Steps: r.Steps, Episodes: r.Episodes, Seconds: r.Elapsed.Seconds(), Score: score,
			Epsilon: g.Epsilon, StepSize: g.StepSize, Coverage: g.Coverage, Scheduled: scheduled, ValueError: valueError,
		})
	})
}

// valueError returns the error of the values of f, or nil if it has none or the exact values
// are not known.
func (r *run) valueError(ctx context.Context, f policies.File) (*policies.ValueError, error) {
	if f.Values == nil || r.Game.Players() > 2 {
		return nil, nil
	}
	return policies.ValueErrorOf(ctx, policies.ValuedTable{Table: f.Table, Estimates: f.Values}, exact.Options{Workers: r.Workers})
}

// done returns the fraction of l that p has reached: the largest over its limits.
func (l Length) done(p Progress) float64 {
	part := func(have, limit int64) float64 {
		if limit <= 0 {
			return 0
		}
		return min(1, float64(have)/float64(limit))
	}
	return max(part(p.Steps, l.Steps), part(p.Episodes, l.Episodes), part(int64(p.Elapsed), int64(l.Time)))
}

// describe returns the recipe, its settings and the step limit in the form of policy
// files. c must be the result of withDefaults.
func (c Config) describe() map[string]string {
	described := map[string]string{"recipe": c.Recipe.Name, "step-limit": strconv.Itoa(c.stepLimit())}
	maps.Copy(described, c.Settings)
	return described
}
