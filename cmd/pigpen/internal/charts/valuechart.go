package charts

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A ValuePanel shows what a turn's start is worth, by own score and other score.
type ValuePanel struct {
	Title string
	// Win is the win probability, by own score and then other score.
	Win Grid
}

// ValueChart is the data of [Value].
type ValueChart struct {
	Title, Caption string
	Unit           string // of scores
	Other          string // label of the other score
	Panels         []ValuePanel
}

// bands is the number of colours of win probabilities, each for 1/bands.
const bands = 20

// ramp returns n colours from light to dark.
func ramp(n int) []color.Color {
	p, err := brewer.GetPalette(brewer.TypeSequential, "YlGnBu", 9)
	if err != nil {
		panic(err) // the palette is part of the module
	}
	anchors := p.Colors()
	list := make([]color.Color, n)
	for i := range list {
		at := float64(i) / float64(n-1) * float64(len(anchors)-1)
		k := min(int(at), len(anchors)-2)
		list[i] = between(anchors[k], anchors[k+1], at-float64(k))
	}
	return list
}

// between returns the colour at a fraction of the way from a to b.
func between(a, b color.Color, at float64) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	mix := func(x, y uint32) uint8 { return uint8(math.Round((float64(x)*(1-at) + float64(y)*at) / 257)) }
	return color.RGBA{mix(ar, br), mix(ag, bg), mix(ab, bb), 0xff}
}

// Value draws win probabilities at the start of a turn as filled contours.
func Value(d ValueChart) *Picture {
	var panels []*plot.Plot
	for i, panel := range d.Panels {
		y := ""
		if i == 0 {
			y = d.Other + " (" + d.Unit + ")"
		}
		p := newPlot(panel.Title, "own score ("+d.Unit+")", y)
		nx, ny := len(panel.Win), panel.Win.height()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(nx)-0.5, -0.5, float64(ny)-0.5
		p.X.Tick.Marker, p.Y.Tick.Marker = scoreTicks(nx-1, 10), scoreTicks(ny-1, 10)
		p.Add(valueCells(panel))
		panels = append(panels, p)
	}
	const bar = 70
	s := sheet{title: d.Title, caption: d.Caption, body: func(c draw.Canvas) {
		grid(draw.Crop(c, 0, -bar, 0, 0), len(panels), panels)
		drawBar(draw.Crop(c, c.Max.X-c.Min.X-bar+12, 0, 30, -24))
	}}
	s.bodyHeight = (baseWidth - 2*margin - bar) / vg.Length(len(panels)) * 0.95
	return s.picture()
}

// valueCells draws the cells of a panel.
type valueCells ValuePanel

// Plot implements plot.Plotter.
func (d valueCells) Plot(c draw.Canvas, p *plot.Plot) {
	nx, ny := len(d.Win), d.Win.height()
	for i, colour := range ramp(bands) {
		// Each area goes on under the next ones, so that no seam shows between them.
		c.SetColor(colour)
		c.Fill(path(&c, p, outlines(nx, ny, func(x, y int) bool { return d.Win.at(x, y) >= float64(i)/bands })))
	}
	for tenth := 1; tenth < 10; tenth++ {
		over := func(x, y int) bool { return d.Win.at(x, y) >= float64(tenth)/10 }
		under := func(x, y int) bool { return d.Win.at(x, y) < float64(tenth)/10 }
		c.SetLineStyle(contour(tenth))
		c.Stroke(path(&c, p, borders(nx, ny, over, under)))
	}
}

// contour returns the line at tenths of win probability: that at one half is thick.
func contour(tenth int) draw.LineStyle {
	switch {
	case tenth == 5:
		return draw.LineStyle{Color: black, Width: 1.8}
	case tenth > 5:
		return draw.LineStyle{Color: color.White, Width: 0.5}
	}
	return draw.LineStyle{Color: black, Width: 0.5}
}

// drawBar draws the scale of colours, with the lines between them.
func drawBar(c draw.Canvas) {
	const wide = 14
	height := c.Max.Y - c.Min.Y - 16
	y := func(chance float64) vg.Length { return c.Min.Y + height*vg.Length(chance) }
	for i, colour := range ramp(bands) {
		c.SetColor(colour)
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y(float64(i) / bands)}, Max: vg.Point{X: c.Min.X + wide, Y: y(1)}}.Path())
	}
	text := tickStyle()
	text.YAlign = draw.YCenter
	for tenth := 0; tenth <= 10; tenth++ {
		at := y(float64(tenth) / 10)
		if tenth > 0 && tenth < 10 {
			c.StrokeLine2(contour(tenth), c.Min.X, at, c.Min.X+wide, at)
		}
		c.FillText(text, vg.Point{X: c.Min.X + wide + 4, Y: at}, strconv.Itoa(10*tenth)+"%")
	}
	c.FillText(labelStyle(), vg.Point{X: c.Min.X, Y: y(1) + 8}, "wins")
}
