package exact

import (
	"cmp"
	"math"
	"slices"
)

// A flip is a decision point of a mover of a block at which it rolls if a bust is worth
// more than at, and holds if it is worth less: at that value it is indifferent.
type flip struct {
	turnTotal int
	at        float64
}

// A ladder has what the turn of a mover leads to by the value of a bust to it, between
// the values low and high: the more a bust is worth, the more there is to rolling, so
// that the best decisions change at flips, one after the other. With a bust between
// flips[i-1] and flips[i] the effect of the turn is steps[i]; at flips[i] it may be
// any mixture of steps[i] and steps[i+1].
type ladder struct {
	low, high float64
	flips     []flip
	steps     []turnEffect
}

const (
	// mixNewtonSteps bounds the steps of Newton's method for the chances of one set of
	// flips; most take four.
	mixNewtonSteps = 60
	// bisections of an interval within [0, 1] leave two neighbouring numbers of it.
	bisections = 64
	// settledTolerance is how far the value of a bust may be from the range of its step.
	settledTolerance = 1e-13
	// maxCells bounds the combinations of steps and flips in which an equilibrium is
	// looked for; a block with more counts as unsettled.
	maxCells = 20_000_000
)

// searchBlock looks for an equilibrium of a block whose movers have not come to one by
// themselves, and reports whether it has found one. In an equilibrium each mover is on a
// step of its ladder, with a bust in the range of that step, or mixes the two steps at
// a flip, at which its bust has the value of the flip. The combinations are tried in
// order, those in which the fewest movers mix first: within the range of the values that
// the movers have gone through; then in wider ones.
func (b *multiTable) searchBlock(w *multiWorker) bool {
	bl := &w.block
	ladders := make([]ladder, len(bl.movers))
	for m := range ladders {
		ladders[m].low, ladders[m].high = bl.movers[m].bust, bl.movers[m].bust
	}
	for range inTurnPasses {
		b.improveInTurn(w, 1)
		for m := range ladders {
			ladders[m].low, ladders[m].high = min(ladders[m].low, bl.movers[m].bust), max(ladders[m].high, bl.movers[m].bust)
		}
	}
	for {
		cells, whole := 1.0, true
		for m := range ladders {
			l := &ladders[m]
			if b.players[m] != nil {
				l.steps = []turnEffect{bl.movers[m].effect}
				continue
			}
			whole = whole && l.low <= 0 && l.high >= 1
			b.climb(w, m, l)
			cells *= float64(len(l.steps) + len(l.flips))
		}
		if cells > maxCells {
			return false
		}
		for mixing := range len(ladders) + 1 {
			if b.searchCells(w, ladders, make([]int, 0, len(ladders)), mixing) {
				return true
			}
		}
		if whole {
			return false
		}
		for m := range ladders {
			l := &ladders[m]
			wider := max(0.001, l.high-l.low)
			l.low, l.high = max(0, l.low-wider), min(1, l.high+wider)
		}
	}
}

// climb computes the flips and steps of mover m.
func (b *multiTable) climb(w *multiWorker, m int, l *ladder) {
	l.flips, l.steps = l.flips[:0], l.steps[:0]
	own := w.block.movers[m].own
	rolls := func(bust float64) (rolls []bool) {
		row := b.backupTurn(w, m, bust, 0)
		for h := own + 1; h < b.width; h++ {
			rolls = append(rolls, h < len(row) && w.turn.value[h] != row[h])
		}
		return rolls
	}
	before, after := rolls(l.low), rolls(l.high)
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		low, high := l.low, l.high
		for range bisections {
			if middle := low + (high-low)/2; rolls(middle)[i] {
				high = middle
			} else {
				low = middle
			}
		}
		l.flips = append(l.flips, flip{1 + i, low})
	}
	slices.SortStableFunc(l.flips, func(a, b flip) int { return cmp.Compare(a.at, b.at) })
	low := l.low
	for i := range len(l.flips) + 1 {
		high := l.high
		if i < len(l.flips) {
			high = l.flips[i].at
		}
		p := &w.block.movers[m]
		row := b.backupTurn(w, m, low+(high-low)/2, marginWins)
		b.setEffect(w, m, w.turn.forward(p.own, nil, p.state, row))
		l.steps = append(l.steps, p.effect)
		low = high
	}
}

// searchCells tries every combination that begins with the given cells, one for each
// mover: 2·i for step i, 2·i + 1 for flip i. Of the movers that are left, as many as
// mixing says are at a flip.
func (b *multiTable) searchCells(w *multiWorker, ladders []ladder, cells []int, mixing int) bool {
	m := len(cells)
	if m == len(ladders) {
		return b.solveCells(w, ladders, cells)
	}
	for cell := range len(ladders[m].steps) + len(ladders[m].flips) {
		left := mixing - cell%2
		if left >= 0 && left <= len(ladders)-m-1 && b.searchCells(w, ladders, append(cells, cell), left) {
			return true
		}
	}
	return false
}

