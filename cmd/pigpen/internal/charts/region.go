package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A corner is a corner of cells of a grid: that of columns x-1 and x and rows y-1 and y.
type corner struct{ x, y int }

// outlines returns the closed lines around the cells of a grid of nx columns and ny rows
// for which in is true, which is false outside of it. The cells are to the left of the
// lines, so that filling them by the nonzero rule leaves holes open.
func outlines(nx, ny int, in func(x, y int) bool) [][]corner {
	return trace(nx, ny, in, func(x, y int) bool { return !within(nx, ny, x, y) || !in(x, y) })
}

// borders returns the lines between cells for which in is true and neighbours in the grid
// to which out applies, with the former to the left.
func borders(nx, ny int, in, out func(x, y int) bool) [][]corner {
	return trace(nx, ny, in, func(x, y int) bool { return within(nx, ny, x, y) && out(x, y) })
}

// within tells whether a grid has the cell.
func within(nx, ny, x, y int) bool { return x >= 0 && y >= 0 && x < nx && y < ny }

// trace returns the lines between cells of a grid for which in is true and neighbours for
// which out is, which is asked for cells beside the grid, too.
func trace(nx, ny int, in, out func(x, y int) bool) [][]corner {
	next := make(map[corner][]corner) // edges by where they begin
	ends := make(map[corner]int)      // number of edges by where they end
	var starts []corner               // in a fixed order
	edge := func(from, to corner) {
		next[from] = append(next[from], to)
		ends[to]++
		starts = append(starts, from)
	}
	for y := range ny {
		for x := range nx {
			if !in(x, y) {
				continue
			}
			if out(x, y-1) {
				edge(corner{x, y}, corner{x + 1, y})
			}
			if out(x+1, y) {
				edge(corner{x + 1, y}, corner{x + 1, y + 1})
			}
			if out(x, y+1) {
				edge(corner{x + 1, y + 1}, corner{x, y + 1})
			}
			if out(x-1, y) {
				edge(corner{x, y + 1}, corner{x, y})
			}
		}
	}
	// A line that is open begins where no edge ends, and comes before closed ones.
	var first, rest []corner
	for _, at := range starts {
		if ends[at] == 0 {
			first = append(first, at)
		} else {
			rest = append(rest, at)
		}
	}
	return chains(next, append(first, rest...))
}

// chains joins edges to lines, of which it keeps the corners where the direction changes
// and both ends. It empties next.
func chains(next map[corner][]corner, starts []corner) (lines [][]corner) {
	for _, start := range starts {
		for len(next[start]) > 0 {
			line := []corner{start}
			for at := start; len(next[at]) > 0; {
				list := next[at]
				to := list[len(list)-1]
				next[at] = list[:len(list)-1]
				if n := len(line); n > 1 && (line[n-2].x == to.x || line[n-2].y == to.y) && straight(line[n-2], line[n-1], to) {
					line[n-1] = to
				} else {
					line = append(line, to)
				}
				at = to
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// straight tells whether b is on the way from a to c.
func straight(a, b, c corner) bool {
	return (b.x-a.x)*(c.y-b.y) == (b.y-a.y)*(c.x-b.x) && (b.x-a.x)*(c.x-b.x)+(b.y-a.y)*(c.y-b.y) > 0
}

// path returns lines as a path on c, whose cells are centred at whole numbers.
func path(c *draw.Canvas, p *plot.Plot, lines [][]corner) vg.Path {
	tx, ty := p.Transforms(c)
	var result vg.Path
	for _, line := range lines {
		for i, at := range line {
			point := vg.Point{X: tx(float64(at.x) - 0.5), Y: ty(float64(at.y) - 0.5)}
			if i == 0 {
				result.Move(point)
			} else {
				result.Line(point)
			}
		}
	}
	return result
}
