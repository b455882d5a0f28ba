package agents

import (
	"pigpen/env"
	"pigpen/policies"
)

// neighboursRecipe is the curriculum with policies that neighbouring states decide
// together. At the end of a pass the agent estimates the advantage of rolling over
// holding in each state (L. Baird, "Advantage Updating", 1993). Advantages vary slowly
// from state to state and their noise does not, so each is replaced by a local linear
// fit of its neighbours, with their counts of samples as weights (W. Cleveland, "Robust
// Locally Weighted Regression and Smoothing Scatterplots", JASA 74, 1979).
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
	MaxPlayers: 2,
	// It is 2.5G for pig to 100, whose table has 505,000 entries.
	DefaultSteps:  func(_ env.Game, _ Settings, entries int) int64 { return max(leastSteps, 5000*int64(entries)) },
	BytesPerEntry: func(int) int { return curriculumBytes + 4 }, // and the advantage
	Make: func(c Config) Agent {
		q := newCurriculum(c)
		q.neighbours, q.rolls = newNeighbours(c.Index), make([]byte, (c.Index.Size()+7)/8)
		return q
	},
}

// A reach is how far away the neighbours of a state are, in points.
type reach struct {
	own   int // in the mover's banked score
	other int // in the other player's banked score
	held  int // in the sum of the mover's banked score and the turn total
}

// reachOf returns the reach in games to the given target: that of 100 in games to
// higher targets, in proportion to the target in others, and none below 25.
func reachOf(target int) reach {
	return reach{own: min(target/25, 4), other: min(target/30, 3), held: min(target/50, 1)}
}

// neighbours fits the advantages of a curriculum.
type neighbours struct {
	afterstates
	reach reach
	// pairs are the differences from a state to one of its neighbours, and lead to
	// another neighbour with the opposite sign.
	pairs []reach
	// starts are the indices of the states in which turns begin, in order: those of
	// one score of the other player, and of one phase of the round, are a row of as
	// many as the target has points.
	starts []int
	// advantage[i] is the value of rolling minus that of holding in the states with
	// index i, where holding is legal and the game goes on after it.
	advantage []float32
}

func newNeighbours(index policies.StateIndex) *neighbours {
	n := &neighbours{afterstates: newAfterstates(index), reach: reachOf(index.Game().Target()), advantage: make([]float32, index.Size())}
	for start := range index.Turns() {
		n.starts = append(n.starts, start)
	}
	for own := 0; own <= n.reach.own; own++ {
		for other := -n.reach.other; other <= n.reach.other; other++ {
			for held := -n.reach.held; held <= n.reach.held; held++ {
				if own > 0 || other > 0 || other == 0 && held > 0 {
					n.pairs = append(n.pairs, reach{own, other, held})
				}
			}
		}
	}
	return n
}

// decide returns the policy that rolls where the fitted advantage is positive. value[i]
// is the estimated value of rolling in the states with index i, from count[i] samples.
// Where holding ends the game, and where neither a state nor its neighbours have
// samples, the estimate of the state alone decides.
func (n *neighbours) decide(value []float32, count []uint16) *policies.Table {
	table := policies.NewTable(n.index)
	for i, s := range n.index.All() {
		hold := n.hold(value, &s)
		n.advantage[i] = value[i] - hold
		table.Set(i, s.TurnTotal == 0 || value[i] > hold)
	}
	for k, start := range n.starts {
		for entry := start + 1; entry < n.endOfTurn(k); entry++ {
			if fit, ok := n.fit(k, entry-start, count); ok {
				table.Set(entry, fit > 0)
			}
		}
	}
	return table
}

// endOfTurn returns the index behind the states of turn k in which the game goes on if
// the mover holds.
func (n *neighbours) endOfTurn(k int) int {
	own := k % n.game.Target()
	if n.game.Variant().Ending == env.AtTarget {
		return n.starts[k] + n.game.Target() - own
	}
	if k < len(n.starts)/n.game.Players() {
		return n.starts[k] // the last to move in the round, whose hold ends the game if it reaches the target
	}
	return n.starts[k] + n.index.Width() - own
}

// fit returns the weighted mean of the advantages in turn k with the given turn total
// and of its neighbours. Neighbours come in pairs on opposite sides of the state, with
// one weight, the lower of their counts, so that the mean is a local linear fit. ok is
// false if all weights are 0.
func (n *neighbours) fit(k, turnTotal int, count []uint16) (advantage float64, ok bool) {
	i := n.starts[k] + turnTotal
	weight := float64(count[i])
	sum := float64(weight * float64(n.advantage[i]))
	for _, d := range n.pairs {
		p, q := n.neighbour(k, turnTotal, d), n.neighbour(k, turnTotal, reach{-d.own, -d.other, -d.held})
		if p < 0 || q < 0 {
			continue
		}
		w := float64(min(count[p], count[q]))
		// The conversion keeps a compiler from fusing the product into the sum.
		sum += float64(w * float64(n.advantage[p]+n.advantage[q]))
		weight += 2 * w
	}
	return sum / max(1, weight), weight > 0
}

// neighbour returns the index of the state that differs by d from the one in turn k with
// the given turn total, or -1 if there is none in which holding leaves the game going.
func (n *neighbours) neighbour(k, turnTotal int, d reach) int {
	target := n.game.Target()
	own, other := k%target+d.own, k/target%n.index.Width()+d.other
	turnTotal += d.held - d.own
	if own < 0 || own >= target || turnTotal < 1 || n.game.Players() == 1 && d.other != 0 || other < 0 || other >= n.index.Width() {
		return -1
	}
	k += d.own + d.other*target
	if i := n.starts[k] + turnTotal; i < n.endOfTurn(k) {
		return i
	}
	return -1
}
