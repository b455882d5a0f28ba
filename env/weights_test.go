package env

import (
	"math/big"
	"testing"
)

// TestSlots recomputes the probability of every roll from the slots and the alias table:
// it must be the roll's weight in proportion to all, exactly.
func TestSlots(t *testing.T) {
	for _, v := range Variants() {
		c := v.tableOf(0)
		got := make([]big.Rat, c.rolls)
		add := func(roll int, part, of int64) { got[roll].Add(&got[roll], big.NewRat(part, of)) }
		left := int64(0)
		for slot := range c.slots {
			if roll := c.rollOf(slot); roll >= 0 {
				add(roll, 1, int64(c.slots))
			} else {
				left++
			}
		}
		if c.rest != nil {
			for i, column := range c.rest.columns {
				height := int64(c.rest.height)
				of := height * int64(len(c.rest.columns)) // of a draw from the alias table
				for roll, part := range map[int]int64{i: int64(column.own), column.alias: height - int64(column.own)} {
					if i == column.alias {
						part = height
					}
					share := big.NewRat(part, of)
					got[roll].Add(&got[roll], share.Mul(share, big.NewRat(left, int64(c.slots))))
				}
			}
		}
		for roll := range got {
			if want := big.NewRat(int64(c.rollWeight(roll)), int64(c.weight)); got[roll].Cmp(want) != 0 {
				t.Errorf("%s: roll %d is drawn with probability %v, want %v", v.ID, roll, &got[roll], want)
			}
		}
		if left*20 > int64(c.slots) {
			t.Errorf("%s: %d of %d slots have no roll, want at most one of twenty", v.ID, left, c.slots)
		}
	}
}

// TestWeightsOutOfRange checks that weights are refused that are too few, not positive,
// or whose products are too large.
func TestWeightsOutOfRange(t *testing.T) {
	for _, weights := range [][]int{{1, 2}, {1, 0, 1}, {1, -1, 5}, {1 << 15, 1 << 15, 1}} {
		v := &Variant{ID: "weighted", Dice: 2, Faces: 3, FaceWeights: weights, Roll: func([]int, int, Options) Outcome { return bust() }}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("face weights %v are accepted", weights)
				}
			}()
			v.tabulate(0)
		}()
	}
}
