package envtest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"pigpen/env"
)

// Playthrough writes what g is and an episode of it for people to read: each
// step with the state before, the legal actions, the action, the dice, what
// they did, the state after, and what the player then to move sees. Every
// player holds at a fourth of the target.
func Playthrough(w io.Writer, g env.Game, seed uint64) error {
	var b bytes.Buffer
	header(&b, g)
	if _, err := episode(&b, g, seed); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A moment is a step of an episode: the state before it and what it did.
type moment struct {
	before env.State
	env.Event
}

// PlaythroughSeed returns the least seed whose playthrough has at most
// most steps and shows what g is about: a hold, each effect that a roll
// can have and, if g ends after a round, the turn of a player who still acts
// when another has reached the target.
func PlaythroughSeed(g env.Game, most int) (uint64, error) {
	var wanted []env.Effect
	states, _ := Reachable(g, maxStates)
	for _, s := range states {
		if s.Over {
			continue
		}
		for _, c := range g.Outcomes(s) {
			if !slices.Contains(wanted, c.Effect) {
				wanted = append(wanted, c.Effect)
			}
		}
	}
	const tries = 10_000
	for seed := range uint64(tries) {
		moments, err := episode(io.Discard, g, seed)
		if err != nil {
			return 0, err
		}
		var effects []env.Effect
		held, lastRound := false, g.Variant().Ending == env.AtTarget
		for _, m := range moments {
			if m.Action == env.Hold {
				held = true
			} else {
				effects = append(effects, m.Outcome.Effect)
			}
			lastRound = lastRound || int(slices.Max(m.before.Scores[:])) >= g.Target()
		}
		missing := slices.ContainsFunc(wanted, func(e env.Effect) bool { return !slices.Contains(effects, e) })
		if len(moments) <= most && held && lastRound && !missing {
			return seed, nil
		}
	}
	return 0, fmt.Errorf("envtest: none of %d seeds shows all of %v in %d steps", tries, g, most)
}

// header says what the game is.
func header(w io.Writer, g env.Game) {
	v := g.Variant()
	fmt.Fprintf(w, "%v\n%s\n\n", g, strings.Repeat("=", len(g.String())))
	wrap(w, v.Summary)
	if v.Note != "" {
		fmt.Fprintln(w)
		wrap(w, v.Note)
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "players\t%d to %d\n", v.MinPlayers, v.MaxPlayers)
	fmt.Fprintf(tw, "target\t%d to %d %s, %d by default\n", v.Target.Min, v.Target.Max, v.Unit, v.Target.Default)
	fmt.Fprintf(tw, "ending\t%v\n", v.Ending)
	for _, o := range v.Options {
		fmt.Fprintf(tw, "option\t%s, %t by default: %s\n", o.Name, o.Default, o.Doc)
	}
	fmt.Fprintf(tw, "fingerprint\t%s\n", g.Fingerprint())
	tw.Flush()

	fmt.Fprint(w, "\nObservation\n\n")
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range g.Columns() {
		fmt.Fprintf(tw, "  %s\t%d to %d\t%s\n", c.Name, c.Min, c.Max, c.Doc)
	}
	tw.Flush()

	fmt.Fprintf(w, "\nOutcomes of a roll, out of %d\n\n", g.TotalWeight())
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if v.ByHeld {
		heldOutcomes(tw, g)
	} else {
		for _, c := range g.Outcomes(g.Start(0)) {
			fmt.Fprintf(tw, "%d\t  %v\n", c.Weight, c.Outcome)
		}
	}
	tw.Flush()
}

// heldOutcomes lists the outcomes for each score that the mover may hold, one
// line for neighbors that are alike.
func heldOutcomes(w io.Writer, g env.Game) {
	var from int
	var line string
	flush := func(to int) {
		switch {
		case line == "":
		case from == to-1:
			fmt.Fprintf(w, "with %d\t%s\n", from, line)
		default:
			fmt.Fprintf(w, "with %d to %d\t%s\n", from, to-1, line)
		}
	}
	for held := range g.Target() {
		s := g.Start(0)
		s.Scores[0] = int16(held)
		var parts []string
		for _, c := range g.Outcomes(s) {
			parts = append(parts, fmt.Sprintf("%d %v", c.Weight, c.Outcome))
		}
		if next := "  " + strings.Join(parts, ", "); next != line {
			flush(held)
			from, line = held, next
		}
	}
	flush(g.Target())
}

// wrap writes text in lines of at most 80 bytes.
func wrap(w io.Writer, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > 80 {
			fmt.Fprintln(w, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}

// episode writes the steps of an episode and its end, and returns its steps.
func episode(w io.Writer, g env.Game, seed uint64) ([]moment, error) {
	hold := int16(max(1, g.Target()/4))
	fmt.Fprintf(w, "\nEpisode with seed %d; every player holds at %d\n\n", seed, hold)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "step\tseat\tbanked\tturn\tlegal\taction\tdice\toutcome\t\tseat\tbanked\tturn\tsees")
	m := env.NewMatch(g, env.MatchOptions{})
	m.Reset(seed)
	var moments []moment
	for m.Live() {
		if m.Steps() == maxSteps {
			return nil, fmt.Errorf("envtest: %v has not ended after %d steps with seed %d", g, maxSteps, seed)
		}
		s, legal := m.State(), m.Legal()
		a := env.Roll
		if legal.Has(env.Hold) && s.TurnTotal >= hold {
			a = env.Hold
		}
		if _, _, err := m.Step(a); err != nil {
			return nil, err
		}
		last, next := m.Last(), m.State()
		moments = append(moments, moment{s, last})
		dice, outcome := "-", "-"
		if last.Action == env.Roll {
			dice, outcome = list(g.Faces(int(last.RollNumber))), last.Outcome.String()
		}
		fmt.Fprintf(tw, "%d\t%d\t%s\t%d\t%v\t%v\t%s\t%s\t->\t%d\t%s\t%d\t%s\n", m.Steps(),
			s.Seat, list(s.Scores[:g.Players()]), s.TurnTotal, legal, last.Action, dice, outcome,
			next.Seat, list(next.Scores[:g.Players()]), next.TurnTotal, list(m.Observe(nil)))
	}
	if err := tw.Flush(); err != nil {
		return nil, err
	}
	fmt.Fprint(w, "\nThe game is over.\n\n")
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "seat\tscore\twin share\treturn")
	for seat := range g.Players() {
		fmt.Fprintf(tw, "%d\t%d\t%.4g\t%+.4g\n", seat, m.State().Scores[seat], g.WinShare(m.State(), seat), m.Reward(seat))
	}
	return moments, tw.Flush()
}

// list writes numbers with spaces between.
func list[T int | int16](numbers []T) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
