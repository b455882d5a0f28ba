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
	"pigpen/policies/exact"
	"pigpen/train"
)

const stepLimit = 500

// config is a short training by a recipe, to a target of 20.
func config(k agents.Kind, r agents.Recipe) train.Config {
	c := train.Config{
		Game:  env.Must(env.New(env.Config{Variant: "pig", Target: 20})),
		Agent: k, Recipe: r, Abstraction: policies.FullAbstraction, Seed: 1,
		Length: train.Length{Episodes: 300}, StepLimit: stepLimit, MemoryLimit: 1 << 20, Workers: 2,
		Program: "test",
	}
	switch {
	case learnsFast(c):
		c.Length.Episodes = 1000
	case r.Name != agents.Textbook:
		c.Length.Episodes = 30_000 // some calls of Learn
	}
	return c
}

// learnsFast reports whether the recipe of c is for some millions of decisions, or fewer.
func learnsFast(c train.Config) bool {
	index := must(policies.NewStateIndex(c.Game, c.Abstraction))
	return c.Recipe.Steps(c.Game, c.Recipe.Defaults(c.Game), index.Size()) < 10_000_000
}

// recipe returns a kind and its recipe of that name.
func recipe(t testing.TB, kind, name string) (agents.Kind, agents.Recipe) {
	t.Helper()
	k, err := agents.Lookup(kind)
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Recipe(name, env.Must(env.New(env.Config{})))
	if err != nil {
		t.Fatal(err)
	}
	return k, r
}

// forEachRecipe runs a test for every recipe of every agent.
func forEachRecipe(t *testing.T, test func(t *testing.T, c train.Config)) {
	for _, k := range agents.Kinds() {
		for _, r := range k.Recipes {
			t.Run(k.Name+"/"+r.Name, func(t *testing.T) {
				t.Parallel()
				test(t, config(k, r))
			})
		}
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

// newAgent returns the agent of c, which has learned nothing.
func newAgent(c train.Config) agents.Agent {
	index := must(policies.NewStateIndex(c.Game, c.Abstraction))
	return must(c.Recipe.New(agents.Config{Index: index, Settings: c.Settings, Seed: c.Seed, StepLimit: c.StepLimit}))
}

// learnEnds has the agent of c learn without Run for so many episodes, and
// returns where each call of Learn ended and what was learned.
func learnEnds(c train.Config) ([]point, *policies.Table) {
	agent := newAgent(c)
	var ends []point
	for p := (point{}); p.episodes < c.Length.Episodes; {
		played := agent.Learn(1)
		p.steps += played.Steps
		p.episodes += played.Episodes
		ends = append(ends, p)
	}
	return ends, agent.Greedy()
}

// TestRunEnds checks that a training ends with the first call of Learn that
// reaches one of its limits, with exactly what the agent has learned until then.
func TestRunEnds(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		ends, _ := learnEnds(c)
		middle, last := ends[len(ends)/3], ends[len(ends)-1]
		for _, length := range []train.Length{
			{Episodes: 1}, {Episodes: middle.episodes}, {Steps: 1}, {Steps: middle.steps}, {Steps: middle.steps - 1}, {Steps: middle.steps + 1},
			{Steps: middle.steps, Episodes: last.episodes}, {Steps: math.MaxInt64, Episodes: middle.episodes - 1}, {Steps: middle.steps, Episodes: middle.episodes / 2},
			{Episodes: middle.episodes, Time: math.MaxInt64},
		} {
			c.Length = length
			r := run(t, t.Context(), c)
			want := ends[slices.IndexFunc(ends, func(p point) bool {
				return length.Steps > 0 && p.steps >= length.Steps || length.Episodes > 0 && p.episodes >= length.Episodes
			})]
			if got := (point{r.Steps, r.Episodes}); got != want || r.Done != 1 || r.Interrupted {
				t.Errorf("Run of %+v ends at %+v, done %v, interrupted: %t, want %+v, done 1", length, got, r.Done, r.Interrupted, want)
			}
			if made := r.File.Provenance; made.Steps != r.Steps || made.Episodes != r.Episodes {
				t.Errorf("Run of %+v: %d steps, %d episodes, and the file tells of %d, %d", length, r.Steps, r.Episodes, made.Steps, made.Episodes)
			}
			same := c
			same.Length.Episodes = want.episodes
			if _, table := learnEnds(same); !reflect.DeepEqual(r.File.Table, table) {
				t.Errorf("Run of %+v learns another policy than its %d episodes do", length, want.episodes)
			}
		}
	})
}

