package train_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/train"
)

// roomy is more than the state of any agent of these tests takes.
const roomy = 1 << 22

func load(t testing.TB, path string) *train.Checkpoint {
	t.Helper()
	k, err := train.LoadCheckpoint(path, roomy)
	if err != nil {
		t.Fatalf("LoadCheckpoint: %v", err)
	}
	return k
}

// checkpoint runs c and returns what it leaves to go on from, and the path.
func checkpoint(t testing.TB, c train.Config) (*train.Checkpoint, string) {
	t.Helper()
	c.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	if _, err := train.Run(context.Background(), c); err != nil {
		t.Fatalf("Run: %v", err)
	}
	return load(t, c.Checkpoint), c.Checkpoint
}

// small is a short training by a recipe, on a game with a small table.
func small(k agents.Kind, r agents.Recipe) train.Config {
	c := config(k, r)
	c.Game = env.Must(env.New(env.Config{Variant: "pig", Target: 5}))
	return c
}

// TestResume checks that a training that is resumed, once or several times,
// comes to the same file as one that was not, whatever the workers, and is
// evaluated at the same steps.
func TestResume(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.EvalEvery = 2000
		c.Length = train.Length{Steps: 120_000}
		c.MemoryLimit *= 4
		if c.Recipe.Name != agents.Textbook {
			c.Length.Steps, c.EvalEvery = 2_000_000, 150_000 // past a round
		}
		var whole evaluator
		want := run(t, t.Context(), whole.join(c))
		for _, stops := range [][]int64{{1}, {c.Length.Steps / 2}, {c.Length.Steps / 10, c.Length.Steps / 3, c.Length.Steps * 9 / 10}, {c.Length.Steps}} {
			path := filepath.Join(t.TempDir(), "checkpoint")
			var rows []train.Row
			var last train.Result
			part := c
			for i, stop := range append(stops, c.Length.Steps) {
				var e evaluator
				part.Length.Steps, part.Workers, part.Checkpoint = stop, 1+i%3, path
				before, elapsed := int64(0), time.Duration(0)
				if i > 0 {
					part.Resume = load(t, path)
					before, elapsed = part.Resume.Steps, part.Resume.Elapsed
				}
				r := run(t, t.Context(), e.join(part))
				if r.Elapsed < elapsed || r.Steps < before {
					t.Errorf("resumed after %d steps and %v, Run comes to %+v", before, elapsed, r.Progress)
				}
				last = r
				// The evaluation at a stop is none of the whole training.
				for _, row := range e.rows {
					if slices.ContainsFunc(whole.rows, func(r train.Row) bool { return r.Steps == row.Steps }) && row.Steps > before {
						rows = append(rows, row)
					}
				}
			}
			if got := last.Progress; got.Steps != want.Steps || got.Episodes != want.Episodes || !bytes.Equal(fileBytes(t, last.File), fileBytes(t, want.File)) {
				t.Errorf("stopped at %v and resumed, Run comes to another file, %+v, than in one go, %+v", stops, got, want.Progress)
			}
			if !reflect.DeepEqual(rows, whole.rows) {
				t.Errorf("stopped at %v and resumed, Run is evaluated with\n%+v, want\n%+v", stops, rows, whole.rows)
			}
		}
	})
}

// TestResumeAfterCrash has an evaluation fail, as if the machine had: what the
// log holds up to the last checkpoint, and what it gets when the training is
// resumed from there, is the log of a training without the crash.
func TestResumeAfterCrash(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Length = train.Length{Steps: 100_000}
		c.EvalEvery = 5000
		if c.Recipe.Name != agents.Textbook {
			c.Length.Steps, c.EvalEvery = 300_000, 1 // after every call of Learn
		}
		c.Checkpoint, c.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoint"), 1
		var whole evaluator
		want := run(t, t.Context(), whole.join(c))
		for fails := len(whole.rows) / 2; fails < len(whole.rows); fails += 1 + len(whole.rows)/12 {
			e := evaluator{fails: fails}
			c.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
			if _, err := train.Run(t.Context(), e.join(c)); !errors.Is(err, errEvaluator) {
				t.Fatalf("Run, whose evaluation fails: %v", err)
			}
			resumed := c
			resumed.Resume = load(t, c.Checkpoint)
			rows := slices.DeleteFunc(e.rows, func(r train.Row) bool { return r.Steps > resumed.Resume.Steps })
			var rest evaluator
			r := run(t, t.Context(), rest.join(resumed))
			if rows = append(rows, rest.rows...); !reflect.DeepEqual(rows, whole.rows) {
				var e evaluator
				e.rows = rows
				t.Errorf("failing in evaluation %d, resumed after %d steps: evaluated at\n%v, want\n%v", fails+1, resumed.Resume.Steps, e.steps(), whole.steps())
			}
			if !bytes.Equal(fileBytes(t, r.File), fileBytes(t, want.File)) {
				t.Errorf("failing in evaluation %d, resumed after %d steps: Run comes to another file", fails+1, resumed.Resume.Steps)
			}
		}
	})
}

