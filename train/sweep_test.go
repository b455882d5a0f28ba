package train_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// sweep is a sweep of 8 seeds over two step sizes to a target of 30, on two workers.
func sweep(t testing.TB) train.Sweep {
	t.Helper()
	k, r := recipe(t, "qlearning", agents.Textbook)
	g := env.Must(env.New(env.Config{Variant: "pig", Target: 30}))
	rival := must(policies.Named(context.Background(), "hold-20", g, exact.Options{}))
	s := train.Sweep{
		Seeds: []uint64{1, 2, 3, 4, 5, 6, 7, 8}, Workers: 2,
		Evaluator: func(c train.Config) func(context.Context, policies.Policy, bool) (train.Score, error) {
			e := policies.Evaluator{Game: g, Opponent: rival, OpponentName: "hold-20", Workers: c.Workers}
			return func(ctx context.Context, p policies.Policy, _ bool) (train.Score, error) {
				report, err := e.Evaluate(ctx, "p", p)
				if err != nil {
					return train.Score{}, err
				}
				return train.Score{WinMean: report.WinMean, Exploitability: *report.Exploitability, Turns: *report.Turns}, nil
			}
		},
	}
	for _, size := range []string{"0.1", "n^-0.75"} {
		s.Points = append(s.Points, train.Config{
			Game: g, Agent: k, Recipe: r, Settings: agents.Settings{"step-size": size},
			Length: train.Length{Steps: 20_000}, EvalEvery: 15_000, Program: "test", Values: size == "n^-0.75",
		})
	}
	return s
}

// outcome returns what of a result does not depend on the clock.
func outcome(t *testing.T, r train.SweepResult) ([]train.Trained, []byte) {
	t.Helper()
	list := slices.Clone(r.Trained)
	for i := range list {
		list[i].Rows = slices.Clone(list[i].Rows)
		for j := range list[i].Rows {
			list[i].Rows[j].Seconds = 0
		}
	}
	return list, fileBytes(t, r.File)
}

// withoutSeconds returns a CSV log without the column of seconds.
func withoutSeconds(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(string(must(os.ReadFile(path)))) {
		fields := strings.SplitN(line, ",", 4)
		b.WriteString(fields[0] + "," + fields[1] + "," + fields[3])
	}
	return b.String()
}

// TestSweep checks that a sweep has the results of its trainings each alone, and the same
// ones with other workers and when it is interrupted and resumed.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	s := sweep(t)
	s.Log = filepath.Join(folder, "whole.csv")
	whole := must(train.RunSweep(t.Context(), s))
	if whole.Interrupted || len(whole.Trained) != 16 || whole.SaveErr != nil {
		t.Fatalf("the sweep has %d trainings, interrupted %v, %v", len(whole.Trained), whole.Interrupted, whole.SaveErr)
	}
	trained, file := outcome(t, whole)

	best := 0
	for i, tr := range trained {
		if tr.Index != i || tr.Seed != s.Seeds[i%8] || len(tr.Rows) != 3 || !reflect.DeepEqual(tr.Rows[2].Score, tr.Score) {
			t.Errorf("training %d is %+v", i, tr)
		}
		for j, row := range tr.Rows {
			if (row.ValueError != nil) != (i >= 8 && j > 0) {
				t.Errorf("row %d of training %d has value error %v", j, i, row.ValueError)
			}
		}
		if tr.Score.WinMean > trained[best].Score.WinMean {
			best = i
		}
	}
	if whole.Best != best {
		t.Errorf("training %d is the best, want %d", whole.Best, best)
	}
	c := s.Points[best/8]
	c.Seed = trained[best].Seed
	if alone := run(t, t.Context(), c); !bytes.Equal(fileBytes(t, alone.File), file) {
		t.Error("the best policy is not that of the training alone")
	}

	t.Run("resumed", func(t *testing.T) {
		s := sweep(t)
		s.Workers = 3
		s.Checkpoint, s.Log = filepath.Join(folder, "sweep.msgpack"), filepath.Join(folder, "resumed.csv")
		s.Notes = map[string]string{"name": "value"}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.Ended = func(_ train.Trained, p train.SweepProgress) {
			if p.Trainings != 16 {
				t.Errorf("the sweep has %d trainings", p.Trainings)
			}
			if p.Ended == 5 {
				cancel()
			}
		}
		part := must(train.RunSweep(ctx, s))
		if !part.Interrupted || len(part.Trained) < 5 || len(part.Trained) == 16 {
			t.Fatalf("interrupted %v with %d trainings", part.Interrupted, len(part.Trained))
		}
		k := must(train.LoadSweep(s.Checkpoint, 1<<20))
		if !reflect.DeepEqual(k.Trained, part.Trained) || k.Notes["name"] != "value" {
			t.Errorf("the checkpoint has %+v with notes %v, want %+v", k.Trained, k.Notes, part.Trained)
		}
		s.Resume, s.Workers = k, 1
		ended := len(part.Trained)
		s.Ended = func(_ train.Trained, p train.SweepProgress) {
			if ended++; p.Ended != ended {
				t.Errorf("%d trainings have ended, want %d", p.Ended, ended)
			}
		}
		s.Saved = func(path, kept string, err error) {
			if kept != "" || err != nil {
				t.Errorf("%s: kept %q, %v", path, kept, err)
			}
		}
		again, againFile := outcome(t, must(train.RunSweep(t.Context(), s)))
		if !reflect.DeepEqual(again, trained) || !bytes.Equal(againFile, file) {
			t.Error("the resumed sweep has another result")
		}
		if withoutSeconds(t, s.Log) != withoutSeconds(t, filepath.Join(folder, "whole.csv")) {
			t.Error("the resumed sweep has another log")
		}

		refused := func(change func(s *train.Sweep), want string) {
			t.Helper()
			other := sweep(t)
			other.Resume = k
			change(&other)
			if _, err := train.RunSweep(t.Context(), other); !errors.Is(err, train.ErrDisagrees) || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q", err, want)
			}
		}
		refused(func(s *train.Sweep) { s.Seeds = []uint64{1, 2, 3, 5} }, "seeds 1-8, not 1-3,5")
		refused(func(s *train.Sweep) { s.Points[0].Values = true }, `values none in point 1 of its grid, not true`)
		refused(func(s *train.Sweep) { s.Points = s.Points[:1] }, "points of a grid: 2, not 1")
		refused(func(s *train.Sweep) { s.Points[1].Settings = agents.Settings{"step-size": "0.2"} }, `step-size n^-0.75 in point 2 of its grid, not 0.2`)

		content := must(os.ReadFile(s.Checkpoint))
		content[len(content)/2] ^= 1
		damaged := filepath.Join(folder, "damaged.msgpack")
		if err := os.WriteFile(damaged, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := train.LoadSweep(damaged, 1<<20); !errors.Is(err, train.ErrCheckpoint) {
			t.Errorf("a damaged checkpoint: %v", err)
		}
		if _, err := train.LoadCheckpoint(t.Context(), s.Checkpoint, 1<<20); !errors.Is(err, train.ErrCheckpoint) || !strings.Contains(err.Error(), "of a sweep") {
			t.Errorf("as the checkpoint of one training: %v", err)
		}
	})
}

