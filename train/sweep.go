package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"pigpen/policies"
)

// A Sweep is a grid of trainings: one for each of some configurations, the points of the
// grid, and each of some seeds. Its trainings are ordered by point and then by seed, so
// that training i is of point i/len(Seeds) with seed i%len(Seeds).
type Sweep struct {
	// Points are the configurations, all of the same game. Of each, Seed, Workers and
	// MemoryLimit are replaced by those of the sweep, and the callbacks by its own.
	// Length.Time, Checkpoint and Resume must be zero. There must be at least one point,
	// and no two may be equal.
	Points []Config
	// Seeds are the seeds of each point, at least one, all different.
	Seeds []uint64
	// Workers is the number of goroutines that learn, in all trainings that run at once;
	// 0 is GOMAXPROCS. As many trainings run at once as there are workers, or fewer if
	// MemoryLimit is too low for so many. No result depends on it.
	Workers int
	// MemoryLimit is the most memory, in bytes, that the tables of all agents that learn
	// at once may take; 0 is no limit.
	MemoryLimit int64
	// Evaluator returns the Evaluate of a training, as in [Config]. It is called once for
	// each training, by several goroutines at once. It must be set.
	Evaluator func(c Config) func(ctx context.Context, p policies.Policy, last bool) (Score, error)

	// Report, if not nil, is called with the progress of the sweep, by one goroutine at a
	// time, after about ReportEvery decisions of each training.
	Report      func(SweepProgress)
	ReportEvery int64
	// Ended, if not nil, is called as a training has ended and its result is saved, by
	// one goroutine at a time. p counts it.
	Ended func(t Trained, p SweepProgress)

	// Checkpoint, if not empty, is the path of a file that keeps the trainings that have
	// ended. It is written at the start and as each training ends. If the path holds other
	// content at the start, that is kept under a numbered name, unless Resume is that file.
	Checkpoint string
	// Log, if not empty, is the path of a log with the rows of the trainings that have
	// ended, in the order of the trainings. It is written whenever Checkpoint is.
	Log string
	// Saved, if not nil, is called as Checkpoint or Log has been written: with the name
	// under which earlier content of path is kept ("" for none), and the error. An error
	// does not end the sweep.
	Saved func(path, kept string, err error)
	// Notes are names and values that the checkpoint stores for the caller.
	Notes map[string]string
	// Resume, if not nil, is the checkpoint from which the sweep goes on. It must be of
	// the same points and seeds.
	Resume *SweepCheckpoint
}

// Trained is what a sweep keeps of a training that has ended.
type Trained struct {
	Index    int    `msgpack:"index"` // of the training in the sweep
	Seed     uint64 `msgpack:"seed"`
	Steps    int64  `msgpack:"steps"`
	Episodes int64  `msgpack:"episodes"`
	Score    Score  `msgpack:"score"` // of the final policy
	Rows     []Row  `msgpack:"rows"`  // of all evaluations
}

// SweepProgress is the progress of a sweep.
type SweepProgress struct {
	Ended, Trainings int
	Steps            int64   // decisions of all trainings
	Done             float64 // fraction of the sweep, in [0, 1]; each training counts the same
}

// A SweepResult is the result of a sweep.
type SweepResult struct {
	// Trained are the trainings that have ended, in their order.
	Trained []Trained
	// Best is the index in Trained of the one whose policy is best: that of the highest
	// win probability or, with one player, the fewest turns; the first of equals. It is -1
	// if no training has ended.
	Best int
	// File is the policy file of the best training, the same as [Run] returns for it.
	File policies.File
	// Interrupted says whether the context ended before the last training.
	Interrupted bool
	// SaveErr is the error of the last writing of the checkpoint and the log, or nil.
	SaveErr error
}

// better reports whether a is a better score than b: a higher win probability, or fewer
// turns where there is none.
func better(a, b Score) bool { return a.value() > b.value() }

// value returns a value of s that is higher for better policies.
func (s Score) value() float64 {
	if math.IsNaN(s.WinMean) {
		return -s.Turns
	}
	return s.WinMean
}

