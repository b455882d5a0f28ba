package main

import (
	"errors"
	"fmt"
	"math"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/train"
)

// trainResult is what train prints as JSON.
type trainResult struct {
	gameResult
	Agent          string            `json:"agent"`
	Recipe         string            `json:"recipe"`
	States         string            `json:"states"`
	Settings       map[string]string `json:"settings"`
	Program        string            `json:"program"`
	Entries        int               `json:"entries"`
	Steps          int64             `json:"steps"`
	Episodes       int64             `json:"episodes"`
	Seconds        float64           `json:"seconds"`
	StepsPerSecond float64           `json:"steps_per_second"`
	// PlanningSeconds is the part of Seconds in which the agent planned with a model.
	PlanningSeconds float64 `json:"planning_seconds,omitempty"`
	Interrupted     bool    `json:"interrupted"`
	PolicyFile      string  `json:"policy_file"`
	// Kept is the name that the file got which was at PolicyFile before.
	Kept  string          `json:"kept,omitempty"`
	Score policies.Report `json:"score"`
	// References are the scores of rules of thumb in the learner's place, with three and
	// more players.
	References []policies.Report `json:"references,omitempty"`
	// ValueErrorMean and ValueErrorMax are those of the log, if the policy has values.
	ValueErrorMean *float64 `json:"value_error_mean,omitempty"`
	ValueErrorMax  *float64 `json:"value_error_max,omitempty"`
}

// note prints a line for people, above the progress.
func (t *training) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if t.shown != nil {
		t.shown.show.line(text)
	} else {
		fmt.Fprintln(t.std.err, text)
	}
}

// phase shows what delays the learning, until the task ends.
func (t *training) phase(what string, details ...string) *task {
	if t.shown == nil {
		return nil
	}
	return t.shown.phase(what, details...)
}

// progress returns what shows the progress; nil if quiet.
func (t *training) progress() *progress {
	if t.shown == nil {
		return nil
	}
	return t.shown.show
}

// noteKept tells which file has got another name.
func (t *training) noteKept(path, kept string) {
	if kept != "" {
		t.note("what was in %s before is now in %s", plaintext.Escape(path), plaintext.Escape(kept))
	}
}

// closeLog closes the log; rows that it could not write make err.
func (t *training) closeLog(err *error) {
	if e := t.log.Close(); e != nil && (*err == nil || errors.Is(*err, errInterrupted)) {
		*err = fmt.Errorf("the log could not be written: %w", e)
	}
}

// learned saves the policy, before it is scored.
func (t *training) learned(r train.Result) {
	if r.Interrupted && r.Steps == 0 {
		return
	}
	if t.saved, t.failed = savePolicy(t.out, r.File); t.failed != nil {
		t.note("pigpen: train: %s", plaintext.Error(t.failed))
	}
	if r.Interrupted && t.saved.path != "" {
		t.note("pigpen: train: interrupted; the policy after %d decisions is saved in %s%s; a second interrupt skips its score",
			r.Steps, plaintext.Escape(t.saved.path), t.saved.keptClause())
	}
}

// checkpointed tells of a checkpoint that could not be written, which file the
// first has replaced, and where they go after another training has replaced one.
func (t *training) checkpointed(path, kept string, err error) {
	if err != nil {
		t.note("pigpen: train: the checkpoint could not be written, and will be tried again: %s", plaintext.Error(err))
	}
	if path != t.checkpoint {
		t.note("pigpen: train: %s is no longer the checkpoint of this training, whose checkpoints now go to %s", plaintext.Escape(t.checkpoint), plaintext.Escape(path))
		t.checkpoint = path
	}
	t.noteKept(t.checkpoint, kept)
}

// print prints the result.
func (t *training) print(r train.Result) error {
	e := t.valueError
	if e != nil && math.IsInf(e.Max, 0) {
		e = nil // of a policy that may never end a game
	}
	if t.json {
		result := trainResult{
			gameResult: resultOf(t.Game, t.Seed),
			Agent:      t.Agent.Name, Recipe: t.Recipe.Name, States: string(t.Abstraction), Settings: r.File.Provenance.Settings, Program: version,
			Entries: t.entries, Steps: r.Steps, Episodes: r.Episodes,
			Seconds: r.Elapsed.Seconds(), StepsPerSecond: r.StepsPerSecond(), PlanningSeconds: r.Planning.Seconds(),
			Interrupted: r.Interrupted, PolicyFile: t.saved.path, Kept: t.saved.kept, Score: *t.report, References: t.references,
		}
		if e != nil {
			result.ValueErrorMean, result.ValueErrorMax = &e.Mean, &e.Max
		}
		return printJSON(t.std.out, result)
	}
	saved := "its policy is in " + plaintext.Escape(t.saved.path) + t.saved.keptClause()
	if t.saved.path == "" {
		saved = "its policy could not be saved"
	}
	text := fmt.Sprintf("%v, seed %d\n%s (%s) learned from %d decisions in %d episodes\n%s\n%v",
		t.Game, t.Seed, t.Agent.Name, t.Recipe.Name, r.Steps, r.Episodes, saved, reportText(*t.report)+referencesText(t.references))
	if e != nil {
		unit := "win probability"
		if t.Game.Players() == 1 {
			unit = "turns"
		}
		text += fmt.Sprintf("its values miss the exact ones by %.6f in the mean and %.6f at most, in %s\n", e.Mean, e.Max, unit)
	}
	return print(t.std.out, text)
}
