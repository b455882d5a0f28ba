package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// area2 returns twice the area that a closed line has to its left.
func area2(line []corner) (sum int) {
	for i := range len(line) - 1 {
		sum += line[i].x*line[i+1].y - line[i+1].x*line[i].y
	}
	return sum
}

// TestOutlines checks that the outlines of random sets of cells are closed, enclose as
// many cells as there are, holes taken off, and are as long as the sets' edges.
func TestOutlines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		nx, ny := 1+r.IntN(9), 1+r.IntN(9)
		cells := make([]bool, nx*ny)
		count, edges := 0, 0
		for i := range cells {
			if cells[i] = r.IntN(5) < 3; cells[i] {
				count++
			}
		}
		in := func(x, y int) bool { return cells[x*ny+y] }
		inside := func(x, y int) bool { return x >= 0 && y >= 0 && x < nx && y < ny && in(x, y) }
		for x := range nx {
			for y := range ny {
				for _, step := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					if in(x, y) && !inside(x+step[0], y+step[1]) {
						edges++
					}
				}
			}
		}
		area, length := 0, 0
		for _, line := range outlines(nx, ny, in) {
			if line[0] != line[len(line)-1] {
				t.Fatalf("an outline from %v to %v, want it closed", line[0], line[len(line)-1])
			}
			area += area2(line)
			length += lengthOf(line)
		}
		if area != 2*count || length != edges {
			t.Fatalf("outlines of %d cells with %d edges have area %g and length %d", count, edges, float64(area)/2, length)
		}
	}
}

// lengthOf returns the length of a line along the grid.
func lengthOf(line []corner) (sum int) {
	for i := range len(line) - 1 {
		sum += max(line[i+1].x-line[i].x, line[i].x-line[i+1].x) + max(line[i+1].y-line[i].y, line[i].y-line[i+1].y)
	}
	return sum
}

// TestBorders checks that the borders between two sets are as long as there are
// neighbours of which one is in each, and that a staircase is one line.
func TestBorders(t *testing.T) {
	stairs := func(x, y int) bool { return y < 4-x/2 }
	lines := borders(8, 8, stairs, func(x, y int) bool { return !stairs(x, y) })
	if len(lines) != 1 || lengthOf(lines[0]) != 8+3 || len(lines[0]) != 8 {
		t.Errorf("borders of a staircase are %v, want one line of 8 corners", lines)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var kind [6][6]int // 0, 1 and neither
		for x := range kind {
			for y := range kind[x] {
				kind[x][y] = r.IntN(3)
			}
		}
		want := 0
		for x := range 6 {
			for y := range 6 {
				if x < 5 && kind[x][y]+kind[x+1][y] == 1 {
					want++
				}
				if y < 5 && kind[x][y]+kind[x][y+1] == 1 {
					want++
				}
			}
		}
		got := 0
		for _, line := range borders(6, 6, func(x, y int) bool { return kind[x][y] == 0 }, func(x, y int) bool { return kind[x][y] == 1 }) {
			got += lengthOf(line)
		}
		if got != want {
			t.Fatalf("borders have length %d, want %d", got, want)
		}
	}
}

// pictures returns one of each kind, with data that have every case.
func pictures() map[string]*Picture {
	grid := func(n int, f func(x, y int) float64) Grid {
		g := make(Grid, n)
		for x := range g {
			for y := range n {
				g[x] = append(g[x], f(x, y))
			}
		}
		return g
	}
	nan := math.NaN()
	chance := grid(20, func(x, y int) float64 {
		switch {
		case x+y >= 20:
			return nan
		case y < 8:
			return 1
		case y < 10:
			return 0.5
		}
		return 0
	})
	reference := grid(20, func(x, y int) float64 { return math.Max(0, math.Min(1, float64(12-x-y))) })
	return map[string]*Picture{
		"policy": Policy(PolicyChart{Title: "a <b> & c", Caption: "caption", Name: "p", Reference: "q", Unit: "points", Panels: []PolicyPanel{{"one", chance, reference}, {"two", chance, nil}}}),
		"value":  Value(ValueChart{Title: "value", Unit: "points", Other: "other", Panels: []ValuePanel{{"", grid(20, func(x, y int) float64 { return float64(20+x-y) / 40 })}}}),
		"surface": Surface(SurfaceChart{Title: "surface", Unit: "points", Target: 20, HoldAt: grid(20, func(x, y int) float64 {
			return float64(20 - x)
		})}),
		"one point":   Surface(SurfaceChart{Title: "surface", Unit: "points", Target: 2, HoldAt: Grid{{2, 2}, {1, 1}}}),
		"learning":    Learning(LearningChart{Title: "learning", X: "decisions", Even: 0.5, Learners: []Learner{{"a", Curve{[]float64{0, 1e6}, []float64{0.1, 0.4}, []float64{0.1, 0.3}, []float64{0.1, 0.5}}, Curve{[]float64{0, 1e6}, []float64{0.1, 0}, []float64{0.1, -0.1}, []float64{0.1, 0.1}}}, {"b", Curve{[]float64{5}, []float64{0.3}, []float64{0.3}, []float64{0.3}}, Curve{[]float64{5}, []float64{nan}, []float64{nan}, []float64{nan}}}}}),
		"cross table": CrossTable(CrossTableChart{Title: "table", Names: []string{"a", "a name that is longer than its column"}, Win: [][]float64{{0.5, 0.6}, {0.4, 0.5}}, Mean: []float64{0.6, 0.4}, Even: 0.5}),
	}
}