// solveCells looks for the chances of rolling at the flips of the given cells that make
// every one of their movers indifferent: c with x_m(c) = at_m, where x_m is the value of
// a bust to mover m, by Newton's method from the middle. If the values of the other
// movers are in the ranges of their steps, it is an equilibrium; then solveCells keeps
// it.
func (b *multiTable) solveCells(w *multiWorker, ladders []ladder, cells []int) bool {
	bl := &w.block
	bustOf := func(m int) float64 { return bl.after[(m+1)%len(bl.after)].win[m] }
	var mixers []int
	for m, cell := range cells {
		if cell%2 == 1 {
			mixers = append(mixers, m)
		} else {
			bl.movers[m].effect = ladders[m].steps[cell/2]
		}
	}
	chances := make([]float64, len(mixers))
	for i := range chances {
		chances[i] = 0.5
	}
	solved := newton(func(chances []float64) []float64 {
		misses := make([]float64, len(mixers))
		for i, m := range mixers {
			l, k := &ladders[m], cells[m]/2
			bl.movers[m].effect = l.steps[k].mix(chances[i], &l.steps[k+1])
		}
		b.solveCycle(bl)
		for i, m := range mixers {
			misses[i] = bustOf(m) - ladders[m].flips[cells[m]/2].at
		}
		return misses
	}, chances)
	if !solved {
		return false
	}
	for _, c := range chances {
		if c < 0 || c > 1 {
			return false
		}
	}
	for m, cell := range cells {
		l, k := &ladders[m], cell/2
		if cell%2 == 1 || b.players[m] != nil {
			continue
		}
		x := bustOf(m)
		if k > 0 && x < l.flips[k-1].at-settledTolerance || k < len(l.flips) && x > l.flips[k].at+settledTolerance ||
			k == 0 && x < l.low-settledTolerance || k == len(l.flips) && x > l.high+settledTolerance {
			return false
		}
	}
	for m := range cells {
		if b.players[m] == nil {
			p := &bl.movers[m]
			p.bust = bustOf(m)
			b.keepActions(w, m, b.backupTurn(w, m, p.bust, marginWins))
		}
	}
	for i, m := range mixers {
		p, f := &bl.movers[m], ladders[m].flips[cells[m]/2]
		w.chances = append(w.chances, keyedDecision{turnKey{p.role, p.index, p.own}, mixedDecision{f.turnTotal, chances[i]}})
	}
	if len(mixers) > 0 {
		w.mixed++
	}
	return true
}

// newton solves misses(x) = 0 from x by Newton's method, with differences for
// derivatives, and reports whether it has come to a solution. The last call of misses
// is with the solution. A step goes no farther than to the middle between x and the
// ends of [0, 1].
func newton(misses func(x []float64) []float64, x []float64) bool {
	const delta = 1e-6
	n := len(x)
	if n == 0 {
		misses(x)
		return true
	}
	for range mixNewtonSteps {
		now := misses(x)
		matrix := make([][]float64, n) // with the right side as its last column
		for i := range matrix {
			matrix[i] = append(make([]float64, n), -now[i])
		}
		for j := range x {
			was := x[j]
			x[j] = was + delta
			for i, miss := range misses(x) {
				matrix[i][j] = (miss - now[i]) / delta
			}
			x[j] = was
		}
		step, ok := solveLinear(matrix)
		if !ok {
			return false
		}
		size := 0.0
		for i := range x {
			next := x[i] + step[i]
			if next < -0.5 {
				next = (x[i] - 0.5) / 2
			} else if next > 1.5 {
				next = (x[i] + 1.5) / 2
			}
			size = max(size, math.Abs(next-x[i]))
			x[i] = next
		}
		largest := 0.0
		for _, miss := range misses(x) {
			largest = max(largest, math.Abs(miss))
		}
		if largest <= 4*newtonTolerance || size <= 1e-13 {
			return largest <= 1e-13
		}
	}
	return false
}

// solveLinear solves linear equations by elimination with pivots: the matrix has the
// right side as its last column and is changed. It reports whether there is one solution.
func solveLinear(matrix [][]float64) ([]float64, bool) {
	n := len(matrix)
	for col := range n {
		pivot := col
		for i := col; i < n; i++ {
			if math.Abs(matrix[i][col]) > math.Abs(matrix[pivot][col]) {
				pivot = i
			}
		}
		matrix[col], matrix[pivot] = matrix[pivot], matrix[col]
		if math.Abs(matrix[col][col]) < 1e-12 {
			return nil, false
		}
		for i := range n {
			if i == col {
				continue
			}
			f := matrix[i][col] / matrix[col][col]
			for j := col; j <= n; j++ {
				matrix[i][j] -= float64(f * matrix[col][j])
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = matrix[i][n] / matrix[i][i]
	}
	return x, true
}
