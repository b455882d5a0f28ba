package exact

import (
	"context"
	"math"
	"runtime"
	"sync"
)

// Options say how to compute; they do not change a result.
type Options struct {
	// Workers is the number of goroutines; 0 is one for each processor that Go
	// may use.
	Workers int
	// Progress, if not nil, is called with the part of the work that is done, in
	// [0, 1], many times a second: by one goroutine at a time, which waits for it,
	// with a number that never falls, and with 1 at the end unless there is an
	// error. Where the number of sweeps is not known before the last one, the part
	// is estimated.
	Progress func(done float64)
	// Prepare has [Solve] and [BestResponse] call [Solution.Prepare].
	Prepare bool
}

// A worker is what one goroutine of a sweep works with.
type worker struct {
	turns    [2]turn // by role
	chaser   turn
	residual float64 // the largest of a sweep
	panic    any     // what a policy did to it
}

func (o Options) workers() int {
	if o.Workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}

func newCrew(r *rules, o Options) []*worker {
	// A sum has target pairs of banked scores at most, or one with one player.
	n := max(1, min(o.workers(), r.target/grain))
	if r.players == 1 {
		n = 1
	}
	crew := make([]*worker, n)
	for i := range crew {
		crew[i] = &worker{turns: [2]turn{newTurn(r, 0), newTurn(r, 0)}, chaser: newTurn(r, 0)}
	}
	return crew
}

// grain is the fewest cycles that are worth a goroutine of their own.
const grain = 8

// patience is how many cycles go by between two looks at the context.
const patience = 64

// sweep calls cycle once for each pair of banked scores, i of role 0 and j of
// role 1, below the target; with one player, j is 0; if mirrored, the pairs
// with i <= j alone. Holding raises the sum of the scores, so that sums are
// done from the highest down. Pairs of one sum are independent of each other,
// and the crew shares them. It returns the largest residual, or ctx.Err() if
// ctx ends first, and panics if a cycle does.
//
// report, unless it is nil, is told after each sum which part of the work is
// done, if a cycle takes cost(sum).
func (r *rules) sweep(ctx context.Context, crew []*worker, mirrored bool, cycle func(w *worker, i, j int), cost func(sum int) int, report func(done float64)) (residual float64, err error) {
	for _, w := range crew {
		w.residual = 0
	}
	highest := r.players * (r.target - 1)
	total, done := 0, 0
	if report != nil {
		for sum := range highest + 1 {
			from, to := r.pairs(sum, mirrored)
			total += (to - from) * cost(sum)
		}
	}
	var wg sync.WaitGroup
	for sum := highest; sum >= 0; sum-- {
		from, to := r.pairs(sum, mirrored)
		run := func(w *worker, from, to int) {
			defer func() { w.panic = recover() }()
			for i := from; i < to; i++ {
				if (i-from)%patience == 0 && ctx.Err() != nil {
					return
				}
				cycle(w, i, sum-i)
			}
		}
		n := to - from
		parts := max(1, min(len(crew), n/grain))
		for k := 1; k < parts; k++ {
			wg.Go(func() { run(crew[k], from+k*n/parts, from+(k+1)*n/parts) })
		}
		run(crew[0], from, from+n/parts)
		wg.Wait()
		for _, w := range crew {
			if w.panic != nil {
				panic(w.panic) // where the caller can see it
			}
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if report != nil {
			done += n * cost(sum)
			report(float64(done) / float64(total))
		}
	}
	for _, w := range crew {
		residual = max(residual, w.residual)
	}
	return residual, nil
}

// pairs returns the range of i, from and before to, in the pairs of a sum.
func (r *rules) pairs(sum int, mirrored bool) (from, to int) {
	from, to = max(0, sum-r.target+1), min(sum, r.target-1)+1
	switch {
	case r.players == 1:
		from = sum
	case mirrored:
		to = sum/2 + 1
	}
	return from, to
}

// byLength is the cost of a cycle that works through every turn total up to
// the target.
func (r *rules) byLength(sum int) int { return r.players*r.target - sum }

// byPair is the cost of a cycle of given policies, which hold, as a rule, long
// before the target.
func (r *rules) byPair(int) int { return 1 }

const (
	// stands is how far the values of a wiped score may lie from what they
	// were taken for.
	stands = 2e-14
	// maxSweeps bounds the sweeps of a board.
	maxSweeps = 1000
)

// likelySweeps returns how many sweeps perfect play takes, as far as it can be
// said before the first, in a game in which a roll can cost the banked score:
// targets of 100, 300 and 500 take 13, 21 and 30. Given policies take more, the
// longer they hold out without winning; see longSweeps.
func (r *rules) likelySweeps() float64 { return 1.3 * math.Sqrt(float64(r.target)) }

// longSweeps is likelySweeps where policies are given: two that hold early take
// 37, 92 and 199 at targets of 100, 200 and 300.
func (r *rules) longSweeps() float64 { return 0.5 * float64(r.target) }

// settle sweeps once or, where a roll can cost the banked score, which a sweep
// comes to last, until the values of such scores stand still. carry takes the
// values found for the next sweep and returns how far they differ from those
// taken for the last. Their influence on each other is discounted by the
// chance that a game comes back to such a score, so that each sweep shrinks
// the difference by a factor.
//
// sweep tells report, unless it is nil, which part of it is done, and settle
// tells o.Progress, with an estimate of the sweeps that are to come, which begins
// with likely.
func (r *rules) settle(o Options, likely float64, sweep func(report func(done float64)) (residual float64, err error), carry func() (change float64)) (residual float64, err error) {
	if !r.wipes {
		return sweep(o.Progress)
	}
	e := estimate{sweeps: likely}
	var report func(done float64)
	if o.Progress != nil {
		report = func(done float64) { o.Progress(e.done(done)) }
	}
	for range maxSweeps {
		if residual, err = sweep(report); err != nil {
			return residual, err
		}
		change := carry()
		residual = max(residual, change)
		if change <= stands {
			break
		}
		e.sweep(change)
	}
	if o.Progress != nil {
		o.Progress(1)
	}
	return residual, nil
}
