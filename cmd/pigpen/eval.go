package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/trained"
)

// fixedTable lists the policies that need no file.
func fixedTable() string {
	var b strings.Builder
	indent := strings.Repeat(" ", 15)
	entry := func(name, doc string) {
		fmt.Fprintf(&b, "\n  %-12s %s", name, strings.TrimPrefix(wrap(doc, indent, helpWidth), indent))
	}
	for _, f := range policies.FixedPolicies() {
		entry(f.Name, f.Doc)
	}
	var names []string
	for _, p := range trained.List() {
		names = append(names, p.Name)
	}
	entry(policies.TrainedPrefix+"NAME", "learned, where NAME is one of "+strings.Join(names, ", "))
	b.WriteString(`

hold-N, race and base-race hold on reaching the target in games that go on to
the end of the round, and once somebody else has it they roll until ahead. A
name is looked for among these policies before the files; ./NAME is always a
file.`)
	return b.String()
}

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
		games   = int64(0)
		workers = 0
	)
	fs.Var(count(&games), "games", "games to play besides, shared evenly among the seats (default none or, with more than two players, 100k)")
	fs.Lookup("games").DefValue = ""
	seed := fs.Uint64("seed", 1, "seed of the dice of these games")
	addWorkers(fs, &workers, "the result")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "eval", args: "FILE|NAME", flags: fs,
		short: "tell exactly how often a policy wins",
		long: `Tells how often a policy wins in each seat, all others played by another one,
how much the best way to play against it gains, and how long a game takes: with
one or two players exactly, by dynamic programming. With more, and with --games,
it plays games, and prints the interval that holds the true chance with 95%
confidence. One player is told the expected number of turns instead. The game is
the one that the policy file names, else the one that the flags say.

With several policies in --against it prints a table, the hardest rival first;
"--against all" takes optimal, where the game is solved, and every rule of
thumb.

The policies that need no file:` + fixedTable(),
		example: "pigpen eval q.msgpack\npigpen eval q.msgpack --against all\npigpen eval race --against hold-25 --games 200k --json",
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("policies given: %d; one is needed, a file or a name such as hold-20", len(args))
			}
			rivals := against()
			g, players, err := game.findRivals(args[0], rivals)
			if err != nil {
				return err
			}
			if g.Players() == 1 && fs.Changed("against") {
				return usagef("--against %s; one player has nobody to play against", strings.Join(rivals, ","))
			}
			if !exact.Solves(g) && !fs.Changed("games") {
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

// findRivals finds a policy and its rivals, in this order. [everyRule] stands for
// all rules of the game; without rivals there is the game's reference.
func (g *gameFlags) findRivals(policy string, rivals []string) (env.Game, []player, error) {
	files := []string{policy} // and other names that may say what the game is
	for _, name := range rivals {
		if name != everyRule {
			files = append(files, name)
		}
	}
	game, _, err := g.find(files...)
	if err != nil {
		return env.Game{}, nil, err
	}
	if len(rivals) == 0 {
		return g.find(policy, policies.Reference(game))
	}
	names := []string{policy}
	for _, name := range rivals {
		expanded := []string{name}
		if name == everyRule {
			expanded = rules(game)
		}
		for _, name := range expanded {
			if !slices.Contains(names[1:], name) { // a rival that is named again is scored once
				names = append(names, name)
			}
		}
	}
	return g.find(names...)
}

// scoreTable lays the scores of one policy out for people, the hardest rival
// first.
func scoreTable(scores []policies.Report, width int) string {
	ranked := slices.Clone(scores)
	slices.SortStableFunc(ranked, func(a, b policies.Report) int { return cmp.Compare(a.WinMean, b.WinMean) })
	var rivals []string
	for _, s := range ranked {
		rivals = append(rivals, s.Against)
	}
	names := shortNames(rivals)
	first := scores[0]
	var b strings.Builder
	if first.Method == policies.ExactMethod {
		fmt.Fprintf(&b, "%s against %d policies, exact, wins in percent\n", printable(first.Policy), len(scores))
		t := newRanking(names, width)
		column := func(of func(s policies.Report) float64) (cells []string) {
			for _, s := range ranked {
				cells = append(cells, fmt.Sprintf("%.6f", 100*of(s)))
			}
			return cells
		}
		t.add("mean", column(func(s policies.Report) float64 { return s.WinMean }))
		for seat := range first.WinBySeat {
			t.add(fmt.Sprintf("seat %d", seat), column(func(s policies.Report) float64 { return s.WinBySeat[seat] }))
		}
		b.WriteString(t.String())
		if e := first.ExactFigures; e.Exploitability != nil {
			fmt.Fprintf(&b, "a best response wins %.6f%% against it: exploitability %.6f\n", 50+100**e.Exploitability, *e.Exploitability)
		}
	}
	if first.Simulated == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s against %d policies, simulated, %d games each, wins in percent\n", printable(first.Policy), len(scores), first.Simulated.Games)
	t := newRanking(names, width)
	column := func(of func(s *policies.Simulation) float64) (cells []string) {
		for _, s := range ranked {
			cells = append(cells, fmt.Sprintf("%.2f", 100*of(s.Simulated)))
		}
		return cells
	}
	t.add("mean", column(func(s *policies.Simulation) float64 { return s.WinRate }))
	t.add("95% from", column(func(s *policies.Simulation) float64 { return s.CI95[0] }))
	t.add("to", column(func(s *policies.Simulation) float64 { return s.CI95[1] }))
	for seat := range first.Simulated.BySeat {
		t.add(fmt.Sprintf("seat %d", seat), column(func(s *policies.Simulation) float64 { return s.BySeat[seat].WinRate }))
	}
	b.WriteString(t.String())
	if n := len(first.Simulated.BySeat); n > 2 {
		fmt.Fprintf(&b, "an even share is %.2f%%\n", 100/float64(n))
	}
	if cut := slices.MaxFunc(ranked, func(a, b policies.Report) int { return cmp.Compare(a.Simulated.Truncated, b.Simulated.Truncated) }); cut.Simulated.Truncated > 0 {
		fmt.Fprintf(&b, "up to %d games against a policy reached %d steps and count as not won\n", cut.Simulated.Truncated, policies.DefaultStepLimit)
	}
	return b.String()
}