// TestPNG checks that pictures are as wide as asked for, at the same proportions, and
// that the same data give the same bytes.
func TestPNG(t *testing.T) {
	for name, p := range pictures() {
		ratio := 0.0
		for _, width := range []int{MinWidth, 333, DefaultWidth, 1600} {
			var b, again bytes.Buffer
			if err := errors.Join(p.WritePNG(&b, width), p.WritePNG(&again, width)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(b.Bytes(), again.Bytes()) {
				t.Errorf("%s: drawn twice, the bytes differ", name)
			}
			image, err := png.Decode(&b)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			size := image.Bounds().Size()
			if ratio == 0 {
				ratio = float64(size.Y) / float64(size.X)
			}
			if size.X != width || math.Abs(float64(size.Y)-ratio*float64(size.X)) > float64(size.X)/MinWidth+1 {
				t.Errorf("%s, %d pixels wide, is %d x %d", name, width, size.X, size.Y)
			}
		}
		for _, width := range []int{0, MinWidth - 1, MaxWidth + 1} {
			if err := p.WritePNG(io.Discard, width); err == nil {
				t.Errorf("%s, %d pixels wide: no error", name, width)
			}
		}
	}
}

// TestSVG checks that pictures are well-formed, have their title, and no text in a font
// without others to stand in.
func TestSVG(t *testing.T) {
	for name, p := range pictures() {
		var b strings.Builder
		if err := p.WriteSVG(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var title string
		for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "title" {
				if err := d.DecodeElement(&title, &e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if title != p.title {
			t.Errorf("%s has the title %q, want %q", name, title, p.title)
		}
		if text := b.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Count(text, "Liberation") != strings.Count(text, "sans-serif") {
			t.Errorf("%s has coordinates that are no numbers, or text without a second font", name)
		}
	}
}

// TestColoursInGrey checks that the areas that lie beside each other in pictures of
// policies differ in lightness, that win probabilities get darker, and that figures can
// be read on the colours of a cross table.
func TestColoursInGrey(t *testing.T) {
	areas := []color.Color{pageWhite, sky, orange, mauve, navy}
	for i, a := range areas {
		for _, b := range areas[:i] {
			if c := contrast(a, b); c < 1.25 {
				t.Errorf("%v and %v have contrast %.2f, want 1.25 or more", b, a, c)
			}
		}
	}
	colours := ramp(bands)
	if !slices.IsSortedFunc(colours, func(a, b color.Color) int {
		if lightness(a) > lightness(b) {
			return -1
		}
		return 1
	}) {
		t.Error("the colours of win probabilities do not get darker")
	}
	for x := -1.0; x <= 1; x += 0.01 {
		if fill, ink := diverging(x); contrast(fill, ink) < 4.5 {
			t.Errorf("figures at %.2f have contrast %.2f, want 4.5 or more", x, contrast(fill, ink))
		}
	}
}

// TestTicks checks labels and places of ticks.
func TestTicks(t *testing.T) {
	for x, want := range map[float64]string{1e3: "1k", 2.5e9: "2.5G", 20e6: "20M", 0.001: "0.001", 0: "0", 999: "999", 0.30000000000000004: "0.3"} {
		if got := countText(x); got != want {
			t.Errorf("countText(%g) = %q, want %q", x, got, want)
		}
	}
	var labels []string
	for _, tick := range (decades{zero: true}).Ticks(1e-4, 1) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if got := strings.Join(labels, " "); got != "0 0.001 0.01 0.1 1" {
		t.Errorf("decades are labelled %s, want 0 0.001 0.01 0.1 1", got)
	}
	labels = nil
	for _, tick := range scoreTicks(99, 5) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "0 20 40 60 80" {
		t.Errorf("scores to 99 are labelled %s, want 0 20 40 60 80", got)
	}
}
