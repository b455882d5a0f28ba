package agents

import (
	"pigpen/env"
	"pigpen/policies"
)

// neighboursRecipe is the curriculum with policies that neighbouring states decide
// together. At the end of a pass the agent estimates the advantage of rolling over
// holding in each state and smooths the estimates with a [localFit].
//
// The next pass explores around the policy that rolls where the fitted advantage is
// positive, and bootstraps from the values of its actions: optimistic policy iteration
// (D. Bertsekas, J. Tsitsiklis, "Neuro-Dynamic Programming", 1996, section 5.4). Unlike
// the largest of noisy estimates, the value of an action chosen in advance has no upward
// bias. The estimates themselves remain those of single states, so that a fit's error
// changes only the decisions of one pass.
var neighboursRecipe = Recipe{
	Name: "neighbours", Doc: "the curriculum, with decisions shared among like states",
	Settings: []Setting{
		stepSizeSetting.withDefault("n^-0.75"),
		stepSizeFloorSetting.withDefault("0"),
		epsilonSetting.withDefault("0.65"),
		epsilonHalvingSetting, epsilonFloorSetting,
	},
	MaxPlayers:    env.MaxPlayers,
	FullEntries:   fullEntries,
	DefaultSteps:  func(g env.Game, _ Settings, entries int) int64 { return backwardsSteps(g, entries, 5000) },
	BytesPerEntry: func(int) int { return curriculumBytes + localFitBytes + 4 }, // and the advantage
	Make: func(c Config) Agent {
		q := newCurriculum(c)
		q.neighbours, q.rolls = newNeighbours(c.Index), make([]byte, (c.Index.Size()+7)/8)
		q.neighbours.waits = q.waits
		return q
	},
}

// neighbours smooths the advantages of a curriculum.
type neighbours struct {
	*localFit
	advantage []float32 // by entry
}

func newNeighbours(index policies.StateIndex) *neighbours {
	return &neighbours{newLocalFit(index), make([]float32, index.Size())}
}

// decide returns the policy that rolls where the fitted advantage is positive, computed
// with that many goroutines. value[i] is the estimated value of rolling in the states
// with index i, from count[i] samples.
func (n *neighbours) decide(workers int, value []float32, count []uint16) *policies.Table {
	inParallel(make([]*struct{}, workers), len(n.starts), func(_ *struct{}, k int) Played {
		start, s := n.index.TurnAt(k)
		for t := range n.index.Width() - int(s.Scores[0]) {
			s.TurnTotal = int16(t)
			n.advantage[start+t] = value[start+t] - n.hold(value, &s)
		}
		return Played{}
	})
	fit(n.localFit, workers, n.advantage, count)
	table := policies.NewTable(n.index)
	for i, s := range n.index.All() {
		table.Set(i, s.TurnTotal == 0 || n.fitted[i] > 0)
	}
	return table
}
