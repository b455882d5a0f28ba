package agents

import (
	"fmt"

	"pigpen/env"
)

// textbookUses are the settings that the plain recipes heed.
var textbookUses = []Setting{StepSizeSetting, EpsilonSetting, StartsSetting}

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
	m := env.NewMatch(c.Layout.Game(), env.MatchOptions{StepLimit: c.StepLimit})
	m.Reset(c.Seed)
	return &textbook{values: learner.table(), learner: learner, match: m}
}

// Learn implements [Agent]: one episode, on this goroutine.
func (t *textbook) Learn(int) Played {
	t.learner.Episode(t.match)
	return Played{Steps: int64(t.match.Steps()), Episodes: 1}
}

// AppendBinary implements [Agent].
func (t *textbook) AppendBinary(b []byte) ([]byte, error) {
	m, err := t.match.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return appendParts(append(b, m...), t.decisions, t.q, t.updates)
}

// UnmarshalBinary implements [Agent].
func (t *textbook) UnmarshalBinary(b []byte) error {
	m, err := t.match.MarshalBinary()
	if err != nil {
		return err
	}
	if len(b) < len(m) {
		return fmt.Errorf("%w: it is too short", ErrSnapshot)
	}
	if err := t.match.UnmarshalBinary(b[:len(m)]); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	if err := readParts(b[len(m):], &t.decisions, t.q, t.updates); err != nil {
		return err
	}
	if t.decisions < 0 {
		return fmt.Errorf("%w: %d decisions", ErrSnapshot, t.decisions)
	}
	for _, n := range t.updates {
		if int(n) >= len(t.weights) {
			return fmt.Errorf("%w: a count of %d", ErrSnapshot, n)
		}
	}
	return nil
}
