package agents

import (
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// A reference learns as the textbooks write it, in maps and without care for
// speed. It draws from the match in the same order as the agents: whether to
// explore, then the action.
type reference struct {
	index    policies.StateIndex
	settings tuning
	weight   func(n int) float32 // of the n-th update
	q        map[choice]float32
	updates  map[choice]int
	steps    int64
}

// A choice is what the textbooks call a state-action pair, with the state as
// the index numbers it.
type choice struct {
	state  int
	action env.Action
}

// A visit is a decision of an episode, with what each seat earned by it.
type visit struct {
	choice  choice
	seat    int
	rewards [env.MaxPlayers]float32
}

// earned returns what the seat of visit k has earned from it on.
func earned(path []visit, k int) (sum float32) {
	for _, v := range path[k:] {
		sum += v.rewards[path[k].seat]
	}
	return sum
}

func newReference(index policies.StateIndex, s tuning, weight func(n int) float32) *reference {
	return &reference{index: index, settings: s, weight: weight, q: make(map[choice]float32), updates: make(map[choice]int)}
}

// best returns the highest estimate of a legal action in s.
func (r *reference) best(s env.State) float32 {
	i, legal := r.index.Of(&s), r.index.Game().Legal(s)
	value := r.q[choice{i, env.Roll}]
	if hold := r.q[choice{i, env.Hold}]; legal.Has(env.Hold) && hold > value {
		value = hold
	}
	return value
}

// play plays an episode on m and calls after for each step, with the path up
// to and including it.
func (r *reference) play(m *env.Match, after func(path []visit, terminated bool)) {
	if r.settings.ExploringStarts {
		if err := m.ResetTo(m.Game().DrawStart(m.Rand())); err != nil {
			panic(err)
		}
	} else {
		m.ResetNext()
	}
	epsilon := r.settings.Epsilon.At(r.steps)
	for path := []visit(nil); m.Live(); r.steps++ {
		i, seat, a := r.index.Of(m.Current()), int(m.State().Seat), env.Roll
		if m.Legal().Has(env.Hold) {
			explore := epsilon > 0 && m.Rand().Float64() < epsilon
			switch {
			case explore || r.settings.ExploringStarts && len(path) == 0:
				a = env.Action(m.Rand().Below(2))
			case r.q[choice{i, env.Roll}] <= r.q[choice{i, env.Hold}]:
				a = env.Hold
			}
		}
		terminated, _, err := m.Step(a)
		if err != nil {
			panic(err)
		}
		v := visit{choice: choice{i, a}, seat: seat}
		for seat := range m.Game().Players() {
			v.rewards[seat] = float32(m.Reward(seat))
		}
		path = append(path, v)
		after(path, terminated)
	}
}

func (r *reference) update(c choice, sample float32) {
	r.updates[c]++
	r.q[c] += float32(r.weight(r.updates[c]) * (sample - r.q[c]))
}

// check compares every cell of v, and its count of updates as far as the
// weights go, with r's.
func (r *reference) check(t *testing.T, v *values) {
	t.Helper()
	q, updates := make([]float32, len(v.q)), make([]uint16, len(v.q))
	for c, want := range r.q {
		i := 2*c.state + int(c.action)
		q[i], updates[i] = want, uint16(min(r.updates[c], len(v.weights)-1))
		if v.q[i] != want || v.updates[i] != updates[i] {
			t.Fatalf("%v in state %d is estimated at %v after %d updates, want %v after %d", c.action, c.state, v.q[i], v.updates[i], want, updates[i])
		}
	}
	if !slices.Equal(v.q, q) || !slices.Equal(v.updates, updates) {
		t.Errorf("an estimate of what never happened was updated")
	}
	if v.decisions != r.steps {
		t.Errorf("%d decisions were counted, want %d", v.decisions, r.steps)
	}
}

// checkAgainstReference trains an agent and a reference on the same dice, for
// every small game and several settings and step limits, and compares all that
// they have learned.
func checkAgainstReference(t *testing.T, recipe Recipe, episode func(*reference, *env.Match)) {
	steps := sized(int64(2_000), 10_000)
	constant := func(x float32) func(int) float32 { return func(int) float32 { return x } }
	schedules := []struct {
		step   StepSize
		weight func(n int) float32
	}{
		{StepSize{Scale: 1, Power: 1}, func(n int) float32 { return float32(1 / float64(n)) }},
		{StepSize{Scale: 0.1}, constant(0.1)},
		{StepSize{Scale: 1, Power: 1, Floor: 0.0625}, func(n int) float32 { return max(0.0625, float32(1/float64(n))) }},
	}
	explorations := []tuning{
		{Epsilon: Epsilon{Start: 0.2}, ExploringStarts: true},
		{Epsilon: Epsilon{Start: 0.5, Floor: 0.1, Halving: 1000}},
		{ExploringStarts: true},
		{},
	}
	forEachSmallGame(t, func(t *testing.T, index policies.StateIndex) {
		t.Parallel()
		for i, s := range explorations {
			schedule := schedules[i%len(schedules)]
			s.StepSize = schedule.step
			for _, limit := range []int{0, 1, 2, 6} {
				agent, r := newTextbookOf(recipe, index, s, uint64(limit), limit), newReference(index, s, schedule.weight)
				mine, its := env.NewMatch(index.Game(), env.MatchOptions{StepLimit: limit}), agent.match
				mine.Reset(uint64(limit))
				for r.steps < steps {
					episode(r, mine)
					if played, want := agent.Learn(1), (Played{int64(mine.Steps()), 1}); played != want {
						t.Fatalf("Learn(1) = %+v, want %+v", played, want)
					}
					if *mine.Rand() != *its.Rand() || mine.State() != its.State() {
						t.Fatalf("%+v, step limit %d: an episode before step %d took another course than the reference's", s, limit, r.steps)
					}
				}
				r.check(t, agent.values)
				if t.Failed() {
					t.Fatalf("with %+v and step limit %d", s, limit)
				}
			}
		}
	})
}

// A script is an episode of the one-die game worked out by hand: estimates
// before it, the faces rolled in it, and the estimates it must change.
type script struct {
	name            string
	players, target int
	stepLimit       int
	faces           []int
	before, after   map[cell]float32
}

// A cell is an action with what the player who takes it observes.
type cell struct {
	action         env.Action
	own, turnTotal int16
	next, last     int16 // scores of the others; with two players next alone
}

// in returns the cell's place in the tables of l.
func (c cell) in(index policies.StateIndex) int {
	columns := []int16{c.own, c.turnTotal, c.next, c.last}
	s, err := index.Game().StateOf(columns[:index.Game().NumColumns()])
	if err != nil {
		panic(err)
	}
	return 2*index.Of(&s) + int(c.action)
}

// threeTurns is a script in which seat 0 rolls 2 and holds, seat 1 busts, and
// seat 0 rolls 3 and wins.
func threeTurns(name string, after map[cell]float32) script {
	return script{
		name: name, players: 2, target: 4,
		faces: []int{2, 1, 3},
		before: map[cell]float32{
			{env.Roll, 0, 0, 0, 0}: 0,
			{env.Hold, 0, 2, 0, 0}: 0.5, {env.Roll, 0, 2, 0, 0}: 0.25,
			{env.Roll, 0, 0, 2, 0}: 0.75,
			{env.Roll, 2, 0, 0, 0}: -0.5,
		},
		after: after,
	}
}

// run checks that an episode of an agent with step size 1/2, no exploration
// and game starts has the effect that the script says, and no other.
func (s script) run(t *testing.T, recipe Recipe) {
	t.Helper()
	const elsewhere = 0.125 // the other estimates, so that reading one shows
	index := pigIndex(s.players, s.target)
	agent := newTextbookOf(recipe, index, tuning{StepSize: StepSize{Scale: 0.5}}, seedOf(s.faces), s.stepLimit)
	v, m := agent.values, agent.match
	for i := range v.q {
		v.q[i] = elsewhere
	}
	for c, x := range s.before {
		v.q[c.in(index)] = x
	}
	want := slices.Clone(v.q)
	for c, x := range s.after {
		want[c.in(index)] = x
	}
	agent.Learn(1)
	if m.Live() || m.State().Over == (m.Steps() == s.stepLimit) {
		t.Fatalf("Learn took %d steps to %+v, want an end of the game exactly if it is not at the step limit, %d", m.Steps(), m.State(), s.stepLimit)
	}
	for i, got := range v.q {
		if got != want[i] {
			t.Errorf("after Learn, %v in state %d is estimated at %v, want %v", env.Action(i%2), i/2, got, want[i])
		}
	}
	for c := range s.after {
		if v.updates[c.in(index)] == 0 {
			t.Errorf("Learn did not update %+v", c)
		}
	}
}

// seedOf returns the least seed of a match whose first rolls of a die show the
// faces.
func seedOf(faces []int) (seed uint64) {
	index := pigIndex(2, 1000)
	m := env.NewMatch(index.Game(), env.MatchOptions{})
	differs := func(face int) bool {
		if _, _, err := m.Step(env.Roll); err != nil {
			panic(err)
		}
		return index.Game().Faces(int(m.Last().RollNumber))[0] != face
	}
	for ; ; seed++ {
		if m.Reset(seed); !slices.ContainsFunc(faces, differs) {
			return seed
		}
	}
}

// TestChoose checks who decides: the rules at the start of a turn, a draw at
// an exploring start and with chance epsilon, else the estimates, of which a
// tie holds.
func TestChoose(t *testing.T) {
	const draws = 4000
	index := pigIndex(2, 10)
	for _, test := range []struct {
		name       string
		settings   tuning
		turnTotal  int16
		hold, roll float32
		steps      int // before the choice
		want       float64
	}{
		{"better to roll", tuning{}, 4, 0.25, 0.5, 1, 1},
		{"better to hold", tuning{}, 4, 0.5, 0.25, 1, 0},
		{"both negative", tuning{}, 4, -0.5, -0.25, 1, 1},
		{"tie", tuning{}, 4, 0.5, 0.5, 1, 0},
		{"nothing learned", tuning{}, 4, 0, 0, 0, 0},
		{"start of a turn", tuning{Epsilon: Epsilon{Start: 1}, ExploringStarts: true}, 0, 0.5, 0.25, 0, 1},
		{"exploring start", tuning{ExploringStarts: true}, 4, 0.5, 0.25, 0, 0.5},
		{"after an exploring start", tuning{ExploringStarts: true}, 4, 0.5, 0.25, 1, 0},
		{"epsilon, better to hold", tuning{Epsilon: Epsilon{Start: 0.4}}, 4, 0.5, 0.25, 1, 0.2},
		{"epsilon, better to roll", tuning{Epsilon: Epsilon{Start: 0.4}}, 4, 0.25, 0.5, 1, 0.8},
		{"always exploring", tuning{Epsilon: Epsilon{Start: 1}}, 4, 0.5, 0.25, 1, 0.5},
	} {
		test.settings.StepSize.Scale = 1
		v := newValues(index, test.settings.of(qLearningTextbook))
		m := env.NewMatch(index.Game(), env.MatchOptions{})
		m.Reset(1)
		v.begin(m) // which fixes the episode's epsilon
		for m.Steps() != test.steps || m.State().TurnTotal != test.turnTotal {
			s := env.State{Scores: [env.MaxPlayers]int16{1, 2}}
			if test.steps == 0 {
				s.TurnTotal = test.turnTotal
			}
			if err := m.ResetTo(s); err != nil {
				t.Fatal(err)
			}
			for range test.steps {
				if _, _, err := m.Step(env.Roll); err != nil {
					t.Fatal(err)
				}
			}
		}
		i := index.Of(m.Current())
		v.q[2*i], v.q[2*i+1] = test.hold, test.roll
		rolls := 0.0
		for range draws {
			if v.choose(m, i) == env.Roll {
				rolls++
			}
		}
		by := 0.05 // more than six standard deviations of the share
		if test.want == 0 || test.want == 1 {
			by = 0
		}
		if got := rolls / draws; got < test.want-by || got > test.want+by {
			t.Errorf("%s: choose rolls %v of %d times, want %v", test.name, got, draws, test.want)
		}
	}
}

// TestGreedy checks that the greedy policy rolls at the start of a turn and
// where rolling is estimated to be better, and holds on a tie.
func TestGreedy(t *testing.T) {
	forEachSmallGame(t, func(t *testing.T, index policies.StateIndex) {
		v := newValues(index, tuning{StepSize: StepSize{Scale: 1}}.of(qLearningTextbook))
		r := env.NewRand(1)
		for i := range v.q {
			v.q[i] = float32(r.Below(3)) - 1
		}
		greedy := v.Greedy()
		if greedy.Index() != index {
			t.Errorf("Greedy().Index() = %+v, want %+v", greedy.Index(), index)
		}
		for range 2000 {
			s := index.Game().DrawStart(&r)
			i := index.Of(&s)
			if want := s.TurnTotal == 0 || v.q[2*i+1] > v.q[2*i]; greedy.Rolls(i) != want {
				t.Errorf("Greedy() rolls in %+v: %t, want %t, estimates %v", s, !want, want, v.q[2*i:2*i+2])
			}
		}
	})
}
