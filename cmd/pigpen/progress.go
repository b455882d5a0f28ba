package main

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"pigpen/cmd/pigpen/internal/plaintext"
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
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = plaintext.Escape(lines[i])
	}
	text = strings.Join(lines, "\n")
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

// write writes text in one piece, unless that has failed before.
func (p *progress) write(text string) {
	if p.failed {
		return
	}
	_, err := io.WriteString(p.w, text)
	p.failed = err != nil
}
