package main

import (
	"context"
	"errors"
	"fmt"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/train"
)

// barEvery is the number of decisions between steps of the progress bar.
const barEvery = 1_000_000

// A training is the command under way.
type training struct {
	*trainFlags
	plan
	std   streams
	shown *trainingProgress // nil if quiet
	log   *train.Log        // nil if there is none
	rival player            // whom the policies are scored against

	saved      savedPolicy
	report     *policies.Report     // of the last evaluation
	references []policies.Report    // what rules of thumb win in the learner's place
	valueError *policies.ValueError // of the last evaluation; nil if it has none
	failed     error                // what went wrong, told after the score
}

// run runs the command.
func (t *training) run(ctx context.Context) (err error) {
	if !t.quiet {
		t.shown = newProgress(t.std.err)
		defer t.shown.close()
		t.ReportEvery, t.Report = barEvery, t.shown.progress
		resumed := ""
		if t.Resume != nil {
			resumed = fmt.Sprintf(", resumed after %d decisions", t.Resume.Steps)
		}
		t.note("%s on %v: %s, %s states, %d entries, %s%s", t.Agent.Name, t.Game, t.Recipe.Name, t.Abstraction, t.entries, humanBytes(t.bytes), resumed)
		for _, line := range advice(&t.plan) {
			t.note("%s", line)
		}
	}
	if t.rival, err = t.makeRival(ctx, &t.plan, t.phase("solving", t.rivalOf(t.Game)), t.note); err != nil {
		return err
	}
	if t.trainFlags.log != "" {
		var kept string
		if t.log, kept, err = train.OpenLog(t.trainFlags.log, t.Source(), t.Resume); errors.Is(err, train.ErrLog) {
			return usageError{err}
		} else if err != nil {
			return err
		}
		defer t.closeLog(&err)
		t.noteKept(t.trainFlags.log, kept)
	}
	if t.shown == nil && t.log == nil {
		t.EvalEvery = 0 // nobody looks
	}
	t.Evaluate, t.Evaluated = t.evaluation(), t.evaluated
	t.Learned, t.Checkpointed, t.Grace = t.learned, t.checkpointed, grace(ctx)
	result, err := train.Run(ctx, t.Config)
	if err == nil && t.report != nil && !result.Interrupted {
		if t.references, err = references(ctx, t.progress(), t.Config, t.rival, t.evalGames); t.failed == nil {
			t.failed = err
		}
		err = nil
	}
	if t.shown != nil {
		t.shown.close()
	}
	if err != nil {
		return err
	}
	if result.Interrupted && result.Steps == 0 {
		t.note("pigpen: train: interrupted before anything was learned; no policy is written")
		return errInterrupted
	}
	if t.failed == nil && result.CheckpointErr != nil {
		t.failed = fmt.Errorf("the last checkpoint could not be written: %w", result.CheckpointErr)
	}
	if !t.quiet {
		planning := ""
		if result.Planning > 0 {
			planning = fmt.Sprintf(", %.1f s of them planning", result.Planning.Seconds())
		}
		t.note("%d decisions in %.1f s%s, %s a second", result.Steps, result.Elapsed.Seconds(), planning, humanCount(result.StepsPerSecond()))
	}
	if t.report != nil {
		if err := t.print(result); err != nil {
			return err
		}
	}
	if t.report == nil && !result.Interrupted && t.saved.path != "" {
		t.note("pigpen: train: interrupted in the evaluation; the policy is saved in %s", plaintext.Escape(t.saved.path))
	}
	switch {
	case t.failed != nil:
		return t.failed
	case result.Interrupted || t.report == nil:
		return errInterrupted
	}
	return nil
}