// TestRunIsDeterministic checks that the configuration decides every byte of
// the file, and that workers, reports, evaluations and checkpoints do not.
func TestRunIsDeterministic(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Values = true
		file, state := fileBytes(t, run(t, t.Context(), c).File), learnedState(t, c)
		for what, change := range map[string]func(*train.Config){
			"nothing changed": func(*train.Config) {},
			"1 worker":        func(c *train.Config) { c.Workers = 1 },
			"5 workers":       func(c *train.Config) { c.Workers = 5; c.MemoryLimit *= 4 },
			"reports":         func(c *train.Config) { c.ReportEvery, c.Report = 100, func(train.Progress) {} },
			"checkpoints":     func(c *train.Config) { c.Checkpoint, c.CheckpointEvery = t.TempDir()+"/c", 1 },
			"evaluations": func(c *train.Config) {
				c.EvalEvery, c.Evaluated = 1000, func(train.Row) error { return nil }
				c.Evaluate = func(context.Context, policies.Policy, bool) (train.Score, error) { return train.Score{}, nil }
			},
		} {
			again := c
			change(&again)
			if !bytes.Equal(fileBytes(t, run(t, t.Context(), again).File), file) {
				t.Errorf("Run with %s gives another file", what)
			}
		}
		changes := map[string]func(*train.Config){
			"seed":   func(c *train.Config) { c.Seed++ },
			"length": func(c *train.Config) { c.Length.Episodes *= 2 },
		}
		for _, s := range c.Recipe.Settings {
			if s.Needs == "" {
				changes[s.Name] = func(c *train.Config) { c.Settings = agents.Settings{s.Name: otherValue(c, s)} }
			}
		}
		for name, change := range changes {
			other := c
			change(&other)
			r := run(t, t.Context(), other)
			if bytes.Equal(fileBytes(t, r.File), file) {
				t.Errorf("Run with another %s gives the same file", name)
			}
			// The policies may be the same; what the agent has estimated is not.
			if name != "length" && bytes.Equal(learnedState(t, other), state) {
				t.Errorf("with another %s the agent learns the same", name)
			}
		}
	})
}

// learnedState returns the state of the agent of c after so many episodes.
func learnedState(t *testing.T, c train.Config) []byte {
	t.Helper()
	agent := newAgent(c)
	for episodes := int64(0); episodes < c.Length.Episodes; episodes += agent.Learn(1).Episodes {
	}
	var b bytes.Buffer
	if err := agent.WriteState(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReport checks when reports come and what they say: at the first end of
// Learn at or past each multiple of ReportEvery.
func TestReport(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		ends, _ := learnEnds(c)
		for _, every := range []int64{1, 7, 100, 10_000, math.MaxInt64} {
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
				if want := min(1, float64(p.Episodes)/float64(c.Length.Episodes)); p.Done != want || p.Elapsed < last.Elapsed {
					t.Errorf("Report after %d episodes: done %v, %v elapsed, want done %v, %v elapsed or more", p.Episodes, p.Done, p.Elapsed, want, last.Elapsed)
				}
				last = p
			}
			r := run(t, t.Context(), c)
			if !slices.Equal(got, want) {
				t.Errorf("Run, reporting every %d steps, reports at %v, want %v", every, got, want)
			}
			if r.Elapsed < last.Elapsed || r.Elapsed <= 0 {
				t.Errorf("Run takes %v, and %v at the last report", r.Elapsed, last.Elapsed)
			}
		}
		c.ReportEvery = 0
		c.Report = func(train.Progress) { t.Error("Run reports without ReportEvery") }
		run(t, t.Context(), c)
		c.ReportEvery, c.Report = 1, nil
		run(t, t.Context(), c)
	})
}

