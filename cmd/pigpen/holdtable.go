package main

import (
	"fmt"
	"strconv"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
)

// A holdTable shows at which turn totals a policy for one or two players holds.
type holdTable struct {
	game   env.Game
	policy policies.Policy
	name   string
}

// others returns the number of scores of the other player.
func (t *holdTable) others() int {
	if t.game.Players() == 1 {
		return 1
	}
	return t.game.Target()
}

// rounds returns the numbers of seats that act after the mover, of which each has a
// table.
func (t *holdTable) rounds() []int {
	if t.game.Variant().Ending == env.AfterRound {
		return []int{1, 0}
	}
	return []int{0}
}

// at returns where the policy holds at a pair of scores.
func (t *holdTable) at(own, other, after int) (turnTotal int, again bool) {
	var s env.State
	if t.game.Variant().Ending == env.AfterRound {
		s.Seat = int8(1 - after)
	}
	s.Scores[s.Seat] = int16(own)
	if t.game.Players() > 1 {
		s.Scores[1-s.Seat] = int16(other)
	}
	return policies.HoldAt(t.game, t.policy, s)
}

// text lays as much of the table out for people as there is room for: every score, or
// every second, fifth, tenth and so on.
func (t *holdTable) text(width int) string {
	const first, cell = 7, 5
	step := 1
	for _, factor := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if step = factor; (t.others()-1)/step+1 <= (width-first)/cell && (t.game.Target()-1)/step < 50 {
			break
		}
	}
	var b strings.Builder
	again := false
	fmt.Fprintf(&b, "%v\nthe turn totals at which %s holds\n", t.game, plaintext.Escape(t.name))
	for _, after := range t.rounds() {
		if len(t.rounds()) > 1 {
			fmt.Fprintf(&b, "%s in the round\n", [...]string{"last", "first"}[after])
		}
		if t.game.Players() > 1 {
			b.WriteString("    own\\other\n       ")
			for other := 0; other < t.others(); other += step {
				fmt.Fprintf(&b, "%*d", cell, other)
			}
			b.WriteString("\n")
		}
		for own := 0; own < t.game.Target(); own += step {
			fmt.Fprintf(&b, "%*d", first, own)
			for other := 0; other < t.others(); other += step {
				shown := "–"
				if at, more := t.at(own, other, after); at > 0 {
					shown = strconv.Itoa(at)
					if more {
						shown, again = shown+"*", true
					}
				}
				b.WriteString(padded(shown, cell, false))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("– never holds, but rolls to the target\n")
	if again {
		b.WriteString("* rolls again at a higher turn total\n")
	}
	return b.String()
}

// rows calls row with the names of the columns and then for each pair of scores: the
// columns of the game's observations without the turn total, hold_at, empty where the
// policy does not hold, and whether it rolls again at a higher turn total.
func (t *holdTable) rows(row func(values ...string) error) error {
	var names []string
	for _, c := range t.game.Columns() {
		if c.Name != "turn_total" {
			names = append(names, c.Name)
		}
	}
	if err := row(append(names, "hold_at", "rolls_again")...); err != nil {
		return err
	}
	for _, after := range t.rounds() {
		for own := range t.game.Target() {
			for other := range t.others() {
				values := []string{strconv.Itoa(own)}
				if t.game.Players() > 1 {
					values = append(values, strconv.Itoa(other))
				}
				if len(t.rounds()) > 1 {
					values = append(values, strconv.Itoa(after))
				}
				shown := ""
				at, again := t.at(own, other, after)
				if at > 0 {
					shown = strconv.Itoa(at)
				}
				if err := row(append(values, shown, strconv.FormatBool(again))...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
