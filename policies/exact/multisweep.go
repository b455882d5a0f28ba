package exact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrUnsettled is wrapped where no equilibrium was found in a block of turns.
var ErrUnsettled = errors.New("exact: no equilibrium found")

// A multiWorker is the memory of one goroutine of a sweep over the blocks of a
// multiTable.
type multiWorker struct {
	turn                        turn
	finalTurns                  []turn // by place, for turns inside one another
	block                       block
	residual, deviation, change float64 // the largest of the current sweep
	mixed                       int
	chances                     []keyedDecision
	scores                      []int
	holds                       []float64
	behind                      []int
	blocks                      int
	unsettled                   []int // scores of a block without an equilibrium
	panic                       any
}

// A keyedDecision is a mixed decision with its turn.
type keyedDecision struct {
	turn turnKey
	mixedDecision
}

// newMultiWorkers returns the memory of the goroutines that o asks for.
func (b *multiTable) newMultiWorkers(o Options) []*multiWorker {
	workers := make([]*multiWorker, max(1, min(o.numWorkers(), b.target)))
	for i := range workers {
		workers[i] = b.newMultiWorker()
	}
	return workers
}

// newMultiWorker returns the memory of one goroutine.
func (b *multiTable) newMultiWorker() *multiWorker {
	top := b.width + b.maxGain + ahead
	if b.afterRound {
		top += b.finalLimit()
	}
	w := &multiWorker{turn: newTurn(b.rules, top), scores: make([]int, b.rules.players)}
	if b.afterRound && b.final == nil {
		for range b.rules.players {
			w.finalTurns = append(w.finalTurns, newTurn(b.rules, top))
		}
	}
	return w
}

// iterate computes all futures of the table.
func (b *multiTable) iterate(ctx context.Context, o Options) error {
	workers := b.newMultiWorkers(o)
	change, progress := 0.0, sweepProgress{least: math.Inf(1)}
	likely, m := b.optimalSweeps(), (*mixer)(nil)
	if b.mixes() {
		likely, m = b.likelySweeps(), b.newMixer(b.eachWiped)
	}
	residual, err := b.converge(o, likely,
		func(report func(float64)) (float64, error) {
			residual, err := b.sweepBlocks(ctx, workers, &change, report)
			if err == nil && b.optimizers() == b.rules.players && progress.stalls(change) {
				err = fmt.Errorf("%w: sweeps over %v go round in a cycle, in which a value changes by %.1g; a lower target may have an equilibrium that is found", ErrUnsettled, b.game, change)
			}
			return residual, err
		},
		func() float64 { return change }, m)
	b.residual = residual
	if err == nil && change > sweepTolerance {
		err = fmt.Errorf("%w: %v still changes by %.1g after %d sweeps", ErrUnsettled, b.game, change, maxSweeps)
	}
	return err
}

// mixes reports whether iterate uses a mixer. Where all players optimize it does not: values
// that are mixed may lead to another equilibrium, or to none.
func (b *multiTable) mixes() bool { return b.wipes && b.optimizers() < b.rules.players }

// eachWiped is [wipedValues] of a table in which every role is a seat: a component for
// the win probability of each player, and for turns and decisions.
func (b *multiTable) eachWiped(visit func(component int, value *float64, relative bool)) {
	n := b.rules.players
	for role := range b.roles {
		for index := range int(b.rows()) {
			row := b.row(role, index)
			for k := range n {
				visit((role+k)%n, &row[b.part(k)], false)
			}
			visit(n, &row[b.part(n)], true)
			visit(n+1, &row[b.part(n+1)], true)
		}
	}
}

// A sweepProgress tells whether sweeps over blocks, of which each may have several
// equilibria, still come closer to one of the game.
type sweepProgress struct {
	least float64 // change that has been halved last
	since int     // sweeps since then
}

// stallSweeps is a number of sweeps in which the change of values that come to rest halves
// many times over: in pig-snake-eyes each sweep leaves a fifth of it.
const stallSweeps = 20

// stalls reports whether the last stallSweeps changes have not been half of one before.
func (p *sweepProgress) stalls(change float64) bool {
	if change <= max(p.least/2, sweepTolerance) {
		p.least, p.since = change, 0
		return false
	}
	p.since++
	return p.since >= stallSweeps
}