// An evaluator tells at which steps it was asked, in what a log is told.
type evaluator struct {
	rows []train.Row
	// fails is the number of evaluations after which one fails; 0 is never.
	fails int
}

var errEvaluator = errors.New("no more")

// join has c evaluated by e.
func (e *evaluator) join(c train.Config) train.Config {
	c.Evaluate = func(_ context.Context, p policies.Policy, _ bool) (train.Score, error) {
		if e.fails > 0 && len(e.rows) == e.fails {
			return train.Score{}, errEvaluator
		}
		rolls := 0
		table := p.(*policies.Table)
		index := table.Index()
		for i := range index.Size() {
			if table.Rolls(i) {
				rolls++
			}
		}
		return train.Score{WinMean: float64(rolls)}, nil
	}
	seconds := 0.0
	c.Evaluated = func(r train.Row) error {
		if r.Seconds < seconds {
			return fmt.Errorf("evaluated after %v seconds, and before after %v", r.Seconds, seconds)
		}
		seconds, r.Seconds = r.Seconds, 0
		e.rows = append(e.rows, r)
		return nil
	}
	return c
}

func (e *evaluator) steps() (steps []int64) {
	for _, r := range e.rows {
		steps = append(steps, r.Steps)
	}
	return steps
}

// TestEvaluations checks when a training is evaluated: before the first decision,
// at the first end of Learn at or past each multiple of EvalEvery, and at the end,
// and at how many decisions each was due.
func TestEvaluations(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		ends, _ := learnEnds(c)
		final := ends[len(ends)-1].steps
		for _, every := range []int64{0, 1, 500, 10_000, final, final + 1, math.MaxInt64} {
			var want, due []int64
			if every > 0 {
				want, due = []int64{0}, []int64{0}
			}
			for i, before := 0, int64(0); i < len(ends); i++ {
				switch at := ends[i].steps; {
				case i == len(ends)-1:
					want, due = append(want, at), append(due, at)
				case every > 0 && at/every > before/every:
					want, due = append(want, at), append(due, at/every*every)
				}
				before = ends[i].steps
			}
			var e evaluator
			c.EvalEvery = every
			run(t, t.Context(), e.join(c))
			if !slices.Equal(e.steps(), want) {
				t.Errorf("Run, evaluating every %d steps, is evaluated at %v, want %v", every, e.steps(), want)
			}
			for k, r := range e.rows {
				if r.Scheduled != due[k] {
					t.Errorf("Run, evaluating every %d steps: row %d was due after %d, want %d", every, k, r.Scheduled, due[k])
				}
				if r.Steps == 0 {
					continue
				}
				i := slices.IndexFunc(ends, func(p point) bool { return p.steps == r.Steps })
				if i < 0 || r.Episodes != ends[i].episodes || r.Coverage <= 0 || r.StepSize <= 0 || r.WinMean < 20*20 {
					t.Errorf("Run, evaluating every %d steps, tells of %+v", every, r)
				}
			}
		}
	})
}

