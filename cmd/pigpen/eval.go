package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pigpen/policies"
	"pigpen/policies/exact"
)

// scoresResult is what eval prints as JSON for more than one rival.
type scoresResult struct {
	gameResult
	Policy string            `json:"policy"`
	Scores []policies.Report `json:"scores"` // in the order of --against
}

func evalCommand() command {
	fs := newFlags("eval")
	var (
		game    = addGameFlags(fs)
		against = addAgainstSeveral(fs)
		seats   = addSeats(fs)
		games   = int64(0)
		workers = 0
	)
	fs.Var(count(&games), "games", "games to play besides, shared evenly among the seats (default none or, where scores are not exact, 100k)")
	fs.Lookup("games").DefValue = ""
	seed := fs.Uint64("seed", 1, "seed of the dice of these games")
	addWorkers(fs, &workers, "the result")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "eval", args: "[FILE|NAME]", flags: fs,
		short: "tell exactly how often a policy wins",
		long: `Tells how often a policy wins in each seat, all others played by another one,
how much the best way to play against it gains, and how long a game takes:
exactly, by dynamic programming, with one or two players and, where that takes
no more than a minute and 2 GiB, with more. Else, and with --games, it plays
games, and prints the interval that holds the true chance with 95% confidence.
One player is told the expected number of turns instead. The game is the one
that the policy file names, else the one that the flags say.

With --seats there is a policy for each seat, and the result is what each wins.

With several policies in --against it prints a table, the hardest rival first;
"--against all" takes optimal, unless that takes long to solve, and every rule
of thumb.

The policies that need no file:` + fixedTable(),
		example: "pigpen eval q.msgpack\npigpen eval q.msgpack --against all\npigpen eval race --against hold-25 --games 200k --json\npigpen eval --seats race,hold-20,hold-25",
		run: func(ctx context.Context, s streams, args []string) error {
			if names := seats(); len(names) > 0 {
				return seatsEvaluation{fs, game, games, *seed, workers, *asJSON}.run(ctx, s, args, names)
			}
			if len(args) != 1 {
				return usagef("policies given: %d; one is needed, a file or a name such as hold-20, or --seats with one for each seat", len(args))
			}
			rivals := against()
			g, players, err := game.findRivals(args[0], rivals)
			if err != nil {
				return err
			}
			if g.Players() == 1 && fs.Changed("against") {
				return usagef("--against %s; one player has nobody to play against", strings.Join(rivals, ","))
			}
			if !exact.Evaluates(g) && !fs.Changed("games") {
				games = defaultEvalGames
			}
			if games != 0 || fs.Changed("games") {
				if err := checkGames("games", games, g); err != nil {
					return err
				}
			}
			show := showProgress(s.err)
			defer show.stop()
			if err := makePlayers(ctx, show, workers, g, players); err != nil {
				return err
			}
			e := policies.Evaluator{
				Game: g, Games: int(games), Seed: *seed, Workers: workers, SamePolicy: true, Watch: watchEvaluation(show, int(games)),
			}
			var scores []policies.Report
			for _, rival := range players[1:] {
				e.Opponent, e.OpponentName = rival.policy, rival.name
				result, err := e.Evaluate(ctx, players[0].name, players[0].policy)
				if err != nil {
					return err
				}
				scores = append(scores, result)
			}
			several := len(rivals) > 1 || slices.Contains(rivals, everyRule)
			switch {
			case *asJSON && several:
				return printJSON(s.out, scoresResult{resultOf(g, *seed), args[0], scores})
			case *asJSON:
				return printJSON(s.out, struct {
					gameResult
					policies.Report
				}{resultOf(g, *seed), scores[0]})
			case several:
				return print(s.out, fmt.Sprintf("%v, seed %d\n%v", g, *seed, scoreTable(scores, widthOf(s.out))))
			}
			return print(s.out, fmt.Sprintf("%v, seed %d\n%s", g, *seed, reportText(scores[0])))
		},
	}
}
