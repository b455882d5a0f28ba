package main

import (
	"context"
	"fmt"
	"strconv"

	"pigpen/env"
	"pigpen/policies"
)

func adviseCommand() command {
	fs := newFlags("advise")
	var (
		game    = addGameFlags(fs)
		against = addPolicy(fs, "against", "policy in all other seats, to be played against as well as can be: a name or a file (default: perfect play)")
		turn    = fs.Int16("turn", 0, "points rolled in this turn and not yet banked")
		after   = fs.Int16("seats-after", 0, "in a game with a last round, how many seats still act after this one in the round (default: all others or, with somebody at the target, none)")
		table   = fs.Bool("table", false, "print at which turn total to hold, by own score and other score")
		out     = addFile(fs, "out", "with --table, CSV file to write, with a line for each pair of scores")
		workers = 0
	)
	fs.Lookup("seats-after").DefValue = ""
	addWorkers(fs, &workers, "the result")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "advise", args: "OWN OTHER...", flags: fs,
		short: "tell the better action, and what both are worth",
		long: `Tells whether to roll or to hold, with OWN points banked by the player to move,
OTHER by each of the others in turn order, and --turn points in the turn; the
chance of winning by each action; and at which turn total to hold. All others
play perfectly or, with --against, as a policy does, to which the advice is the
best response. One player is told the turns yet to begin instead.

With --table it prints the turn totals at which to hold, own score by other
score; with the name of a policy or its file behind it, those of the policy.`,
		example: "pigpen advise 78 64 --turn 14\npigpen advise 78 64 --turn 14 --against hold-20 --json\npigpen advise --table q.msgpack --out q.csv",
		run: func(ctx context.Context, s streams, args []string) error {
			if *table {
				if fs.Changed("turn") || fs.Changed("seats-after") || *asJSON {
					return usagef("--table is for every score and turn total, as text or CSV; leave --turn, --seats-after and --json out")
				}
				return adviseTable(ctx, s, game, against(), args, *out, workers)
			}
			if *out != "" {
				return usagef("--out is for --table; advice goes to stdout")
			}
			scores, err := readScores(args)
			if err != nil {
				return err
			}
			if !fs.Changed("players") {
				game.config.Players = len(scores)
			}
			show := showProgress(s.err)
			defer show.stop()
			observation := append([]int16{scores[0], *turn}, scores[1:]...)
			var state env.State
			g, v, err := game.valuer(ctx, show, workers, against(), func(g env.Game) (err error) {
				if g.Players() != len(scores) {
					return usagef("scores given: %d; %v has one for each player, the player to move first", len(scores), g)
				}
				if len(observation) < g.NumColumns() {
					observation = append(observation, seatsAfter(g, scores, *after, fs.Changed("seats-after")))
				} else if fs.Changed("seats-after") {
					return usagef("--seats-after is for games with a last round, not for %v", g)
				}
				if state, err = g.StateOf(observation); err != nil {
					return usageError{err}
				}
				return nil
			})
			if err != nil {
				return err
			}
			show.stop()
			r := adviceResult(g, policies.Advise(g, v, state), observation)
			r.Against = against()
			if *asJSON {
				return printJSON(s.out, r)
			}
			return print(s.out, fmt.Sprintf("%v\n%v", g, r))
		},
	}
}

// readScores reads banked scores from the command line.
func readScores(args []string) (scores []int16, err error) {
	if len(args) == 0 {
		return nil, usagef("scores given: none; write the banked score of the player to move and of the others, as in 'pigpen advise 78 64 --turn 14'")
	}
	for _, arg := range args {
		n, err := strconv.ParseInt(arg, 10, 16)
		if err != nil || n < 0 {
			return nil, usagef("score %q; write a whole number of points, as in 'pigpen advise 78 64 --turn 14'", arg)
		}
		scores = append(scores, int16(n))
	}
	return scores, nil
}

// seatsAfter returns the number of seats that act after the mover in the round: what
// the flag says, else all others or, once another player has the target, none.
func seatsAfter(g env.Game, scores []int16, flag int16, given bool) int16 {
	if given {
		return flag
	}
	for _, score := range scores[1:] {
		if int(score) >= g.Target() {
			return 0
		}
	}
	return int16(len(scores) - 1)
}
