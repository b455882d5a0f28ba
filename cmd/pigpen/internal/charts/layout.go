package charts

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours.
var (
	black  = color.Gray{0x22}
	grey   = color.Gray{0x77}
	pale   = color.Gray{0xee}
	lines  = color.Gray{0xdd}
	blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	sky    = color.RGBA{0xc4, 0xdf, 0xf0, 0xff}
	navy   = color.RGBA{0x00, 0x35, 0x5c, 0xff}
	mauve  = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
)

// sans is the typeface of all text.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// style returns a style of text.
func style(size vg.Length, bold bool, c color.Color) text.Style {
	f := font.From(sans, size)
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
}

// Text of a picture, by what it is for.
func titleStyle() text.Style   { return style(15, true, black) }
func captionStyle() text.Style { return style(10.5, false, grey) }
func labelStyle() text.Style   { return style(10, false, black) }
func tickStyle() text.Style    { return style(9, false, black) }

// newPlot returns a panel with a title and with labels of its axes.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = 4
	p.Title.TextStyle = style(10.5, true, black)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.Padding = 3
		a.LineStyle.Color, a.LineStyle.Width = grey, 0.6
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width = grey, 0.6
		a.Tick.Length = 4
		a.Padding = 0
		label, tick := a.Label.TextStyle, a.Tick.Label
		a.Label.TextStyle, a.Tick.Label = labelStyle(), tickStyle()
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign, a.Label.TextStyle.Rotation = label.XAlign, label.YAlign, label.Rotation
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = tick.XAlign, tick.YAlign
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

// A key is an entry of a legend.
type key struct {
	label string
	// draw draws a sample in a rectangle.
	draw func(c draw.Canvas, r vg.Rectangle)
}

// area returns a sample of an area, with an outline where its colour is light.
func area(fill color.Color) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, r vg.Rectangle) {
		c.SetColor(fill)
		c.Fill(r.Path())
		c.SetLineStyle(draw.LineStyle{Color: grey, Width: 0.5})
		c.Stroke(r.Path())
	}
}

// stroke returns a sample of a line.
func stroke(s draw.LineStyle) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, r vg.Rectangle) {
		y := (r.Min.Y + r.Max.Y) / 2
		c.StrokeLine2(s, r.Min.X, y, r.Max.X, y)
	}
}

// Measures of the layout, in points.
const (
	margin     = 12
	sampleSize = 11
	sampleLong = 22 // of lines
	keyGap     = 14
	lineHeight = 15
)

// A sheet is the layout of a picture: a title, a caption, a legend, and what body draws
// below.
type sheet struct {
	title, caption string
	legend         []key
	long           bool // whether samples of the legend are long
	bodyHeight     vg.Length
	body           func(draw.Canvas)
}

// picture returns s as a picture.
func (s sheet) picture() *Picture {
	head := vg.Length(margin + 20)
	if s.caption != "" {
		head += lineHeight
	}
	rows := s.legendRows()
	head += vg.Length(len(rows))*lineHeight + 6
	height := head + s.bodyHeight + margin
	return &Picture{title: s.title, height: height, draw: func(c draw.Canvas) {
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		y := c.Max.Y - margin - 14
		c.FillText(titleStyle(), vg.Point{X: margin, Y: y}, s.title)
		y -= 6
		if s.caption != "" {
			y -= lineHeight - 3
			c.FillText(captionStyle(), vg.Point{X: margin, Y: y}, s.caption)
			y -= 3
		}
		for _, row := range rows {
			y -= lineHeight
			x := c.Min.X + margin
			for _, k := range row {
				k.draw(c, vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + s.sample(), Y: y + sampleSize}})
				x += s.sample() + 5
				c.FillText(labelStyle(), vg.Point{X: x, Y: y + 1}, k.label)
				x += labelStyle().Width(k.label) + keyGap
			}
		}
		s.body(draw.Crop(c, margin, -margin, margin, -head))
	}}
}

// sample returns the width of the legend's samples.
func (s sheet) sample() vg.Length {
	if s.long {
		return sampleLong
	}
	return sampleSize
}

// legendRows breaks the legend into rows that fit the width.
func (s sheet) legendRows() (rows [][]key) {
	const room = baseWidth - 2*margin
	x := vg.Length(0)
	for _, k := range s.legend {
		wide := s.sample() + 5 + labelStyle().Width(k.label) + keyGap
		if len(rows) == 0 || x+wide-keyGap > room {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += wide
	}
	return rows
}

// grid draws panels in rows of so many columns, with their axes aligned.
func grid(c draw.Canvas, columns int, panels []*plot.Plot) {
	rows := (len(panels) + columns - 1) / columns
	table := make([][]*plot.Plot, rows)
	for i := range table {
		table[i] = make([]*plot.Plot, columns)
		copy(table[i], panels[i*columns:min(len(panels), (i+1)*columns)])
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 10, PadY: 10}
	for i, row := range plot.Align(table, tiles, c) {
		for j, canvas := range row {
			if table[i][j] != nil {
				table[i][j].Draw(canvas)
			}
		}
	}
}

// scoreTicks are ticks at whole scores, about so many, at multiples of 1, 2 or 5 times a
// power of ten, from 0 to most.
func scoreTicks(most, about int) plot.ConstantTicks {
	step := 1
	for _, factor := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		if step = factor; most/step <= about {
			break
		}
	}
	var ticks plot.ConstantTicks
	for at := 0; at <= most; at += step {
		ticks = append(ticks, plot.Tick{Value: float64(at), Label: itoa(at)})
	}
	return ticks
}
