package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/train"
)

const stepLimit = 500

// config is a short training of k: 300 episodes to a target of 20.
func config(k agents.Kind) train.Config {
	return train.Config{
		Game:  env.Must(env.New(env.Config{Variant: "pig", Target: 20})),
		Agent: k, Settings: k.Defaults, States: policies.FullStates, Seed: 1,
		Length: train.Length{Episodes: 300}, StepLimit: stepLimit, MemoryLimit: 1 << 20,
		Program: "test",
	}
}

// forEachKind runs a test for every agent.
func forEachKind(t *testing.T, test func(t *testing.T, c train.Config)) {
	for _, k := range agents.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			test(t, config(k))
		})
	}
}

func run(t *testing.T, ctx context.Context, c train.Config) train.Result {
	t.Helper()
	r, err := train.Run(ctx, c)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return r
}

// fileBytes returns what a policy file holds.
func fileBytes(t *testing.T, f policies.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := policies.Write(&b, f); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return b.Bytes()
}

// A point is how far a training was.
type point struct{ steps, episodes int64 }

// episodeEnds plays the episodes of c without Run, and returns where each one
// ended and what was learned.
func episodeEnds(c train.Config) ([]point, *policies.Table) {
	l, err := policies.NewLayout(c.Game, c.States)
	if err != nil {
		panic(err)
	}
	agent, m := c.Agent.New(l, c.Settings), env.NewMatch(c.Game, env.MatchOptions{StepLimit: c.StepLimit})
	m.Reset(c.Seed)
	var ends []point
	var p point
	for range c.Length.Episodes {
		agent.Episode(m)
		p.steps += int64(m.Steps())
		p.episodes++
		ends = append(ends, p)
	}
	return ends, agent.Greedy()
}

// TestRunEnds checks that a training ends with the first episode that reaches
// one of its limits, with exactly what the agent has learned until then.
func TestRunEnds(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		ends, _ := episodeEnds(c)
		exact := ends[99].steps
		for _, length := range []train.Length{
			{Episodes: 1}, {Episodes: 100}, {Steps: 1}, {Steps: exact}, {Steps: exact - 1}, {Steps: exact + 1},
			{Steps: exact, Episodes: 300}, {Steps: math.MaxInt64, Episodes: 50}, {Steps: exact, Episodes: 99},
			{Episodes: 100, Time: math.MaxInt64},
		} {
			c.Length = length
			r := run(t, t.Context(), c)
			want := ends[slices.IndexFunc(ends, func(p point) bool {
				return length.Steps > 0 && p.steps >= length.Steps || length.Episodes > 0 && p.episodes >= length.Episodes
			})]
			if got := (point{r.Steps, r.Episodes}); got != want || r.Done != 1 || r.Interrupted {
				t.Errorf("Run of %+v ends at %+v, done %v, interrupted: %t, want %+v, done 1", length, got, r.Done, r.Interrupted, want)
			}
			if made := r.File.Made; made.Steps != r.Steps || made.Episodes != r.Episodes {
				t.Errorf("Run of %+v: %d steps, %d episodes, and the file tells of %d, %d", length, r.Steps, r.Episodes, made.Steps, made.Episodes)
			}
			same := c
			same.Length.Episodes = want.episodes
			if _, table := episodeEnds(same); !reflect.DeepEqual(r.File.Table, table) || !reflect.DeepEqual(r.Greedy(), table) {
				t.Errorf("Run of %+v learns another policy than its %d episodes do", length, want.episodes)
			}
		}
	})
}

