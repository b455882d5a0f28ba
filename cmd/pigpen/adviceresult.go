package main

import (
	"fmt"
	"math"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
)

// adviseResult is what advise prints as JSON.
type adviseResult struct {
	gameResult
	Against   string  `json:"against,omitempty"` // empty if all others play perfectly
	Own       int16   `json:"own_score"`
	TurnTotal int16   `json:"turn_total"`
	Others    []int16 `json:"other_scores"`
	After     *int16  `json:"seats_after,omitempty"` // in games that end after a round
	Action    string  `json:"action"`
	// WinHold and WinRoll are win probabilities of the player to move; null where the
	// action is not legal, and with one player, who has turns yet to begin instead.
	WinHold   *float64 `json:"win_hold"`
	WinRoll   *float64 `json:"win_roll"`
	TurnsHold *float64 `json:"turns_hold,omitempty"`
	TurnsRoll *float64 `json:"turns_roll,omitempty"`
	HoldAt    *int     `json:"hold_at"` // null if it is never right to hold from here
}

// adviceResult returns the advice at an observation in the form in which it is printed.
func adviceResult(g env.Game, a policies.Advice, observation []int16) adviseResult {
	n := g.Players()
	r := adviseResult{
		gameResult: resultOf(g, 0), Own: observation[0], TurnTotal: observation[1], Others: append([]int16{}, observation[2:n+1]...),
		Action: a.Action.String(),
	}
	if len(observation) > n+1 {
		r.After = &observation[n+1]
	}
	worth := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		if n == 1 {
			x = -x
		}
		return &x
	}
	if n == 1 {
		r.TurnsHold, r.TurnsRoll = worth(a.Hold), worth(a.Roll)
	} else {
		r.WinHold, r.WinRoll = worth(a.Hold), worth(a.Roll)
	}
	if a.HoldAt > 0 {
		r.HoldAt = &a.HoldAt
	}
	return r
}

// String lays the advice out for people.
func (r adviseResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d banked and %d in the turn", r.Own, r.TurnTotal)
	if len(r.Others) > 0 {
		others := strings.Trim(fmt.Sprint(r.Others), "[]")
		fmt.Fprintf(&b, ", against %s", strings.ReplaceAll(others, " ", ", "))
	}
	if r.Against != "" {
		fmt.Fprintf(&b, " and %s", plaintext.Escape(r.Against))
	}
	fmt.Fprintf(&b, ": %s\n", r.Action)
	line := func(action string, win, turns *float64) {
		switch {
		case win != nil:
			fmt.Fprintf(&b, "  %s wins %10.6f%%\n", action, 100**win)
		case turns != nil:
			fmt.Fprintf(&b, "  %s takes %.6f more turns\n", action, *turns)
		}
	}
	line("hold", r.WinHold, r.TurnsHold)
	line("roll", r.WinRoll, r.TurnsRoll)
	switch {
	case r.HoldAt == nil:
		b.WriteString("  never hold in this turn\n")
	case r.TurnTotal > 0 && *r.HoldAt == int(r.TurnTotal):
		b.WriteString("  hold now\n")
	default:
		fmt.Fprintf(&b, "  hold at a turn total of %d\n", *r.HoldAt)
	}
	return b.String()
}
