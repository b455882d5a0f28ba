package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// addSeats adds the flag --seats and returns a function that reads it: nil if it is not
// given.
func addSeats(fs *pflag.FlagSet) func() []string {
	var names nameList
	fs.Var(&names, "seats", "policy in each seat, as A,B,C, in place of FILE|NAME and --against; the game has as many players")
	return func() []string { return names.names }
}

// A seatsEvaluation is eval with a policy for each seat.
type seatsEvaluation struct {
	flags   *pflag.FlagSet
	game    *gameFlags
	games   int64
	seed    uint64
	workers int
	asJSON  bool
}

// run evaluates the seats of the given names and prints the result.
func (e seatsEvaluation) run(ctx context.Context, s streams, args, names []string) error {
	switch {
	case len(args) > 0:
		return usagef("%s stands beside --seats, which names all policies; leave one of them out", args[0])
	case e.flags.Changed("against"):
		return usagef("--against stands beside --seats, which names all policies; leave one of them out")
	case len(names) < 2:
		return usagef("--seats %s names one policy; name that of each seat, as A,B,C", names[0])
	}
	if !e.flags.Changed("players") {
		e.game.config.Players = len(names)
	}
	g, players, err := e.game.find(names...)
	if err != nil {
		return err
	}
	if len(names) != g.Players() {
		return usagef("--seats names %d policies, and %v has %d seats", len(names), g, g.Players())
	}
	if !exact.Evaluates(g) && !e.flags.Changed("games") {
		e.games = defaultEvalGames
	}
	if e.flags.Changed("games") && (e.games < 1 || e.games > policies.MaxGames) {
		return usagef("--games %d; from 1 to %d can be played", e.games, policies.MaxGames)
	}
	show := showProgress(s.err)
	defer show.stop()
	if err := makePlayers(ctx, show, e.workers, g, players); err != nil {
		return err
	}
	seats := make([]policies.Policy, len(players))
	for i, p := range players {
		seats[i] = p.policy
	}
	evaluator := policies.Evaluator{Game: g, Games: int(e.games), Seed: e.seed, Workers: e.workers, Watch: watchEvaluation(show, int(e.games))}
	r, err := evaluator.EvaluateSeats(ctx, names, seats)
	if err != nil {
		return err
	}
	show.stop()
	if e.asJSON {
		return printJSON(s.out, struct {
			gameResult
			policies.SeatReport
		}{resultOf(g, e.seed), r})
	}
	return print(s.out, fmt.Sprintf("%v, seed %d\n%s", g, e.seed, seatsText(r)))
}

// seatsText lays r out for people.
func seatsText(r policies.SeatReport) string {
	var b strings.Builder
	names, width := make([]string, len(r.Seats)), 0
	for i, name := range r.Seats {
		names[i] = plaintext.Escape(name)
		width = max(width, widest(names[i:i+1]))
	}
	if r.Method == policies.ExactMethod {
		b.WriteString("a policy in each seat, exact\n")
		for seat, win := range r.WinBySeat {
			fmt.Fprintf(&b, "  seat %d  %s  wins %10.6f%%\n", seat, padded(names[seat], width, true), 100*win)
		}
		if r.Turns != nil {
			fmt.Fprintf(&b, "  a game takes %.3f turns and %.3f decisions\n", *r.Turns, *r.Decisions)
		} else {
			b.WriteString("  a game may never end\n")
		}
	}
	if s := r.Simulated; s != nil {
		b.WriteString("a policy in each seat, simulated\n")
		for seat, e := range s.BySeat {
			fmt.Fprintf(&b, "  seat %d  %s  %s\n", seat, padded(names[seat], width, true), estimateLine(e))
		}
		if s.Truncated > 0 {
			fmt.Fprintf(&b, "  %d games reached %d steps and count as won by nobody\n", s.Truncated, policies.DefaultStepLimit)
		}
	}
	return b.String()
}
