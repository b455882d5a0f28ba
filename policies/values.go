package policies

import (
	"fmt"
	"math"

	"pigpen/env"
)

// Values are a learner's estimates of what both actions are worth: two for each entry of an
// index, in the units of [Valuer]. Estimates may lie a little outside the range of what
// they estimate. All methods except Set may be called concurrently.
type Values struct {
	index StateIndex
	of    []float32 // of[2i+a] is that of action a in the states with index i
}

// NewValues returns values over x of which none is known.
func NewValues(x StateIndex) *Values {
	v := &Values{index: x, of: make([]float32, env.NumActions*x.size)}
	for k := range v.of {
		v.of[k] = float32(math.NaN())
	}
	return v
}

// Index returns the index of the values.
func (v *Values) Index() StateIndex { return v.index }

// Set sets what holding and rolling are worth in the states with index i; NaN is for an
// action of which there is no estimate, or that is not legal. It panics if a value is
// infinite.
func (v *Values) Set(i int, hold, roll float32) {
	for _, x := range [...]float32{hold, roll} {
		if math.IsInf(float64(x), 0) {
			panic(fmt.Sprintf("policies: Set(%d, %v, %v): a value is infinite", i, hold, roll))
		}
	}
	v.of[2*i], v.of[2*i+1] = hold, roll
}

// At returns what holding and rolling are worth in the states with index i, each NaN if
// there is no estimate or the action is not legal.
func (v *Values) At(i int) (hold, roll float32) { return v.of[2*i], v.of[2*i+1] }

// Known returns the number of entries with an estimate of rolling, which is legal in every
// state.
func (v *Values) Known() int {
	n := 0
	for i := range v.index.size {
		if roll := v.of[2*i+1]; roll == roll {
			n++
		}
	}
	return n
}

// A ValuedTable is a table with a learner's estimates of what the actions are worth. It is
// a [Valuer] with NaN for unknown values of either action.
type ValuedTable struct {
	*Table
	Estimates *Values // over the index of the table
}

// Values implements [Valuer].
func (t ValuedTable) Values(s env.State) (hold, roll float64) {
	h, r := t.Estimates.At(t.index.Of(&s))
	if s.TurnTotal == 0 || s.MustRoll {
		return math.NaN(), float64(r)
	}
	return float64(h), float64(r)
}
