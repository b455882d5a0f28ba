package charts

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SurfaceChart is the data of [Surface].
type SurfaceChart struct {
	Title, Caption string
	Unit           string // of scores
	// HoldAt has the least turn total at which the policy holds, by own score and then
	// other score. Where it does not hold, it is the turn total that reaches the target.
	HoldAt Grid
	Target int
}

// A view projects a box of three axes, each from 0 to 1, to the plane: the horizontal
// axes to the lower left and right, the third one upwards, all at scales that do not
// depend on the distance.
type view struct {
	origin vg.Point
	scale  vg.Length
}

// cos and sin of 30 degrees.
const cos30, sin30 = 0.8660254037844386, 0.5

func (v view) at(x, y, z float64) vg.Point {
	return vg.Point{
		X: v.origin.X + v.scale*vg.Length((x-y)*cos30),
		Y: v.origin.Y + v.scale*vg.Length(-(x+y)*sin30+z*0.8),
	}
}

// mostQuads is the most quadrilaterals along each side of the surface.
const mostQuads = 50

// Surface draws the turn totals at which a policy holds as a surface over both scores:
// below it the policy rolls. It is the boundary that T. Neller and C. Presser, "Optimal
// Play of the Dice Game Pig" (2004), show for perfect play.
func Surface(d SurfaceChart) *Picture {
	s := sheet{title: d.Title, caption: d.Caption, bodyHeight: 470}
	s.body = func(c draw.Canvas) {
		v := view{origin: vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Min.Y + 270}, scale: 248}
		d.drawAxes(c, v)
		d.drawSurface(c, v)
		d.drawLabels(c, v)
	}
	return s.picture()
}

// drawAxes draws the floor and the walls behind the surface, with lines at scores.
func (d SurfaceChart) drawAxes(c draw.Canvas, v view) {
	line := draw.LineStyle{Color: lines, Width: 0.5}
	n := float64(d.Target)
	join := func(points ...vg.Point) { c.StrokeLines(line, points) }
	for _, tick := range scoreTicks(d.Target, 5) {
		t := tick.Value / n
		join(v.at(t, 1, 0), v.at(t, 0, 0), v.at(t, 0, 1))
		join(v.at(1, t, 0), v.at(0, t, 0), v.at(0, t, 1))
		join(v.at(1, 0, t), v.at(0, 0, t), v.at(0, 1, t))
	}
}

// drawSurface draws the quadrilaterals of the surface, the farthest first.
func (d SurfaceChart) drawSurface(c draw.Canvas, v view) {
	n := min(mostQuads, len(d.HoldAt)-1)
	index := func(i int) int { return int(math.Round(float64(i) / float64(n) * float64(len(d.HoldAt)-1))) }
	colours := ramp(64)
	type quad struct{ i, j int }
	var quads []quad
	for i := range n {
		for j := range n {
			quads = append(quads, quad{i, j})
		}
	}
	slices.SortStableFunc(quads, func(a, b quad) int { return cmp.Compare(a.i+a.j, b.i+b.j) })
	for _, q := range quads {
		x0, x1, y0, y1 := index(q.i), index(q.i+1), index(q.j), index(q.j+1)
		var points []vg.Point
		sum := 0.0
		for _, at := range [][2]int{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}} {
			z := d.HoldAt.at(at[0], at[1]) / float64(d.Target)
			sum += z / 4
			points = append(points, v.at(float64(at[0])/float64(d.Target), float64(at[1])/float64(d.Target), z))
		}
		colour := colours[min(len(colours)-1, 6+int(math.Sqrt(sum)*float64(len(colours)-6)))]
		c.FillPolygon(colour, points)
		c.StrokeLines(draw.LineStyle{Color: between(colour, black, 0.35), Width: 0.25}, append(points, points[0]))
	}
}

// drawLabels draws the ticks and the names of the axes.
func (d SurfaceChart) drawLabels(c draw.Canvas, v view) {
	n := float64(d.Target)
	left, right, middle := tickStyle(), tickStyle(), labelStyle()
	left.XAlign, left.YAlign = draw.XRight, draw.YTop
	right.XAlign, right.YAlign = draw.XLeft, draw.YTop
	middle.XAlign, middle.YAlign = draw.XCenter, draw.YTop
	for _, tick := range scoreTicks(d.Target, 5) {
		t := tick.Value / n
		p, q, up := v.at(t, 1, 0), v.at(1, t, 0), v.at(0, 1, t)
		c.FillText(left, vg.Point{X: p.X - 3, Y: p.Y - 2}, tick.Label)
		c.FillText(right, vg.Point{X: q.X + 3, Y: q.Y - 2}, tick.Label)
		if tick.Value > 0 {
			c.FillText(left, vg.Point{X: up.X - 4, Y: up.Y + 5}, tick.Label)
		}
	}
	p := v.at(0.5, 1, 0)
	c.FillText(middle, vg.Point{X: p.X - 62, Y: p.Y - 22}, "own score ("+d.Unit+")")
	p = v.at(1, 0.5, 0)
	c.FillText(middle, vg.Point{X: p.X + 62, Y: p.Y - 22}, "other score ("+d.Unit+")")
	p = v.at(0, 1, 1)
	up := labelStyle()
	c.FillText(up, vg.Point{X: p.X - 40, Y: p.Y + 26}, "holds at turn total ("+d.Unit+")")
}
