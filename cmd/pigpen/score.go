package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

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
	Against string `json:"against,omitempty"` // none with one player
	// Method is exact or, with more than two players, simulation.
	Method string `json:"method"`
	// WinBySeat is the chance of winning in each seat, all others played by
	// Against; WinMean is its mean.
	WinBySeat []float64 `json:"win_by_seat"`
	WinMean   float64   `json:"win_mean"`
	*exactScore
	Simulated *simulated `json:"simulated,omitempty"`
}

// exactScore is what is known besides where the method is exact.
type exactScore struct {
	// Exploitability is the best response's win probability, the mean of both
	// seats, less an even share; with two players.
	Exploitability *float64 `json:"exploitability,omitempty"`
	// Turns and Decisions are expected numbers of both seats together, the
	// mean over the policy's seats; none if the game may never end.
	Turns     *float64 `json:"expected_turns,omitempty"`
	Decisions *float64 `json:"expected_decisions,omitempty"`
	// FewestTurns is what perfect play takes with one player.
	FewestTurns *float64 `json:"fewest_turns,omitempty"`
	Residual    float64  `json:"residual"`
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

// A judge scores policies of one game against a rival.
type judge struct {
	game  env.Game
	rival player
	// games are played besides where the game is solvable, if not 0.
	games   int
	seed    uint64
	workers int // 0 is one for each processor
	show    *progress
	// fewest is what perfect play takes with one player, 0 if not yet known.
	fewest float64
	// best is the best response to the policy, kept from the first score on if
	// samePolicy says that all scores are of one policy.
	samePolicy bool
	best       *exact.Solution
}

// score judges p: exactly where that can be, else by games.
func (j *judge) score(ctx context.Context, p player) (score, error) {
	s := score{Policy: p.name, Against: j.rival.name, Method: "exact"}
	if j.game.Players() == 1 {
		s.Against = ""
	}
	if exact.Solves(j.game) {
		if err := j.exact(ctx, p, &s); err != nil {
			return score{}, err
		}
	} else {
		s.Method = "simulation"
	}
	if j.games > 0 {
		if err := j.simulate(ctx, p, &s); err != nil {
			return score{}, err
		}
	}
	return s, nil
}

func (j *judge) exact(ctx context.Context, p player, s *score) error {
	evaluating := j.show.begin("evaluating", p.name)
	defer evaluating.end()
	o := evaluating.options(j.workers)
	comparing, responding := o.Part(0, 0.5), o.Part(0.5, 1)
	c, err := exact.Compare(ctx, j.game, p.policy, j.rival.policy, comparing)
	if err != nil {
		return err
	}
	s.WinBySeat, s.WinMean = c.WinBySeat, c.WinMean()
	s.exactScore = &exactScore{Residual: c.Residual, Turns: finite(c.Turns()), Decisions: finite(c.Decisions())}
	if j.game.Players() == 1 {
		if j.fewest == 0 {
			perfect, err := exact.Solve(ctx, j.game, responding)
			if err != nil {
				return err
			}
			j.fewest = perfect.FewestTurns()
		}
		s.FewestTurns = &j.fewest
		return nil
	}
	best := j.best
	if best == nil {
		if best, err = exact.BestResponse(ctx, j.game, p.policy, responding); err != nil {
			return err
		}
		if j.samePolicy {
			j.best = best
		}
	}
	s.Exploitability = finite(best.Exploitability())
	s.Residual = max(s.Residual, best.Residual())
	return nil
}

// checkGames returns an error unless a flag says a number of games that can be
// played, and divided among the seats of a game.
func checkGames(flag string, games int64, g env.Game) error {
	switch {
	case games < int64(g.Players()):
		return usagef("--%s %d; each of %d seats needs one", flag, games, g.Players())
	case games > policies.MaxGames:
		return usagef("--%s %d; at most %d can be played", flag, games, policies.MaxGames)
	}
	return nil
}

// finite returns where x is, or nil if it is infinite.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// simulate plays the games.
func (j *judge) simulate(ctx context.Context, p player, s *score) error {
	workers := j.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	playing := j.show.begin("playing", p.name)
	defer playing.end()
	seats, err := policies.Simulate(ctx, j.game, p.policy, j.rival.policy, policies.SimulateOptions{
		Games: j.games, Seed: j.seed, Workers: workers, StepLimit: policies.DefaultStepLimit,
		Progress: func(done float64) {
			playing.update(done, humanCount(math.Round(done*float64(j.games)))+" games", p.name)
		},
	})
	if err != nil {
		return err
	}
	s.Simulated = new(simulated)
	var total policies.Tally
	var rates []float64
	mean := 0.0
	for _, t := range seats {
		total = total.Add(t)
		rates = append(rates, t.WinRate())
		mean += t.WinRate() / float64(len(seats))
		s.Simulated.Seats = append(s.Simulated.Seats, tallyOf(j.game, t))
	}
	s.Simulated.tally = tallyOf(j.game, total)
	if s.Method == "simulation" {
		s.WinBySeat, s.WinMean = rates, mean
	}
	return nil
}

// String lays the score out for people.
func (s score) String() string {
	var b strings.Builder
	policy, against := printable(s.Policy), " alone"
	if s.Against != "" {
		against = " against " + printable(s.Against)
	}
	if s.Method == "exact" {
		fmt.Fprintf(&b, "%s%s, exact\n", policy, against)
		s.layOut(&b)
	}
	if s.Simulated != nil {
		fmt.Fprintf(&b, "%s%s, simulated\n%v", policy, against, s.Simulated)
	}
	return b.String()
}

// layOut writes the exact figures.
func (s score) layOut(b *strings.Builder) {
	if s.FewestTurns != nil {
		fmt.Fprintf(b, "  takes %.6f turns and %.6f decisions\n  perfect play takes %.6f turns\n", *s.Turns, *s.Decisions, *s.FewestTurns)
		return
	}
	for seat, win := range s.WinBySeat {
		fmt.Fprintf(b, "  in seat %d  wins %10.6f%%\n", seat, 100*win)
	}
	fmt.Fprintf(b, "  in all     wins %10.6f%%\n", 100*s.WinMean)
	if s.Exploitability != nil {
		fmt.Fprintf(b, "  a best response wins %.6f%% against it: exploitability %.6f\n", 50+100**s.Exploitability, *s.Exploitability)
	}
	if s.Turns != nil {
		fmt.Fprintf(b, "  a game takes %.3f turns and %.3f decisions\n", *s.Turns, *s.Decisions)
	} else {
		b.WriteString("  a game may never end\n")
	}
}

func (s *simulated) String() string {
	var b strings.Builder
	n := len(s.Seats)
	if t := s.Turns; t != nil {
		fmt.Fprintf(&b, "  takes %.3f turns   95%% interval %.3f to %.3f   %d games\n", t.Mean, t.CI95[0], t.CI95[1], s.Games)
	} else {
		for seat, t := range s.Seats {
			fmt.Fprintf(&b, "  in seat %d  %v\n", seat, t)
		}
		fmt.Fprintf(&b, "  in all     %v\n", s.tally)
		if n > 2 {
			fmt.Fprintf(&b, "  an even share is %.2f%%\n", 100/float64(n))
		}
	}
	switch {
	case s.Truncated > 0 && s.Turns != nil:
		fmt.Fprintf(&b, "  %d games were cut off at %d steps: the true number of turns is higher\n", s.Truncated, policies.DefaultStepLimit)
	case s.Truncated > 0:
		fmt.Fprintf(&b, "  %d games reached %d steps and count as not won\n", s.Truncated, policies.DefaultStepLimit)
	}
	return b.String()
}

// String lays the tally out on a line.
func (t tally) String() string {
	return fmt.Sprintf("wins %6.2f%%   95%% interval %6.2f%% to %6.2f%%   %d games", 100*t.WinRate, 100*t.CI95[0], 100*t.CI95[1], t.Games)
}
