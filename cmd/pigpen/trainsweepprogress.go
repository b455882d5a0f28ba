package main

import (
	"fmt"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/train"
)

// note prints a line for people, above the progress.
func (s *sweep) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.show != nil {
		s.show.line(text)
	} else {
		fmt.Fprintln(s.std.err, text)
	}
}

// begin shows a task on a terminal. Elsewhere each training that ends has a line, and
// nothing else is shown.
func (s *sweep) begin(what string, details ...string) *task {
	if s.show.width == nil {
		return nil
	}
	return s.show.begin(what, details...)
}

// ended tells of a training that has ended, where no line is rewritten in place.
func (s *sweep) ended(t train.Trained, p train.SweepProgress) {
	if s.show.width != nil {
		return
	}
	s.note("%d of %d trainings, %s decisions: %s %s", p.Ended, p.Trainings, humanCount(float64(p.Steps)), s.nameOf(t), s.scoreOf(t))
}

// progress shows how far the sweep is.
func (s *sweep) progress(p train.SweepProgress) {
	s.trained.update(p.Done, fmt.Sprintf("%d of %d trainings", p.Ended, p.Trainings), humanCount(float64(p.Steps))+" decisions")
}

// wrote tells once which file was replaced, and of each new error.
func (s *sweep) wrote(path, kept string, err error) {
	if kept != "" {
		s.note("what was in %s before is now in %s", plaintext.Escape(path), plaintext.Escape(kept))
	}
	said := ""
	if err != nil {
		said = plaintext.Error(err)
	}
	if said != "" && said != s.told[path] {
		s.note("pigpen: train: %s could not be written, and will be tried again: %s", plaintext.Escape(path), said)
	}
	s.told[path] = said
}
