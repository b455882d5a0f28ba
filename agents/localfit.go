package agents

import (
	"slices"

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
	pairs []difference
	// starts are the indices of the states in which turns begin, in order: those of
	// one choice of scores of the other players, and of one phase of the round, are a
	// row of as many as the target has points.
	starts []int
	// fitted are the results, by entry.
	fitted []float32
}

// A reach is how far away the neighbours of a state are, in points.
type reach struct {
	own   int // in the mover's banked score
	other int // in the banked score of each other player that the index distinguishes
	held  int // in the sum of the mover's banked score and the turn total
}

// reachOf returns the reach in games to the given target: that of 100 in games to
// higher targets, in proportion to the target in others, and none below 25. With the
// scores of several other players there are neighbours enough at a distance of 1.
func reachOf(target, others int) reach {
	r := reach{own: min(target/25, 4), other: min(target/30, 3), held: min(target/50, 1)}
	if others > 1 {
		r.other = min(r.other, 1)
	}
	return r
}

// A difference between two states, in points.
type difference struct {
	own    int // in the mover's banked score
	held   int // in the sum of the mover's banked score and the turn total
	others []int
	turns  int // in the positions of their turns
}

// A localFitWorker has the working memory of one goroutine.
type localFitWorker struct {
	// By turn total, the sum of the weights and that of the weighted advantages.
	weight, sum []float64
	// The scores of a turn: the mover's, and those of the other players that the index
	// distinguishes.
	own    int
	others []int
}

func newLocalFit(index policies.StateIndex) *localFit {
	f := &localFit{afterstates: newAfterstates(index), fitted: make([]float32, index.Size())}
	for start := range index.Turns() {
		f.starts = append(f.starts, start)
	}
	others := f.index.Others()
	f.reach = reachOf(f.game.Target(), others)
	d := difference{others: make([]int, others)}
	// add adds the differences whose others begin as the first k of d. Those with a
	// negative sign are the opposites of others.
	var add func(k, sign int)
	add = func(k, sign int) {
		if k < others {
			for other := -f.reach.other; other <= f.reach.other; other++ {
				if d.others[k] = other; sign == 0 {
					add(k+1, other)
				} else {
					add(k+1, sign)
				}
			}
			return
		}
		for held := -f.reach.held; held <= f.reach.held; held++ {
			if sign > 0 || sign == 0 && held > 0 {
				f.pairs = append(f.pairs, difference{d.own, held, slices.Clone(d.others), f.turnOf(d.own, d.others)})
			}
		}
	}
	for d.own = 0; d.own <= f.reach.own; d.own++ {
		add(0, d.own)
	}
	return f
}

// turnOf returns the position in f.starts of the turn with the given scores, in the phase
// of the round in which the mover is the last to act.
func (f *localFit) turnOf(own int, others []int) (k int) {
	for _, other := range slices.Backward(others) {
		k = k*f.index.Width() + other
	}
	return k*f.game.Target() + own
}

// fit sets f.fitted to the fits of the given advantages, with that many goroutines.
// count[i] is the number of samples of advantage[i]. Where neither a state nor its
// neighbours have samples, and in states without a fit, the advantage stays as it is.
func fit[N uint16 | float32](f *localFit, workers int, advantage []float32, count []N) {
	list := make([]*localFitWorker, workers)
	for i := range list {
		list[i] = &localFitWorker{
			weight: make([]float64, f.index.Width()), sum: make([]float64, f.index.Width()), others: make([]int, f.index.Others()),
		}
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
	rest := k / f.game.Target()
	w.own = k % f.game.Target()
	for i := range w.others {
		w.others[i] = rest % f.index.Width()
		rest /= f.index.Width()
	}
	for t := 1; t < end-start; t++ {
		w.weight[t] = float64(count[start+t])
		// The conversions of products keep a compiler from fusing them into a sum.
		w.sum[t] = float64(w.weight[t] * float64(advantage[start+t]))
	}
	for _, d := range f.pairs {
		addPairs(f, w, k, &d, advantage, count)
	}
	for t := 1; t < end-start; t++ {
		if w.weight[t] > 0 {
			f.fitted[start+t] = float32(w.sum[t] / w.weight[t])
		}
	}
}

// addPairs adds to w, for every state of turn k, the neighbours that differ by d and -d,
// where the game has both.
func addPairs[N uint16 | float32](f *localFit, w *localFitWorker, k int, d *difference, advantage []float32, count []N) {
	if !f.hasPair(w, d) {
		return
	}
	kp, kq := k+d.turns, k-d.turns
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

// hasPair reports whether turns begin with the scores in w plus and minus d.
func (f *localFit) hasPair(w *localFitWorker, d *difference) bool {
	if w.own < d.own || w.own+d.own >= f.game.Target() { // d.own is not negative
		return false
	}
	for i, other := range w.others {
		if reach := max(d.others[i], -d.others[i]); other < reach || other+reach >= f.index.Width() {
			return false
		}
	}
	return true
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
