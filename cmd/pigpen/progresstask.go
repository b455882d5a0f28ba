package main

import (
	"slices"
	"time"

	"pigpen/policies/exact"
)

// A task is a piece of work that is under way. Methods of a nil *task do
// nothing.
type task struct {
	of   *progress
	view view
	// The time of the first and the last update, and what was done at the first.
	begun, first, last time.Time
	doneFirst          float64
}

func (t *task) reset(what string, details []string) {
	t.view = view{what: what, details: details, done: unknown}
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
		t.view.details = details
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