// TestEvaluationFails checks that an error of Evaluate or Evaluated ends the
// training.
func TestEvaluationFails(t *testing.T) {
	k, r := recipe(t, "qlearning", "textbook")
	e := evaluator{fails: 2}
	c := e.join(config(k, r))
	c.EvalEvery = 100
	if _, err := train.Run(t.Context(), c); !errors.Is(err, errEvaluator) || len(e.rows) != 2 {
		t.Errorf("Run, whose third evaluation fails: error %v after %d rows, want %v after 2", err, len(e.rows), errEvaluator)
	}
	rows := 0
	c = (&evaluator{}).join(c)
	c.Evaluated = func(train.Row) error { rows++; return errEvaluator }
	if _, err := train.Run(t.Context(), c); !errors.Is(err, errEvaluator) || rows != 1 {
		t.Errorf("Run, whose first row fails: error %v after %d rows, want %v after 1", err, rows, errEvaluator)
	}
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
	k, textbook := recipe(t, "qlearning", "textbook")
	_, rounds := recipe(t, "montecarlo", "rounds")
	_, rounds = recipe(t, "montecarlo", "rounds")
	// To a target of 20 there are 20·21/2 pairs of banked score and turn
	// total, times 20 of the other player's score.
	const entries = 4200
	size := entries * int64(textbook.BytesPerEntry(nil, 1))
	for _, test := range []struct {
		name   string
		change func(*train.Config)
		is     error // nil where the text is all
		text   string
	}{
		{"values", func(c *train.Config) { c.Values, c.MemoryLimit = true, size+8*entries-1 }, train.ErrMemory,
			fmt.Sprintf("train: too little memory: the tables of pig, 2 players, target 20 with full states, %d entries, take %d bytes; the limit is %d", entries, size+8*entries, size+8*entries-1)},
		{"values of a huge table", func(c *train.Config) {
			c.Values, c.MemoryLimit, c.Game = true, 0, env.Must(env.New(env.Config{Variant: "pig", Target: 1000}))
		}, train.ErrValues, "train: no values: a policy file holds those of up to 134217728 entries; pig, 2 players, target 1000 with full states has 500500000"},
		{"values of an agent without estimates", func(c *train.Config) {
			c.Values = true
			c.Recipe.Make = func(c agents.Config) agents.Agent { return reticent{textbook.Make(c)} }
		}, train.ErrValues, "train: no values: the agents of recipe textbook tell no estimates"},
		{"negative length", func(c *train.Config) { c.Length = train.Length{Steps: -1, Episodes: -1, Time: -1} }, train.ErrLength,
			"train: a length is needed: steps, episodes or time"},
		{"memory", func(c *train.Config) { c.MemoryLimit = size - 1 }, train.ErrMemory,
			fmt.Sprintf("train: too little memory: the tables of pig, 2 players, target 20 with full states, %d entries, take %d bytes; the limit is %d", entries, size, size-1)},
		{"memory of workers", func(c *train.Config) { c.Recipe, c.Workers, c.MemoryLimit = rounds, 3, 4200*(28+3*8)-1 }, train.ErrMemory,
			"train: too little memory: the tables of pig, 2 players, target 20 with full states, 4200 entries, take 218400 bytes; the limit is 218399"},
		{"memory of a huge table", func(c *train.Config) {
			c.Game = env.Must(env.New(env.Config{Variant: "pig", Players: 4, Target: 1000}))
		}, train.ErrMemory,
			fmt.Sprintf("train: too little memory: the tables of pig, 4 players, target 1000 with full states, 500500000000000 entries, take %d bytes; the limit is 1048576", 500_500_000_000_000*int64(textbook.BytesPerEntry(nil, 1)))},
		{"step size", func(c *train.Config) { c.Settings = agents.Settings{"step-size": "0"} }, agents.ErrSetting,
			`agents: bad setting: step-size "0"; write a number in (0, 1], 1/n, or n^-P with P in (0, 1]`},
		{"epsilon", func(c *train.Config) { c.Settings = agents.Settings{"epsilon": "NaN"} }, agents.ErrSetting,
			`agents: bad setting: epsilon "NaN"; write a number in [0, 1]`},
		{"unknown setting", func(c *train.Config) { c.Settings = agents.Settings{"update": "sample"} }, agents.ErrSetting,
			"agents: bad setting: the recipe textbook has no setting update"},
		{"game", func(c *train.Config) { c.Game = env.Game{} }, nil, "train: no game to learn; env.New makes one"},
		{"recipe", func(c *train.Config) { c.Agent, c.Recipe = agents.Kind{Name: "own"}, agents.Recipe{} }, agents.ErrRecipe, "agents: no such recipe: it has no name"},
		{"incomplete recipe", func(c *train.Config) { c.Recipe.Make = nil }, agents.ErrRecipe,
			"agents: no such recipe: textbook has no Make or no BytesPerEntry"},
		{"states", func(c *train.Config) { c.Abstraction = "half" }, policies.ErrStateIndex,
			`policies: no such table: states "half"; they are full or summary`},
		{"workers", func(c *train.Config) { c.Workers = -1 }, nil, "train: -1 workers; at least one is needed"},
		{"step limit", func(c *train.Config) { c.StepLimit = -2 }, nil, "train: step limit -2 is negative"},
		{"players", func(c *train.Config) {
			c.Recipe, c.Game = rounds, env.Must(env.New(env.Config{Variant: "pig", Players: 3, Target: 20}))
		}, agents.ErrRecipe, "agents: no such recipe for pig, 3 players, target 20: rounds is for up to 2 players"},
	} {
		c := config(k, textbook)
		test.change(&c)
		r, err := train.Run(t.Context(), c)
		if err == nil || test.is != nil && !errors.Is(err, test.is) || err.Error() != test.text {
			t.Errorf("%s: Run: error %v, want %s", test.name, err, test.text)
		}
		if r.File.Table != nil || r.Steps != 0 {
			t.Errorf("%s: Run = %+v beside the error, want nothing", test.name, r)
		}
	}

	c := config(k, textbook)
	if got, bytes, err := c.Bytes(); got != entries || bytes != float64(size) || err != nil {
		t.Errorf("Bytes() = %d, %v, %v, want %d, %d", got, bytes, err, entries, size)
	}
	c.MemoryLimit = size
	run(t, t.Context(), c)
	c.Abstraction = "half"
	if _, _, err := c.Bytes(); !errors.Is(err, policies.ErrStateIndex) {
		t.Errorf("Bytes() with states %q: %v, want %v", c.Abstraction, err, policies.ErrStateIndex)
	}
}

