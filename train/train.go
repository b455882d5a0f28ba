// Package train runs a learner until its length is reached and hands back the
// policy it has learned.
//
// Start with [Run].
package train

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// A Config says what to train and for how long.
type Config struct {
	Game     env.Game
	Agent    agents.Kind
	Settings agents.Settings
	// States are what the agent's table distinguishes.
	States policies.States
	// Seed decides every roll and every exploration.
	Seed uint64
	// Length ends the training.
	Length Length
	// StepLimit truncates an episode after so many decisions; 0 is no limit.
	StepLimit int
	// MemoryLimit bounds the bytes of the agent's tables.
	MemoryLimit int64
	// ReportEvery is the number of decisions between calls of Report; 0 is none.
	ReportEvery int64
	// Report, where not nil, is told how far the training is. It does not
	// change what is learned.
	Report func(Progress)
	// Program is the version that the policy file names as its maker.
	Program string
}

// A Length ends a training when the first of its limits is reached; the
// episode under way is played to its end. A limit of 0 is none.
type Length struct {
	Steps    int64 // decisions
	Episodes int64
	Time     time.Duration // of the wall clock, so that the result depends on the machine
}

// Progress tells how far a training is.
type Progress struct {
	Steps    int64 // decisions
	Episodes int64
	Elapsed  time.Duration
	// Done is the part of the length that is reached, in [0, 1].
	Done float64
	// Greedy returns the policy learned so far.
	Greedy func() *policies.Table
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
}

var (
	// ErrLength is returned by [Run] for a training without end.
	ErrLength = errors.New("train: a length is needed: steps, episodes or time")
	// ErrMemory is wrapped by [Run] when the tables would not fit the limit.
	ErrMemory = errors.New("train: too little memory")
)

// Bytes returns what the agent's tables take.
func (c Config) Bytes() (entries int, bytes float64, err error) {
	l, err := policies.NewLayout(c.Game, c.States)
	if err != nil {
		return 0, 0, err
	}
	return l.Entries(), float64(l.Entries()) * float64(c.Agent.BytesPerEntry), nil
}

// clockEvery is the number of decisions between looks at the clock and the
// context.
const clockEvery = 1 << 14

// Run trains until the length is reached or ctx ends; both give a whole
// result. The same configuration gives the same file, byte for byte, unless
// Length.Time or ctx ended it.
func Run(ctx context.Context, c Config) (Result, error) {
	if err := c.Settings.Check(); err != nil {
		return Result{}, err
	}
	if c.StepLimit < 0 {
		return Result{}, fmt.Errorf("train: step limit %d is negative", c.StepLimit)
	}
	if c.Length.Steps <= 0 && c.Length.Episodes <= 0 && c.Length.Time <= 0 {
		return Result{}, ErrLength
	}
	l, err := policies.NewLayout(c.Game, c.States)
	if err != nil {
		return Result{}, err
	}
	if _, bytes, _ := c.Bytes(); bytes > float64(c.MemoryLimit) {
		return Result{}, fmt.Errorf("%w: the tables of %v with %s states, %d entries, take %.0f bytes; the limit is %d",
			ErrMemory, c.Game, c.States, l.Entries(), bytes, c.MemoryLimit)
	}
	agent := c.Agent.New(l, c.Settings)
	match := env.NewMatch(c.Game, env.MatchOptions{StepLimit: c.StepLimit})
	match.Reset(c.Seed)

	p := Progress{Greedy: agent.Greedy}
	begin := time.Now()
	nextClock, nextReport := int64(clockEvery), c.ReportEvery
	interrupted := ctx.Err() != nil
	for !interrupted && !c.Length.reached(p) {
		agent.Episode(match)
		p.Steps += int64(match.Steps())
		p.Episodes++
		if p.Steps >= nextClock {
			nextClock = p.Steps + clockEvery
			p.Elapsed = time.Since(begin)
			interrupted = ctx.Err() != nil
		}
		if c.Report != nil && c.ReportEvery > 0 && p.Steps >= nextReport {
			nextReport = (p.Steps/c.ReportEvery + 1) * c.ReportEvery
			p.Elapsed = time.Since(begin)
			p.Done = c.Length.done(p)
			c.Report(p)
		}
	}
	p.Elapsed = time.Since(begin)
	p.Done = c.Length.done(p)
	return Result{
		Progress:    p,
		Interrupted: p.Done < 1,
		File: policies.File{Table: agent.Greedy(), Made: policies.Made{
			Agent: c.Agent.Name, Settings: c.describe(), Seed: c.Seed,
			Steps: p.Steps, Episodes: p.Episodes, Program: c.Program,
		}},
	}, nil
}

func (l Length) reached(p Progress) bool { return l.done(p) >= 1 }

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

// describe returns the settings as a policy file holds them.
func (c Config) describe() map[string]string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	s := c.Settings
	starts := "game"
	if s.ExploringStarts {
		starts = "exploring"
	}
	return map[string]string{
		"epsilon":         number(s.Epsilon.Start),
		"epsilon-floor":   number(s.Epsilon.Floor),
		"epsilon-halving": strconv.FormatInt(s.Epsilon.Halving, 10),
		"starts":          starts,
		"step-limit":      strconv.Itoa(c.StepLimit),
		"step-size":       s.StepSize.String(),
		"step-size-floor": number(s.StepSize.Floor),
	}
}
