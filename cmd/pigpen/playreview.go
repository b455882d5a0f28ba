package main

import (
	"context"
	"fmt"
	"math"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/env"
	"pigpen/policies"
)

// value returns what the actions are worth, or an error if that is not known.
func (t *table) value(ctx context.Context) (policies.Valuer, error) {
	if t.values != nil {
		return t.values, nil
	}
	var err error
	t.values, err = t.solve(ctx)
	return t.values, err
}

// hint tells what both actions are worth.
func (t *table) hint(ctx context.Context) error {
	v, err := t.value(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.paper.line("no hint: %s", plaintext.Error(err))
		return nil
	}
	a := policies.Advise(t.game, v, t.match.State())
	if math.IsNaN(a.Hold) {
		t.paper.line("roll is the only action: %s", t.worth(a.Roll))
		return nil
	}
	t.paper.line("hold %s, roll %s: %s", t.worth(a.Hold), t.worth(a.Roll), a.Action)
	return nil
}

// worth returns what an action is worth in words.
func (t *table) worth(x float64) string {
	if len(t.players) == 1 {
		return fmt.Sprintf("takes %.3f more turns", -x)
	}
	return fmt.Sprintf("wins %.2f%%", 100*x)
}

// loss returns what a choice gave away in words.
func (t *table) loss(x float64) string {
	if len(t.players) == 1 {
		return fmt.Sprintf("%.3f turns", x)
	}
	return fmt.Sprintf("%.2f%%", 100*x)
}

// mostReviewed is the number of costly decisions that a review shows.
const mostReviewed = 5

// review tells how good the choices of each person were.
func (t *table) review(ctx context.Context) error {
	for seat, choices := range t.choices {
		if len(choices) == 0 {
			continue
		}
		v, err := t.value(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.paper.line("no review of the decisions: %s", plaintext.Error(err))
			return nil
		}
		r := policies.Judge(v, choices)
		whose := "your"
		if t.names[seat] != "You" {
			whose = t.names[seat] + "'s"
		}
		t.paper.line("")
		if r.Right == len(choices) {
			t.paper.line("right decisions: %d of %s %d", r.Right, whose, r.Right)
			continue
		}
		t.paper.line("%d of %s %d decisions were right (%.0f%%); the others gave away %s in all", r.Right, whose, len(choices), 100*r.Accuracy(), t.loss(r.Loss))
		for i, c := range r.Choices {
			if i == mostReviewed || c.Loss == 0 {
				break
			}
			s := c.State
			taken, other, worse, better := "held", "roll", c.Hold, c.Roll
			if c.Action == env.Roll {
				taken, other, worse, better = "rolled", "hold", c.Roll, c.Hold
			}
			t.paper.line("  %s lost: %s at %s, which %s; %s %s", t.loss(c.Loss), taken, t.standing(s), t.worth(worse), other, t.worth(better))
		}
	}
	return nil
}

// standing returns the scores in a state as the player to move sees them.
func (t *table) standing(s env.State) string {
	text := fmt.Sprintf("%d+%d", s.Scores[s.Seat], s.TurnTotal)
	for k := 1; k < len(t.players); k++ {
		if k == 1 {
			text += " against "
		} else {
			text += ", "
		}
		text += fmt.Sprint(s.Scores[t.game.NextSeat(int(s.Seat), k)])
	}
	return text
}