// reticent is an agent without Estimates.
type reticent struct{ agents.Agent }

// TestValues checks that the values of a policy file are those of its agent, that nothing
// else of the file depends on them, and that evaluations tell their error, of which an
// independent figure is the win probability of the first player.
func TestValues(t *testing.T) {
	k, r := recipe(t, "qlearning", "curriculum")
	c := config(k, r)
	c.Settings, c.Length = agents.Settings{"update": "expected"}, train.Length{Steps: 300_000}
	var e evaluator
	plain := run(t, t.Context(), e.join(c)).File
	if row := e.rows[len(e.rows)-1]; plain.Values != nil || row.ValueError != nil {
		t.Errorf("without Values, Run gives values %v with error %v", plain.Values, row.ValueError)
	}
	c.Values, c.EvalEvery, e = true, 100_000, evaluator{}
	valued := run(t, t.Context(), e.join(c)).File
	if first := e.rows[0]; first.Steps != 0 || first.ValueError != nil {
		t.Errorf("before the first decision, after %d, the values have error %v", first.Steps, first.ValueError)
	}
	last := e.rows[len(e.rows)-1].ValueError
	if early := e.rows[1].ValueError; !(last.Mean < 1e-4 && last.Mean > 0 && last.Max < 1e-3 && last.Mean < last.Max && early.Mean > 2*last.Mean) {
		t.Errorf("the values miss by %+v, %+v at the end", *early, *last)
	}
	start := c.Game.Start(0)
	index := valued.Table.Index()
	_, roll := valued.Values.At(index.Of(&start))
	perfect := must(exact.Solve(t.Context(), c.Game, exact.Options{}))
	if want := perfect.WinBySeat()[0]; math.Abs(float64(roll)-want) > 1e-4 {
		t.Errorf("the first roll is worth %v, want %v", roll, want)
	}
	valued.Values = nil
	if !bytes.Equal(fileBytes(t, valued), fileBytes(t, plain)) {
		t.Error("without its values the file is another than that of a training without Values")
	}
	c.Game = env.Must(env.New(env.Config{Players: 3, Target: 10}))
	c.Recipe, c.Settings, e = agents.Recipe{}, nil, evaluator{}
	if f := run(t, t.Context(), e.join(c)).File; f.Values.Known() < 1000 || e.rows[1].ValueError != nil {
		t.Errorf("with three players %d entries have values, with error %v", f.Values.Known(), e.rows[1].ValueError)
	}
}

