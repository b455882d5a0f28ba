package exact_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
)

// A graph is every state of a small game that begins with seat 0, and where
// each action leads. Plain sweeps over all states solve and evaluate the game
// on it: they know nothing of turns, banked scores or points of view, and share
// nothing with package exact but the rules.
type graph struct {
	g      env.Game
	beyond int
	states []env.State
	over   []bool
	holds  []int32  // where holding leads; -1 where it is not legal
	rolls  [][]edge // where rolling leads
	// order is the states that go on, so that most follow what they lead to.
	// Those before cyclic lead to no state that leads back.
	order  []int32
	cyclic int
}

type edge struct {
	to     int32
	chance float64
}

// newGraph returns the graph of g. In games that end after a round a roll at a
// score of beyond or more past the target is a bust for sure: that is what it
// comes to for players who never hold; of others hardly a turn comes so far.
func newGraph(g env.Game, beyond int) *graph {
	gr := &graph{g: g, beyond: beyond}
	index := make(map[env.State]int32)
	visit := func(s env.State) int32 {
		i, ok := index[s]
		if !ok {
			i = int32(len(gr.states))
			index[s] = i
			gr.states = append(gr.states, s)
		}
		return i
	}
	visit(g.Start(0))
	for i := 0; i < len(gr.states); i++ {
		s := gr.states[i]
		hold, rolls := int32(-1), []edge(nil)
		if g.Legal(s).Has(env.Hold) {
			hold = visit(g.AfterHold(s))
		}
		switch {
		case s.Over:
		case gr.far(&s):
			rolls = []edge{{visit(g.AfterRoll(s, env.Outcome{Effect: env.Bust})), 1}}
		default:
			for _, c := range g.Outcomes(s) {
				rolls = append(rolls, edge{visit(g.AfterRoll(s, c.Outcome)), float64(c.Weight) / float64(g.TotalWeight())})
			}
		}
		if !s.Over {
			gr.order = append(gr.order, int32(i))
		}
		gr.over, gr.holds, gr.rolls = append(gr.over, s.Over), append(gr.holds, hold), append(gr.rolls, rolls)
	}
	gr.sort()
	return gr
}

// far reports whether the mover may have got so far that a roll counts as a bust.
func (gr *graph) far(s *env.State) bool {
	return gr.g.Variant().Ending == env.AfterRound && int(s.Scores[s.Seat]+s.TurnTotal) >= gr.g.Target()+gr.beyond
}

