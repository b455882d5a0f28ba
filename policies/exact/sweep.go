package exact

import (
	"context"
	"math"
	"runtime"
	"sync"
)

// Options control the computation. They do not change its result.
type Options struct {
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
	// Progress, if not nil, is called many times a second with the fraction of the
	// work that is done, in [0, 1]. The fraction never falls and is 1 at the end
	// unless there is an error; it is an estimate where the number of sweeps is not
	// known in advance. Calls do not overlap, and the computation waits for them.
	Progress func(done float64)
	// Prepare makes [Solve] and [BestResponse] call [Solution.Prepare].
	Prepare bool
}

// A worker is the memory of one goroutine of a sweep.
type worker struct {
	turns     [2]turn // by role
	finalTurn turn
	residual  float64 // the largest of the current sweep
	panic     any     // the value of a panic of solvePair, or nil
}

// numWorkers returns Workers, or its default.
func (o Options) numWorkers() int {
	if o.Workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}

// newWorkers returns as many workers as o asks for and a sweep can use.
func newWorkers(r *rules, o Options) []*worker {
	// A sum has at most target pairs of banked scores; with one player it has one.
	n := max(1, min(o.numWorkers(), r.target/minPairsPerWorker))
	if r.players == 1 {
		n = 1
	}
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = &worker{turns: [2]turn{newTurn(r, 0), newTurn(r, 0)}, finalTurn: newTurn(r, 0)}
	}
	return workers
}

// minPairsPerWorker is the smallest number of pairs that is worth a goroutine.
const minPairsPerWorker = 8

// pairsPerContextCheck is the number of pairs between two checks of the context.
const pairsPerContextCheck = 64

// sweep is one Gauss-Seidel sweep: it calls solvePair once for each pair of banked
// scores below the target, i of role 0 and j of role 1. With one player j is 0; if
// symmetric is true, only pairs with i <= j are solved. Holding raises the sum of the
// scores, so sweep proceeds from the highest sum down. The pairs of one sum do not
// depend on each other, and the workers share them. sweep returns the largest
// residual, or ctx.Err() if ctx ends first. It panics if solvePair panics.
//
// If report is not nil, sweep calls it after each sum with the fraction of the work
// that is done, where a pair costs cost(sum).
func (r *rules) sweep(ctx context.Context, workers []*worker, symmetric bool, solvePair func(w *worker, i, j int), cost func(sum int) int, report func(done float64)) (residual float64, err error) {
	for _, w := range workers {
		w.residual = 0
	}
	highest := r.players * (r.target - 1)
	total, done := 0, 0
	if report != nil {
		for sum := range highest + 1 {
			from, to := r.pairs(sum, symmetric)
			total += (to - from) * cost(sum)
		}
	}
	var wg sync.WaitGroup
	for sum := highest; sum >= 0; sum-- {
		from, to := r.pairs(sum, symmetric)
		run := func(w *worker, from, to int) {
			defer func() { w.panic = recover() }()
			for i := from; i < to; i++ {
				if (i-from)%pairsPerContextCheck == 0 && ctx.Err() != nil {
					return
				}
				solvePair(w, i, sum-i)
			}
		}
		n := to - from
		parts := max(1, min(len(workers), n/minPairsPerWorker))
		for k := 1; k < parts; k++ {
			wg.Go(func() { run(workers[k], from+k*n/parts, from+(k+1)*n/parts) })
		}
		run(workers[0], from, from+n/parts)
		wg.Wait()
		for _, w := range workers {
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
	for _, w := range workers {
		residual = max(residual, w.residual)
	}
	return residual, nil
}

// pairs returns the range [from, to) of i in the pairs with the given sum.
func (r *rules) pairs(sum int, symmetric bool) (from, to int) {
	from, to = max(0, sum-r.target+1), min(sum, r.target-1)+1
	switch {
	case r.players == 1:
		from = sum
	case symmetric:
		to = sum/2 + 1
	}
	return from, to
}

// optimalCost is the cost of a pair for optimal play, which backs up every turn total
// up to the target.
func (r *rules) optimalCost(sum int) int { return r.players*r.target - sum }

// givenCost is the cost of a pair for given policies, which usually hold long before
// the target.
func (r *rules) givenCost(int) int { return 1 }

const (
	// sweepTolerance is the largest change of the values at a banked score of 0 that
	// counts as convergence.
	sweepTolerance = 2e-14
	// maxSweeps bounds the number of sweeps.
	maxSweeps = 1000
)

// likelySweeps returns an estimate of the number of sweeps of games of two players in which
// a roll can cost the banked score, and of given policies of more players: for targets of
// 100, 200 and 300, optimal play needs 9, 11 and 12, two policies that hold early 10, 12
// and 13.
func (r *rules) likelySweeps() float64 { return max(3, 2*math.Log2(float64(r.target))-3) }

// optimalSweeps is likelySweeps for equilibria of three and more players, whose values are
// not mixed.
func (r *rules) optimalSweeps() float64 { return 1.3 * math.Sqrt(float64(r.target)) }

// converge calls sweep once or, if a roll can cost the banked score, until the values
// at a banked score of 0 converge; a sweep computes these values last. change returns
// their largest change in the last sweep. Each sweep reduces it by a factor, because the
// values are discounted by the probability that a game returns to a banked score of 0.
//
// Between sweeps m, if it is not nil, mixes the values to converge in fewer sweeps. The
// result is always that of a sweep and never mixed, and the change of this sweep has
// passed the same test as without m.
//
// sweep calls report, if it is not nil, with the fraction of the sweep that is done.
// converge passes it on to o.Progress as a fraction of all sweeps, whose number it
// first takes to be likely.
func (r *rules) converge(o Options, likely float64, sweep func(report func(done float64)) (residual float64, err error), change func() float64, m *mixer) (residual float64, err error) {
	if !r.wipes {
		return sweep(o.Progress)
	}
	e := sweepEstimate{sweeps: likely}
	var report func(done float64)
	if o.Progress != nil {
		report = func(done float64) { o.Progress(e.done(done)) }
	}
	for n := 1; ; n++ {
		if residual, err = sweep(report); err != nil {
			return residual, err
		}
		c := change()
		residual = max(residual, c)
		if c <= sweepTolerance || n == maxSweeps {
			break
		}
		e.addSweep(c)
		if m != nil {
			m.next(c)
		}
	}
	if o.Progress != nil {
		o.Progress(1)
	}
	return residual, nil
}