// check returns the first error in s, but for those of its points.
func (s *Sweep) check() error {
	switch {
	case len(s.Points) == 0:
		return errors.New("train: a sweep without a point; at least one is needed")
	case len(s.Seeds) == 0:
		return errors.New("train: a sweep without a seed; at least one is needed")
	case s.Evaluator == nil:
		return errors.New("train: a sweep without an evaluator")
	case s.Workers < 0:
		return fmt.Errorf("train: %d workers; at least one is needed", s.Workers)
	}
	for i, seed := range s.Seeds {
		if slices.Contains(s.Seeds[:i], seed) {
			return fmt.Errorf("train: seed %d is in the sweep twice", seed)
		}
	}
	for _, c := range s.Points {
		switch {
		case c.Game != s.Points[0].Game:
			return fmt.Errorf("train: points of a sweep on %v and %v; all are of one game", s.Points[0].Game, c.Game)
		case c.Length.Time != 0:
			return errors.New("train: trainings of a sweep share the machine, so that Length.Time has no meaning in it; set Steps or Episodes")
		case c.Checkpoint != "" || c.Resume != nil:
			return errors.New("train: a point of a sweep with a checkpoint of its own; the sweep has one for all")
		}
	}
	before := make(map[string]int)
	for i, is := range s.identities() {
		text := fmt.Sprint(is) // in the order of the names
		if j, ok := before[text]; ok {
			return fmt.Errorf("train: points %d and %d of the sweep are equal", j+1, i+1)
		}
		before[text] = i
	}
	return nil
}

// identity returns what distinguishes the trainings of c from those of other
// configurations, except the seed, and how they are evaluated.
func (c Config) identity() map[string]string {
	c = c.withDefaults()
	is := c.describe()
	maps.Copy(is, c.Notes)
	if c.Values {
		is["values"] = "true"
	}
	maps.Copy(is, map[string]string{
		"game": c.Game.String(), "rules": c.Game.Fingerprint(), "agent": c.Agent.Name, "states": string(c.Abstraction),
		"steps": strconv.FormatInt(c.Length.Steps, 10), "episodes": strconv.FormatInt(c.Length.Episodes, 10),
		"eval-every": strconv.FormatInt(c.EvalEvery, 10),
	})
	return is
}

// identities returns the identity of each point.
func (s *Sweep) identities() []map[string]string {
	var list []map[string]string
	for _, c := range s.Points {
		list = append(list, c.identity())
	}
	return list
}

// shares returns the number of workers of each of the trainings that run at once, of n.
func (s *Sweep) shares(n int) ([]int, error) {
	workers := cmp.Or(s.Workers, runtime.GOMAXPROCS(0))
	for atOnce := max(1, min(workers, n)); ; atOnce-- {
		most := (workers + atOnce - 1) / atOnce
		fits := true
		for _, c := range s.Points {
			c.Workers, c.MemoryLimit = most, s.MemoryLimit
			_, bytes, err := c.Bytes()
			if err != nil {
				return nil, err
			}
			fits = fits && (s.MemoryLimit == 0 || bytes*float64(atOnce) <= float64(s.MemoryLimit))
		}
		if !fits && atOnce > 1 {
			continue // one alone fits, or Check has refused it
		}
		shares := make([]int, atOnce)
		for i := range workers {
			shares[i%atOnce]++
		}
		return shares, nil
	}
}

