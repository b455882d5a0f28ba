package agents

import "pigpen/policies"

// smoothingBytes is the memory of an entry in bytes: a float32 advantage and its fit.
const smoothingBytes = 4 + localFitBytes

// smoothing smooths the advantages of a curriculum.
type smoothing struct {
	*localFit
	advantage []float32 // by entry
}

func newSmoothing(a afterstates) *smoothing {
	m := &smoothing{newLocalFit(a.index), make([]float32, a.index.Size())}
	m.afterstates = a
	return m
}

// decide returns the policy that rolls where the fitted advantage is positive, computed
// with that many goroutines. value[i] is the estimated value of rolling in the states
// with index i, from count[i] samples.
func (m *smoothing) decide(workers int, value []float32, count []uint16) *policies.Table {
	inParallel(make([]*struct{}, workers), len(m.starts), func(_ *struct{}, k int) Played {
		start, s := m.index.TurnAt(k)
		for t := range m.index.Width() - int(s.Scores[0]) {
			s.TurnTotal = int16(t)
			m.advantage[start+t] = value[start+t] - m.hold(value, &s)
		}
		return Played{}
	})
	fit(m.localFit, workers, m.advantage, count)
	table := policies.NewTable(m.index)
	for i, s := range m.index.All() {
		table.Set(i, s.TurnTotal == 0 || m.fitted[i] > 0)
	}
	return table
}
