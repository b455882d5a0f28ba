package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"pigpen/env"
	"pigpen/policies"
)

// reference is the policy that others are measured against.
const reference = "hold-20"

// gameResult is what every result says about its game.
type gameResult struct {
	Variant string          `json:"variant"`
	Players int             `json:"players"`
	Target  int             `json:"target"`
	Options map[string]bool `json:"options,omitempty"`
	Seed    uint64          `json:"seed"`
}

func resultOf(g env.Game, seed uint64) gameResult {
	c := g.Config()
	return gameResult{Variant: c.Variant, Players: c.Players, Target: c.Target, Options: c.Options, Seed: seed}
}

// score is how well a policy plays against another.
type score struct {
	Policy  string `json:"policy"`
	Against string `json:"against"`
	Method  string `json:"method"`
	// WinBySeat is the chance of winning in each seat, all others played by
	// Against; WinMean is its mean.
	WinBySeat []float64 `json:"win_by_seat"`
	WinMean   float64   `json:"win_mean"`
	Simulated simulated `json:"simulated"`
}

// simulated is the tally of a simulation, in all and by seat.
type simulated struct {
	tally
	Seats []tally `json:"by_seat"`
}

type tally struct {
	Games     int        `json:"games"`
	Wins      float64    `json:"wins"`
	WinRate   float64    `json:"win_rate"`
	CI95      [2]float64 `json:"ci95"`
	Truncated int        `json:"truncated"`
	Turns     *turns     `json:"turns,omitempty"` // with one player, who cannot lose
}

// turns is the mean number of turns that a game took.
type turns struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

func tallyOf(g env.Game, t policies.Tally) tally {
	r := tally{Games: t.Games, Wins: t.Wins(), WinRate: t.WinRate(), CI95: t.CI95(), Truncated: t.Truncated}
	if g.Players() == 1 {
		r.Turns = new(turns)
		r.Turns.Mean, r.Turns.CI95 = t.MeanTurns()
	}
	return r
}

// simulate plays p against another policy and returns the score.
func simulate(ctx context.Context, g env.Game, p, against player, o policies.SimulateOptions) (score, error) {
	o.StepLimit = policies.DefaultStepLimit
	seats, err := policies.Simulate(ctx, g, p.policy, against.policy, o)
	if err != nil {
		return score{}, err
	}
	s := score{Policy: p.name, Against: against.name, Method: "simulation"}
	var total policies.Tally
	for _, t := range seats {
		total = total.Add(t)
		s.WinBySeat = append(s.WinBySeat, t.WinRate())
		s.WinMean += t.WinRate()
		s.Simulated.Seats = append(s.Simulated.Seats, tallyOf(g, t))
	}
	s.WinMean /= float64(len(seats))
	s.Simulated.tally = tallyOf(g, total)
	return s, nil
}

// String lays the score out for people.
func (s score) String() string {
	var b strings.Builder
	n := len(s.Simulated.Seats)
	total := s.Simulated.tally
	if total.Turns != nil {
		fmt.Fprintf(&b, "%s alone, simulated\n  takes %.3f turns   95%% interval %.3f to %.3f   %d games\n",
			s.Policy, total.Turns.Mean, total.Turns.CI95[0], total.Turns.CI95[1], total.Games)
	} else {
		fmt.Fprintf(&b, "%s against %s, simulated\n", s.Policy, s.Against)
		for seat, t := range s.Simulated.Seats {
			fmt.Fprintf(&b, "  in seat %d  %v\n", seat, t)
		}
		fmt.Fprintf(&b, "  in all     %v\n", total)
		if n > 2 {
			fmt.Fprintf(&b, "  an even share is %.2f%%\n", 100/float64(n))
		}
	}
	if total.Truncated > 0 {
		fmt.Fprintf(&b, "  %d games reached %d steps and count as not won\n", total.Truncated, policies.DefaultStepLimit)
	}
	return b.String()
}

// brief says in a few words how the policy plays, as in "wins 57.2% against
// hold-20".
func (s score) brief() string {
	if t := s.Simulated.Turns; t != nil {
		return fmt.Sprintf("takes %.2f turns", t.Mean)
	}
	return fmt.Sprintf("wins %.1f%% against %s", 100*s.WinMean, s.Against)
}

// String lays the tally out on a line.
func (t tally) String() string {
	return fmt.Sprintf("wins %6.2f%%   95%% interval %6.2f%% to %6.2f%%   %d games", 100*t.WinRate, 100*t.CI95[0], 100*t.CI95[1], t.Games)
}

func evalCommand() command {
	fs := newFlags("eval")
	var (
		game    = addGameFlags(fs)
		games   = int64(defaultEvalGames)
		against = fs.String("against", reference, "policy in all other seats: a name or a file")
		seed    = fs.Uint64("seed", 1, "seed of the dice")
		workers = fs.Int("workers", runtime.GOMAXPROCS(0), "games played at the same time; does not change the result")
		asJSON  = fs.Bool("json", false, "print one JSON object")
	)
	fs.Var(count(&games), "games", "games to play, shared evenly among the seats")
	var names strings.Builder
	for _, f := range policies.FixedPolicies() {
		fmt.Fprintf(&names, "\n  %-12s %s", f.Name, f.Doc)
	}
	return command{
		name: "eval", args: "FILE|NAME", flags: fs,
		short: "measure how often a policy wins",
		long: `Plays a policy against another one, in every seat in turn, and prints how often
it wins, with the interval that holds the true chance with 95% confidence. With
one player it prints the number of turns instead. The game is the one that the
policy file names, else the one that the flags say.

The policies that need no file:` + names.String(),
		example: "pigpen eval q.msgpack --against hold-20 --games 200k\npigpen eval race --against hold-25 --json",
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("%d policies given, and one is needed: a file or a name such as hold-20", len(args))
			}
			if *workers < 1 {
				return usagef("--workers %d; at least one is needed", *workers)
			}
			g, players, err := game.players(args[0], *against)
			if err != nil {
				return err
			}
			if games < int64(g.Players()) {
				return usagef("--games %d; each of %d seats needs one", games, g.Players())
			}
			result, err := simulate(ctx, g, players[0], players[1], policies.SimulateOptions{Games: int(games), Seed: *seed, Workers: *workers})
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