// sweepBlocks solves every block once, from the highest sum of the banked scores down.
// Holding raises the sum, so the blocks of one sum do not depend on each other, and the
// workers share them. It returns the largest residual and sets change to the largest
// change of a future at a banked score of 0.
func (b *multiTable) sweepBlocks(ctx context.Context, workers []*multiWorker, change *float64, report func(done float64)) (residual float64, err error) {
	for _, w := range workers {
		w.residual, w.deviation, w.change, w.mixed, w.chances = 0, 0, 0, 0, nil
	}
	n := b.rules.players
	work := sumCounts(n, b.target)
	total, done := 0.0, 0.0
	cost := func(sum int) float64 { return work[sum] * float64(n*b.target-sum) }
	for sum := range work {
		total += cost(sum)
	}
	for sum := n * (b.target - 1); sum >= 0; sum-- {
		var next atomic.Int64
		run := func(w *multiWorker) {
			defer func() { w.panic = recover() }()
			for ctx.Err() == nil {
				// A part of the blocks is those with one pair of first scores.
				part := int(next.Add(1)) - 1
				if part >= b.target*b.target {
					return
				}
				w.scores[0], w.scores[1] = part/b.target, part%b.target
				if left := sum - w.scores[0] - w.scores[1]; left >= 0 {
					b.eachBlock(ctx, w, 2, left)
				}
			}
		}
		var wg sync.WaitGroup
		if work[sum] >= minBlocksPerSum {
			for _, w := range workers[1:] {
				wg.Go(func() { run(w) })
			}
		}
		run(workers[0])
		wg.Wait()
		for _, w := range workers {
			if w.panic != nil {
				panic(w.panic) // where the caller can see it
			}
			if w.unsettled != nil {
				return 0, fmt.Errorf("%w: %v with %v banked, in turn order", ErrUnsettled, b.game, w.unsettled)
			}
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if report != nil {
			done += cost(sum)
			report(min(1, done/total))
		}
	}
	b.deviation, b.mixed, *change = 0, 0, 0
	var chances []keyedDecision
	for _, w := range workers {
		residual, b.deviation, *change = max(residual, w.residual), max(b.deviation, w.deviation), max(*change, w.change)
		b.mixed += w.mixed
		chances = append(chances, w.chances...)
	}
	b.setChances(chances)
	return residual, nil
}

// minBlocksPerSum is the smallest number of sets of scores of one sum that is worth
// more than one goroutine.
const minBlocksPerSum = 64

// sumCounts returns the number of ways in which n scores below the target have each sum.
func sumCounts(n, target int) []float64 {
	counts := []float64{1}
	for range n {
		next := make([]float64, len(counts)+target-1)
		for sum, ways := range counts {
			for score := range target {
				next[sum+score] += ways
			}
		}
		counts = next
	}
	return counts
}

// eachBlock solves the blocks with the first at scores of w.scores, and others whose
// sum is left. Of the rotations of a block it takes the first in lexical order, if
// they are one block.
func (b *multiTable) eachBlock(ctx context.Context, w *multiWorker, at, left int) {
	n := b.rules.players
	if at == n {
		if left > 0 || b.roles == 1 && !firstRotation(w.scores) {
			return
		}
		if w.blocks++; w.blocks%pairsPerContextCheck == 0 && ctx.Err() != nil {
			return
		}
		b.solveBlock(w, w.scores)
		return
	}
	least := 0
	if b.roles == 1 {
		least = w.scores[0]
		if at == 2 && w.scores[1] < least {
			return
		}
	}
	others := n - 1 - at
	for score := max(least, left-others*(b.target-1)); score < b.target && score <= left; score++ {
		w.scores[at] = score
		b.eachBlock(ctx, w, at+1, left-score)
	}
}

// firstRotation reports whether no rotation of the scores comes before them in lexical
// order.
func firstRotation(scores []int) bool {
	n := len(scores)
	for d := 1; d < n; d++ {
		for i := range n {
			if c := scores[(i+d)%n] - scores[i]; c < 0 {
				return false
			} else if c > 0 {
				break
			}
		}
	}
	return true
}

// setChances makes the mixed decisions those that are given.
func (b *multiTable) setChances(decisions []keyedDecision) {
	slices.SortFunc(decisions, func(a, b keyedDecision) int {
		return cmp.Or(cmp.Compare(a.turn.role, b.turn.role), cmp.Compare(a.turn.row, b.turn.row), cmp.Compare(a.turn.own, b.turn.own))
	})
	b.chances = make(map[turnKey]mixedDecision, len(decisions))
	for _, d := range decisions {
		b.chances[d.turn] = d.mixedDecision
	}
}
