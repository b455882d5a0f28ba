package train_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
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
	k, err := train.LoadCheckpoint(context.Background(), path, roomy)
	if err != nil {
		t.Fatalf("LoadCheckpoint: %v", err)
	}
	t.Cleanup(func() { k.Close() })
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
		c.EvalEvery, c.Values = 2000, true
		c.Length = train.Length{Steps: 120_000}
		c.MemoryLimit *= 4
		if c.Recipe.Name != agents.Textbook {
			c.Game = env.Must(env.New(env.Config{Target: 10}))
			c.Length.Steps, c.EvalEvery = 1_200_000, 90_000 // past a round
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
					if slices.ContainsFunc(whole.rows, func(r train.Row) bool { return r.Steps == row.Steps }) && (row.Steps > before || i == 0) {
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
		switch {
		case learnsFast(c):
			c.Length.Steps, c.EvalEvery = 60_000, 3000
		case c.Recipe.Name != agents.Textbook:
			c.Length.Steps, c.EvalEvery = 300_000, 1 // after every call of Learn
		}
		c.Checkpoint, c.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoint"), 1
		var whole evaluator
		want := run(t, t.Context(), whole.join(c))
		// The first checkpoint comes with the first look at the clock.
		saved := slices.IndexFunc(whole.rows, func(r train.Row) bool { return r.Steps > 40_000 })
		for fails := max(len(whole.rows)/2, saved); fails < len(whole.rows); fails += 1 + len(whole.rows)/12 {
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

// TestCheckpointHolds checks what a checkpoint says of its training, and that a
// training resumed from it and stopped at once would write the same.
func TestCheckpointHolds(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Game = env.Must(env.New(env.Config{Variant: "cochon", Options: map[string]bool{"spill_to_tail": true}})) // two options
		c.Seed, c.EvalEvery, c.Length.Time = math.MaxUint64, 12_345, time.Hour
		k, path := checkpoint(t, (&evaluator{}).join(c))
		if k.Agent != c.Agent.Name || k.Recipe != c.Recipe.Name || k.Seed != c.Seed || !maps.Equal(k.Settings, c.Recipe.Defaults(c.Game)) || k.Abstraction != c.Abstraction ||
			k.StepLimit != c.StepLimit || k.Episodes < c.Length.Episodes || k.Steps < k.Episodes || k.Elapsed <= 0 || k.Version != 2 ||
			k.Length != c.Length || k.EvalEvery != c.EvalEvery || k.Evaluated < 0 || k.Evaluated > k.Steps {
			t.Errorf("the checkpoint of %+v is %+v", c, k)
		}
		if g, err := k.Game(); err != nil || g != c.Game {
			t.Errorf("Game() = %v, %v, want %v", g, err, c.Game)
		}
		for range 5 { // a map has no order
			c.Resume, c.Checkpoint = k, filepath.Join(t.TempDir(), "again")
			run(t, t.Context(), (&evaluator{}).join(c))
			again := load(t, c.Checkpoint)
			if again.Elapsed < k.Elapsed {
				t.Errorf("resumed after %v, the checkpoint tells of %v", k.Elapsed, again.Elapsed)
			}
			if !bytes.Equal(withElapsed(readFile(t, c.Checkpoint), 0), withElapsed(readFile(t, path), 0)) {
				t.Fatalf("resumed and stopped at once, Run writes another checkpoint")
			}
		}
	})
}

// sealed returns a file with the checksum that its body has.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(slices.Clone(body), sum[:]...)
}

// withElapsed returns a checkpoint that has learned for so long, and nothing else
// that differs from file.
func withElapsed(file string, elapsed int64) []byte {
	return sealed(set([]byte(file[:len(file)-sha256.Size]), "nanoseconds", elapsed))
}

// set returns the body of a checkpoint with another number under a key of its
// header that has a number of 64 bits.
func set(body []byte, key string, value int64) []byte {
	body = slices.Clone(body)
	at := bytes.Index(body, append([]byte{0xa0 | byte(len(key))}, key...)) + 1 + len(key)
	if body[at] != 0xd3 {
		panic(key)
	}
	binary.BigEndian.PutUint64(body[at+1:], uint64(value))
	return body
}

