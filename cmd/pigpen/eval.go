package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"pigpen/policies"
	"pigpen/policies/trained"
)

// fixedTable lists the policies that need no file.
func fixedTable() string {
	var b strings.Builder
	for _, f := range policies.FixedPolicies() {
		fmt.Fprintf(&b, "\n  %-12s %s", f.Name, f.Doc)
	}
	var names []string
	for _, p := range trained.List() {
		names = append(names, p.Name)
	}
	fmt.Fprintf(&b, "\n  %-12s learned, where NAME is one of\n%16s", trainedPrefix+"NAME", "")
	for i, name := range names {
		switch {
		case i == 0:
		case i%3 == 0:
			fmt.Fprintf(&b, ",\n%16s", "")
		default:
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	b.WriteString(`

hold-N, race and base-race hold on reaching the target in games that go on to
the end of the round, and once somebody else has it they roll until ahead.`)
	return b.String()
}

func evalCommand() command {
	fs := newFlags("eval")
	var (
		game    = addGameFlags(fs)
		against = addAgainst(fs)
		games   = int64(0)
	)
	fs.Var(count(&games), "games", "games to play besides, shared evenly among the seats (default none or, with more than two players, 100k)")
	fs.Lookup("games").DefValue = ""
	var (
		seed    = fs.Uint64("seed", 1, "seed of the dice of these games")
		workers = fs.Int("workers", runtime.GOMAXPROCS(0), "processors to use; does not change the result")
		asJSON  = fs.Bool("json", false, "print one JSON object")
	)
	return command{
		name: "eval", args: "FILE|NAME", flags: fs,
		short: "tell exactly how often a policy wins",
		long: `Tells how often a policy wins in each seat, all others played by another one,
how much the best way to play against it gains, and how long a game takes: with
one or two players exactly, by dynamic programming. With more, and with --games,
it plays games, and prints the interval that holds the true chance with 95%
confidence. One player is told the expected number of turns instead. The game is
the one that the policy file names, else the one that the flags say.

The policies that need no file:` + fixedTable(),
		example: "pigpen eval q.msgpack\npigpen eval race --against hold-25 --games 200k --json",
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("policies given: %d; one is needed, a file or a name such as hold-20", len(args))
			}
			if *workers < 1 {
				return usagef("--workers %d; at least one is needed", *workers)
			}
			show := showProgress(s.err)
			defer show.stop()
			g, players, err := game.players(ctx, show, *workers, args[0], against())
			if err != nil {
				return err
			}
			if g.Players() == 1 && fs.Changed("against") {
				return usagef("--against %s; one player has nobody to play against", against())
			}
			if !solvable(g) && !fs.Changed("games") {
				games = defaultEvalGames
			}
			if games < int64(g.Players()) && (games != 0 || fs.Changed("games")) {
				return usagef("--games %d; each of %d seats needs one", games, g.Players())
			}
			j := judge{game: g, rival: players[1], games: int(games), seed: *seed, workers: *workers, show: show}
			result, err := j.score(ctx, players[0])
			if err != nil {
				return err
			}
			if *asJSON {
				return printJSON(s.out, struct {
					gameResult
					score
				}{resultOf(g, *seed), result})
			}
			return print(s.out, fmt.Sprintf("%v, seed %d\n%v", g, *seed, result))
		},
	}
}