// TestCancelledBefore checks that a training whose context has ended gives a
// file that can be used, of nothing learned, which is not evaluated.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		var e evaluator
		r := run(t, ctx, e.join(c))
		if !r.Interrupted || r.Steps != 0 || r.Episodes != 0 || r.Done != 0 {
			t.Errorf("Run with an ended context: %d steps, %d episodes, done %v, interrupted: %t, want 0, 0, 0, true", r.Steps, r.Episodes, r.Done, r.Interrupted)
		}
		if len(e.rows) > 0 {
			t.Errorf("Run with an ended context is evaluated at %v, want nowhere", e.steps())
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
	forEachRecipe(t, func(t *testing.T, c train.Config) {
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
		if !r.Interrupted || r.Done >= 1 || r.Steps != at {
			t.Errorf("Run, cancelled after %d steps: %d steps, done %v, interrupted: %t, want interrupted there", at, r.Steps, r.Done, r.Interrupted)
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
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c.ReportEvery = 1
		c.Report = func(p train.Progress) {
			if p.Done == 1 {
				cancel()
			}
		}
		if r := run(t, ctx, c); r.Interrupted || r.Done != 1 || r.Episodes < c.Length.Episodes || ctx.Err() == nil {
			t.Errorf("Run, cancelled at its end: %d episodes, done %v, interrupted: %t, want all, 1, false", r.Episodes, r.Done, r.Interrupted)
		}
	})
}

// TestCancelledEvaluation checks that an evaluation that the context ends is no
// error, and that there is another at the end.
func TestCancelledEvaluation(t *testing.T) {
	k, r := recipe(t, "montecarlo", "textbook")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := config(k, r)
	c.EvalEvery = 1000
	asked := 0
	var rows []int64
	c.Evaluate = func(ctx context.Context, _ policies.Policy, _ bool) (train.Score, error) {
		if asked++; asked == 3 { // the first is before the first decision
			cancel()
		}
		return train.Score{}, ctx.Err()
	}
	c.Evaluated = func(r train.Row) error { rows = append(rows, r.Steps); return nil }
	if r := run(t, ctx, c); !r.Interrupted || r.Steps < 2000 || r.Steps > 3000 || len(rows) != 3 || rows[2] != r.Steps {
		t.Errorf("Run, cancelled within its third evaluation: %d steps, interrupted: %t, rows at %v, want 2000, true, three with one at the end", r.Steps, r.Interrupted, rows)
	}
}

// TestTime checks that time ends a training that nothing else would.
func TestTime(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Length = train.Length{Steps: math.MaxInt64, Time: 1}
		if r := run(t, t.Context(), c); r.Done != 1 || r.Interrupted || r.Elapsed < 1 || r.Steps == 0 {
			t.Errorf("Run of %v: %d steps in %v, done %v, interrupted: %t, want done 1", c.Length.Time, r.Steps, r.Elapsed, r.Done, r.Interrupted)
		}
	})
}

// otherValue returns a value of a setting of c's recipe other than its default.
func otherValue(c *train.Config, s agents.Setting) string {
	has := c.Recipe.Defaults(c.Game)[s.Name]
	candidates := []string{"1", "0.03125", "2", "3"}
	if words, ok := s.Domain.(agents.Words); ok {
		candidates = words
	}
	for _, text := range candidates {
		if value, ok := s.Domain.Parse(text); ok && value != has {
			return value
		}
	}
	panic("no other value of " + s.Name)
}

