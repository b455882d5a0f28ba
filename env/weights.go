package env

import (
	"fmt"
	"math"
	"math/bits"
)

// maxSlots is the largest number of slots of a game whose rolls are not equally likely
// if it has fewer rolls: with more, a [packedEngine] would not play it.
const maxSlots = movesPerRow - 1

// weigh computes the weights of the rolls of v and gives them slots.
func (c *outcomeTable) weigh(v *Variant) {
	if len(v.FaceWeights) != v.Faces {
		panic(fmt.Sprintf("env: %s has %d face weights for %d faces", v.ID, len(v.FaceWeights), v.Faces))
	}
	c.byRoll = make([]int, c.rolls)
	faces := make([]int, v.Dice)
	sum := int64(0)
	for roll := range c.byRoll {
		v.dice(roll, faces)
		weight := int64(1)
		for _, f := range faces {
			if weight *= int64(v.FaceWeights[f-1]); weight < 1 || sum+weight > math.MaxInt32 {
				panic(fmt.Sprintf("env: the weights %v of %s are out of range", v.FaceWeights, v.ID))
			}
		}
		c.byRoll[roll] = int(weight)
		sum += weight
	}
	c.weight = int(sum)
	c.slots = c.bestSlots()
	rest := make([]uint64, c.rolls) // what the slots of a roll miss, in weight·slots
	left := 0
	for roll, weight := range c.byRoll {
		scaled := uint64(weight) * uint64(c.slots)
		for range scaled / uint64(c.weight) {
			c.slotRolls = append(c.slotRolls, int32(roll))
		}
		rest[roll] = scaled % uint64(c.weight)
	}
	for len(c.slotRolls) < c.slots {
		c.slotRolls = append(c.slotRolls, -1)
		left++
	}
	if left > 0 {
		c.rest = newAliasTable(rest)
	}
}

// bestSlots returns the number of slots that leaves the smallest share of slots without a
// roll.
func (c *outcomeTable) bestSlots() int {
	most := max(maxSlots, 2*c.rolls)
	best, bestShare := 0, 2.0
	for slots := most / 2; slots <= most; slots++ {
		left := slots
		for _, weight := range c.byRoll {
			left -= int(uint64(weight) * uint64(slots) / uint64(c.weight))
		}
		if share := float64(left) / float64(slots); share < bestShare {
			best, bestShare = slots, share
		}
	}
	return best
}

// finishDraw returns the roll that has been drawn with a slot, and its outcome for a mover
// with held points. It draws from r if the slot has no roll.
func (c *outcomeTable) finishDraw(slot uint32, held int, r *Rand) (roll int32, o Outcome) {
	if roll = c.slotRolls[slot]; roll < 0 {
		roll = int32(c.rest.draw(r))
	}
	return roll, c.outcome(held, int(roll))
}

// An aliasTable draws a number below the length of its columns with a probability in
// proportion to a weight. A column is drawn, and then the number of the column or its
// alias.
//
// Source: A. Walker, "An Efficient Method for Generating Discrete Random Variables with
// General Distributions", ACM TOMS 3(3), 1977, with the construction of M. Vose, IEEE
// Transactions on Software Engineering 17(9), 1991, in integers.
type aliasTable struct {
	height  uint64 // of each column: the sum of the weights
	columns []aliasColumn
}

// An aliasColumn stands for its own number below height own, and for alias above.
type aliasColumn struct {
	own   uint64
	alias int
}

// newAliasTable returns the table of the given weights, whose sum times their number
// must be below 2^63 and not 0.
func newAliasTable(weights []uint64) *aliasTable {
	t := &aliasTable{columns: make([]aliasColumn, len(weights))}
	for _, w := range weights {
		t.height += w
	}
	var low, high []int // columns that are not full, and others
	for i, w := range weights {
		t.columns[i] = aliasColumn{w * uint64(len(weights)), i}
		if t.columns[i].own < t.height {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	for len(low) > 0 {
		small, large := low[len(low)-1], high[len(high)-1]
		low = low[:len(low)-1]
		t.columns[small].alias = large
		if t.columns[large].own -= t.height - t.columns[small].own; t.columns[large].own < t.height {
			high, low = high[:len(high)-1], append(low, large)
		}
	}
	return t
}

// draw draws a number.
func (t *aliasTable) draw(r *Rand) int {
	i := int(r.Below(uint32(len(t.columns))))
	if below64(r, t.height) < t.columns[i].own {
		return i
	}
	return t.columns[i].alias
}

// below64 is [Rand.Below] for n up to 2^63.
func below64(r *Rand, n uint64) uint64 {
	high, low := bits.Mul64(r.Uint64(), n)
	if low < n {
		for surplus := -n % n; low < surplus; {
			high, low = bits.Mul64(r.Uint64(), n)
		}
	}
	return high
}
