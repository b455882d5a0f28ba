package agents

import (
	"math"
	"slices"

	"pigpen/env"
)

const (
	// leastRow is the number of rolls with which a number of points takes part in the
	// test, and leastExpected the least expected count of a cell of the test.
	leastRow, leastExpected = 20, 5
	// critical is the quantile of the test in standard deviations: a false alarm has
	// probability 3e-7, since the test is repeated at every plan.
	critical = 5
)

// An ending is what the state after a roll that ended the turn tells of its effect.
// Effects that lead to the same state are not told apart.
type ending int

const (
	endStop         ending = iota // the turn total was banked
	endStopNoScore                // likewise, and the banked score was 0
	endBust                       // the turn total was lost, the banked score was not
	endWipe                       // both were lost
	endWipeScore                  // the banked score was lost, the turn total was 0
	endBustStop                   // one of both: the turn total was 0
	endBustWipe                   // one of both: the banked score was 0
	endBustStopWipe               // one of three: both were 0
	numEndings
)

// rollCounts counts what rolls did.
type rollCounts struct {
	width, columns int
	// outcome[held*columns+c] counts rolls by a mover with held points that
	//
	//	c = 0            ended the turn
	//	c = p            gained p points, in [1, width]
	//	c = width + p    gained p points and must be followed by another roll
	//	c = 2·width + p  gained p points, which ended the game
	//
	// The last row is also that of more points held, and p = width that of larger gains.
	outcome []int64
	ended   [numEndings]int64
}

func newRollCounts(width int) rollCounts {
	columns := 1 + 3*width
	return rollCounts{width: width, columns: columns, outcome: make([]int64, width*columns)}
}

// copyFrom sets n to m, which has the same size.
func (n *rollCounts) copyFrom(m *rollCounts) { copy(n.outcome, m.outcome); n.ended = m.ended }

// observed is the cell of rollCounts.outcome in which a roll counts, and its ending if
// it ended the turn.
type observed struct {
	cell   int32
	ending int8 // -1 for a gain
}

// observe infers from the states before and after a roll what the roll did.
func (d *dyna) observe(before, after *env.State) observed {
	score, turnTotal := int(before.Scores[before.Seat]), int(before.TurnTotal)
	row := min(score+turnTotal, d.index.Width()-1) * d.rolls.columns
	width := d.rolls.width
	gain := func(points, column int) observed {
		return observed{int32(row + column + min(points, width)), -1}
	}
	now := int(after.Scores[before.Seat])
	switch {
	case after.MustRoll:
		return gain(int(after.TurnTotal)-turnTotal, width)
	case after.TurnTotal > 0:
		return gain(int(after.TurnTotal)-turnTotal, 0)
	case after.Over && d.game.Variant().Ending == env.AtTarget:
		return gain(now-score-turnTotal, 2*width)
	}
	e := endBust
	switch {
	case now < score && turnTotal == 0:
		e = endWipeScore
	case now < score:
		e = endWipe
	case now > score && score == 0:
		e = endStopNoScore
	case now > score:
		e = endStop
	case score == 0 && turnTotal == 0:
		e = endBustStopWipe
	case turnTotal == 0:
		e = endBustStop
	case score == 0:
		e = endBustWipe
	}
	return observed{int32(row), int8(e)}
}

// A diceModel has the probabilities of the outcomes of a roll, by the points of the
// mover, or one for all.
type diceModel []rollChances

// rollChances are the probabilities of the outcomes of a roll. They sum to 1.
type rollChances struct {
	effect [env.Stop + 1]float64 // of Bust, Wipe and Stop
	gains  []gainChance
}

type gainChance struct {
	points int
	again  bool // must be followed by another roll
	chance float64
}

// at returns the probabilities for a mover with held points.
func (m diceModel) at(held int) *rollChances { return &m[min(held, len(m)-1)] }

// dice returns the model that n supports. Rolls must have been counted.
func (d *dyna) dice(n *rollCounts) diceModel {
	sums := make([]int64, n.columns)
	for cell, count := range n.outcome {
		sums[cell%n.columns] += count
	}
	again := n.againShares(sums)
	all := n.resolved(sums, again)
	shares := n.shares()
	overall := frequencies(all, nil)
	if d.model == "one" || d.model == "auto" && !n.dependOnPoints(all, again) {
		return diceModel{n.chancesOf(overall, shares)}
	}
	var m diceModel
	for row := range slices.Chunk(n.outcome, n.columns) {
		m = append(m, n.chancesOf(frequencies(n.resolved(row, again), overall), shares))
	}
	return m
}