// TestProvenance checks what a file tells about its making: the settings that the recipe
// has, given or by default, in the form in which they were written since version 1.
func TestProvenance(t *testing.T) {
	for _, test := range []struct {
		name        string
		game        env.Config
		kind        string
		recipe      string
		given, want agents.Settings
		limit       int
	}{
		{
			"all given", env.Config{Target: 20}, "qlearning", "curriculum",
			agents.Settings{
				"update": "expected", "step-size": "n^-.75", "step-size-floor": "2e-3",
				"epsilon": "0.250", "epsilon-floor": "0.00001", "epsilon-halving": "+2000000",
			},
			agents.Settings{
				"update": "expected", "step-size": "n^-0.75", "step-size-floor": "0.002",
				"epsilon": "0.25", "epsilon-floor": "1e-05", "epsilon-halving": "2000000", "smoothing": "off", "step-limit": "500",
			}, 500,
		},
		{
			"defaults that depend on the update", env.Config{Target: 20}, "qlearning", "curriculum",
			agents.Settings{"update": "expected"},
			agents.Settings{
				"update": "expected", "step-size": "1", "step-size-floor": "0", "smoothing": "off",
				"epsilon": "0.8", "epsilon-floor": "0", "epsilon-halving": "0", "step-limit": "100000",
			}, 0,
		},
		{
			"a constant step size has no floor", env.Config{Target: 20}, "qlearning", "textbook",
			agents.Settings{"step-size": "0.05", "epsilon": "-0"},
			agents.Settings{
				"step-size": "0.05", "step-size-floor": "0",
				"epsilon": "0", "epsilon-floor": "0", "epsilon-halving": "0", "starts": "exploring", "step-limit": "500",
			}, 500,
		},
		{
			"defaults that depend on the players", env.Config{Target: 10, Players: 3}, "qlearning", "textbook",
			nil,
			agents.Settings{
				"step-size": "n^-0.6", "step-size-floor": "0.001",
				"epsilon": "0.2", "epsilon-floor": "0", "epsilon-halving": "0", "starts": "game", "step-limit": "0",
			}, train.NoStepLimit,
		},
		{
			"no settings", env.Config{Target: 10}, "montecarlo", "rounds", nil, agents.Settings{"step-limit": "500"}, 500,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := config(recipe(t, test.kind, test.recipe))
			c.Game, c.Settings, c.StepLimit, c.Seed = env.Must(env.New(test.game)), test.given, test.limit, math.MaxUint64
			r := run(t, t.Context(), c)
			test.want["recipe"] = test.recipe
			want := policies.Provenance{
				Agent: c.Agent.Name, Settings: test.want, Seed: math.MaxUint64,
				Steps: r.Steps, Episodes: r.Episodes, Program: "test",
			}
			if !reflect.DeepEqual(r.File.Provenance, want) {
				t.Errorf("Run: Provenance = %+v, want %+v", r.File.Provenance, want)
			}
		})
	}
}

// TestRunFillsIn checks that fields which are zero have the defaults of their comments.
func TestRunFillsIn(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.StepLimit = policies.DefaultStepLimit
		c.Settings = c.Recipe.Defaults(c.Game)
		want := fileBytes(t, run(t, t.Context(), c).File)
		c.Settings, c.Abstraction, c.StepLimit, c.MemoryLimit, c.Workers = nil, "", 0, 0, 0
		if got := fileBytes(t, run(t, t.Context(), c).File); !bytes.Equal(got, want) {
			t.Error("Run with zero fields gives another file than with their defaults")
		}
	})
}

// TestStepLimit checks that the limit cuts episodes off.
func TestStepLimit(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.StepLimit = 2
		if r := run(t, t.Context(), c); r.Steps > 2*r.Episodes {
			t.Errorf("Run with step limit 2: %d steps in %d episodes", r.Steps, r.Episodes)
		}
	})
}

