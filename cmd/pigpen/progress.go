package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"pigpen/policies/exact"
	"pigpen/train"
)

// A progress shows what a command is doing and how far it is, from the moment
// that the work has taken a while. On a terminal it keeps one line, which it
// rewrites in place and removes at the end; elsewhere it prints a line now and
// then. A write that fails ends the showing and nothing else.
//
// Its methods, and those of its tasks, may be called by several goroutines at
// once. Those of a nil *progress show nothing.
type progress struct {
	w     io.Writer
	width func() int // columns of the terminal; nil where lines are printed
	now   func() time.Time
	// quiet is how long the work goes on before anything is shown.
	quiet time.Duration
	// every is the time between two looks at the tasks; 0 leaves them to the
	// caller of refresh.
	every time.Duration

	mu    sync.Mutex
	tasks []*task // under way, each a part of the one before
	// When the work began, and when the last of its tasks ended.
	begun, idle time.Time
	ended       chan struct{} // closed when no task is under way any more

	// When the next line is to be printed, and when the last was, at how many
	// tenths of the work.
	due, printed time.Time
	tenths       int

	output sync.Mutex // held while writing; taken before mu
	failed bool
	// What stands on the terminal's line, and how wide the terminal was then.
	drawn   string
	columns int
}

const (
	// shortWork is how long a command may be silent.
	shortWork = 2 * time.Second
	// shortTask is how long a part of the work takes before it is shown in the
	// place of the whole.
	shortTask = 500 * time.Millisecond
	// redrawEvery is the time between two updates of a terminal's line.
	redrawEvery = 100 * time.Millisecond
	// linesEvery is the least time between two printed lines.
	linesEvery = 10 * time.Second
)

// showProgress returns a progress that shows on w what goes on for more than
// shortWork.
func showProgress(w io.Writer) *progress {
	p := &progress{w: w, now: time.Now, quiet: shortWork, every: redrawEvery}
	if f, ok := w.(*os.File); ok && rewritable(f) {
		p.width = func() int {
			columns, _, err := term.GetSize(int(f.Fd()))
			if err != nil || columns < 1 {
				return 80
			}
			return columns
		}
	}
	return p
}

// rewritable reports whether f is a terminal on which a line can be rewritten.
func rewritable(f *os.File) bool {
	kind, known := os.LookupEnv("TERM")
	if kind == "dumb" || !known && runtime.GOOS != "windows" {
		return false
	}
	return isTerminal(f) && heedsSequences(f)
}

// A task is a piece of work that is under way. Methods of a nil *task do
// nothing.
type task struct {
	of   *progress
	view view
	// The time of the first and the last update, and what was done at the first.
	begun, first, last time.Time
	doneFirst          float64
}

// begin adds a task, a part of the last one begun that has not ended. It is
// shown as what, a word or two such as "solving", and details, the most important
// first.
func (p *progress) begin(what string, details ...string) *task {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &task{of: p}
	t.reset(what, details)
	if len(p.tasks) == 0 {
		if p.begun.IsZero() || t.begun.Sub(p.idle) > shortWork {
			p.begun = t.begun
			p.due, p.printed, p.tenths = p.begun.Add(p.quiet), time.Time{}, 0
		} // else it goes on where it has just ended
		if p.every > 0 {
			p.ended = make(chan struct{})
			go p.watch(p.ended)
		}
	}
	p.tasks = append(p.tasks, t)
	return t
}

// watch shows the tasks until ended is closed.
func (p *progress) watch(ended <-chan struct{}) {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.refresh()
		case <-ended:
			return
		}
	}
}

// printableEach returns each of the texts, in which there may be names of files,
// as a terminal can show it.
func printableEach(texts []string) []string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = printable(text)
	}
	return shown
}

func (t *task) reset(what string, details []string) {
	t.view = view{what: what, details: printableEach(details), done: unknown}
	t.begun, t.first, t.last = t.of.now(), time.Time{}, time.Time{}
}

// next turns the task into the one that follows it.
func (t *task) next(what string, details ...string) {
	if t == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.reset(what, details)
}

// update says how much of the task is done, in [0, 1] or unknown, and puts
// details, unless there are none, in the place of the last ones. Calls cost
// little, however many there are.
func (t *task) update(done float64, details ...string) {
	if t == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.view.done = done
	if details != nil {
		t.view.details = printableEach(details)
	}
	t.last = t.of.now()
	if t.first.IsZero() {
		t.first, t.doneFirst = t.last, done
	}
}

// options are those of work that the task is about.
func (t *task) options(workers int) exact.Options {
	o := exact.Options{Workers: workers}
	if t != nil {
		o.Progress = func(done float64) { t.update(done) }
	}
	return o
}

// end ends the task and those begun after it. With the last task the
// terminal's line goes.
func (t *task) end() {
	if t == nil {
		return
	}
	p := t.of
	p.output.Lock()
	defer p.output.Unlock()
	p.mu.Lock()
	i := slices.Index(p.tasks, t)
	if i >= 0 {
		p.tasks = p.tasks[:i]
	}
	last := i == 0
	if last {
		p.idle = p.now()
		if p.ended != nil {
			close(p.ended)
			p.ended = nil
		}
	}
	p.mu.Unlock()
	if last {
		p.erase()
	}
}

// stop ends all tasks.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	var first *task
	if len(p.tasks) > 0 {
		first = p.tasks[0]
	}
	p.mu.Unlock()
	first.end()
}