// TestRunIsDeterministic checks that the configuration decides every byte of
// the file, and that reports do not.
func TestRunIsDeterministic(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		file := fileBytes(t, run(t, t.Context(), c).File)
		for _, every := range []int64{0, 1, 100} {
			again := c
			again.ReportEvery = every
			again.Report = func(p train.Progress) { p.Greedy().Set(0, false) } // a copy, the caller's own
			if !bytes.Equal(fileBytes(t, run(t, t.Context(), again).File), file) {
				t.Errorf("Run, reporting every %d steps, gives another file than Run without", every)
			}
		}
		for name, change := range map[string]func(*train.Config){
			"seed":            func(c *train.Config) { c.Seed++ },
			"length":          func(c *train.Config) { c.Length.Episodes++ },
			"step size":       func(c *train.Config) { c.Settings.StepSize = agents.StepSize{Scale: 0.1} },
			"exploring start": func(c *train.Config) { c.Settings.ExploringStarts = !c.Settings.ExploringStarts },
		} {
			other := c
			change(&other)
			r := run(t, t.Context(), other)
			if bytes.Equal(fileBytes(t, r.File), file) {
				t.Errorf("Run with another %s gives the same file", name)
			}
			if name != "length" {
				if f, err := policies.Read(bytes.NewReader(file)); err != nil || reflect.DeepEqual(f.Table, r.File.Table) {
					t.Errorf("Run with another %s gives the same policy (%v)", name, err)
				}
			}
		}
	})
}

// TestReport checks when reports come and what they say: at the first end of
// an episode at or past each multiple of ReportEvery.
func TestReport(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		ends, _ := episodeEnds(c)
		for _, every := range []int64{1, 7, 100, 1000, math.MaxInt64} {
			var want []point
			before := int64(0)
			for _, p := range ends {
				if p.steps/every > before/every {
					want = append(want, p)
				}
				before = p.steps
			}
			var got []point
			var last train.Progress
			c.ReportEvery = every
			c.Report = func(p train.Progress) {
				got = append(got, point{p.Steps, p.Episodes})
				if want := float64(p.Episodes) / float64(c.Length.Episodes); p.Done != want || p.Elapsed < last.Elapsed {
					t.Errorf("Report after %d episodes: done %v, %v elapsed, want done %v, %v elapsed or more", p.Episodes, p.Done, p.Elapsed, want, last.Elapsed)
				}
				if shorter := c; p.Episodes%50 == 1 {
					shorter.Length.Episodes = p.Episodes
					if _, table := episodeEnds(shorter); !reflect.DeepEqual(p.Greedy(), table) {
						t.Errorf("Report after %d episodes: Greedy is another policy than those have learned", p.Episodes)
					}
				}
				last = p
			}
			run(t, t.Context(), c)
			if !slices.Equal(got, want) {
				t.Errorf("Run, reporting every %d steps, reports at %v, want %v", every, got, want)
			}
		}
		c.ReportEvery = 0
		c.Report = func(train.Progress) { t.Error("Run reports without ReportEvery") }
		run(t, t.Context(), c)
		c.ReportEvery, c.Report = 1, nil
		run(t, t.Context(), c)
	})
}

