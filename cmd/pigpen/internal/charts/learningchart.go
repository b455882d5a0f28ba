package charts

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Curve is a figure by time. Low and High, where they differ from Mean, are the band
// of several runs.
type Curve struct {
	X, Mean, Low, High []float64
}

// A Learner has the curves of the runs of one name.
type Learner struct {
	Name string
	// Win and Exploitability are the curves of win probability and of exploitability. The
	// latter may have no points.
	Win, Exploitability Curve
}

// LearningChart is the data of [Learning].
type LearningChart struct {
	Title, Caption string
	X              string  // label of the x-axis
	LogX           bool    // whether the x-axis is logarithmic
	Even           float64 // the win probability of an even share
	Learners       []Learner
}

// lineStyles are those of the learners, in turn: colours by Okabe and Ito, and dashes.
func lineStyle(i int) draw.LineStyle {
	colours := []color.Color{blue, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff}, black, mauve, orange, color.RGBA{0x56, 0xb4, 0xe9, 0xff}}
	dashes := [][]vg.Length{nil, {6, 2}, {2, 2}, {8, 2, 2, 2}, {4, 1}}
	return draw.LineStyle{Color: colours[i%len(colours)], Width: 1.5, Dashes: dashes[i%len(dashes)]}
}

// Learning draws learning curves: win probability, and below it exploitability on a
// logarithmic scale, if there is any.
func Learning(d LearningChart) *Picture {
	win := newPlot("", d.X, "win probability (%)")
	exploitability := newPlot("", d.X, "exploitability")
	s := sheet{title: d.Title, caption: d.Caption, long: true}
	left, right := math.Inf(1), math.Inf(-1)
	for i, l := range d.Learners {
		line := lineStyle(i)
		s.legend = append(s.legend, key{l.Name, stroke(line)})
		addCurve(win, l.Win, line, 100)
		for _, x := range l.Win.X {
			left, right = min(left, x), max(right, x)
		}
	}
	even := draw.LineStyle{Color: grey, Width: 0.8, Dashes: []vg.Length{1, 2}}
	s.legend = append(s.legend, key{"an even share", stroke(even)})
	win.Add(horizontal{100 * d.Even, even})
	win.Y.Max = max(win.Y.Max, 100*d.Even)
	pad := (win.Y.Max - win.Y.Min) * 0.04
	win.Y.Min, win.Y.Max = win.Y.Min-pad, win.Y.Max+pad
	panels := []*plot.Plot{win}
	if low, high, zero := positives(d.Learners); low <= high {
		exploitability.Y.Scale = plot.LogScale{}
		exploitability.Y.Min, exploitability.Y.Max = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
		if zero || exploitability.Y.Min == exploitability.Y.Max {
			exploitability.Y.Min /= 10
		}
		exploitability.Y.Tick.Marker = decades{zero: zero}
		for i, l := range d.Learners {
			addCurve(exploitability, l.Exploitability.from(exploitability.Y.Min), lineStyle(i), 1)
		}
		panels = append(panels, exploitability)
		win.X.Label.Text = ""
	}
	for _, p := range panels {
		p.X.Min, p.X.Max = left, right
		if left == right {
			p.X.Min, p.X.Max = left*0.9, right*1.1
		}
		p.X.Tick.Marker = plot.TickerFunc(counts)
		if d.LogX {
			p.X.Scale = plot.LogScale{}
			p.X.Tick.Marker = decades{}
		}
	}
	s.body = func(c draw.Canvas) { grid(c, 1, panels) }
	s.bodyHeight = vg.Length(len(panels)) * 215
	return s.picture()
}

// negligible is what an exploitability may differ from 0 by rounding.
const negligible = 1e-9

// positives returns the least and the greatest exploitability above 0, and whether some
// are 0. Where there are none above 0, low is greater than high.
func positives(learners []Learner) (low, high float64, zero bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range learners {
		for _, y := range l.Exploitability.Mean {
			if y > negligible {
				low, high = min(low, y), max(high, y)
			} else if !math.IsNaN(y) {
				zero = true
			}
		}
	}
	return low, high, zero
}

// from returns c with floor in place of what is less.
func (c Curve) from(floor float64) Curve {
	raised := func(list []float64) (raised []float64) {
		for _, y := range list {
			raised = append(raised, max(y, floor))
		}
		return raised
	}
	return Curve{X: c.X, Mean: raised(c.Mean), Low: raised(c.Low), High: raised(c.High)}
}

// addCurve adds a curve with its band to p, in units of 1/scale.
func addCurve(p *plot.Plot, c Curve, line draw.LineStyle, scale float64) {
	var middle, low, high plotter.XYs
	band := false
	for i, x := range c.X {
		y := c.Mean[i]
		if math.IsNaN(y) {
			continue
		}
		bottom, top := max(0, c.Low[i]), min(1, c.High[i]) // an interval may reach beyond what can be
		band = band || bottom < top
		middle = append(middle, plotter.XY{X: x, Y: scale * y})
		low = append(low, plotter.XY{X: x, Y: scale * bottom})
		high = append(high, plotter.XY{X: x, Y: scale * top})
	}
	if len(middle) == 0 {
		return
	}
	if band {
		for i := range low {
			high = append(high, low[len(low)-1-i])
		}
		area, err := plotter.NewPolygon(high)
		if err != nil {
			panic(err) // the points are finite
		}
		r, g, b, _ := line.Color.RGBA()
		area.Color = color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0x38}
		area.LineStyle.Width = 0
		p.Add(area)
	}
	curve, err := plotter.NewLine(middle)
	if err != nil {
		panic(err) // the points are finite
	}
	curve.LineStyle = line
	p.Add(curve)
	if len(middle) == 1 {
		points, err := plotter.NewScatter(middle)
		if err != nil {
			panic(err) // the point is finite
		}
		points.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: 2.5, Shape: draw.CircleGlyph{}}
		p.Add(points)
	}
}

// horizontal is a line across a panel.
type horizontal struct {
	y    float64
	line draw.LineStyle
}

// Plot implements plot.Plotter.
func (h horizontal) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.StrokeLine2(h.line, c.Min.X, ty(h.y), c.Max.X, ty(h.y))
}