// TestCheckpointRoundTrip checks that a checkpoint is read as it was written,
// and written alike again.
func TestCheckpointRoundTrip(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Game = env.Must(env.New(env.Config{Variant: "cochon", Options: map[string]bool{"spill_to_tail": true}})) // two options
		c.Seed = math.MaxUint64
		k, path := checkpoint(t, c)
		if k.Agent != c.Agent.Name || k.Recipe != c.Recipe.Name || k.Seed != c.Seed || k.Settings != c.Settings || k.States != c.States ||
			k.StepLimit != c.StepLimit || k.Episodes < c.Length.Episodes || k.Steps < k.Episodes || k.Elapsed <= 0 || k.Version != 1 {
			t.Errorf("the checkpoint of %+v is %+v", c, k)
		}
		if g, err := k.Game(); err != nil || g != c.Game {
			t.Errorf("Game() = %v, %v, want %v", g, err, c.Game)
		}
		again := filepath.Join(t.TempDir(), "again")
		if err := k.Save(again); err != nil {
			t.Fatalf("Save: %v", err)
		}
		if got := load(t, again); !reflect.DeepEqual(got, k) {
			t.Errorf("Save and LoadCheckpoint give %+v, want %+v", got, k)
		}
		for range 10 { // a map has no order
			if readFile(t, again) != readFile(t, path) {
				t.Fatalf("Save writes other bytes than Run did")
			}
			if err := k.Save(again); err != nil {
				t.Fatalf("Save: %v", err)
			}
		}
	})
}

// TestCheckpointDamaged checks that no file but a whole checkpoint is taken.
func TestCheckpointDamaged(t *testing.T) {
	k, path := checkpoint(t, small(recipe(t, "qlearning", "curriculum")))
	good := []byte(readFile(t, path))
	refused := func(what string, b []byte, text string) {
		t.Helper()
		bad := filepath.Join(t.TempDir(), "bad")
		writeFile(t, bad, string(b))
		if got, err := train.LoadCheckpoint(bad, roomy); got != nil || !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), bad+" "+text) {
			t.Errorf("LoadCheckpoint of %s: error %v, want %v, %s %s", what, err, train.ErrCheckpoint, bad, text)
		}
	}
	const damaged, foreign = "is damaged or cut short", "is not a pigpen checkpoint"
	for n := 0; n < len(good); n += 1 + n/16 {
		text := damaged
		if n < len("\x89\xa6format\xb1pigpen-checkpoint") {
			text = foreign
		}
		if n != 0 && n < 40 {
			text = "is " // the name may be whole or not
		}
		refused("the start of a good file", good[:n], text)
	}
	for at := 0; at < len(good); at += 7 {
		flipped := slices.Clone(good)
		flipped[at] ^= 1 << (at % 8)
		refused("a flipped bit", flipped, "is ")
	}
	refused("one byte more", append(slices.Clone(good), 0), damaged)
	refused("text", []byte("some text that is no checkpoint, and long enough to be one, if one does not look at it closely"), foreign)
	sealed := func(body []byte) []byte { sum := sha256.Sum256(body); return append(slices.Clone(body), sum[:]...) }
	refused("another form", sealed([]byte("\xb1pigpen-checkpoint")), "is not in the form of a checkpoint")

	for what, test := range map[string]struct {
		change func(k *train.Checkpoint)
		text   string
	}{
		"a later version": {func(k *train.Checkpoint) { k.Version = 2 }, "has version 2, and this program reads up to 1"},
		"version 0":       {func(k *train.Checkpoint) { k.Version = 0 }, "contradicts itself"},
		"negative steps":  {func(k *train.Checkpoint) { k.Steps = -1 }, "contradicts itself"},
		"negative games":  {func(k *train.Checkpoint) { k.Episodes = -1 }, "contradicts itself"},
		"negative time":   {func(k *train.Checkpoint) { k.Elapsed = -1 }, "contradicts itself"},
		"another format":  {func(k *train.Checkpoint) { k.Format = "pigpen-checkpoints" }, "contradicts itself"},
	} {
		other := *k
		test.change(&other)
		bad := filepath.Join(t.TempDir(), "bad")
		if err := other.Save(bad); err != nil {
			t.Fatal(err)
		}
		refused(what, []byte(readFile(t, bad)), test.text)
	}

	var policy bytes.Buffer
	table := policies.NewTable(must(policies.NewLayout(env.Must(env.New(env.Config{Target: 5})), policies.FullStates)))
	if err := policies.Write(&policy, policies.File{Table: table}); err != nil {
		t.Fatal(err)
	}
	refused("a policy file", policy.Bytes(), foreign)

	if _, err := train.LoadCheckpoint(path, int64(len(good))-1<<16-1); !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), path) {
		t.Errorf("LoadCheckpoint of a file that is too large: error %v, want %v", err, train.ErrCheckpoint)
	}
	folder := t.TempDir()
	if _, err := train.LoadCheckpoint(folder, roomy); !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), folder) {
		t.Errorf("LoadCheckpoint of a folder: error %v, want %v", err, train.ErrCheckpoint)
	}
	if _, err := train.LoadCheckpoint(filepath.Join(folder, "no"), roomy); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("LoadCheckpoint of nothing: error %v, want %v", err, os.ErrNotExist)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestResumeRefuses checks that a training is not resumed with anything else
