package env

import (
	"fmt"
	"strconv"
)

// An Effect is what a roll does to the turn.
type Effect uint8

const (
	// Gain adds points to the turn total; the turn goes on.
	Gain Effect = iota
	// Bust ends the turn and loses the turn total.
	Bust
	// Wipe ends the turn and loses the turn total and the banked score.
	Wipe
	// Stop ends the turn; the turn total is banked.
	Stop
)

// String returns the effect's name in lower case.
func (e Effect) String() string {
	switch e {
	case Gain:
		return "gain"
	case Bust:
		return "bust"
	case Wipe:
		return "wipe"
	case Stop:
		return "stop"
	}
	return fmt.Sprintf("Effect(%d)", uint8(e))
}

// An Outcome is what one roll of the dice does.
type Outcome struct {
	Effect Effect
	// Points is the number that a Gain adds to the turn total, at least 1. It is 0 for
	// other effects.
	Points int16
}

// String returns "gain 5", "bust", "wipe" or "stop".
func (o Outcome) String() string {
	if o.Effect == Gain {
		return "gain " + strconv.Itoa(int(o.Points))
	}
	return o.Effect.String()
}

func gain(points int) Outcome { return Outcome{Effect: Gain, Points: int16(points)} }
func bust() Outcome           { return Outcome{Effect: Bust} }
func wipe() Outcome           { return Outcome{Effect: Wipe} }
func stop() Outcome           { return Outcome{Effect: Stop} }

// A Chance is an outcome with its weight: Weight of the [Game.Rolls] equally likely
// rolls have this outcome.
type Chance struct {
	Outcome
	Weight int
}

// An outcomeTable tabulates the rule of a variant: the outcome of every roll, for
// sampling, and the distinct outcomes with their weights, for exact computation.
type outcomeTable struct {
	rolls int // equally likely rolls: faces to the power of dice
	// byRoll[held*stride+r] is the outcome of roll r for a mover with held points;
	// stride is 0 if the rule does not depend on held.
	byRoll []Outcome
	stride int
	merged [][]Chance // by held; a single row if stride is 0
}

// tableOf returns the outcome table of v under the given options. It computes each
// table once.
func (v *Variant) tableOf(on Options) *outcomeTable {
	cell := &v.tables[on]
	cell.once.Do(func() { cell.table = v.tabulate(on) })
	return cell.table
}

// tabulate computes the outcome table of v under the given options.
func (v *Variant) tabulate(on Options) *outcomeTable {
	c := &outcomeTable{rolls: 1}
	for range v.Dice {
		c.rolls *= v.Faces
	}
	rows := 1
	if v.ByHeld {
		rows = v.Target.Max // held is below the target while a game goes on
		c.stride = c.rolls
	}
	dice := make([]int, v.Dice)
	for held := range rows {
		var merged []Chance
		for roll := range c.rolls {
			v.dice(roll, dice)
			o := v.Roll(dice, held, on)
			c.byRoll = append(c.byRoll, o)
			merged = addChance(merged, o)
		}
		c.merged = append(c.merged, merged)
	}
	return c
}

// addChance adds a roll with outcome o to list, which keeps the order in which
// outcomes first came.
func addChance(list []Chance, o Outcome) []Chance {
	for i := range list {
		if list[i].Outcome == o {
			list[i].Weight++
			return list
		}
	}
	return append(list, Chance{Outcome: o, Weight: 1})
}

// dice writes the faces of roll number roll, each in [1, Faces]; the first
// die is the most significant digit.
func (v *Variant) dice(roll int, faces []int) {
	for i := len(faces) - 1; i >= 0; i-- {
		faces[i] = roll%v.Faces + 1
		roll /= v.Faces
	}
}

// row returns the offset in byRoll of the outcomes for a mover with held points.
func (c *outcomeTable) row(held int) int { return held * c.stride }

// at returns the distinct outcomes for a mover with held points.
func (c *outcomeTable) at(held int) []Chance {
	if c.stride == 0 {
		return c.merged[0]
	}
	return c.merged[held]
}
