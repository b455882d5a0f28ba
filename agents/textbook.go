package agents

import (
	"fmt"
	"io"

	"pigpen/env"
)

// textbookSettings returns the settings of a plain recipe with the given defaults.
func textbookSettings(stepSize, starts string, cases ...Case) []Setting {
	return []Setting{
		stepSizeSetting.withDefault(stepSize),
		stepSizeFloorSetting.withDefault("0.001", Case{constantStepSize, "0"}),
		epsilonSetting.withDefault("0.2"), epsilonHalvingSetting, epsilonFloorSetting,
		{
			Name: "starts", Domain: Words{"game", "exploring"}, Default: starts, Cases: cases,
			Doc: "where games begin, at their start or in a random state with a random action",
		},
	}
}

// An episodic learner learns one episode after the other, as the textbook has
// it.
type episodic interface {
	// Episode begins an episode on m, plays it to the end for every seat, and
	// learns from it. Every draw, exploration included, comes from m.Rand().
	Episode(m *env.Match)
	table() *values
}

// A textbook agent is an episodic learner with the match that it plays.
type textbook struct {
	*values
	learner episodic
	match   *env.Match
}

func newTextbook(c Config, learner episodic) Agent {
	m := env.NewMatch(c.Index.Game(), env.MatchOptions{StepLimit: c.StepLimit})
	m.Reset(c.Seed)
	return &textbook{values: learner.table(), learner: learner, match: m}
}

// Learn implements [Agent]: one episode, on this goroutine.
func (t *textbook) Learn(int) Played {
	t.learner.Episode(t.match)
	return Played{Steps: int64(t.match.Steps()), Episodes: 1}
}

// parts returns what the state holds behind that of the match.
func (t *textbook) parts() []any { return []any{&t.decisions, t.q, t.updates} }

// StateSize implements [Agent].
func (t *textbook) StateSize() int64 { return int64(len(t.matchState())) + sizeOf(t.parts()...) }

// matchState returns the state of the match, whose length is always the same.
func (t *textbook) matchState() []byte {
	m, err := t.match.MarshalBinary()
	if err != nil {
		panic(err) // it never fails
	}
	return m
}

// WriteState implements [Agent].
func (t *textbook) WriteState(w io.Writer) error {
	if _, err := w.Write(t.matchState()); err != nil {
		return err
	}
	return writeParts(w, t.parts()...)
}

// ReadState implements [Agent].
func (t *textbook) ReadState(r io.Reader) error {
	m := t.matchState()
	if err := readParts(r, m); err != nil {
		return err
	}
	if err := t.match.UnmarshalBinary(m); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if err := readParts(r, t.parts()...); err != nil {
		return err
	}
	if t.decisions < 0 {
		return fmt.Errorf("%w: %d decisions", ErrState, t.decisions)
	}
	for _, n := range t.updates {
		if int(n) >= len(t.weights) {
			return fmt.Errorf("%w: a count of %d", ErrState, n)
		}
	}
	return readEnd(r)
}