// line prints a line that stays, broken between words on a terminal that is
// narrower.
func (p *progress) line(text string) {
	if p == nil {
		return
	}
	text = strings.Join(printableEach(strings.Split(text, "\n")), "\n")
	p.output.Lock()
	p.erase()
	if p.width != nil {
		text = wrap(text, "", p.width())
	}
	p.write(text + "\n")
	p.output.Unlock()
	if p.width != nil {
		p.refresh()
	}
}

// told notes that a line has just said how far the work is, so that the next is
// not due at once.
func (p *progress) told() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printed = p.now()
}

// refresh shows the tasks as they are now.
func (p *progress) refresh() {
	p.output.Lock()
	defer p.output.Unlock()
	now := p.now()
	v, ok := p.view(now)
	switch {
	case !ok || p.failed:
	case p.width != nil:
		p.draw(v)
	case p.lineDue(v, now):
		p.write(v.fit(unlimited) + "\n")
	}
}

// lineDue reports whether to print a line now: at the end of the quiet time, and
// then whenever a tenth of the work is done or the time has doubled, but no line
// sooner than linesEvery after another.
func (p *progress) lineDue(v view, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tenths = min(p.tenths, v.tenths()) // of another task
	first := p.printed.IsZero()
	if now.Before(p.due) && (first || v.tenths() == p.tenths) || !first && now.Sub(p.printed) < linesEvery {
		return false
	}
	p.printed, p.tenths = now, v.tenths()
	p.due = now.Add(max(linesEvery, now.Sub(p.begun)))
	return true
}

// view returns what is to be shown, and whether there is anything.
func (p *progress) view(now time.Time) (view, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tasks) == 0 || now.Sub(p.begun) < p.quiet {
		return view{}, false
	}
	i := len(p.tasks) - 1
	for i > 0 && now.Sub(p.tasks[i].begun) < shortTask {
		i--
	}
	t := p.tasks[i]
	v := t.view
	v.elapsed = now.Sub(t.begun)
	v.left = unknown
	// The first moments tell nothing about the rest.
	took := t.last.Sub(t.first)
	if done := v.done - t.doneFirst; took >= time.Second && done > 0 && (done >= 0.02 || took >= 10*time.Second) {
		left := time.Duration(float64(took) / done * (1 - v.done))
		v.left = max(0, left-now.Sub(t.last))
	}
	return v, true
}

// Control sequences of ECMA-48 and DEC's terminals.
const (
	eraseToEndOfLine   = "\x1b[K"
	eraseToEndOfScreen = "\x1b[J"
	wrapOff, wrapOn    = "\x1b[?7l", "\x1b[?7h"
)

// draw rewrites the terminal's line. The cursor is left at its beginning: where
// a terminal that has been made narrower breaks the line into several, the cursor
// stays on the first of them, and all can be erased. Wrapping is off meanwhile,
// for the width may change before the line arrives.
func (p *progress) draw(v view) {
	columns := p.width()
	text := v.fit(columns - 1) // in the last column some terminals wrap
	if text == p.drawn && columns == p.columns {
		return
	}
	before := "\r"
	if columns != p.columns && p.drawn != "" {
		before += eraseToEndOfScreen
	}
	p.write(before + wrapOff + text + eraseToEndOfLine + wrapOn + "\r")
	p.drawn, p.columns = text, columns
}

// erase removes the terminal's line.
func (p *progress) erase() {
	if p.drawn != "" {
		p.write("\r" + eraseToEndOfScreen)
		p.drawn = ""
	}
}

// write writes text in one piece, unless that has failed before.
func (p *progress) write(text string) {
	if p.failed {
		return
	}
	_, err := io.WriteString(p.w, text)
	p.failed = err != nil
}

// trainingProgress shows how far a training is: on a terminal with the last
// evaluation, elsewhere with a line for each.
type trainingProgress struct {
	show     *progress
	learning *task
	won      []string // the last evaluation
}

func newProgress(w io.Writer) *trainingProgress {
	p := &trainingProgress{show: showProgress(w)}
	if p.show.width != nil {
		p.show.quiet = 0
	}
	p.learning = p.show.begin("training")
	p.show.refresh()
	return p
}

// evaluated shows an evaluation on the way.
func (p *trainingProgress) evaluated(r train.Row, rival string) {
	p.won = nil
	against := ""
	if !math.IsNaN(r.WinMean) {
		p.won = append(p.won, fmt.Sprintf("wins %.3f%%", 100*r.WinMean))
		against = " against " + rival
	} else {
		p.won = append(p.won, fmt.Sprintf("takes %.3f turns", r.Turns))
	}
	if !math.IsNaN(r.Exploitability) {
		p.won = append(p.won, fmt.Sprintf("exploitability %.5f", r.Exploitability))
	}
	if p.show.width == nil {
		speed := train.Progress{Steps: r.Steps, Elapsed: time.Duration(r.Seconds * float64(time.Second))}.StepsPerSecond()
		p.won[0] += against
		p.show.line(fmt.Sprintf("%s decisions, %s a second, %s", humanCount(float64(r.Steps)), humanCount(speed), strings.Join(p.won, ", ")))
		p.show.told()
	}
}

// progress shows how far the learning is.
func (p *trainingProgress) progress(at train.Progress) {
	details := []string{humanCount(float64(at.Steps)) + " steps"}
	if p.won != nil {
		details = append(details, p.won[0])
	}
	details = append(details, humanCount(at.StepsPerSecond())+"/s")
	if len(p.won) > 1 {
		details = append(details, p.won[1:]...)
	}
	p.learning.update(at.Done, details...)
}

// phase shows what delays the learning, such as an evaluation, until the task
// ends.
func (p *trainingProgress) phase(what string, details ...string) *task {
	return p.show.begin(what, details...)
}

func (p *trainingProgress) close() { p.show.stop() }