func TestStepsPerSecond(t *testing.T) {
	for _, test := range []struct {
		p    train.Progress
		want float64
	}{
		{train.Progress{Steps: 100, Elapsed: 4 * time.Second}, 25},
		{train.Progress{Steps: 100, Elapsed: time.Millisecond}, 100_000},
		{train.Progress{Steps: 100}, 0},
	} {
		if got := test.p.StepsPerSecond(); got != test.want {
			t.Errorf("StepsPerSecond of %d steps in %v = %v, want %v", test.p.Steps, test.p.Elapsed, got, test.want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	k := agents.Kinds()[0]
	// To a target of 20 there are 20·21/2 pairs of banked score and turn
	// total, times 20 of the other player's score.
	const entries = 4200
	size := entries * int64(k.BytesPerEntry)
	for _, test := range []struct {
		name   string
		change func(*train.Config)
		is     error
		text   string
	}{
		{"no length", func(c *train.Config) { c.Length = train.Length{} }, train.ErrLength,
			"train: a length is needed: steps, episodes or time"},
		{"negative length", func(c *train.Config) { c.Length = train.Length{Steps: -1, Episodes: -1, Time: -1} }, train.ErrLength,
			"train: a length is needed: steps, episodes or time"},
		{"memory", func(c *train.Config) { c.MemoryLimit = size - 1 }, train.ErrMemory,
			fmt.Sprintf("train: too little memory: the tables of pig, 2 players, target 20 with full states, %d entries, take %d bytes; the limit is %d", entries, size, size-1)},
		{"memory of a huge table", func(c *train.Config) {
			c.Game = env.Must(env.New(env.Config{Variant: "pig", Players: 4, Target: 1000}))
		}, train.ErrMemory,
			fmt.Sprintf("train: too little memory: the tables of pig, 4 players, target 1000 with full states, 500500000000000 entries, take %d bytes; the limit is 1048576", 500_500_000_000_000*int64(k.BytesPerEntry))},
		{"step size", func(c *train.Config) { c.Settings.StepSize.Scale = 0 }, agents.ErrSchedule,
			"agents: bad schedule: step size scale 0 is not in (0, 1]"},
		{"epsilon", func(c *train.Config) { c.Settings.Epsilon.Start = math.NaN() }, agents.ErrSchedule,
			"agents: bad schedule: epsilon NaN is not in [0, 1]"},
		{"states", func(c *train.Config) { c.States = "half" }, policies.ErrLayout,
			`policies: no such table: states "half"; they are full or summary`},
	} {
		c := config(k)
		test.change(&c)
		r, err := train.Run(t.Context(), c)
		if !errors.Is(err, test.is) || err.Error() != test.text {
			t.Errorf("%s: Run: error %v, want %s", test.name, err, test.text)
		}
		if r.File.Table != nil || r.Steps != 0 {
			t.Errorf("%s: Run = %+v beside the error, want nothing", test.name, r)
		}
	}

	c := config(k)
	if got, bytes, err := c.Bytes(); got != entries || bytes != float64(size) || err != nil {
		t.Errorf("Bytes() = %d, %v, %v, want %d, %d", got, bytes, err, entries, size)
	}
	c.MemoryLimit = size
	run(t, t.Context(), c)
	c.States = "half"
	if _, _, err := c.Bytes(); !errors.Is(err, policies.ErrLayout) {
		t.Errorf("Bytes() with states %q: %v, want %v", c.States, err, policies.ErrLayout)
	}
}

// TestCancelledBefore checks that a training whose context has ended gives a
// file that can be used, of nothing learned.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	forEachKind(t, func(t *testing.T, c train.Config) {
		r := run(t, ctx, c)
		if !r.Interrupted || r.Steps != 0 || r.Episodes != 0 || r.Done != 0 {
			t.Errorf("Run with an ended context: %d steps, %d episodes, done %v, interrupted: %t, want 0, 0, 0, true", r.Steps, r.Episodes, r.Done, r.Interrupted)
		}
		written := fileBytes(t, r.File)
		f, err := policies.Read(bytes.NewReader(written))
		if err != nil || !reflect.DeepEqual(f, r.File) {
			t.Errorf("Read of the file: %+v, %v, want %+v", f, err, r.File)
		}
	})
}

// TestCancelledWithin checks that a training stops soon after its context has
// ended, and keeps what it has learned.
func TestCancelledWithin(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c.Length = train.Length{Steps: 1e12, Episodes: 1e12, Time: math.MaxInt64}
		c.ReportEvery = 30_000
		at := int64(0)
		c.Report = func(p train.Progress) {
			if at == 0 {
				at = p.Steps
				cancel()
			}
		}
		r := run(t, ctx, c)
		if most := at + train.ClockEvery + stepLimit; !r.Interrupted || r.Done >= 1 || r.Steps < at || r.Steps > most {
			t.Errorf("Run, cancelled after %d steps: %d steps, done %v, interrupted: %t, want at most %d steps, interrupted", at, r.Steps, r.Done, r.Interrupted, most)
		}
		c.Length, c.ReportEvery = train.Length{Episodes: r.Episodes}, 0
		if whole := run(t, t.Context(), c); !bytes.Equal(fileBytes(t, whole.File), fileBytes(t, r.File)) {
			t.Errorf("Run, interrupted after %d episodes, gives another file than Run of so many", r.Episodes)
		}
	})
}

