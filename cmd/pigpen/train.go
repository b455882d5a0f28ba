package main

import (
	"context"
	"errors"
	"fmt"

	"pigpen/policies"
	"pigpen/train"
)

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
		t.note("%s on %v: %s, %s states, %d entries, %s%s", t.Agent.Name, t.Game, t.Recipe.Name, t.Abstraction, t.entries, humanBytes(t.bytes), resumed)
		for _, line := range advice(&t.plan) {
			t.note("%s", line)
		}
	}
	solving := t.phase("solving", t.rivalOf(t.Game))
	rival, err := t.plan.opponent(ctx, solving.options(t.workers))
	if err != nil {
		return err
	}
	solving.end()
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
