package charts

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A Grid has a value for each own score and each turn total or other score, from 0 on,
// in that order of indices. Values are NaN where the state is none that the chart is about.
type Grid [][]float64

// at returns the value at x and y, or NaN outside of the grid.
func (g Grid) at(x, y int) float64 {
	if x < 0 || x >= len(g) || y < 0 || y >= len(g[x]) {
		return math.NaN()
	}
	return g[x][y]
}

// height returns the number of values of the longest column.
func (g Grid) height() (n int) {
	for _, column := range g {
		n = max(n, len(column))
	}
	return n
}

// A PolicyPanel shows where a policy rolls, by own score and turn total, with all else of
// the state the same.
type PolicyPanel struct {
	Title string
	// Chance is the policy's chance of rolling.
	Chance Grid
	// Reference is that of the policy that it is compared with, or nil.
	Reference Grid
}

// PolicyChart is the data of [Policy].
type PolicyChart struct {
	Title, Caption string
	// Name and Reference are the names of the policies, as in legends.
	Name, Reference string
	Unit            string // of scores, as in "points"
	Panels          []PolicyPanel
}

// Policy draws where a policy rolls, in panels with own score by turn total, and where a
// policy that it is compared with decides otherwise.
func Policy(d PolicyChart) *Picture {
	columns := min(3, len(d.Panels))
	if len(d.Panels) == 4 {
		columns = 2
	}
	rows := (len(d.Panels) + columns - 1) / columns
	compared, mixed := false, false
	var panels []*plot.Plot
	for i, panel := range d.Panels {
		compared = compared || panel.Reference != nil
		for _, column := range panel.Chance {
			for _, chance := range column {
				mixed = mixed || chance > 0 && chance < 1
			}
		}
		x, y := "", ""
		if i >= len(d.Panels)-columns {
			x = "own score (" + d.Unit + ")"
		}
		if i%columns == 0 {
			y = "turn total (" + d.Unit + ")"
		}
		p := newPlot(panel.Title, x, y)
		nx, ny := len(panel.Chance), panel.Chance.height()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(nx)-0.5, -0.5, float64(ny)-0.5
		p.X.Tick.Marker, p.Y.Tick.Marker = scoreTicks(nx-1, 5), scoreTicks(ny-1, 5)
		p.Add(policyCells(panel))
		panels = append(panels, p)
	}
	s := sheet{title: d.Title, caption: d.Caption, body: func(c draw.Canvas) { grid(c, columns, panels) }}
	s.bodyHeight = vg.Length(rows) * (baseWidth - 2*margin) / vg.Length(columns)
	if columns == 1 {
		s.bodyHeight *= 0.7
	}
	if compared {
		s.legend = append(s.legend, key{"both roll", area(sky)}, key{"only " + d.Name + " rolls", area(orange)}, key{"only " + d.Reference + " rolls", area(navy)}, key{"both hold", area(pageWhite)})
	} else {
		s.legend = append(s.legend, key{"rolls", area(sky)}, key{"holds", area(pageWhite)})
	}
	if mixed {
		s.legend = append(s.legend, key{"rolls with a chance between 0 and 1", area(mauve)})
	}
	s.legend = append(s.legend, key{"no decision", area(pale)})
	if compared {
		s.legend = append(s.legend, key{"where " + d.Reference + " begins to hold", stroke(boundary)})
	}
	return s.picture()
}

var (
	pageWhite = plot.New().BackgroundColor
	// boundary is the line between rolling and holding of the reference.
	boundary = draw.LineStyle{Color: black, Width: 1}
)

// policyCells draws the cells of a panel.
type policyCells PolicyPanel

// Plot implements plot.Plotter.
func (d policyCells) Plot(c draw.Canvas, p *plot.Plot) {
	nx, ny := len(d.Chance), d.Chance.height()
	decides := func(x, y int) bool { return !math.IsNaN(d.Chance.at(x, y)) }
	mixed := func(x, y int) bool { v := d.Chance.at(x, y); return v > 0 && v < 1 }
	rolls := func(x, y int) bool { return d.Chance.at(x, y) == 1 }
	other := func(x, y int) bool { return d.Reference.at(x, y) >= 0.5 }
	if d.Reference == nil {
		other = rolls
	}
	for _, layer := range []struct {
		colour interface {
			RGBA() (r, g, b, a uint32)
		}
		in func(x, y int) bool
	}{
		{pale, func(x, y int) bool { return !decides(x, y) }},
		{sky, func(x, y int) bool { return rolls(x, y) && other(x, y) }},
		{orange, func(x, y int) bool { return rolls(x, y) && !other(x, y) }},
		{navy, func(x, y int) bool { return d.Chance.at(x, y) == 0 && other(x, y) }},
		{mauve, mixed},
	} {
		c.SetColor(layer.colour)
		c.Fill(path(&c, p, outlines(nx, ny, layer.in)))
	}
	if d.Reference != nil {
		c.SetLineStyle(boundary)
		c.Stroke(path(&c, p, borders(nx, ny, other, func(x, y int) bool { return d.Reference.at(x, y) < 0.5 })))
	}
}
