package charts

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CrossTableChart is the data of [CrossTable].
type CrossTableChart struct {
	Title, Caption string
	// Names are those of the policies, the best first.
	Names []string
	// Win[i][j] is the win probability of policy i against policy j.
	Win [][]float64
	// Mean[i] is the mean of policy i against the others.
	Mean []float64
	// Even is the win probability of an even game.
	Even float64
}

// CrossTable draws the win probabilities of policies against each other as a heat map, in
// which each cell has its figure.
func CrossTable(d CrossTableChart) *Picture {
	n := len(d.Names)
	label := labelStyle()
	stub := vg.Length(0)
	for _, name := range d.Names {
		stub = max(stub, label.Width(name))
	}
	stub = min(stub, 220) + 10
	wide := (baseWidth - 2*margin - stub) / vg.Length(n+1)
	high := min(wide*0.6, 34)
	figures := label
	for figures.Font.Size > 4 && figures.Width("100.00") > wide-4 {
		figures.Font.Size -= 0.5
	}
	most := 0.0
	for i, row := range d.Win {
		for j, win := range row {
			if i != j {
				most = max(most, math.Abs(win-d.Even))
			}
		}
	}
	slanted := false
	for _, name := range d.Names {
		slanted = slanted || label.Width(name) > wide-6
	}
	head := vg.Length(22)
	if slanted {
		head = stub*0.72 + 16
	}
	s := sheet{title: d.Title, caption: d.Caption, bodyHeight: head + vg.Length(n)*high + 4}
	s.body = func(c draw.Canvas) {
		cell := func(i, j int) vg.Rectangle {
			x, y := c.Min.X+stub+vg.Length(j)*wide, c.Max.Y-head-vg.Length(i+1)*high
			return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + wide, Y: y + high}}
		}
		centred := figures
		centred.XAlign, centred.YAlign = draw.XCenter, draw.YCenter
		name := label
		name.XAlign, name.YAlign = draw.XRight, draw.YCenter
		heading := label
		heading.XAlign, heading.YAlign = draw.XCenter, draw.YBottom
		if slanted {
			heading.XAlign, heading.Rotation = draw.XLeft, math.Pi/4
		}
		for j := range n + 1 {
			what := "mean"
			if j > 0 {
				what = d.Names[j-1]
			}
			r := cell(0, j)
			c.FillText(heading, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: r.Max.Y + 5}, what)
		}
		for i := range n {
			r := cell(i, 0)
			c.FillText(name, vg.Point{X: r.Min.X - 6, Y: (r.Min.Y + r.Max.Y) / 2}, d.Names[i])
			for j := range n + 1 {
				win := d.Mean[i]
				if j > 0 {
					win = d.Win[i][j-1]
				}
				r := cell(i, j)
				fill, ink := diverging((win - d.Even) / max(most, 1e-9))
				if j == 0 {
					fill, ink = color.White, black
				}
				c.SetColor(fill)
				c.Fill(r.Path())
				c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 1})
				c.Stroke(r.Path())
				centred.Color = ink
				c.FillText(centred, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, fmt.Sprintf("%.2f", 100*win))
			}
		}
	}
	return s.picture()
}

// diverging returns a colour for a value from -1 to 1, orange for losses and blue for
// wins, and a colour of text that can be read on it.
func diverging(x float64) (fill, ink color.Color) {
	end := color.Color(blue)
	if x < 0 {
		end = orange
	}
	strength := math.Sqrt(min(1, math.Abs(x))) // so that small differences show beside large ones
	fill = between(color.White, end, strength)
	return fill, inkOn(fill)
}
