package main

import (
	"fmt"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// solveResult is what solve prints as JSON.
type solveResult struct {
	gameResult
	// WinBySeat is each seat's win probability under perfect play.
	WinBySeat []float64 `json:"win_by_seat"`
	// Turns and Decisions are expected numbers of all seats together.
	Turns     float64 `json:"expected_turns"`
	Decisions float64 `json:"expected_decisions"`
	// DecisionPoints is the number of states of the game's full table.
	DecisionPoints int `json:"decision_points"`
	// LastRoll is the highest score, banked and in the turn, at which to roll
	// while everybody has banked less than the target.
	LastRoll int     `json:"last_roll"`
	Residual float64 `json:"residual"`
	*equilibriumResult
	Seconds    float64 `json:"seconds"`
	PolicyFile string  `json:"policy_file,omitempty"`
	// Kept is the name that the file got which was at PolicyFile before.
	Kept string `json:"kept,omitempty"`
}

// equilibriumResult is what solve says besides of three and more players.
type equilibriumResult struct {
	// Mixed is the number of blocks, the turns at one set of banked scores, in which
	// players roll with a chance at some decision point.
	Mixed int `json:"mixed"`
	// Deviation is the most that a player gains by deciding otherwise in any one turn.
	Deviation float64 `json:"deviation"`
}

// String lays the result out for people.
func (r solveResult) String() string {
	var b strings.Builder
	if r.equilibriumResult != nil {
		fmt.Fprintf(&b, "an equilibrium, solved in %.3f s with a residual of %.1g\n", r.Seconds, r.Residual)
	} else {
		fmt.Fprintf(&b, "perfect play, solved in %.3f s with a residual of %.1g\n", r.Seconds, r.Residual)
	}
	if len(r.WinBySeat) > 1 {
		for seat, win := range r.WinBySeat {
			fmt.Fprintf(&b, "  seat %d wins %10.6f%%\n", seat, 100*win)
		}
	}
	fmt.Fprintf(&b, "  a game takes %.6f turns and %.6f decisions\n", r.Turns, r.Decisions)
	fmt.Fprintf(&b, "  %d decision points\n", r.DecisionPoints)
	if e := r.equilibriumResult; e != nil {
		fmt.Fprintf(&b, "  mixed decisions in %d blocks; deviating gains %.1g at most\n", e.Mixed, e.Deviation)
	}
	if r.LastRoll >= r.Target {
		fmt.Fprintf(&b, "  before anybody has banked %d it is never right to roll with more than %d\n", r.Target, r.LastRoll)
	}
	if r.PolicyFile != "" {
		fmt.Fprintf(&b, "  the policy is in %s%s\n", plaintext.Escape(r.PolicyFile), savedPolicy{r.PolicyFile, r.Kept}.keptClause())
	}
	return b.String()
}
