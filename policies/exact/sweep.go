package exact

import (
	"context"
	"runtime"
	"sync"
)

// Options say how to compute; they do not change a result.
type Options struct {
	// Workers is the number of goroutines; 0 is one for each processor that Go
	// may use.
	Workers int
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
	n := o.workers()
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

// sweep calls cycle once for each pair of banked scores, i of role 0 and j of
// role 1, below the target; with one player, j is 0; if mirrored, the pairs
// with i <= j alone. Holding raises the sum of the scores, so that sums are
// done from the highest down. Pairs of one sum are independent of each other,
// and the crew shares them. It returns the largest residual, or ctx.Err() if
// ctx ends first, and panics if a cycle does.
func (r *rules) sweep(ctx context.Context, crew []*worker, mirrored bool, cycle func(w *worker, i, j int)) (residual float64, err error) {
	for _, w := range crew {
		w.residual = 0
	}
	var wg sync.WaitGroup
	for sum := r.players * (r.target - 1); sum >= 0; sum-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		from, to := max(0, sum-r.target+1), min(sum, r.target-1)
		switch {
		case r.players == 1:
			from = to
		case mirrored:
			to = sum / 2
		}
		run := func(w *worker, from, to int) {
			defer func() { w.panic = recover() }()
			for i := from; i < to; i++ {
				cycle(w, i, sum-i)
			}
		}
		n := to + 1 - from
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
	}
	for _, w := range crew {
		residual = max(residual, w.residual)
	}
	return residual, nil
}

const (
	// stands is how far the values of a wiped score may lie from what they
	// were taken for.
	stands = 2e-14
	// maxSweeps bounds the sweeps of a board. Targets of 100 and 500 take about
	// 15 and 30.
	maxSweeps = 1000
)

// settle sweeps once or, where a roll can cost the banked score, which a sweep
// comes to last, until the values of such scores stand still. carry takes the
// values found for the next sweep and returns how far they differ from those
// taken for the last. Their influence on each other is discounted by the
// chance that a game comes back to such a score, so that each sweep shrinks
// the difference by a factor.
func (r *rules) settle(sweep func() (residual float64, err error), carry func() (change float64)) (residual float64, err error) {
	for range maxSweeps {
		residual, err = sweep()
		if err != nil || !r.wipes {
			return residual, err
		}
		change := carry()
		residual = max(residual, change)
		if change <= stands {
			break
		}
	}
	return residual, nil
}
