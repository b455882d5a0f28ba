package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
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
	Interrupted    bool              `json:"interrupted"`
	PolicyFile     string            `json:"policy_file"`
	// Kept is the name that the file got which was at PolicyFile before.
	Kept  string          `json:"kept,omitempty"`
	Score policies.Report `json:"score"`
}

// defaultEvalGames is the number of games of an evaluation that is given none.
const defaultEvalGames = 100_000

// maxStepLimit bounds how long a game can go on, and with it how long an
// interrupt waits.
const maxStepLimit = 10_000_000

// barEvery is the number of decisions between steps of the progress bar.
const barEvery = 1_000_000

func trainCommand() command {
	fs := newFlags("train")
	f := addTrainFlags(fs)
	return command{
		name: "train", flags: fs, graceful: true,
		short: "train an agent by self-play and save its policy",
		long: `Trains an agent by self-play, writes its policy to a file, and prints how often
that policy wins against another: exactly, with one or two players. The same
command writes the same file, byte for byte, with any number of workers and
however often it was resumed, unless --time or Ctrl-C ended the training.

Ctrl-C saves what is learned so far and then scores it; a second one skips the
score. Nothing is lost: a file of other content at --out, --checkpoint or --log
stays beside the new one, under the first free name of q.1.msgpack, q.2.msgpack
and so on, which the output tells. Delete them as you like. --resume goes on
from a checkpoint as if the training had not stopped, and writes new checkpoints
to the same file, unless --checkpoint names another; the old one is kept too.

A decision is one choice of one player, a step. The table tells every state from
every other (full), or sees of the other players only the best score (summary);
auto takes full states for two players, and for more as long as the table stays
small. Each sample moves an estimate of the table a part of the way, the step
size; n counts the samples of that estimate. Epsilon is the chance of exploring.

A training ends at the first of --steps, --episodes and --time that it comes to.
Without any of them it takes 5,000 decisions for each entry of the table, 800
with --update expected; with --recipe textbook 100M, or 400M with more than two
players. The agents, their recipes, and the settings that these heed:
` + agentTable() + `

A log has a row for each evaluation, with these columns: steps, episodes and
seconds of learning since the start; win_mean, the win probability against
--against, the mean of all seats; exploitability, what a best response wins more
than half, with two players; expected_turns of a game; epsilon; step_size, the
mean weight of the last sample in its estimate; coverage, the part of the
table's entries that have samples; scheduled, the decisions at which the
evaluation was due, the same for every seed; and what made the row: variant,
players, target, options, states, agent, seed, settings and program.`,
		example: "pigpen train --target 50 --agent montecarlo --steps 200M --out mc.msgpack\n" +
			"pigpen train --log curve.csv --checkpoint c.msgpack --checkpoint-every 1m\n" +
			"pigpen train --resume c.msgpack --steps 4G --log curve.csv",
		run: func(ctx context.Context, std streams, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			p, err := f.plan(ctx)
			if err != nil {
				return err
			}
			if p.Resume != nil {
				defer p.Resume.Close()
			}
			t := &training{trainFlags: f, plan: p, std: std}
			return t.run(ctx)
		},
	}
}

// A training is the command under way.
type training struct {
	*trainFlags
	plan
	std   streams
	shown *trainingProgress // nil if quiet
	log   *train.Log        // nil if there is none

	saved  savedPolicy
	report *policies.Report // of the last evaluation
	failed error            // what could not be written, at the end
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
		t.note("%s on %v: %s, %s states, %d entries, %s%s", t.Agent.Name, t.Game, t.Recipe.Name, t.States, t.entries, humanBytes(t.bytes), resumed)
		for _, line := range advice(&t.plan) {
			t.note("%s", line)
		}
	}
	solving := t.phase("solving", t.rivalName())
	rival, err := t.plan.opponent(ctx, solving.options(t.workers))
	if err != nil {
		return err
	}
	solving.end()
	if t.trainFlags.log != "" {
		var kept string
		if t.log, kept, err = train.OpenLog(t.trainFlags.log, t.Provenance(), t.Resume); errors.Is(err, train.ErrLog) {
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
	t.Evaluate, t.Evaluated = t.evaluation(rival), t.evaluated
	t.Learned, t.Checkpointed, t.Grace = t.learned, t.checkpointed, grace(ctx)
	result, err := train.Run(ctx, t.Config)
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
		t.note("%d decisions in %.1f s, %s a second", result.Steps, result.Elapsed.Seconds(), humanCount(result.StepsPerSecond()))
	}
	if t.report != nil {
		if err := t.print(result); err != nil {
			return err
		}
	}
	if t.report == nil && !result.Interrupted && t.saved.path != "" {
		t.note("pigpen: train: interrupted in the evaluation; the policy is saved in %s", printable(t.saved.path))
	}
	switch {
	case t.failed != nil:
		return t.failed
	case result.Interrupted || t.report == nil:
		return errInterrupted
	}
	return nil
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

// noteKept tells which file has got another name.
func (t *training) noteKept(path, kept string) {
	if kept != "" {
		t.note("what was in %s before is now in %s", printable(path), printable(kept))
	}
}

// evaluation returns what evaluates policies against a rival.
func (t *training) evaluation(rival player) func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
	var show *progress
	final := &policies.Evaluator{Game: t.Game, Opponent: rival.policy, OpponentName: rival.name, Seed: t.Seed, Workers: t.workers}
	if t.shown != nil {
		show = t.shown.show
	}
	if !exact.Solves(t.Game) {
		final.Games = int(t.evalGames)
	}
	onTheWay := *final
	if final.Games > 0 {
		onTheWay.Games = max(t.Game.Players(), final.Games/10)
	}
	final.Watch, onTheWay.Watch = watchEvaluation(show, final.Games), watchEvaluation(show, onTheWay.Games)
	return func(ctx context.Context, p policies.Policy, last bool) (train.Score, error) {
		e := &onTheWay
		if last {
			e = final
		}
		r, err := e.Evaluate(ctx, t.out, p)
		if err != nil {
			return train.Score{}, err
		}
		if last {
			t.report = &r
		}
		return figures(t.Game, r), nil
	}
}

