package main

import "context"

// defaultEvalGames is the number of games of an evaluation that is given none.
const defaultEvalGames = 100_000

// maxStepLimit bounds how long a game can go on, and with it how long an
// interrupt waits.
const maxStepLimit = 10_000_000

func trainCommand() command {
	fs := newFlags("train")
	f := addTrainFlags(fs)
	return command{
		name: "train", flags: fs, graceful: true,
		short: "train an agent by self-play and save its policy",
		long: `Trains an agent by self-play, writes its policy to a file, and prints how often
that policy wins against another: exactly, where 'pigpen eval' does. The same
command writes the same file, byte for byte, with any number of workers and
however often it was resumed, unless --time or Ctrl-C ended the training.

With three and more players there is a line each for what hold-20 and the best
rule of thumb win in the learner's place; the JSON object has their scores in
the list references. They are exact where the final score is. Evaluations on the
way are exact in games of up to 500,000 decision points, or of as many as there
are decisions between two of them, and else simulated. If a roll can cost the
banked score, the decision points count 50 times.

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
Without any of them it takes 5,000 decisions for each entry of the table, 400
with --update expected, at least 100M, and at most 5G with more than two
players; with --recipe textbook 100M, or 400M with more than two; with --agent
dyna 3M. The agents, their recipes, and the settings that these heed:
` + agentTable() + `

--seeds trains once with each of several seeds, and a list of values of a
setting, as in --epsilon 0.3,0.65, once with each of them; several lists make a
grid. Such a sweep runs as many trainings at once as there are workers and
--memory allows, and prints a line for each point of the grid, the best first:
the mean of the final scores of its seeds, their standard deviation, the 95%
interval of the mean by Student's t, the mean exploitability, and the best seed.
The best policy of all goes to --out, byte for byte as if it had been trained
alone. --log has the rows of all trainings. --checkpoint keeps each training
that has ended, and --resume alone goes on after them; Ctrl-C gives up those
under way.

A log has a row for each evaluation, with these columns: steps, episodes and
seconds of learning since the start; win_mean, the win probability against
--against, the mean of all seats; exploitability, what a best response wins more
than an even share, and expected_turns of a game, where scores are exact;
epsilon; step_size, the mean weight of the last sample in its estimate;
coverage, the part of the table's entries that have samples; scheduled, the
decisions at which the evaluation was due, the same for every seed; what made
the row: variant, players, target, options, states, agent, seed, settings and
program; and value_error_mean and value_error_max.

--values keeps the agent's estimates in the policy file: for each entry of the
table what holding and rolling are worth, as win probabilities of the player to
move or, for one player, minus the turns yet to begin after the current one.
Where an agent has no sample there is no value. 'pigpen serve' tells them, and
'pigpen export' writes them. value_error_mean and value_error_max say how far
they are from the exact values of the policy when it plays against itself, in
the same units: the mean and the largest error over the states in which a turn
begins and that have a value. They are known for one and two players.`,
		example: "pigpen train --target 50 --agent montecarlo --steps 200M --out mc.msgpack\n" +
			"pigpen train --log curve.csv --checkpoint c.msgpack --checkpoint-every 1m\n" +
			"pigpen train --resume c.msgpack --steps 4G --log curve.csv\n" +
			"pigpen train --seeds 1-8 --step-size 0.1,n^-0.75 --checkpoint s.msgpack",
		run: func(ctx context.Context, std streams, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			k, err := f.resumeSweep()
			if err != nil {
				return err
			}
			if k != nil || f.sweeps() {
				p, err := f.newSweep(k)
				if err != nil {
					return err
				}
				return (&sweep{trainFlags: f, sweepPlan: p, std: std}).run(ctx)
			}
			p, err := f.newPlan(ctx)
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