// TestSweepMemory checks that the tables of all trainings at once fit the limit.
func TestSweepMemory(t *testing.T) {
	s := sweep(t)
	s.Seeds, s.Points, s.Workers = s.Seeds[:3], s.Points[:1], 4
	c := s.Points[0]
	c.Workers = 4
	_, one, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s.MemoryLimit = int64(one) - 1
	if _, err := train.RunSweep(t.Context(), s); !errors.Is(err, train.ErrMemory) {
		t.Errorf("with too little memory for one: %v", err)
	}
	// shares runs three trainings on four workers, and returns how many workers each had.
	shares := func(limit int64) (workers []int) {
		other := s
		other.MemoryLimit = limit
		begun := make(chan int, 3)
		other.Evaluator = func(c train.Config) func(context.Context, policies.Policy, bool) (train.Score, error) {
			begun <- c.Workers // as the training begins
			return s.Evaluator(c)
		}
		must(train.RunSweep(t.Context(), other))
		close(begun)
		for n := range begun {
			workers = append(workers, n)
		}
		return workers
	}
	if got := shares(int64(one)); !slices.Equal(got, []int{4, 4, 4}) {
		t.Errorf("trainings one at a time have %v workers, want 4", got)
	}
	c.Workers = 2
	if _, bytes, err := c.Bytes(); err != nil {
		t.Error(err)
	} else if got := shares(2 * int64(bytes)); !slices.Equal(got, []int{2, 2, 2}) {
		t.Errorf("trainings two at once have %v workers, want 2", got)
	}
	if got := shares(0); slices.Max(got) > 2 {
		t.Errorf("trainings three at once have %v workers, want at most 2", got)
	}
}

// TestSweepRefused checks what RunSweep refuses.
func TestSweepRefused(t *testing.T) {
	for want, change := range map[string]func(s *train.Sweep){
		"seed 3 is in the sweep twice": func(s *train.Sweep) { s.Seeds = []uint64{3, 4, 3} },
		"without a seed":               func(s *train.Sweep) { s.Seeds = nil },
		"without a point":              func(s *train.Sweep) { s.Points = nil },
		"points 1 and 2 of the sweep are equal": func(s *train.Sweep) {
			s.Points[1] = s.Points[0]
			s.Points[1].Settings = agents.Settings{"step-size": "0.10"} // another way to write it
		},
		"Length.Time has no meaning": func(s *train.Sweep) { s.Points[1].Length.Time = 1 },
		"checkpoint of its own":      func(s *train.Sweep) { s.Points[1].Checkpoint = "c" },
		"bad setting":                func(s *train.Sweep) { s.Points[1].Settings = agents.Settings{"step-size": "2"} },
	} {
		s := sweep(t)
		change(&s)
		if _, err := train.RunSweep(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestSpreadOf compares with the interval that tables of Student's t give: 2.776445 is
// its 97.5% quantile with 4 degrees of freedom.
func TestSpreadOf(t *testing.T) {
	got := train.SpreadOf([]float64{1, 2, 3, 4, 5})
	sd := math.Sqrt(2.5)
	half := 2.7764451052 * sd / math.Sqrt(5)
	want := train.Spread{Mean: 3, SD: sd, Low: 3 - half, High: 3 + half}
	for _, pair := range [][2]float64{{got.Mean, want.Mean}, {got.SD, want.SD}, {got.Low, want.Low}, {got.High, want.High}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("the spread is %+v, want %+v", got, want)
		}
	}
	if one := train.SpreadOf([]float64{7}); one.Mean != 7 || !math.IsNaN(one.SD) || !math.IsNaN(one.Low) || !math.IsNaN(one.High) {
		t.Errorf("the spread of one value is %+v", one)
	}
}
