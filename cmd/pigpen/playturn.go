package main

import (
	"context"
	"fmt"
	"strings"

	"pigpen/env"
	"pigpen/policies"
)

// askPerson asks the person to move for a key, and does what it says.
func (t *table) askPerson(ctx context.Context) error {
	s := t.match.State()
	if s.TurnTotal == 0 {
		t.paper.line("")
	}
	t.paper.prompt(t.scores(true) + " >")
	key, err := t.keys.next(ctx)
	if err != nil {
		t.paper.line("")
		return err
	}
	t.paper.line("%c", printable(key))
	switch key {
	case 'r', 'R':
		return t.choose(env.Roll)
	case 'h', 'H':
		if !t.match.Legal().Has(env.Hold) {
			if s.MustRoll {
				t.paper.line("another roll must follow: press r")
			} else {
				t.paper.line("a turn begins with a roll: press r")
			}
			return nil
		}
		return t.choose(env.Hold)
	case '?':
		return t.hint(ctx)
	case 'q', 'Q':
		return errLeft
	}
	t.paper.line("r rolls, h holds, ? tells what both are worth, q leaves")
	return nil
}

// printable returns a key as it is shown.
func printable(key byte) rune {
	if key < ' ' || key > '~' {
		return '·'
	}
	return rune(key)
}

// choose takes an action of a person and shows what comes of it.
func (t *table) choose(a env.Action) error {
	s := t.match.State()
	if t.match.Legal() == env.HoldOrRoll {
		t.choices[s.Seat] = append(t.choices[s.Seat], policies.Choice{State: s, Action: a})
	}
	if _, _, err := t.match.Step(a); err != nil {
		return err
	}
	if a == env.Hold {
		t.paper.line("%s %d", t.sentence(int(s.Seat), "bank", "banks"), s.TurnTotal)
		return nil
	}
	e := t.match.Last()
	for _, line := range bigRoll(t.game, e) {
		t.paper.write("  " + line + "\n")
	}
	t.paper.line("  %s", t.effect(e.Outcome, s.TurnTotal))
	return nil
}

// effect says what a roll did to a turn with so many points before it.
func (t *table) effect(o env.Outcome, turnTotal int16) string {
	switch {
	case o.Effect == env.Gain:
		return t.paper.green("+" + t.points(o.Points))
	case o.Effect == env.Again:
		return t.paper.green("+"+t.points(o.Points)) + ", and another roll"
	case o.Effect == env.Wipe:
		return t.paper.red(fmt.Sprintf("wiped: %s lost, and all that was banked", t.points(turnTotal)))
	case o.Effect == env.Bust && turnTotal == 0:
		return t.paper.red("bust")
	case o.Effect == env.Bust:
		return t.paper.red(fmt.Sprintf("bust: %s lost", t.points(turnTotal)))
	case turnTotal == 0:
		return "nothing: the turn ends"
	}
	return fmt.Sprintf("nothing: the turn ends, %s banked", t.points(turnTotal))
}

// points returns a number of points, or whatever the game counts.
func (t *table) points(n int16) string {
	unit := t.game.Variant().Unit
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// turnOfPolicy plays a whole turn of a policy, and shows it in a line.
func (t *table) turnOfPolicy(ctx context.Context) error {
	seat := t.match.State().Seat
	var words []string
	for t.match.Live() && t.match.State().Seat == seat {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := t.match.State()
		action := env.Roll
		if t.match.Legal().Has(env.Hold) && t.coin.Float64() >= t.players[seat].policy.RollChance(s) {
			action = env.Hold
		}
		if _, _, err := t.match.Step(action); err != nil {
			return err
		}
		e := t.match.Last()
		switch {
		case action == env.Hold:
			words = append(words, fmt.Sprintf("banks %d", s.TurnTotal))
		case e.Outcome.Effect.Gains():
			words = append(words, smallRoll(t.game, e)+fmt.Sprintf("+%d", e.Outcome.Points))
		default:
			words = append(words, smallRoll(t.game, e)+t.effect(e.Outcome, s.TurnTotal))
		}
	}
	t.paper.line("")
	t.paper.words(t.names[seat]+": ", words)
	return nil
}