// againShares estimates, by points, the share of rolls that must be followed by another,
// from those that did not end the game. sums has the sums of the columns.
func (n *rollCounts) againShares(sums []int64) []float64 {
	shares := make([]float64, n.width+1)
	for p := 1; p <= n.width; p++ {
		if again := sums[n.width+p]; again > 0 {
			shares[p] = float64(again) / float64(again+sums[p])
		}
	}
	return shares
}

// resolved returns a row of counts without the last third of its columns, the rolls that
// ended the game: whether these would have asked for another roll does not show, and they
// are shared out as the others of the same points are.
func (n *rollCounts) resolved(row []int64, again []float64) []float64 {
	counts := make([]float64, 1+2*n.width)
	for c := range counts {
		counts[c] = float64(row[c])
	}
	for p := 1; p <= n.width; p++ {
		if ended := float64(row[2*n.width+p]); ended > 0 {
			counts[p] += float64((1 - again[p]) * ended)
			counts[n.width+p] += float64(again[p] * ended)
		}
	}
	return counts
}

// frequencies returns the relative frequencies of counts, to which prior, if not nil,
// adds as one more roll.
func frequencies(counts, prior []float64) []float64 {
	total := 0.0
	f := make([]float64, len(counts))
	for c, n := range counts {
		f[c] = n
		if prior != nil {
			f[c] += prior[c]
		}
		total += f[c]
	}
	for c := range f {
		f[c] /= total
	}
	return f
}

// chancesOf returns the chances with the given probability of each column of
// [rollCounts.resolved]. shares are those of the effects in turns that end.
func (n *rollCounts) chancesOf(columns []float64, shares [env.Stop + 1]float64) (r rollChances) {
	for e, share := range shares {
		r.effect[e] = float64(columns[0] * share)
	}
	for c, p := range columns {
		if c > 0 && p > 0 {
			r.gains = append(r.gains, gainChance{1 + (c-1)%n.width, c > n.width, p})
		}
	}
	return r
}

// shares estimates how the endings of turns split into effects: the share of stops from
// turns that had a total to lose, and that of wipes from movers who had a banked score to
// lose. Where nothing tells, the effect that loses less is assumed, so that the plan
// comes to where it shows (optimism in the face of uncertainty; R. Brafman, M.
// Tennenholtz, "R-max", JMLR 3, 2002).
func (n *rollCounts) shares() (share [env.Stop + 1]float64) {
	ratio := func(part, rest int64, unknown float64) float64 {
		if part+rest == 0 {
			return unknown
		}
		return float64(part) / float64(part+rest)
	}
	e := &n.ended
	stop := ratio(e[endStop]+e[endStopNoScore], e[endBust]+e[endWipe]+e[endBustWipe], 1)
	wipe := ratio(e[endWipe]+e[endWipeScore], e[endBust]+e[endBustStop]+e[endStop], 0)
	wipe = min(wipe, 1-stop)
	share[env.Stop], share[env.Wipe], share[env.Bust] = stop, wipe, 1-stop-wipe
	return share
}

// dependOnPoints reports whether the outcomes depend on the points of the mover. It is
// Pearson's test of homogeneity of the rows, with the Wilson-Hilferty approximation of
// the critical value. In each row, outcomes with small expected counts are pooled. all
// has the sums of the columns of [rollCounts.resolved], and again is its argument.
func (n *rollCounts) dependOnPoints(all, again []float64) bool {
	total := 0.0
	for _, count := range all {
		total += count
	}
	statistic, freedom := 0.0, 0
	for row := range slices.Chunk(n.outcome, n.columns) {
		counts, size := n.resolved(row, again), 0.0
		for _, count := range counts {
			size += count
		}
		if size < leastRow {
			continue
		}
		cells, restSeen, restExpected := 0, 0.0, 0.0
		add := func(seen, expected float64) {
			off := seen - expected
			statistic += off * off / expected
			cells++
		}
		for c, count := range counts {
			switch expected := size * (all[c] / total); {
			case expected >= leastExpected:
				add(count, expected)
			default:
				restSeen += count
				restExpected += expected
			}
		}
		if restExpected >= leastExpected {
			add(restSeen, restExpected)
		}
		freedom += max(0, cells-1)
	}
	if freedom == 0 {
		return false
	}
	a := 2 / (9 * float64(freedom))
	root := 1 - a + float64(critical*math.Sqrt(a))
	return statistic > float64(freedom)*root*root*root
}
