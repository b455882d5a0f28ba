package main

import (
	"strconv"
	"strings"
)

// A ranking is a table for people: rows with a rank, from 1, and a name, and
// columns of figures.
type ranking struct {
	names   []string // by rank, fit to be printed
	heading string   // of the names; may be empty
	width   int      // of the terminal, in columns
	columns []rankingColumn
}

type rankingColumn struct {
	heading string
	cells   []string // by rank
	left    bool     // adjusted to the left
	width   int      // of the widest cell or the heading, in columns of a terminal
}

func newRanking(names []string, width int) *ranking { return &ranking{names: names, width: width} }

// add adds a column of figures, adjusted to the right.
func (r *ranking) add(heading string, cells []string) {
	r.addColumn(rankingColumn{heading: heading, cells: cells})
}

// addText adds a column of text, adjusted to the left.
func (r *ranking) addText(heading string, cells []string) {
	r.addColumn(rankingColumn{heading: heading, cells: cells, left: true})
}

func (r *ranking) addColumn(c rankingColumn) {
	c.width = max(widest(c.cells), widest([]string{c.heading}))
	r.columns = append(r.columns, c)
}

// gap stands between columns.
const gap = "  "

// wide returns how many columns of a terminal a column of the table takes, the
// gap before it included.
func (c rankingColumn) wide() int { return len(gap) + c.width }

// stub returns how many columns the rank and the name take. Where the table is
// too wide, long names are cut, to a quarter of the terminal's width at most.
func (r *ranking) stub() int {
	stub := len(strconv.Itoa(len(r.names))) + len(gap)
	name, total := max(widest(r.names), widest([]string{r.heading})), 0
	for _, c := range r.columns {
		total += c.wide()
	}
	if stub+name+total > r.width {
		name = min(name, max(12, r.width/4, r.width-stub-total))
	}
	return stub + name
}

// fits returns how many of the columns from the given one on fit the terminal's
// width, beside the rank and the name.
func (r *ranking) fits(from int) int {
	total := r.stub()
	for i, c := range r.columns[from:] {
		if total += c.wide(); total > r.width {
			return i
		}
	}
	return len(r.columns) - from
}

// blocks returns in how many blocks, one below the other, the columns fit.
func (r *ranking) blocks() (n int) {
	for from := 0; from < len(r.columns); from += max(1, r.fits(from)) {
		n++
	}
	return n
}

// String lays out the columns that fit beside each other, and the first one
// even if it does not.
func (r *ranking) String() string {
	var b strings.Builder
	r.write(&b, r.columns[:max(1, r.fits(0))])
	return b.String()
}

// inBlocks lays out all columns, in blocks of about the same number of columns,
// one below the other.
func (r *ranking) inBlocks() string {
	var b strings.Builder
	blocks := r.blocks()
	for from := 0; from < len(r.columns); {
		n := min(max(1, r.fits(from)), (len(r.columns)+blocks-1)/blocks)
		if from > 0 {
			b.WriteByte('\n')
		}
		r.write(&b, r.columns[from:from+n])
		from += n
	}
	return b.String()
}

func (r *ranking) write(b *strings.Builder, columns []rankingColumn) {
	stub := r.stub()
	digits := len(strconv.Itoa(len(r.names)))
	for row := -1; row < len(r.names); row++ {
		number, name := "", r.heading
		if row >= 0 {
			number, name = strconv.Itoa(row+1), r.names[row]
		}
		room := stub - digits - len(gap)
		line := padded(number, digits, false) + gap + padded(shortened(name, room), room, true)
		for _, c := range columns {
			cell := c.heading
			if row >= 0 {
				cell = c.cells[row]
			}
			line += gap + padded(cell, c.width, c.left)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
