package agents

import (
	"sync"
	"sync/atomic"
)

// cacheLinePad stands at both ends of a struct that one goroutine writes often. It
// keeps the structs of two goroutines out of one cache line.
type cacheLinePad [64]byte

// inParallel calls job for each i in [0, n), with one goroutine for each worker, and
// returns the sum of the results. Calls with the same worker do not overlap.
func inParallel[Worker any](workers []*Worker, n int, job func(w *Worker, i int) Played) Played {
	var next, steps, episodes atomic.Int64
	work := func(w *Worker) {
		var sum Played
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			sum = sum.add(job(w, i))
		}
		steps.Add(sum.Steps)
		episodes.Add(sum.Episodes)
	}
	var wg sync.WaitGroup
	for _, w := range workers[1:min(len(workers), max(1, n))] {
		wg.Go(func() { work(w) })
	}
	work(workers[0])
	wg.Wait()
	return Played{steps.Load(), episodes.Load()}
}

func (p Played) add(q Played) Played { return Played{p.Steps + q.Steps, p.Episodes + q.Episodes} }