// TestCancelledTooLate checks that a training that has reached its length is
// whole, although its context ended just before.
func TestCancelledTooLate(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c.Length = train.Length{Steps: train.ClockEvery} // ends with its first look at the context
		c.ReportEvery = train.ClockEvery / 2
		c.Report = func(train.Progress) { cancel() }
		if r := run(t, ctx, c); r.Interrupted || r.Done != 1 || r.Steps < train.ClockEvery {
			t.Errorf("Run of %d steps, cancelled half-way: %d steps, done %v, interrupted: %t, want all, 1, false", train.ClockEvery, r.Steps, r.Done, r.Interrupted)
		}
	})
}

// TestTime checks that time ends a training that nothing else would.
func TestTime(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		c.Length = train.Length{Steps: math.MaxInt64, Time: 1}
		if r := run(t, t.Context(), c); r.Done != 1 || r.Interrupted || r.Elapsed < 1 || r.Steps == 0 {
			t.Errorf("Run of %v: %d steps in %v, done %v, interrupted: %t, want done 1", c.Length.Time, r.Steps, r.Elapsed, r.Done, r.Interrupted)
		}
	})
}

// TestMade checks what a file tells about its making.
func TestMade(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*train.Config)
		want   map[string]string // settings
	}{
		{"all set", func(c *train.Config) {
			c.Settings = agents.Settings{
				StepSize:        agents.StepSize{Scale: 1, Power: 0.75, Floor: 0.002},
				Epsilon:         agents.Epsilon{Start: 0.25, Floor: 1e-5, Halving: 2_000_000},
				ExploringStarts: true,
			}
		}, map[string]string{
			"epsilon": "0.25", "epsilon-floor": "1e-05", "epsilon-halving": "2000000",
			"starts": "exploring", "step-limit": "500", "step-size": "n^-0.75", "step-size-floor": "0.002",
		}},
		{"least", func(c *train.Config) {
			c.Settings, c.StepLimit = agents.Settings{StepSize: agents.StepSize{Scale: 1, Power: 1}}, 0
		}, map[string]string{
			"epsilon": "0", "epsilon-floor": "0", "epsilon-halving": "0",
			"starts": "game", "step-limit": "0", "step-size": "1/n", "step-size-floor": "0",
		}},
		{"constant step", func(c *train.Config) {
			c.Settings.StepSize, c.Settings.Epsilon, c.Settings.ExploringStarts = agents.StepSize{Scale: 0.05}, agents.Epsilon{}, false
		}, map[string]string{
			"epsilon": "0", "epsilon-floor": "0", "epsilon-halving": "0",
			"starts": "game", "step-limit": "500", "step-size": "0.05", "step-size-floor": "0",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			forEachKind(t, func(t *testing.T, c train.Config) {
				test.change(&c)
				c.Seed = math.MaxUint64
				r := run(t, t.Context(), c)
				want := policies.Made{
					Agent: c.Agent.Name, Settings: test.want, Seed: math.MaxUint64,
					Steps: r.Steps, Episodes: 300, Program: "test",
				}
				if !reflect.DeepEqual(r.File.Made, want) {
					t.Errorf("Run: Made = %+v, want %+v", r.File.Made, want)
				}
			})
		})
	}
}

// TestStepLimit checks that the limit cuts episodes off.
func TestStepLimit(t *testing.T) {
	forEachKind(t, func(t *testing.T, c train.Config) {
		c.StepLimit = 2
		if r := run(t, t.Context(), c); r.Steps > 2*r.Episodes {
			t.Errorf("Run with step limit 2: %d steps in %d episodes", r.Steps, r.Episodes)
		}
	})
}
