package agents

import (
	"pigpen/env"
	"pigpen/policies"
)

// localFitBytes is the memory of an entry of a localFit in bytes: a float32.
const localFitBytes = 4

// A localFit replaces noisy estimates of advantages by a local linear fit of those of
// neighbouring states, with their counts of samples as weights (W. Cleveland, "Robust
// Locally Weighted Regression and Smoothing Scatterplots", JASA 74, 1979). An advantage
// is the value of rolling minus that of holding (L. Baird, "Advantage Updating", 1993).
// It varies slowly from state to state where holding is legal and the game goes on after
// it; the other states have no fit.
type localFit struct {
	afterstates
	reach reach
	// pairs are the differences from a state to one of its neighbours, and lead to
	// another neighbour with the opposite sign.
	pairs []reach
	// starts are the indices of the states in which turns begin, in order: those of
	// one score of the other player, and of one phase of the round, are a row of as
	// many as the target has points.
	starts []int
	// fitted are the results, by entry.
	fitted []float32
}

// A reach is how far away the neighbours of a state are, in points.
type reach struct {
	own   int // in the mover's banked score
	other int // in the other player's banked score
	held  int // in the sum of the mover's banked score and the turn total
}

// reachOf returns the reach in games to the given target: that of 100 in games to
// higher targets, in proportion to the target in others, and none below 25.
func reachOf(target int) reach {
	return reach{own: min(target/25, 4), other: min(target/30, 3), held: min(target/50, 1)}
}

// A localFitWorker has the working memory of one goroutine: by turn total, the sum of
// the weights and that of the weighted advantages.
type localFitWorker struct {
	weight, sum []float64
}

func newLocalFit(index policies.StateIndex) *localFit {
	f := &localFit{afterstates: newAfterstates(index), reach: reachOf(index.Game().Target()), fitted: make([]float32, index.Size())}
	for start := range index.Turns() {
		f.starts = append(f.starts, start)
	}
	others := f.reach.other
	if f.game.Players() == 1 {
		others = 0
	}
	for own := 0; own <= f.reach.own; own++ {
		for other := -others; other <= others; other++ {
			for held := -f.reach.held; held <= f.reach.held; held++ {
				if own > 0 || other > 0 || other == 0 && held > 0 {
					f.pairs = append(f.pairs, reach{own, other, held})
				}
			}
		}
	}
	return f
}

// fit sets f.fitted to the fits of the given advantages, with that many goroutines.
// count[i] is the number of samples of advantage[i]. Where neither a state nor its
// neighbours have samples, and in states without a fit, the advantage stays as it is.
func fit[N uint16 | float32](f *localFit, workers int, advantage []float32, count []N) {
	list := make([]*localFitWorker, workers)
	for i := range list {
		list[i] = &localFitWorker{make([]float64, f.index.Width()), make([]float64, f.index.Width())}
	}
	copy(f.fitted, advantage)
	inParallel(list, len(f.starts), func(w *localFitWorker, k int) Played {
		fitTurn(f, w, k, advantage, count)
		return Played{}
	})
}

// fitTurn fits the advantages in the states of turn k. The fit is the mean of the
// advantages of a state and of its neighbours, weighted with their counts. Neighbours
// come in pairs on opposite sides of the state, with one weight, the lower of their
// counts, so that the mean is the value of a linear fit.
func fitTurn[N uint16 | float32](f *localFit, w *localFitWorker, k int, advantage []float32, count []N) {
	start, end := f.starts[k], f.endOfTurn(k)
	for t := 1; t < end-start; t++ {
		w.weight[t] = float64(count[start+t])
		// The conversions of products keep a compiler from fusing them into a sum.
		w.sum[t] = float64(w.weight[t] * float64(advantage[start+t]))
	}
	for _, d := range f.pairs {
		addPairs(f, w, k, d, advantage, count)
	}
	for t := 1; t < end-start; t++ {
		if w.weight[t] > 0 {
			f.fitted[start+t] = float32(w.sum[t] / w.weight[t])
		}
	}
}

// addPairs adds to w, for every state of turn k, the neighbours that differ by d and -d,
// where the game has both.
func addPairs[N uint16 | float32](f *localFit, w *localFitWorker, k int, d reach, advantage []float32, count []N) {
	kp, kq := f.turnAt(k, d.own, d.other), f.turnAt(k, -d.own, -d.other)
	if kp < 0 || kq < 0 {
		return
	}
	shift := d.held - d.own // from the turn total of the state to that of the first of the pair
	first, start := 1+max(shift, -shift), f.starts[k]
	end := min(f.endOfTurn(k)-start, f.endOfTurn(kp)-f.starts[kp]-shift, f.endOfTurn(kq)-f.starts[kq]+shift)
	if first >= end {
		return
	}
	n, p, q := end-first, f.starts[kp]+first+shift, f.starts[kq]+first-shift
	weight, sum := w.weight[first:end], w.sum[first:end]
	advantageP, advantageQ := advantage[p:p+n], advantage[q:q+n]
	countP, countQ := count[p:p+n], count[q:q+n]
	for i := range n {
		both := float64(min(countP[i], countQ[i]))
		sum[i] += float64(both * float64(advantageP[i]+advantageQ[i]))
		weight[i] += 2 * both
	}
}

// turnAt returns the turn with banked scores that differ by own and other from those of
// turn k, or -1 if no turn begins with them.
func (f *localFit) turnAt(k, own, other int) int {
	target := f.game.Target()
	a, b := k%target+own, k/target%f.index.Width()+other
	if a < 0 || a >= target || b < 0 || b >= f.index.Width() {
		return -1
	}
	return k + own + other*target
}

// endOfTurn returns the index behind the states of turn k in which the game goes on if
// the mover holds.
func (f *localFit) endOfTurn(k int) int {
	own := k % f.game.Target()
	if f.game.Variant().Ending == env.AtTarget {
		return f.starts[k] + f.game.Target() - own
	}
	if k < len(f.starts)/f.game.Players() {
		return f.starts[k] // the last to move in the round, whose hold ends the game if it reaches the target
	}
	return f.starts[k] + f.index.Width() - own
}