// figures returns the figures of r that a log has.
func figures(g env.Game, r policies.Report) train.Score {
	s := train.Score{WinMean: r.WinMean, Exploitability: math.NaN(), Turns: math.NaN()}
	if g.Players() == 1 {
		s.WinMean = math.NaN()
	}
	if e := r.ExactFigures; e != nil {
		if e.Exploitability != nil {
			s.Exploitability = *e.Exploitability
		}
		if e.Turns != nil {
			s.Turns = *e.Turns
		}
	}
	return s
}

// evaluated shows and logs an evaluation. A row that cannot be written is kept
// for the next chance.
func (t *training) evaluated(r train.Row) error {
	if t.shown != nil {
		t.shown.evaluated(r, t.rivalName())
	}
	if t.log != nil {
		if err := t.log.Write(r); err != nil {
			t.note("pigpen: train: a row of the log could not be written, and will be tried again: %s", oneLine(err))
		}
	}
	return nil
}

// rivalName returns what the policy is scored against.
func (t *training) rivalName() string {
	if name := t.rival(); name != "" {
		return name
	}
	return policies.Reference(t.Game)
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
		t.note("pigpen: train: %s", oneLine(t.failed))
	}
	if r.Interrupted && t.saved.path != "" {
		t.note("pigpen: train: interrupted; the policy after %d decisions is saved in %s%s; a second interrupt skips its score",
			r.Steps, printable(t.saved.path), t.saved.keptClause())
	}
}

// checkpointed tells of a checkpoint that could not be written, which file the
// first has replaced, and where they go after another training has replaced one.
func (t *training) checkpointed(path, kept string, err error) {
	if err != nil {
		t.note("pigpen: train: the checkpoint could not be written, and will be tried again: %s", oneLine(err))
	}
	if path != t.checkpoint {
		t.note("pigpen: train: %s is no longer the checkpoint of this training, whose checkpoints now go to %s", printable(t.checkpoint), printable(path))
		t.checkpoint = path
	}
	t.noteKept(t.checkpoint, kept)
}

// print prints the result.
func (t *training) print(r train.Result) error {
	if t.json {
		return printJSON(t.std.out, trainResult{
			gameResult: resultOf(t.Game, t.Seed),
			Agent:      t.Agent.Name, Recipe: t.Recipe.Name, States: string(t.States), Settings: r.File.Provenance.Settings, Program: version,
			Entries: t.entries, Steps: r.Steps, Episodes: r.Episodes,
			Seconds: r.Elapsed.Seconds(), StepsPerSecond: r.StepsPerSecond(),
			Interrupted: r.Interrupted, PolicyFile: t.saved.path, Kept: t.saved.kept, Score: *t.report,
		})
	}
	saved := "its policy is in " + printable(t.saved.path) + t.saved.keptClause()
	if t.saved.path == "" {
		saved = "its policy could not be saved"
	}
	return print(t.std.out, fmt.Sprintf("%v, seed %d\n%s (%s) learned from %d decisions in %d episodes\n%s\n%v",
		t.Game, t.Seed, t.Agent.Name, t.Recipe.Name, r.Steps, r.Episodes, saved, reportText(*t.report)))
}
