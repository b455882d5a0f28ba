package agents

import (
	"sync"
	"sync/atomic"
)

// apart keeps what goroutines write all the time out of each other's cache lines,
// which two processors cannot write at once.
type apart [64]byte

// share does the jobs 0 to n-1, each once, on as many goroutines as the crew
// has members, and returns the sum of what they played. A job gets the member
// that does it, which nobody else uses meanwhile.
func share[Member any](crew []*Member, n int, job func(m *Member, i int) Played) Played {
	var next, steps, episodes atomic.Int64
	work := func(m *Member) {
		var sum Played
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			sum = sum.add(job(m, i))
		}
		steps.Add(sum.Steps)
		episodes.Add(sum.Episodes)
	}
	var wg sync.WaitGroup
	for _, m := range crew[1:min(len(crew), max(1, n))] {
		wg.Go(func() { work(m) })
	}
	work(crew[0])
	wg.Wait()
	return Played{steps.Load(), episodes.Load()}
}

func (p Played) add(q Played) Played { return Played{p.Steps + q.Steps, p.Episodes + q.Episodes} }
