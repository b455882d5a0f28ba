package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/rivo/uniseg"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
	"pigpen/train"
)

// columnsTested are the widths of terminals.
var columnsTested = []int{20, 40, 80, 120}

// A terminal is a screen that is not there.
type terminal struct{ *vt.Emulator }

func newTerminal(columns int) terminal { return terminal{vt.NewEmulator(columns, 24)} }

// lines returns what stands on the screen, and has been scrolled off it, but for
// empty lines.
func (t terminal) lines() []string {
	var lines []string
	for y := range t.ScrollbackLen() {
		var b strings.Builder
		for x := range t.Width() {
			if c := t.ScrollbackCellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		lines = append(lines, b.String())
	}
	lines = append(lines, strings.Split(t.String(), "\n")...)
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// newTestProgress returns a progress on a terminal, or, without columns, one
// that prints lines, whose time passes by hand.
func newTestProgress(w io.Writer, columns *int) (p *progress, pass func(time.Duration)) {
	now := time.Unix(0, 0)
	p = &progress{w: w, now: func() time.Time { return now }, quiet: shortWork}
	if columns != nil {
		p.width = func() int { return *columns }
	}
	return p, func(d time.Duration) { now = now.Add(d) }
}

// TestProgressLine holds that one line is alive while a game is being solved,
// whatever the width of the terminal and however it changes, that it tells how
// far the work is, and that nothing stays.
func TestProgressLine(t *testing.T) {
	racedetector.Skip(t)
	g := env.Must(env.New(env.Config{Variant: "pig-snake-eyes", Target: 45}))
	for _, columns := range append(slices.Clone(columnsTested), 2, 5) {
		screen := newTerminal(columns)
		p, pass := newTestProgress(screen, &columns)
		work := p.begin("solving", "pig-snake-eyes", "目标 45")
		percents, resized := make(map[string]bool), false
		o := exact.Options{Workers: 1, Progress: func(done float64) {
			work.update(done)
			pass(50 * time.Millisecond)
			if done > 0.5 && !resized {
				resized = true
				columns = 20 + 100/columns
				screen.Resize(columns, 24)
			}
			p.refresh()
			lines := screen.lines()
			if p.now().Sub(time.Unix(0, 0)) < shortWork {
				if len(lines) > 0 {
					t.Fatalf("%q is shown before %v have passed", lines, shortWork)
				}
				return
			}
			if len(lines) != 1 || uniseg.StringWidth(lines[0]) >= max(2, columns) {
				t.Fatalf("%d columns: the screen shows %q, want one line that leaves the last column free", columns, lines)
			}
			if i := strings.Index(lines[0], "%"); i > 0 {
				percents[strings.TrimSpace(lines[0][max(0, i-2):i])] = true
			} else if columns > 4 {
				t.Fatalf("%d columns: %q tells no percentage", columns, lines[0])
			}
			if at := screen.CursorPosition(); at.X != 0 || at.Y != 0 {
				t.Fatalf("%d columns: the cursor is at %v, want the beginning of the line", columns, at)
			}
		}}
		if _, err := exact.Solve(t.Context(), g, o); err != nil {
			t.Fatal(err)
		}
		p.line("a line that stays")
		p.stop()
		if lines := screen.lines(); !resized || len(percents) < 20 || !slices.Equal(lines, []string{"a line that stays"}) {
			t.Errorf("%d columns: %d percentages were seen, and %q is left; want many, and the line that stays", columns, len(percents), lines)
		}
		p.begin("solving") // stop has ended the task before
		if len(p.tasks) != 1 {
			t.Errorf("%d tasks are under way, want 1", len(p.tasks))
		}
	}
}

// TestProgressReflow makes a terminal narrower that breaks its lines anew, which
// takes the cursor along with the first part of the line.
func TestProgressReflow(t *testing.T) {
	columns := 120
	var out bytes.Buffer
	p, pass := newTestProgress(&out, &columns)
	work := p.begin("solving", "pig", strings.Repeat("detail ", 10))
	work.update(0.5)
	pass(3 * time.Second)
	p.refresh()
	if frame := out.String(); !strings.HasSuffix(frame, "\r") {
		t.Fatalf("the line ends with %q, want the cursor at its beginning", frame[len(frame)-5:])
	}
	out.Reset()
	columns = 40
	p.refresh()
	if frame := out.String(); !strings.HasPrefix(frame, "\r"+eraseToEndOfScreen) {
		t.Errorf("after a change of width %q is written, want all below the cursor to be erased first", frame)
	}
}

// TestProgressFits shows a training at each width.
func TestProgressFits(t *testing.T) {
	v := view{
		what: "training", details: []string{"41.2M steps", "wins 49.123%", "5.13M/s", "exploitability 0.01234"},
		done: 0.4567, elapsed: 80 * time.Second, left: 95 * time.Second,
	}
	for columns, want := range map[int]string{
		3:   "45%",
		8:   "45% trai",
		19:  "training 45% 1m20s",
		39:  "training  45%  1m20s, 1m35s left",
		49:  "training: 41.2M steps  45%  1m20s, 1m35s left",
		79:  "training: 41.2M steps, wins 49.123%  45% [======>         ]  1m20s, 1m35s left",
		119: "training: 41.2M steps, wins 49.123%, 5.13M/s, exploitability 0.01234  45% [=========>             ]  1m20s, 1m35s left",
	} {
		if got := v.fit(columns); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	if got, want := v.fit(unlimited), "training: 41.2M steps, wins 49.123%, 5.13M/s, exploitability 0.01234, 45%, 1m20s, 1m35s left"; got != want {
		t.Errorf("as a line: %q, want %q", got, want)
	}
	for _, what := range []string{"training", "評価する評価する", "e\u0301valuation", "a\x1b[2Jb"} {
		for _, done := range []float64{unknown, 0, 0.999999, 1} {
			for columns := range 200 {
				v.what, v.done = what, done
				line := v.fit(columns)
				if uniseg.StringWidth(line) > columns || strings.ContainsAny(line, "\x1b\n\r") {
					t.Fatalf("%d columns: %q, which is %d wide", columns, line, uniseg.StringWidth(line))
				}
				if done == 0.999999 && columns >= 4 && !strings.Contains(line, "99%") {
					t.Fatalf("%d columns: %q, want 99%% in it", columns, line)
				}
			}
		}
	}
}

// TestProgressLines prints lines for work of an hour: when it has gone on for two
// seconds, then each time a tenth is done or the time has doubled, but not within
// ten seconds of another line.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p, pass := newTestProgress(&out, nil)
	work := p.begin("playing", "hold-20")
	var at []int
	for second := range 3600 {
		work.update(float64(second) / 3600)
		before := out.Len()
		p.refresh()
		if out.Len() > before {
			at = append(at, second)
		}
		pass(time.Second)
	}
	work.end()
	if want := []int{2, 12, 24, 48, 96, 192, 360, 720, 1080, 1440, 1800, 2160, 2520, 2880, 3240}; !slices.Equal(at, want) {
		t.Errorf("lines after %v seconds, want %v", at, want)
	}
	lines := strings.Split(out.String(), "\n")
	if got, want := lines[8], "playing: hold-20, 30%, 18m00s, 42m00s left"; got != want {
		t.Errorf("a line is %q, want %q", got, want)
	}
	if strings.ContainsAny(out.String(), "\x1b\r") {
		t.Errorf("the lines hold control characters: %q", out.String())
	}

	// Short tasks one after the other are long work in all; a task that begins
	// much later is not.
	out.Reset()
	for range 4 {
		short := p.begin("solving")
		pass(time.Second)
		p.refresh()
		short.end()
	}
	if got, want := out.String(), ""; got != want {
		t.Errorf("%q is printed right after the last line, want nothing", got)
	}
	pass(time.Minute)
	later := p.begin("solving")
	pass(shortWork - 1)
	p.refresh()
	if out.Len() > 0 {
		t.Errorf("%q is printed before %v have passed", out.String(), shortWork)
	}
	pass(1)
	p.refresh()
	later.end()
	if got, want := out.String(), "solving, 2s\n"; got != want {
		t.Errorf("after %v %q is printed, want %q", shortWork, got, want)
	}
}

// TestProgressTasks shows a part of the work once it takes long, and the whole
// again when it has ended.
func TestProgressTasks(t *testing.T) {
	columns := 60
	screen := newTerminal(columns)
	p, pass := newTestProgress(screen, &columns)
	p.quiet = 0
	shows := func(want string) {
		t.Helper()
		p.refresh()
		if got := strings.Join(screen.lines(), "\n"); got != want {
			t.Errorf("the screen shows %q, want %q", got, want)
		}
	}
	whole := p.begin("training")
	shows("training  0s")
	pass(10 * time.Second)
	part := p.begin("evaluating")
	shows("training  10s")
	pass(time.Second)
	shows("evaluating  1s")
	part.update(0.25)
	pass(2 * time.Second)
	part.update(0.5)
	shows("evaluating  50% [============>              ]  3s, 4s left")
	pass(time.Second) // nothing new is known, and less is left
	shows("evaluating  50% [============>              ]  4s, 3s left")
	part.next("filling the table")
	shows("training  14s")
	pass(time.Second)
	shows("filling the table  1s")
	part.end()
	part.end()
	shows("training  15s")
	whole.end()
	shows("")
}

// TestProgressBroken holds that work goes on where nothing can be shown.
func TestProgressBroken(t *testing.T) {
	for _, columns := range []*int{nil, new(int)} {
		w := new(brokenWriter)
		p, pass := newTestProgress(w, columns)
		work := p.begin("solving")
		for range 10 {
			pass(time.Minute)
			work.update(0.5)
			p.refresh()
			p.line("a line")
		}
		p.stop()
		if w.writes != 1 {
			t.Errorf("%d writes after one failed, want none", w.writes-1)
		}
	}
	var none *progress
	work := none.begin("solving")
	work.update(1)
	work.next("evaluating")
	work.end()
	none.line("a line")
	none.stop()
}

type brokenWriter struct{ writes int }

func (w *brokenWriter) Write([]byte) (int, error) {
	w.writes++
	return 0, errors.New("broken")
}

// TestProgressNames checks that the name of a file reaches neither a line nor the
// progress as a control sequence.
func TestProgressNames(t *testing.T) {
	const name = "a\x1b[31m\u009b31m\rb"
	for _, columns := range []*int{nil, new(80)} {
		var b strings.Builder
		p, pass := newTestProgress(&b, columns)
		work := p.begin("playing", name)
		pass(time.Minute)
		work.update(0.25, name)
		p.refresh()
		p.line("what wins against " + name)
		(&trainingProgress{show: p}).evaluated(train.Row{Score: train.Score{WinMean: 0.5, Exploitability: math.NaN()}}, name)
		work.end()
		if got := b.String(); strings.Contains(got, "\x1b[31m") || strings.Contains(got, "\u009b") || strings.Contains(got, "\rb") {
			t.Errorf("the progress shows %q", got)
		}
		if got, want := strings.Count(b.String(), `a\x1b[31m\u009b31m\rb`), 2; got < want {
			t.Errorf("the progress shows the name %d times, want %d at least: %q", got, want, b.String())
		}
	}
}

// TestHumanDuration writes durations.
func TestHumanDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1499 * time.Millisecond: "1s", 59 * time.Second: "59s", 59900 * time.Millisecond: "1m00s", 80 * time.Second: "1m20s",
		2*time.Hour + 5*time.Minute: "2h05m", 76 * time.Hour: "3d04h",
	} {
		if got := humanDuration(d); got != want {
			t.Errorf("humanDuration(%v) = %q, want %q", d, got, want)
		}
	}
}
