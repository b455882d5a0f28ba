package main

import (
	"fmt"
	"strconv"
)

// mostBlocks is in how many blocks a table may be cut to fit a terminal.
const mostBlocks = 2

// table lays the result out for people, in percent, so that it fits the width of
// a terminal as far as it can.
func (r *tournamentResult) table(width int) string {
	order := r.order()
	var names []string
	for _, i := range order {
		names = append(names, r.Policies[i])
	}
	names = shortNames(names)
	numbers := make([]string, len(order))
	for rank := range order {
		numbers[rank] = strconv.Itoa(rank + 1)
	}
	crossed := func(headings []string, decimals int) *ranking {
		t := newRanking(names, width)
		t.add("mean", percents(order, r.Mean, 4))
		for rank, j := range order {
			column := make([]float64, len(order))
			for i := range column {
				column[i] = r.Win[i][j]
			}
			t.add(headings[rank], percents(order, column, decimals))
		}
		return t
	}
	for _, t := range []*ranking{crossed(names, 4), crossed(numbers, 4), crossed(numbers, 2)} {
		if t.blocks() == 1 {
			return t.String()
		}
	}
	if t := crossed(numbers, 2); t.blocks() <= mostBlocks {
		return t.inBlocks()
	}
	for rank := range numbers {
		numbers[rank] = "#" + numbers[rank]
	}
	named, numbered := r.extremes(order, names, names, width), r.extremes(order, names, numbers, width)
	t := named
	if named.blocks() > 1 {
		t = numbered
	}
	return t.String() + "each pair: --json or a wider terminal\n"
}

// extremes returns the ranking with the opponents against which each policy wins
// least and most. names are those of the rows, opponents those of the opponents,
// both by rank.
func (r *tournamentResult) extremes(order []int, names, opponents []string, width int) *ranking {
	t := newRanking(names, width)
	t.add("mean", percents(order, r.Mean, 4))
	for _, which := range []struct {
		heading string
		sign    float64
	}{{"hardest", 1}, {"easiest", -1}} {
		var cells []string
		for _, i := range order {
			best := -1 // rank
			for rank, j := range order {
				if j != i && (best < 0 || which.sign*r.Win[i][j] < which.sign*r.Win[i][order[best]]) {
					best = rank
				}
			}
			cells = append(cells, fmt.Sprintf("%5.2f %s", 100*r.Win[i][order[best]], opponents[best]))
		}
		t.addText(which.heading, cells)
	}
	return t
}

// percents returns chances in percent, in the given order.
func percents(order []int, chances []float64, decimals int) (cells []string) {
	for _, i := range order {
		cells = append(cells, fmt.Sprintf("%.*f", decimals, 100*chances[i]))
	}
	return cells
}