// RunSweep runs the trainings of a sweep, several at once, until the last ends or ctx
// does. Trainings under way as ctx ends are given up; those that have ended are in the
// result and in the checkpoint. The same sweep gives the same result, at any number of
// workers and resumptions. Errors are those of the sweep and its points, of [Run], and
// of the evaluation; the first ends the sweep.
func RunSweep(ctx context.Context, s Sweep) (SweepResult, error) {
	if err := s.check(); err != nil {
		return SweepResult{}, err
	}
	for _, c := range s.Points {
		c.Workers, c.MemoryLimit = s.Workers, s.MemoryLimit
		if err := c.Check(); err != nil {
			return SweepResult{}, err
		}
	}
	r := &sweepRun{
		Sweep: s, points: s.identities(), under: make(map[int]Progress), trained: make(map[int]Trained), best: -1,
		checkpoint: sweepFile{path: s.Checkpoint}, log: sweepFile{path: s.Log},
	}
	if k := s.Resume; k != nil {
		if err := k.agrees(s.Seeds, r.points); err != nil {
			return SweepResult{}, err
		}
		r.file, r.best = k.file, k.best
		for _, t := range k.Trained {
			r.trained[t.Index] = t
		}
		r.checkpoint.own = k.path == s.Checkpoint
	}
	var left []int
	for i := range len(s.Points) * len(s.Seeds) {
		if _, ok := r.trained[i]; !ok {
			left = append(left, i)
		}
	}
	shares, err := s.shares(len(left))
	if err != nil {
		return SweepResult{}, err
	}
	r.save()
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int, len(left))
	for _, i := range left {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	for _, workers := range shares {
		all.Go(func() {
			for i := range next {
				if within.Err() != nil {
					return
				}
				if err := r.train(within, i, workers); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	all.Wait()
	if err := context.Cause(within); err != nil && ctx.Err() == nil {
		return SweepResult{}, err
	}
	return r.result(), nil
}

// A sweepRun is a sweep under way.
type sweepRun struct {
	Sweep
	points []map[string]string // what distinguishes each of Points

	mu      sync.Mutex
	under   map[int]Progress // of the trainings under way, by index
	trained map[int]Trained  // by index
	best    int              // index of the best training; -1 for none
	file    policies.File    // of the best training

	checkpoint, log sweepFile
}

// train runs training i and, unless ctx ends before it does, keeps its result.
func (r *sweepRun) train(ctx context.Context, i, workers int) error {
	c := r.Points[i/len(r.Seeds)]
	c.Seed, c.Workers, c.MemoryLimit = r.Seeds[i%len(r.Seeds)], workers, r.MemoryLimit
	t := Trained{Index: i, Seed: c.Seed}
	scored := false
	evaluate := r.Evaluator(c)
	c.Evaluate = func(ctx context.Context, p policies.Policy, last bool) (Score, error) {
		if err := ctx.Err(); err != nil {
			return Score{}, err
		}
		score, err := evaluate(ctx, p, last)
		if last && err == nil {
			t.Score, scored = score, true
		}
		return score, err
	}
	c.Evaluated = func(row Row) error {
		t.Rows = append(t.Rows, row)
		return nil
	}
	c.Learned, c.Checkpointed, c.Grace = nil, nil, ctx
	c.ReportEvery, c.Report = r.ReportEvery, func(p Progress) { r.progress(i, p) }
	result, err := Run(ctx, c)
	if err != nil {
		return fmt.Errorf("training %d of the sweep, with seed %d: %w", i+1, c.Seed, err)
	}
	if result.Interrupted || !scored {
		return nil
	}
	t.Steps, t.Episodes = result.Steps, result.Episodes
	r.keep(t, result.File)
	return nil
}

// keep keeps the result of a training that has ended.
func (r *sweepRun) keep(t Trained, f policies.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, t.Index)
	best, any := r.trained[r.best]
	r.trained[t.Index] = t
	if !any || better(t.Score, best.Score) || t.Score.value() == best.Score.value() && t.Index < r.best {
		r.best, r.file = t.Index, f
	}
	r.save()
	p := r.sum()
	if r.Ended != nil {
		r.Ended(t, p)
	}
	if r.Report != nil {
		r.Report(p)
	}
}

// progress notes and reports how far training i is.
func (r *sweepRun) progress(i int, p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under[i] = p
	if r.Report != nil {
		r.Report(r.sum())
	}
}

// sum returns the progress of the sweep. r.mu must be held.
func (r *sweepRun) sum() SweepProgress {
	p := SweepProgress{Ended: len(r.trained), Trainings: len(r.Points) * len(r.Seeds)}
	done := float64(p.Ended)
	for _, t := range r.trained {
		p.Steps += t.Steps
	}
	for _, at := range r.under {
		p.Steps += at.Steps
		done += at.Done
	}
	p.Done = min(1, done/float64(p.Trainings))
	return p
}

// inOrder returns the trainings that have ended, in their order.
func (r *sweepRun) inOrder() []Trained {
	var list []Trained
	for _, i := range slices.Sorted(maps.Keys(r.trained)) {
		list = append(list, r.trained[i])
	}
	return list
}

// result returns the result of the sweep.
func (r *sweepRun) result() SweepResult {
	list := r.inOrder()
	return SweepResult{
		Trained: list, File: r.file,
		Best:        slices.IndexFunc(list, func(t Trained) bool { return t.Index == r.best }),
		Interrupted: len(list) < len(r.Points)*len(r.Seeds),
		SaveErr:     errors.Join(r.checkpoint.err, r.log.err),
	}
}