// that decides what is learned, and that the error names it.
func TestResumeRefuses(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Game = env.Must(env.New(env.Config{Variant: "pig-doubles", Target: 12}))
		k, _ := checkpoint(t, c)
		c.Resume = k
		c.Length.Episodes *= 2
		textbookOf := func(name string) agents.Recipe {
			other, err := agents.Lookup(name)
			if err != nil {
				panic(err)
			}
			return other.Recipes[len(other.Recipes)-1]
		}
		type test struct {
			change func(*train.Config)
			text   string
		}
		tests := []test{
			{func(c *train.Config) { c.Game = env.Must(env.New(env.Config{Variant: "pig-doubles", Target: 13})) },
				"game pig-doubles, 2 players, target 12, not pig-doubles, 2 players, target 13"},
			{func(c *train.Config) { c.Game = env.Must(env.New(env.Config{Variant: "pig", Target: 12})) },
				"game pig-doubles, 2 players, target 12, not pig, 2 players, target 12"},
			{func(c *train.Config) { c.Seed = 2 }, "seed 1, not 2"},
			{func(c *train.Config) { c.States = policies.SummaryStates }, "states full, not summary"},
			{func(c *train.Config) { c.StepLimit = 501 }, "step-limit 500, not 501"},
			{func(c *train.Config) { c.Agent.Name = "other" }, "agent " + c.Agent.Name + ", not other"},
		}
		for _, o := range c.Game.Variant().Options {
			tests = append(tests, test{func(c *train.Config) {
				c.Game = env.Must(env.New(env.Config{Variant: "pig-doubles", Target: 12, Options: map[string]bool{o.Name: !o.Default}}))
			}, "game pig-doubles, 2 players, target 12, not pig-doubles, 2 players, target 12, " + o.Name + "="})
		}
		if c.Recipe.Name != agents.Textbook {
			tests = append(tests, test{func(c *train.Config) { c.Recipe = textbookOf(c.Agent.Name) }, "recipe " + c.Recipe.Name + ", not textbook"})
		}
		s := c.Settings
		for _, use := range c.Recipe.Uses {
			switch use {
			case agents.UpdateSetting:
				tests = append(tests, test{func(c *train.Config) { c.Settings.Update = agents.ExpectedUpdate }, "update sample, not expected"})
			case agents.StepSizeSetting:
				tests = append(tests,
					test{func(c *train.Config) { c.Settings.StepSize = agents.StepSize{Scale: 0.5, Floor: s.StepSize.Floor} }, "step-size " + s.StepSize.String() + ", not 0.5"},
					test{func(c *train.Config) { c.Settings.StepSize.Floor = 0.25 }, "step-size-floor "})
			case agents.EpsilonSetting:
				tests = append(tests,
					test{func(c *train.Config) { c.Settings.Epsilon.Start = 0.01 }, "epsilon "},
					test{func(c *train.Config) { c.Settings.Epsilon.Floor = 0.01 }, "epsilon-floor 0, not 0.01"},
					test{func(c *train.Config) { c.Settings.Epsilon.Halving = 7 }, "epsilon-halving 0, not 7"})
			case agents.StartsSetting:
				tests = append(tests, test{func(c *train.Config) { c.Settings.ExploringStarts = !s.ExploringStarts }, "starts "})
			}
		}
		for _, test := range tests {
			other := c
			test.change(&other)
			_, err := train.Run(t.Context(), other)
			if want := "train: bad checkpoint: it is of a training with " + test.text; !errors.Is(err, train.ErrCheckpoint) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("Run, resumed: error %v, want %s", err, want)
			}
		}
		// What does not decide what is learned may be another.
		c.Workers, c.Program, c.MemoryLimit = 1, "another", 1<<30
		run(t, t.Context(), c)
	})
}

