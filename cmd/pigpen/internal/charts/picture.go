// Package charts draws the pictures of the command plot, with gonum/plot: where a policy
// rolls, what states are worth, learning curves and cross tables.
//
// Each function named after a chart takes its data and returns a [Picture], which is then
// written as PNG or SVG. The same data give the same bytes. Colours differ in lightness,
// so that pictures can be read in grey, and are those of palettes made for colour-blind
// readers: M. Okabe and K. Ito, "Color Universal Design" (2008), and C. Brewer's
// ColorBrewer.
package charts

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Widths of pictures, in pixels.
const (
	DefaultWidth = 800
	MinWidth     = 200
	MaxWidth     = 8000
)

// baseDPI is the resolution at which a picture is [DefaultWidth] pixels wide.
const baseDPI = 96

// A Picture is a chart that can be written.
type Picture struct {
	title  string    // what the picture shows, for those who cannot see it
	height vg.Length // at the width of [baseWidth]
	draw   func(draw.Canvas)
}

// baseWidth is the width for which pictures are laid out.
const baseWidth = DefaultWidth * vg.Inch / baseDPI

// Formats returns the endings of file names that [FormatOf] knows.
func Formats() []string { return []string{".png", ".svg"} }

// FormatOf returns the ending that says the format of a picture, one of [Formats], or
// an error.
func FormatOf(path string) (string, error) {
	got := strings.ToLower(filepath.Ext(path))
	for _, ending := range Formats() {
		if got == ending {
			return ending, nil
		}
	}
	return "", fmt.Errorf("%s; its name should end in %s", path, strings.Join(Formats(), " or "))
}

// WritePNG writes p as a PNG that is width pixels wide, from [MinWidth] to [MaxWidth].
func (p *Picture) WritePNG(w io.Writer, width int) error {
	if width < MinWidth || width > MaxWidth {
		return fmt.Errorf("charts: %d pixels; a picture is %d to %d pixels wide", width, MinWidth, MaxWidth)
	}
	// The resolution is a whole number, so the layout is scaled by what is left.
	dpi := max(1, (width*baseDPI+DefaultWidth/2)/DefaultWidth)
	size := vg.Length(width) / vg.Length(dpi) * vg.Inch
	c := vgimg.NewWith(vgimg.UseWH(size, p.height*size/baseWidth), vgimg.UseDPI(dpi))
	p.draw(draw.New(c))
	return png.Encode(w, c.Image())
}

// WriteSVG writes p as SVG, which has no size of its own in pixels.
func (p *Picture) WriteSVG(w io.Writer) error {
	c := vgsvg.New(baseWidth, p.height)
	p.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	text := b.String()
	// Where the font is missing, one of the same widths or of the same kind stands in.
	text = strings.ReplaceAll(text, "font-family:Liberation Sans", "font-family:'Liberation Sans',Arimo,Helvetica,Arial,sans-serif")
	// Readers of screens say the title.
	if i := strings.Index(text, "<svg"); i >= 0 {
		end := i + strings.Index(text[i:], ">") + 1
		text = text[:end] + "\n<title>" + html.EscapeString(p.title) + "</title>" + text[end:]
	}
	_, err := io.WriteString(w, text)
	return err
}
