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
	// Again adds points to the turn total, as Gain does, and the next action must be a
	// roll, unless the points end the game.
	Again
)

// Gains reports whether the effect adds points to the turn total: Gain or Again.
func (e Effect) Gains() bool { return e == Gain || e == Again }

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
	case Again:
		return "again"
	}
	return fmt.Sprintf("Effect(%d)", uint8(e))
}

// An Outcome is what one roll of the dice does.
type Outcome struct {
	Effect Effect
	// Points is the number that a Gain or an Again adds to the turn total, at least 1. It
	// is 0 for other effects.
	Points int16
}

// String returns "gain 5", "again 4", "bust", "wipe" or "stop".
func (o Outcome) String() string {
	if o.Effect.Gains() {
		return o.Effect.String() + " " + strconv.Itoa(int(o.Points))
	}
	return o.Effect.String()
}

func gain(points int) Outcome { return Outcome{Effect: Gain, Points: int16(points)} }
func bust() Outcome           { return Outcome{Effect: Bust} }
func wipe() Outcome           { return Outcome{Effect: Wipe} }
func stop() Outcome           { return Outcome{Effect: Stop} }
func again(points int) Outcome {
	return Outcome{Effect: Again, Points: int16(points)}
}

// A Chance is an outcome with its weight: its probability is Weight divided by
// [Game.TotalWeight].
type Chance struct {
	Outcome
	Weight int
}

// redraw marks a slot of an outcomeTable that no roll has: the roll is drawn from the
// alias table instead.
const redraw Effect = 5

// An outcomeTable tabulates the rule of a variant: the outcome of every roll, for
// sampling, and the distinct outcomes with their weights, for exact computation.
//
// A roll is drawn by drawing one of several equally likely slots, each of which has
// a roll. If all rolls are equally likely, slot r has roll r. Else a roll whose
// probability is p has floor(p · slots) slots, and few slots are left, where the roll
// is drawn from what the slots miss of its probability, by an alias table.
//
// Source: G. Marsaglia, W. Tsang, J. Wang, "Fast Generation of Discrete Random
// Variables", Journal of Statistical Software 11(3), 2004, for tables of slots.
type outcomeTable struct {
	rolls  int   // faces to the power of dice
	weight int   // sum of the weights of all rolls
	again  bool  // whether some outcomes are Again
	byRoll []int // weights; nil if all are 1
	slots  int
	// bySlot[held*stride+i] is the outcome of slot i for a mover with held points;
	// stride is 0 if the rule does not depend on held.
	bySlot []Outcome
	stride int
	merged [][]Chance // by held; a single row if stride is 0
	// outcomes[held*rolls+r], or outcomes[r] if stride is 0, is the outcome of roll r.
	outcomes []Outcome

	slotRolls []int32     // by slot, its roll, or -1; nil if slot r has roll r
	rest      *aliasTable // nil if all slots have rolls

	err error // what is wrong with the outcomes; wraps ErrVariant
}

// tableOf returns the outcome table of v under the given options. It computes each
// table once.
func (v *Variant) tableOf(on Options) *outcomeTable {
	cell := &v.tables[on]
	cell.once.Do(func() {
		cell.table = v.tabulate(on)
		cell.table.err = v.checkOutcomes(cell.table)
	})
	return cell.table
}

// tabulate computes the outcome table of v under the given options.
func (v *Variant) tabulate(on Options) *outcomeTable {
	c := &outcomeTable{rolls: 1}
	for range v.Dice {
		c.rolls *= v.Faces
	}
	c.weight, c.slots = c.rolls, c.rolls
	if v.FaceWeights != nil {
		c.weigh(v)
	}
	rows := 1
	if v.ByHeld {
		rows = v.Target.Max // held is below the target while a game goes on
		c.stride = c.slots
	}
	dice := make([]int, v.Dice)
	for held := range rows {
		var merged []Chance
		for roll := range c.rolls {
			v.dice(roll, dice)
			o := v.Roll(dice, held, on)
			c.outcomes = append(c.outcomes, o)
			c.again = c.again || o.Effect == Again
			merged = addChance(merged, Chance{o, c.rollWeight(roll)})
		}
		c.merged = append(c.merged, merged)
		for slot := range c.slots {
			o := Outcome{Effect: redraw}
			if roll := c.rollOf(slot); roll >= 0 {
				o = c.outcomes[held*c.rolls+roll]
			}
			c.bySlot = append(c.bySlot, o)
		}
	}
	return c
}

// rollWeight returns the weight of a roll.
func (c *outcomeTable) rollWeight(roll int) int {
	if c.byRoll == nil {
		return 1
	}
	return c.byRoll[roll]
}

// rollOf returns the roll of a slot, or -1.
func (c *outcomeTable) rollOf(slot int) int {
	if c.slotRolls == nil {
		return slot
	}
	return int(c.slotRolls[slot])
}

// outcome returns the outcome of a roll for a mover with held points.
func (c *outcomeTable) outcome(held, roll int) Outcome {
	if c.stride != 0 {
		roll += held * c.rolls
	}
	return c.outcomes[roll]
}

// addChance adds a chance to list, which keeps the order in which outcomes first came.
func addChance(list []Chance, o Chance) []Chance {
	for i := range list {
		if list[i].Outcome == o.Outcome {
			list[i].Weight += o.Weight
			return list
		}
	}
	return append(list, o)
}

// dice writes the faces of roll number roll, each in [1, Faces]; the first
// die is the most significant digit.
func (v *Variant) dice(roll int, faces []int) {
	for i := len(faces) - 1; i >= 0; i-- {
		faces[i] = roll%v.Faces + 1
		roll /= v.Faces
	}
}

// row returns the offset in bySlot of the outcomes for a mover with held points.
func (c *outcomeTable) row(held int) int { return held * c.stride }

// at returns the distinct outcomes for a mover with held points.
func (c *outcomeTable) at(held int) []Chance {
	if c.stride == 0 {
		return c.merged[0]
	}
	return c.merged[held]
}