// TestResumeDamaged checks that what a whole file says is not believed.
func TestResumeDamaged(t *testing.T) {
	c := small(recipe(t, "montecarlo", "rounds"))
	k, _ := checkpoint(t, c)
	for what, change := range map[string]func(k *train.Checkpoint){
		"rules of another program": func(k *train.Checkpoint) { k.Fingerprint = "0123456789abcdef" },
		"an unknown variant":       func(k *train.Checkpoint) { k.Variant = "pigs" },
		"an impossible target":     func(k *train.Checkpoint) { k.Target = -1 },
		"an unknown option":        func(k *train.Checkpoint) { k.Options = map[string]bool{"x": true} },
		"a state cut short":        func(k *train.Checkpoint) { k.State = k.State[:len(k.State)-1] },
		"no state":                 func(k *train.Checkpoint) { k.State = nil },
		"a state out of range":     func(k *train.Checkpoint) { k.State = append(bytes.Repeat([]byte{255}, 8), k.State[8:]...) },
	} {
		bad := *k
		change(&bad)
		c.Resume = &bad
		if _, err := train.Run(t.Context(), c); !errors.Is(err, train.ErrCheckpoint) {
			t.Errorf("Run, resumed from a checkpoint with %s: error %v, want %v", what, err, train.ErrCheckpoint)
		}
	}
}

// TestCheckpointTimes checks when checkpoints are written: as time passes if
// that is asked for, and in any case at the end, also of a training that was
// interrupted.
func TestCheckpointTimes(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Length = train.Length{Steps: 1_000_000}
		for _, test := range []struct {
			every time.Duration
			early bool
		}{{0, false}, {1, true}, {math.MaxInt64 / 2, false}} {
			c.Checkpoint, c.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoint"), test.every
			c.ReportEvery = 100_000
			ctx, cancel := context.WithCancel(t.Context())
			early, last := false, int64(0)
			c.Report = func(p train.Progress) {
				if k, err := train.LoadCheckpoint(c.Checkpoint, roomy); err == nil {
					if early = true; k.Steps < last || k.Steps > p.Steps {
						t.Errorf("after %d steps the checkpoint is of %d", p.Steps, k.Steps)
					}
					last = k.Steps
				}
				if p.Steps > 400_000 {
					cancel()
				}
			}
			r := run(t, ctx, c)
			if early != test.early {
				t.Errorf("every %v: there was a checkpoint before the end: %t, want %t", test.every, early, test.early)
			}
			if k := load(t, c.Checkpoint); !r.Interrupted || k.Steps != r.Steps || k.Episodes != r.Episodes || k.Elapsed <= 0 || k.Elapsed > r.Elapsed {
				t.Errorf("every %v: interrupted after %+v, the checkpoint is of %d steps, %d episodes, %v", test.every, r.Progress, k.Steps, k.Episodes, k.Elapsed)
			}
			cancel()
		}
	})
}

// TestCheckpointFails checks that a checkpoint that cannot be written ends the
// training with an error that says so.
func TestCheckpointFails(t *testing.T) {
	c := small(recipe(t, "qlearning", "curriculum"))
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	c.Checkpoint, c.CheckpointEvery = filepath.Join(folder, "checkpoint"), 1
	c.Length = train.Length{Steps: 1e12}
	c.ReportEvery = 50_000
	removed := false
	c.Report = func(train.Progress) {
		if load(t, c.Checkpoint); removed {
			t.Errorf("Run goes on without its folder")
		}
		removed = true
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	}
	_, err := train.Run(t.Context(), c)
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "train: the checkpoint could not be written: ") || !strings.Contains(err.Error(), c.Checkpoint) {
		t.Errorf("Run, whose folder is removed: error %v", err)
	}
}

// FuzzLoadCheckpoint loads and resumes whatever bytes: they are refused with
// the right error, or they are a checkpoint that is written alike.
func FuzzLoadCheckpoint(f *testing.F) {
	c := small(recipe(f, "qlearning", "curriculum"))
	k, path := checkpoint(f, c)
	c.Length.Episodes *= 2
	good := must(os.ReadFile(path))
	good = good[:len(good)-sha256.Size] // the sum is added below
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("\xb1pigpen-checkpoint"))
	f.Add(bytes.Replace(good, []byte("steps"), []byte("stops"), 1))
	k.State = nil
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		path := filepath.Join(t.TempDir(), "checkpoint")
		writeFile(t, path, string(append(body, sum[:]...)))
		k, err := train.LoadCheckpoint(path, roomy)
		if err != nil {
			if !errors.Is(err, train.ErrCheckpoint) {
				t.Errorf("LoadCheckpoint: %v, want %v", err, train.ErrCheckpoint)
			}
			return
		}
		c := c
		c.Resume = k
		c.Length = train.Length{Episodes: 1}
		if _, err := train.Run(t.Context(), c); err != nil && !errors.Is(err, train.ErrCheckpoint) {
			t.Errorf("Run: %v, want %v", err, train.ErrCheckpoint)
		}
	})
}
