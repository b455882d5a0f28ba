package agents

import (
	"pigpen/env"
	"pigpen/policies"
)

// bytesPerEntry is what values takes for an entry of its index: for each
// action a float32 estimate and a 16-bit count.
const bytesPerEntry = env.NumActions * (4 + 2)

// values estimates the return of each action in each state, from the point of
// view of the player who takes it. It is what both learners learn.
type values struct {
	index           policies.StateIndex
	schedule        Epsilon
	exploringStarts bool
	// q[2i+a] estimates action a in the states of number i: a cell.
	q []float32
	// updates[c] counts the updates of cell c, as far as weights goes.
	updates   []uint16
	weights   []float32
	decisions int64
	epsilon   float64 // of the episode under way
}

func newValues(index policies.StateIndex, s Settings) values {
	cells := env.NumActions * index.Size()
	return values{
		index: index, schedule: s.Epsilon(), exploringStarts: s.Text("starts") == "exploring", weights: s.StepSize().weights(),
		q: make([]float32, cells), updates: make([]uint16, cells),
	}
}

func (v *values) table() *values { return v }

// begin starts an episode on m.
func (v *values) begin(m *env.Match) {
	v.epsilon = v.schedule.At(v.decisions)
	if !v.exploringStarts {
		m.ResetNext()
		return
	}
	if err := m.ResetTo(m.Game().DrawStart(m.Rand())); err != nil {
		panic(err) // a drawn start is a state of the game
	}
}

// end finishes the episode on m.
func (v *values) end(m *env.Match) { v.decisions += int64(m.Steps()) }

// choose returns the action to take in the states of number i: the greedy
// one, or one drawn from the legal ones with chance epsilon, and for sure at
// an exploring start.
func (v *values) choose(m *env.Match, i int) env.Action {
	if s := m.Current(); s.TurnTotal == 0 || s.MustRoll {
		return env.Roll
	}
	r := m.Rand()
	if v.epsilon > 0 && r.Float64() < v.epsilon || v.exploringStarts && m.Steps() == 0 {
		return env.Action(r.Below(env.NumActions))
	}
	if v.rolls(i) {
		return env.Roll
	}
	return env.Hold
}

// rolls reports whether rolling is estimated as better than holding.
func (v *values) rolls(i int) bool { return v.q[2*i+1] > v.q[2*i] }

// best returns the estimate of the best legal action.
func (v *values) best(s *env.State, i int) float32 {
	if s.TurnTotal == 0 || s.MustRoll {
		return v.q[2*i+1]
	}
	return max(v.q[2*i], v.q[2*i+1])
}

// update moves a cell towards a sample of its return.
func (v *values) update(cell int, sample float32) {
	n := v.updates[cell]
	if int(n) < len(v.weights)-1 {
		n++
		v.updates[cell] = n
	}
	// The conversion keeps a compiler from fusing the product into the sum,
	// which would change the result from machine to machine.
	v.q[cell] += float32(v.weights[n] * (sample - v.q[cell]))
}

// Metrics implements [Agent].
func (v *values) Metrics() Metrics {
	g := metrics(v.updates, func(n uint16) float64 { return float64(v.weights[n]) })
	g.Epsilon = v.schedule.At(v.decisions)
	return g
}

// Greedy implements [Agent].
func (v *values) Greedy() *policies.Table {
	t := policies.NewTable(v.index)
	for i := range v.index.Size() {
		t.Set(i, v.rolls(i))
	}
	for i := range v.index.Turns() {
		t.Set(i, true)
	}
	return t
}
