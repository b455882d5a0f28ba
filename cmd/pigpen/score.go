package main

import (
	"fmt"
	"math"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
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

// watchEvaluation returns the Watch of a [policies.Evaluator] that plays games, which
// shows the stages of an evaluation. show may be nil.
func watchEvaluation(show *progress, games int) func(policies.Stage, string) (func(float64), func()) {
	return func(stage policies.Stage, policy string) (update func(done float64), end func()) {
		if stage == policies.ExactStage {
			evaluating := show.begin("evaluating", policy)
			return func(done float64) { evaluating.update(done) }, evaluating.end
		}
		playing := show.begin("playing", policy)
		return func(done float64) {
			playing.update(done, humanCount(math.Round(done*float64(games)))+" games", policy)
		}, playing.end
	}
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

// reportText lays r out for people.
func reportText(r policies.Report) string {
	var b strings.Builder
	policy, against := plaintext.Escape(r.Policy), " alone"
	if r.Against != "" {
		against = " against " + plaintext.Escape(r.Against)
	}
	if r.Method == policies.ExactMethod {
		fmt.Fprintf(&b, "%s%s, exact\n", policy, against)
		writeExact(&b, r)
	}
	if r.Simulated != nil {
		fmt.Fprintf(&b, "%s%s, simulated\n", policy, against)
		writeSimulation(&b, r.Simulated)
	}
	return b.String()
}

// writeExact writes the exact figures of r.
func writeExact(b *strings.Builder, r policies.Report) {
	if r.FewestTurns != nil {
		fmt.Fprintf(b, "  takes %.6f turns and %.6f decisions\n  perfect play takes %.6f turns\n", *r.Turns, *r.Decisions, *r.FewestTurns)
		return
	}
	for seat, win := range r.WinBySeat {
		fmt.Fprintf(b, "  in seat %d  wins %10.6f%%\n", seat, 100*win)
	}
	fmt.Fprintf(b, "  in all     wins %10.6f%%\n", 100*r.WinMean)
	if r.Exploitability != nil {
		fmt.Fprintf(b, "  a best response wins %.6f%% against it: exploitability %.6f\n", 100/float64(len(r.WinBySeat))+100**r.Exploitability, *r.Exploitability)
	}
	if r.Turns != nil {
		fmt.Fprintf(b, "  a game takes %.3f turns and %.3f decisions\n", *r.Turns, *r.Decisions)
	} else {
		b.WriteString("  a game may never end\n")
	}
}

// writeSimulation writes the figures of s.
func writeSimulation(b *strings.Builder, s *policies.Simulation) {
	n := len(s.BySeat)
	if t := s.Turns; t != nil {
		fmt.Fprintf(b, "  takes %.3f turns   95%% interval %.3f to %.3f   %d games\n", t.Mean, t.CI95[0], t.CI95[1], s.Games)
	} else {
		for seat, t := range s.BySeat {
			fmt.Fprintf(b, "  in seat %d  %s\n", seat, estimateLine(t))
		}
		fmt.Fprintf(b, "  in all     %s\n", estimateLine(s.Estimate))
		if n > 2 {
			fmt.Fprintf(b, "  an even share is %.2f%%\n", 100/float64(n))
		}
	}
	switch {
	case s.Truncated > 0 && s.Turns != nil:
		fmt.Fprintf(b, "  %d games were cut off at %d steps: the true number of turns is higher\n", s.Truncated, policies.DefaultStepLimit)
	case s.Truncated > 0:
		fmt.Fprintf(b, "  %d games reached %d steps and count as not won\n", s.Truncated, policies.DefaultStepLimit)
	}
}

// estimateLine lays e out on one line.
func estimateLine(e policies.Estimate) string {
	return fmt.Sprintf("wins %6.2f%%   95%% interval %6.2f%% to %6.2f%%   %d games", 100*e.WinRate, 100*e.CI95[0], 100*e.CI95[1], e.Games)
}