func (gr *graph) sort() {
	late := func(i int32) (int, int) {
		s := &gr.states[i]
		sum := 0
		for _, score := range s.Scores {
			sum += int(score)
		}
		return sum, int(s.TurnTotal)
	}
	slices.SortStableFunc(gr.order, func(a, b int32) int {
		sumA, turnA := late(a)
		sumB, turnB := late(b)
		return cmp.Or(cmp.Compare(sumB, sumA), cmp.Compare(turnB, turnA))
	})
	done := slices.Clone(gr.over)
	var first, rest []int32
	for _, i := range gr.order {
		ready := gr.holds[i] < 0 || done[gr.holds[i]]
		for _, e := range gr.rolls[i] {
			ready = ready && done[e.to]
		}
		if done[i] = ready; ready {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	gr.order, gr.cyclic = append(first, rest...), len(first)
}

// sweep calls update for every state that goes on, again and again until the
// largest change that it returns is within tolerance.
func (gr *graph) sweep(t testing.TB, tolerance float64, update func(i int32) (change float64)) {
	t.Helper()
	for _, i := range gr.order[:gr.cyclic] {
		update(i)
	}
	for range 100_000 {
		change := 0.0
		for _, i := range gr.order[gr.cyclic:] {
			change = max(change, update(i))
		}
		if change <= tolerance {
			return
		}
	}
	t.Fatalf("%v: the sweeps over all states do not come to rest", gr.g)
}

// after returns what a roll is worth in state i.
func (gr *graph) after(i int32, values []float64) float64 {
	sum := 0.0
	for _, e := range gr.rolls[i] {
		sum += e.chance * values[e.to]
	}
	return sum
}

// actions returns what holding, if legal, and rolling are worth in state i.
func (gr *graph) actions(i int32, values []float64) (hold, roll float64) {
	hold = math.NaN()
	if gr.holds[i] >= 0 {
		hold = values[gr.holds[i]]
	}
	return hold, gr.after(i, values)
}

// chances returns for each state the chance that the mover rolls.
func (gr *graph) chances(seats []policy) []float64 {
	chances := make([]float64, len(gr.states))
	for i, s := range gr.states {
		chances[i] = 1
		if p := seats[s.Seat]; gr.holds[i] >= 0 && p.Player != nil {
			chances[i] = p.RollChance(s)
		}
	}
	return chances
}

// best returns the win probability of seat me in every state. A seat without
// a policy makes it as high, or for the other seat as low, as it can.
func (gr *graph) best(t testing.TB, me int, seats ...policy) []float64 {
	t.Helper()
	chances := gr.chances(seats)
	values := make([]float64, len(gr.states))
	for i, s := range gr.states {
		values[i] = gr.g.WinShare(s, me)
	}
	gr.sweep(t, 1e-15, func(i int32) float64 {
		before := values[i]
		hold, roll := gr.actions(i, values)
		seat := int(gr.states[i].Seat)
		switch {
		case gr.holds[i] < 0:
			values[i] = roll
		case seats[seat].Player != nil:
			values[i] = chances[i]*roll + (1-chances[i])*hold
		case seat == me:
			values[i] = max(hold, roll)
		default:
			values[i] = min(hold, roll)
		}
		return math.Abs(values[i] - before)
	})
	return values
}

// fewest returns the fewest expected turns that a lone player has yet to
// begin, the one just beginning included, in every state.
func (gr *graph) fewest(t testing.TB) []float64 {
	t.Helper()
	values := make([]float64, len(gr.states))
	gr.sweep(t, 1e-14, func(i int32) float64 {
		before := values[i]
		hold, roll := gr.actions(i, values)
		if gr.holds[i] < 0 {
			values[i] = 1 + roll
		} else {
			values[i] = min(hold, roll)
		}
		return math.Abs(values[i]-before) / values[i]
	})
	return values
}

// play returns what happens from the start. If the game may go on for ever,
// which at this size happens with a chance far from 0, turns and decisions are
// infinite.
func (gr *graph) play(t testing.TB, seats ...policy) exact.Evaluation {
	t.Helper()
	var e exact.Evaluation
	sum := 0.0
	for seat := range gr.g.Players() {
		e.Win = append(e.Win, gr.best(t, seat, seats...)[0])
		sum += e.Win[seat]
	}
	if sum < 1-1e-6 {
		e.Turns, e.Decisions = math.Inf(1), math.Inf(1)
		return e
	}
	chances := gr.chances(seats)
	count := func(one func(s *env.State) float64) float64 {
		values := make([]float64, len(gr.states))
		gr.sweep(t, 1e-14, func(i int32) float64 {
			before := values[i]
			values[i] = one(&gr.states[i]) + chances[i]*gr.after(i, values)
			if gr.holds[i] >= 0 {
				values[i] += (1 - chances[i]) * values[gr.holds[i]]
			}
			return math.Abs(values[i]-before) / max(1, values[i])
		})
		return values[0]
	}
	e.Turns = count(func(s *env.State) float64 {
		if s.TurnTotal == 0 {
			return 1
		}
		return 0
	})
	e.Decisions = count(func(s *env.State) float64 {
		if gr.far(s) {
			return float64(gr.g.TotalWeight()) / bustWeight(gr.g, s)
		}
		return 1
	})
	return e
}

// bustWeight returns how many of the rolls in s are busts.
func bustWeight(g env.Game, s *env.State) float64 {
	for _, c := range g.Outcomes(*s) {
		if c.Effect == env.Bust {
			return float64(c.Weight)
		}
	}
	return 0
}

const (
	// far is how far past the target a graph goes. A turn of pig gets so far
	// with a chance of 0.001 if it never holds, and of 1e-14 if it holds every
	// other time.
	far = 150
	// compared is how far past the target values are compared. Perfect play
	// holds long before, so that they do not feel the edge of the graph.
	compared = 40
)

// checkValues compares a solution in every state of the graph in which seat,
// or any seat if it is -1, is to move. values are the win probabilities of
// seat me, or of a lone player the turns to come.
func checkValues(t *testing.T, what string, gr *graph, s *exact.Solution, seat, me int, values []float64) {
	t.Helper()
	point := func(v float64, state *env.State) float64 {
		switch {
		case gr.g.Players() == 1:
			return -v
		case int(state.Seat) == me:
			return v
		}
		return 1 - v
	}
	checked := 0
	for i := range gr.states {
		state := gr.states[i]
		highest := max(state.Scores[0], state.Scores[1], state.Scores[state.Seat]+state.TurnTotal)
		if gr.over[i] || seat >= 0 && int(state.Seat) != seat || int(highest) > gr.g.Target()+compared {
			continue
		}
		checked++
		hold, roll := gr.actions(int32(i), values)
		hold, roll = point(hold, &state), point(roll, &state)
		gotHold, gotRoll := s.Values(state)
		sameHold := math.IsNaN(hold) && math.IsNaN(gotHold) || near(gotHold, hold, 1e-10)
		if !sameHold || !near(gotRoll, roll, 1e-10) {
			t.Fatalf("%s: Values(%+v) = %v, %v, want %v, %v", what, state, gotHold, gotRoll, hold, roll)
		}
		chance := s.RollChance(state)
		if want := math.IsNaN(hold) || roll > hold; chance != 1 && chance != 0 || math.Abs(roll-hold) > 1e-10 && (chance == 1) != want {
			t.Fatalf("%s: RollChance(%+v) = %v, and holding is worth %v, rolling %v", what, state, chance, hold, roll)
		}
		if gr.g.Players() == 1 || checked%5 != 0 {
			continue
		}
		// Where the players sit makes no difference.
		other := shifted(state)
		shiftedHold, shiftedRoll := s.Values(other)
		if math.Float64bits(shiftedHold) != math.Float64bits(gotHold) || shiftedRoll != gotRoll || s.RollChance(other) != chance {
			t.Fatalf("%s: Values(%+v) = %v, %v, RollChance %v; with seats exchanged %v, %v, %v", what, state, gotHold, gotRoll, chance, shiftedHold, shiftedRoll, s.RollChance(other))
		}
	}
	if checked == 0 {
		t.Fatalf("%s: no state was compared", what)
	}
}

// TestAgainstSweepsOverAllStates compares everything that small games have, of every variant
// and with all its options, with sweeps over all of their states. With -long
// the games are larger, and more.
func TestAgainstSweepsOverAllStates(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		targets, larger := sized([]int{2, 7}, []int{2, 3, 4, 5, 7, 11}), sized(12, 30)
		switch {
		case v.Ending == env.AfterRound:
			targets, larger = sized([]int{2}, []int{2, 4}), sized(6, 16)
		case v.Faces < 6:
			// A turn reaches the target too rarely for sweeps to come to rest soon.
			targets = sized([]int{2, 4}, []int{2, 3, 4, 5, 7})
		}
		for _, g := range gamesOf(v, targets...) {
			gr := newGraph(g, far)
			all := append(fixedPolicies(t, g, 2, 3, 7), hashed(g, 1), hashed(g, 2))
			t.Run(g.String()+"/Solve", func(t *testing.T) { checkSolve(t, gr) })
			t.Run(g.String()+"/Evaluate", func(t *testing.T) { checkEvaluate(t, gr, all) })
			if g.Players() == 2 {
				t.Run(g.String()+"/BestResponse", func(t *testing.T) { checkBestResponse(t, gr, all) })
			}
		}
		for _, g := range gamesOf(v, larger) {
			if v.Target.Min < v.Target.Max {
				t.Run(g.String()+"/Solve", func(t *testing.T) { checkSolve(t, newGraph(g, compared+20)) })
			}
		}
	}
}

// checkSolve compares perfect play in every state.
func checkSolve(t *testing.T, gr *graph) {
	s := solve(t, gr.g)
	what := fmt.Sprintf("Solve(%v)", gr.g)
	if gr.g.Players() == 1 {
		values := gr.fewest(t)
		if got := s.FewestTurns(); !near(got, values[0], 1e-10) {
			t.Errorf("%s.FewestTurns() = %v, want %v", what, got, values[0])
		}
		if got := s.WinBySeat(); !slices.Equal(got, []float64{1}) {
			t.Errorf("%s.WinBySeat() = %v, want [1]", what, got)
		}
		checkValues(t, what, gr, s, -1, 0, values)
		return
	}
	values := gr.best(t, 0, policy{}, policy{})
	if got, want := s.WinBySeat(), []float64{values[0], 1 - values[0]}; !allNear(got, want, 1e-10) {
		t.Errorf("%s.WinBySeat() = %v, want %v", what, got, want)
	}
	checkValues(t, what, gr, s, -1, 0, values)
}

// checkEvaluate compares what happens between policies, each with itself and
// with another.
func checkEvaluate(t *testing.T, gr *graph, all []policy) {
	for i, p := range all {
		pairs := [][]policy{{p, all[(i+2)%len(all)]}}
		if *exact.Long || i%3 == 0 {
			pairs = append(pairs, []policy{p, p})
		}
		if gr.g.Players() == 1 {
			pairs = [][]policy{{p}}
		}
		for _, seats := range pairs {
			got, want := evaluate(t, gr.g, seats...), gr.play(t, seats...)
			if !allNear(got.Win, want.Win, 1e-10) || !near(got.Turns, want.Turns, 1e-10) || !near(got.Decisions, want.Decisions, 1e-10) {
				t.Errorf("Evaluate(%v, %s) = %+v, want %+v", gr.g, names(seats), got, want)
			}
			if !(got.Residual <= 1e-13) {
				t.Errorf("Evaluate(%v, %s).Residual = %v, want no more than 1e-13", gr.g, names(seats), got.Residual)
			}
		}
	}
}

// checkBestResponse compares best responses in every state.
func checkBestResponse(t *testing.T, gr *graph, all []policy) {
	for _, p := range all {
		s := respond(t, gr.g, p)
		what := fmt.Sprintf("BestResponse(%v, %s)", gr.g, p.name)
		for me, seats := range [][]policy{{{}, p}, {p, {}}} {
			values := gr.best(t, me, seats...)
			if got := s.WinBySeat()[me]; !near(got, values[0], 1e-10) {
				t.Errorf("%s.WinBySeat()[%d] = %v, want %v", what, me, got, values[0])
			}
			checkValues(t, what, gr, s, me, me, values)
		}
	}
}