// TestCheckpointDamaged checks that no file but a whole checkpoint is taken:
// every bit of a good one is flipped, and it is cut off at every byte.
func TestCheckpointDamaged(t *testing.T) {
	_, path := checkpoint(t, small(recipe(t, "qlearning", "curriculum")))
	good := []byte(readFile(t, path))
	bad := filepath.Join(t.TempDir(), "bad")
	check := func(what, text string) {
		t.Helper()
		if got, err := train.LoadCheckpoint(t.Context(), bad, roomy); got != nil || !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), bad+" "+text) {
			t.Errorf("LoadCheckpoint of %s: error %v, want %v, %s %s", what, err, train.ErrCheckpoint, bad, text)
		}
	}
	refused := func(what string, b []byte, text string) {
		t.Helper()
		writeFile(t, bad, string(b))
		check(what, text)
	}
	const damaged, foreign, shapeless = "is damaged or cut short", "is not a pigpen checkpoint", "is not in the form of a checkpoint"
	// The file is changed in place, since writing it anew so often takes long.
	writeFile(t, bad, string(good))
	f := must(os.OpenFile(bad, os.O_WRONLY, 0))
	defer f.Close()
	for i, b := range good {
		for bit := range 8 {
			must(f.WriteAt([]byte{b ^ 1<<bit}, int64(i)))
			check(fmt.Sprintf("a good file with bit %d of byte %d flipped", bit, i), "is ")
		}
		must(f.WriteAt([]byte{b}, int64(i)))
	}
	magic := bytes.Index(good, []byte("pigpen-checkpoint")) + len("pigpen-checkpoint")
	for n := len(good) - 1; n >= 0; n-- {
		must(0, f.Truncate(int64(n)))
		text := damaged
		if n < magic {
			text = foreign
		}
		check(fmt.Sprintf("the first %d bytes of a good file", n), text)
	}
	refused("one byte more", append(slices.Clone(good), 0), damaged)
	refused("text", []byte("some text that is no checkpoint, and long enough to be one, if one does not look at it closely"), foreign)

	body := good[:len(good)-sha256.Size]
	replaced := func(old, new string) []byte { return bytes.Replace(body, []byte(old), []byte(new), 1) }
	header := bytes.Index(body, []byte("state_bytes")) + len("state_bytes") + 9
	for what, test := range map[string]struct {
		body []byte
		text string
	}{
		"no map":                  {[]byte("\xb1pigpen-checkpoint"), shapeless},
		"a list":                  {append([]byte{0x92}, body[1:]...), shapeless},
		"another key":             {replaced("steps", "stops"), shapeless},
		"another key of settings": {replaced("update", "Update"), shapeless}, // not in order

		"a number in few bytes": {replaced("\xaaeval_every\xd3\x00\x00\x00\x00\x00\x00\x00\x00", "\xaaeval_every\x00"), shapeless},
		"a number that wraps":   {replaced("\xa5steps\xd3\x00", "\xa5steps\xcf\x80"), shapeless},
		"lists in lists":        {append(slices.Clone(body[:20]), bytes.Repeat([]byte{0x91}, 5_000_000)...), ""},
		"lists under a key":     {slices.Concat(body[:header-9], bytes.Repeat([]byte{0x91}, 4_000_000)), shapeless},
		"a later version":       {replaced("version\x02", "version\x03"), "has version 3, and this program reads up to 2"},
		"version 0":             {replaced("version\x02", "version\x00"), "contradicts itself"},
		"version -1":            {replaced("version\x02", "version\xff"), "contradicts itself"},
		"version 1":             {replaced("version\x02", "version\x01"), shapeless},
		"negative steps":        {set(body, "steps", -1), "contradicts itself"},
		"negative episodes":     {set(body, "episodes", -1), "contradicts itself"},
		"negative time":         {set(body, "nanoseconds", -1), "contradicts itself"},
		"a negative step limit": {replaced("step_limit\xcd\x01\xf4", "step_limit\xff"), "contradicts itself"},
		"negative evaluations":  {set(body, "eval_every", -1), "contradicts itself"},
		"evaluated later":       {set(body, "evaluated", math.MaxInt64), "contradicts itself"},
		"evaluated before all":  {set(body, "evaluated", -2), "contradicts itself"},
		"a longer state":        {set(body, "state_bytes", int64(len(body)-header+1)), "contradicts itself"},
		"a huge state":          {set(body, "state_bytes", math.MaxInt64), "contradicts itself"},
		"a negative state":      {set(body, "state_bytes", -1), "contradicts itself"},
		"a state cut short":     {body[:len(body)-1], "contradicts itself"},
		"something behind":      {append(slices.Clone(body), 0), "contradicts itself"},
	} {
		refused(what, sealed(test.body), test.text)
	}

	var policy bytes.Buffer
	table := policies.NewTable(must(policies.NewStateIndex(env.Must(env.New(env.Config{Target: 5})), policies.FullAbstraction)))
	if err := policies.Write(&policy, policies.File{Table: table}); err != nil {
		t.Fatal(err)
	}
	refused("a policy file", policy.Bytes(), "is a policy file, not a checkpoint")

	for _, limit := range []int64{math.MaxInt64, int64(len(body) - header)} {
		if k, err := train.LoadCheckpoint(t.Context(), path, limit); err != nil {
			t.Errorf("LoadCheckpoint with a limit of %d bytes: %v", limit, err)
		} else {
			k.Close()
		}
	}
	if _, err := train.LoadCheckpoint(t.Context(), path, int64(len(body)-header-1)); !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), path) {
		t.Errorf("LoadCheckpoint of a state that is too large: error %v, want %v", err, train.ErrCheckpoint)
	}
	// A file that is far too large is not read to its end.
	writeFile(t, bad, string(good))
	must(0, os.Truncate(bad, 1<<40))
	if _, err := train.LoadCheckpoint(t.Context(), bad, roomy); !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), "has 1099511627776 bytes, and the agent may take 4194304") {
		t.Errorf("LoadCheckpoint of a file of 1 TiB: error %v", err)
	}
	folder := t.TempDir()
	if _, err := train.LoadCheckpoint(t.Context(), folder, roomy); !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), folder) {
		t.Errorf("LoadCheckpoint of a folder: error %v, want %v", err, train.ErrCheckpoint)
	}
	if _, err := train.LoadCheckpoint(t.Context(), filepath.Join(folder, "no"), roomy); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("LoadCheckpoint of nothing: error %v, want %v", err, os.ErrNotExist)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := train.LoadCheckpoint(ctx, path, roomy); !errors.Is(err, context.Canceled) {
		t.Errorf("LoadCheckpoint whose context has ended: error %v, want %v", err, context.Canceled)
	}
}