// TestLearned checks that the result is handed over before the last evaluation,
// and that Grace ends that evaluation of an interrupted training, whose result
// stands.
func TestLearned(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		for _, interrupted := range []bool{false, true} {
			var order []string
			var early train.Result
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			grace, end := context.WithCancel(t.Context())
			defer end()
			c.ReportEvery = 1
			c.Report = func(train.Progress) {
				if interrupted {
					cancel()
				}
			}
			c.Grace = grace
			c.Learned = func(r train.Result) { order, early = append(order, "learned"), r }
			c.Evaluate = func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
				order = append(order, fmt.Sprintf("evaluate %t", last))
				end()
				return train.Score{}, ctx.Err()
			}
			c.Evaluated = func(train.Row) error { order = append(order, "evaluated"); return nil }
			r := run(t, ctx, c)
			if want := []string{"learned", "evaluate true"}; !slices.Equal(order, want) || r.Interrupted != interrupted || r.Steps == 0 {
				t.Errorf("interrupted: %t: Run calls %q after %d steps, want %q", interrupted, order, r.Steps, want)
			}
			if !bytes.Equal(fileBytes(t, early.File), fileBytes(t, r.File)) {
				t.Errorf("interrupted: %t: Learned is told of another file than Run returns", interrupted)
			}
		}
	})
}

// TestDefaults leaves out the agent, the recipe and the length. What Config then trains is
// what its fields would have said.
func TestDefaults(t *testing.T) {
	t.Parallel()
	k, curriculum := recipe(t, "qlearning", "curriculum")
	_, textbook := recipe(t, "qlearning", "textbook")
	g := env.Must(env.New(env.Config{Variant: "piglet"}))
	length := train.Length{Episodes: 3000}
	own := textbook
	own.Name = "own"
	for _, test := range []struct {
		name          string
		given         train.Config
		agent, recipe string
		same          train.Config
	}{
		{"nothing", train.Config{}, "qlearning", "curriculum", train.Config{Agent: k, Recipe: curriculum}},
		{"the agent", train.Config{Agent: k}, "qlearning", "curriculum", train.Config{Agent: k, Recipe: curriculum}},
		{"the recipe", train.Config{Recipe: own}, "own", "own", train.Config{Agent: agents.Kind{Name: "own"}, Recipe: own}},
	} {
		given, same := test.given, test.same
		given.Game, given.Length, same.Game, same.Length = g, length, g, length
		got, want := run(t, t.Context(), given), run(t, t.Context(), same)
		p := got.File.Provenance
		if p.Agent != test.agent || p.Settings["recipe"] != test.recipe {
			t.Errorf("given %s: trained by %s of %s, want %s of %s", test.name, p.Settings["recipe"], p.Agent, test.recipe, test.agent)
		}
		if !reflect.DeepEqual(got.File, want.File) {
			t.Errorf("given %s: another policy than with all fields set", test.name)
		}
	}
	if err := (train.Config{Game: g}).Check(); err != nil {
		t.Errorf("Check of a game alone: %v", err)
	}
	for name, r := range map[string]agents.Recipe{
		"no Make":          {Name: "own", BytesPerEntry: textbook.BytesPerEntry},
		"no BytesPerEntry": {Name: "own", Make: textbook.Make},
		"no domain":        {Name: "own", Make: textbook.Make, BytesPerEntry: textbook.BytesPerEntry, Settings: []agents.Setting{{Name: "x"}}},
		"no name":          {Make: textbook.Make, BytesPerEntry: textbook.BytesPerEntry},
	} {
		if _, err := train.Run(t.Context(), train.Config{Game: g, Recipe: r, Length: length}); !errors.Is(err, agents.ErrRecipe) {
			t.Errorf("a recipe with %s: %v, want %v", name, err, agents.ErrRecipe)
		}
	}
	if _, err := train.Run(t.Context(), train.Config{Game: g, Agent: agents.Kind{Name: "own"}}); !errors.Is(err, agents.ErrRecipe) {
		t.Errorf("an agent without recipes: %v, want %v", err, agents.ErrRecipe)
	}
}