// TestCheckpointV1 goes on from checkpoints of version 1, and with their logs: the
// training comes to the same policy as one that began with this version.
func TestCheckpointV1(t *testing.T) {
	forEachRecipe(t, func(t *testing.T, c train.Config) {
		c.Game = env.Must(env.New(env.Config{Variant: "piglet", Target: 5}))
		c.Seed, c.StepLimit, c.Length, c.EvalEvery = 3, policies.DefaultStepLimit, train.Length{Steps: 100_000}, 5000
		name := filepath.Join("testdata", "v1", c.Agent.Name+"-"+c.Recipe.Name)
		if _, err := os.Stat(name + ".checkpoint"); errors.Is(err, os.ErrNotExist) {
			t.Skip("the recipe is younger than version 1")
		}
		if _, ok := c.Recipe.Setting("smoothing"); ok {
			c.Settings = agents.Settings{"smoothing": "off"} // as in version 1
		}
		var e evaluator
		want := run(t, t.Context(), e.join(c))
		k := load(t, name+".checkpoint")
		if k.Version != 1 || k.Evaluated != k.Steps || k.Steps < 20_000 || k.Length != (train.Length{}) {
			t.Errorf("the checkpoint of version 1 is %+v", k)
		}
		c.Resume = k
		if got := run(t, t.Context(), c); !bytes.Equal(fileBytes(t, got.File), fileBytes(t, want.File)) {
			t.Errorf("resumed from version 1, Run comes to another file")
		}
		path := filepath.Join(t.TempDir(), "log.csv")
		before := readFile(t, name+".csv")
		writeFile(t, path, before)
		writeLog(t, path, k, rows[0])
		if got, want := readFile(t, path), before+strings.SplitAfter(lines[".csv"][0], ",900")[0]; got != strings.TrimSuffix(want, ",900")+"\n" {
			t.Errorf("the log of version 1 goes on as\n%s\nwant the first nine cells of\n%s", got, want)
		}
	})
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
			{func(c *train.Config) { c.Abstraction = policies.SummaryAbstraction }, "states full, not summary"},
			{func(c *train.Config) { c.StepLimit = 501 }, "step-limit 500, not 501"},
			{func(c *train.Config) { c.Agent.Name = "other" }, "agent " + c.Agent.Name + ", not other"},
		}
		for _, o := range c.Game.Variant().Options {
			tests = append(tests, test{func(c *train.Config) {
				c.Game = env.Must(env.New(env.Config{Variant: "pig-doubles", Target: 12, Options: map[string]bool{o.Name: !o.Default}}))
			}, "game pig-doubles, 2 players, target 12, not pig-doubles, 2 players, target 12, " + o.Name + "="})
		}
		if len(c.Agent.Recipes) > 1 && c.Recipe.Name != agents.Textbook {
			tests = append(tests, test{func(c *train.Config) { c.Recipe = textbookOf(c.Agent.Name) }, "recipe " + c.Recipe.Name + ", not textbook"})
		}
		defaults := c.Recipe.Defaults(c.Game)
		for _, s := range c.Recipe.Settings {
			value := otherValue(&c, s)
			tests = append(tests, test{
				func(c *train.Config) {
					c.Settings = maps.Clone(defaults)
					c.Settings[s.Name] = value
				},
				s.Name + " " + defaults[s.Name] + ", not " + value,
			})
		}
		for _, test := range tests {
			other := c
			test.change(&other)
			_, err := train.Run(t.Context(), other)
			if want := "train: bad checkpoint: train: the checkpoint is of another training: it has " + test.text; !errors.Is(err, train.ErrCheckpoint) || !errors.Is(err, train.ErrDisagrees) || !strings.HasPrefix(err.Error(), want) {
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
	k, path := checkpoint(t, c)
	good := []byte(readFile(t, path))
	body := good[:len(good)-sha256.Size]
	header := bytes.Index(body, []byte("state_bytes")) + len("state_bytes") + 9
	replaced := func(old, new string) []byte { return bytes.Replace(body, []byte(old), []byte(new), 1) }
	for what, damaged := range map[string][]byte{
		"rules of another program": replaced(k.Fingerprint, "0123456789abcdef"),
		"an unknown variant":       replaced("variant\xa3pig", "variant\xa3pug"),
		"an impossible target":     replaced("target\x05", "target\xff"),
		"another target":           replaced("target\x05", "target\x06"),
		"a state cut short":        set(body[:len(body)-1], "state_bytes", int64(len(body)-header-1)),
		"no state":                 set(body[:header], "state_bytes", 0),
		"a longer state":           set(append(slices.Clone(body), 0), "state_bytes", int64(len(body)-header+1)),
		"a state out of range":     slices.Concat(body[:header], bytes.Repeat([]byte{255}, 8), body[header+8:]),
	} {
		path := filepath.Join(t.TempDir(), "bad")
		writeFile(t, path, string(sealed(damaged)))
		c.Resume = load(t, path)
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
				if k, err := train.LoadCheckpoint(context.Background(), c.Checkpoint, roomy); err == nil {
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

// TestCheckpointFails removes the folder of the checkpoints, and makes it again:
// each checkpoint that cannot be written is told of, and the training goes on.
func TestCheckpointFails(t *testing.T) {
	for _, back := range []bool{false, true} {
		c := small(recipe(t, "qlearning", "curriculum"))
		folder := filepath.Join(t.TempDir(), "folder")
		c.Checkpoint, c.CheckpointEvery = filepath.Join(folder, "checkpoint"), 1
		c.Length = train.Length{Steps: 1_000_000}
		want := run(t, t.Context(), func(c train.Config) train.Config { c.Checkpoint = ""; return c }(c))
		must(0, os.Mkdir(folder, 0o755))
		failed, written := 0, 0
		c.Checkpointed = func(_, kept string, err error) {
			switch {
			case err == nil:
				written++
			case !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), c.Checkpoint):
				t.Errorf("Checkpointed is told of %v", err)
			default:
				failed++
			}
			switch {
			case written == 1 && failed == 0:
				must(0, os.RemoveAll(folder))
			case err != nil && failed == 2 && back:
				must(0, os.Mkdir(folder, 0o755))
			}
		}
		r := run(t, t.Context(), c)
		if !bytes.Equal(fileBytes(t, r.File), fileBytes(t, want.File)) {
			t.Errorf("Run whose checkpoints fail comes to another file")
		}
		if back && (r.CheckpointErr != nil || failed != 2 || load(t, c.Checkpoint).Steps != r.Steps) {
			t.Errorf("the folder is back after two failures: error %v, %d failures", r.CheckpointErr, failed)
		}
		if !back && (!errors.Is(r.CheckpointErr, os.ErrNotExist) || failed < 3 || written != 1) {
			t.Errorf("the folder is gone: error %v, %d failures, %d written", r.CheckpointErr, failed, written)
		}
	}
}

// TestCheckpointKeeps checks that the first checkpoint of a training keeps what
// was there under another name, that later ones do not, and that a training which
// learns nothing more writes nothing.
func TestCheckpointKeeps(t *testing.T) {
	c := small(recipe(t, "qlearning", "curriculum"))
	folder := t.TempDir()
	c.Checkpoint, c.CheckpointEvery = filepath.Join(folder, "c"), 1
	c.Length = train.Length{Steps: 300_000}
	var kept []string
	calls := 0
	c.Checkpointed = func(_, k string, err error) {
		if calls++; k != "" {
			kept = append(kept, filepath.Base(k))
		}
	}
	names := func() (names []string) {
		for _, e := range must(os.ReadDir(folder)) {
			names = append(names, e.Name())
		}
		return names
	}
	run(t, t.Context(), c)
	if want := []string{"c"}; calls < 2 || len(kept) > 0 || !slices.Equal(names(), want) {
		t.Errorf("%d checkpoints keep %q and leave %q, want %q", calls, kept, names(), want)
	}
	c.Resume = load(t, c.Checkpoint)
	calls = 0
	run(t, t.Context(), c)
	if calls != 0 || len(names()) != 1 {
		t.Errorf("resumed at its end, a training writes %d checkpoints", calls)
	}
	c.Length.Steps *= 2
	run(t, t.Context(), c)
	if want := []string{"c", "c.1"}; calls < 1 || !slices.Equal(kept, want[1:]) || !slices.Equal(names(), want) {
		t.Errorf("resumed, %d checkpoints keep %q and leave %q, want %q", calls, kept, names(), want)
	}
	if k := load(t, filepath.Join(folder, "c.1")); k.Steps != c.Resume.Steps {
		t.Errorf("the checkpoint that was kept is of %d steps, want %d", k.Steps, c.Resume.Steps)
	}
}

// TestCheckpointShared checks that a training whose checkpoint another one has
// replaced leaves that file alone, and goes on with one of its own.
func TestCheckpointShared(t *testing.T) {
	folder := t.TempDir()
	c := small(recipe(t, "qlearning", "curriculum"))
	c.Length = train.Length{Steps: 100_000}
	c.Checkpoint = filepath.Join(folder, "other")
	c.Seed = 2
	run(t, t.Context(), c)

	c.Seed, c.CheckpointEvery, c.Length.Steps = 1, 1, 300_000
	c.Checkpoint = filepath.Join(folder, "c")
	var paths []string
	c.Checkpointed = func(path, _ string, err error) {
		if err != nil {
			t.Errorf("Checkpointed is told of %v", err)
		}
		if paths = append(paths, filepath.Base(path)); len(paths) == 2 {
			if err := os.Rename(filepath.Join(folder, "other"), c.Checkpoint); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(t, t.Context(), c)
	if len(paths) < 4 || !slices.Equal(slices.Compact(slices.Clone(paths)), []string{"c", "c.1"}) || paths[1] != "c" || paths[2] != "c.1" {
		t.Errorf("the checkpoints go to %q, want c twice and then c.1", paths)
	}
	for name, seed := range map[string]uint64{"c": 2, "c.1": 1} {
		if k := load(t, filepath.Join(folder, name)); k.Seed != seed {
			t.Errorf("%s is of the training with seed %d, want %d", name, k.Seed, seed)
		}
	}
	if names := must(os.ReadDir(folder)); len(names) != 2 {
		t.Errorf("there are %v, want c and c.1", names)
	}
}

// FuzzLoadCheckpoint loads and resumes whatever bytes: they are refused with
// the right error, or they are a checkpoint that is written alike.
func FuzzLoadCheckpoint(f *testing.F) {
	c := small(recipe(f, "qlearning", "curriculum"))
	_, path := checkpoint(f, c)
	c.Length.Episodes *= 2
	good := must(os.ReadFile(path))
	good = good[:len(good)-sha256.Size] // the sum is added below
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("\xb1pigpen-checkpoint"))
	f.Add(bytes.Replace(good, []byte("steps"), []byte("stops"), 1))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		path := filepath.Join(t.TempDir(), "checkpoint")
		writeFile(t, path, string(append(body, sum[:]...)))
		k, err := train.LoadCheckpoint(context.Background(), path, roomy)
		if err != nil {
			if !errors.Is(err, train.ErrCheckpoint) {
				t.Errorf("LoadCheckpoint: %v, want %v", err, train.ErrCheckpoint)
			}
			return
		}
		defer k.Close()
		c := c
		c.Resume = k
		c.Length = train.Length{Episodes: 1}
		if _, err := train.Run(t.Context(), c); err != nil && !errors.Is(err, train.ErrCheckpoint) {
			t.Errorf("Run: %v, want %v", err, train.ErrCheckpoint)
		}
	})
}
