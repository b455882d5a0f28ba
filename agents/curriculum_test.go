package agents

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// updates are those that the curriculum knows.
var updates = []string{"sample", "expected"}

// curriculumSettings are the defaults with the given update.
func curriculumSettings(update string) Settings {
	s, err := curriculumRecipe.Resolve(game("pig", 2, 10), Settings{"update": update, "smoothing": "off"})
	if err != nil {
		panic(err)
	}
	return s
}

// study has a new agent follow the curriculum through so many passes.
func study(g env.Game, s Settings, passes int64) *curriculum {
	q := newCurriculum(Config{Index: indexOf(g, policies.FullAbstraction), Settings: s, Seed: 1, StepLimit: 10_000})
	for q.at.Pass < passes {
		q.Learn(2)
	}
	return q
}

// worth returns what s is worth to the player to move, by what q has learned.
func (q *curriculum) worth(s env.State) float64 {
	roll := q.value[q.index.Of(&s)]
	if s.TurnTotal > 0 {
		roll = max(roll, q.hold(q.value, &s))
	}
	return float64(roll)
}

// TestCurriculumPiglet checks the estimates against Piglet to 2 points, which
// its authors solve by hand: T. Neller, C. Presser, "Optimal Play of the Dice
// Game Pig", UMAP Journal 25(1), 2004.
func TestCurriculumPiglet(t *testing.T) {
	racedetector.Skip(t)
	for update, near := range map[string]float64{"sample": 0.02, "expected": 1e-4} {
		q := study(game("piglet", 2, 2), curriculumSettings(update), 10)
		for _, test := range []struct {
			own, other, turnTotal int
			win                   float64
		}{
			{0, 0, 0, 4.0 / 7}, {0, 0, 1, 5.0 / 7}, {0, 1, 0, 2.0 / 5},
			{0, 1, 1, 3.0 / 5}, {1, 0, 0, 4.0 / 5}, {1, 1, 0, 2.0 / 3},
		} {
			if got, want := q.worth(stateOf(test.own, test.other, test.turnTotal)), 2*test.win-1; math.Abs(got-want) > near {
				t.Errorf("%v updates: %d to %d with %d this turn is estimated at %.5f, want %.5f", update, test.own, test.other, test.turnTotal, got, want)
			}
		}
	}
}

// TestCurriculumFindsTheValues checks, for every variant, that the start is
// worth what perfect play earns and that the greedy policy is as good as
// perfect play. Without -long each game has one of the two updates.
func TestCurriculumFindsTheValues(t *testing.T) {
	racedetector.Skip(t)
	for i, g := range gamesOfTwo(sized([]int{7}, []int{2, 7})...) {
		perfect := perfectPlay(t, g)
		for _, u := range sized(updates[i%2:][:1], updates) {
			t.Run(fmt.Sprintf("%v, %v updates", g, u), func(t *testing.T) {
				t.Parallel()
				passes, near, least, most := int64(7), 0.04, 0.496, 1.005
				if u == "expected" {
					passes, near, least, most = 5, 0.01, 0.4999, 1.0001
				}
				if g.Variant().Ending == env.AfterRound {
					passes -= 2 // there are many states
				} else if !*long {
					passes--
				}
				if g.Players() == 1 {
					near *= 4 // returns are turns, of which there are several
				}
				q := study(g, curriculumSettings(u), passes)
				var want float64
				if g.Players() == 1 {
					want = -perfect.FewestTurns()
				} else {
					_, want = perfect.Values(g.Start(0))
					want = 2*want - 1
				}
				if got := q.worth(g.Start(0)); math.Abs(got-want) > near {
					t.Errorf("the start is estimated at %.4f, want %.4f", got, want)
				}
				c := compare(t, q.Greedy(), perfect)
				if g.Players() == 2 && c.WinMean() < least {
					t.Errorf("Greedy() wins %.4f against perfect play, want %v or more", c.WinMean(), least)
				}
				if g.Players() == 1 && c.Turns() > perfect.FewestTurns()*most {
					t.Errorf("Greedy() takes %.4f turns, want %.4f or little more", c.Turns(), perfect.FewestTurns())
				}
			})
		}
	}
}

// TestCurriculumPig checks how far the default settings come in the full game.
func TestCurriculumPig(t *testing.T) {
	if !*long {
		t.Skip("TestExpectedUpdatesLearnFaster checks the same in a smaller game")
	}
	g := game("pig", 2, 100)
	perfect := perfectPlay(t, g)
	type level struct {
		steps int64
		win   float64
	}
	for _, test := range []struct {
		update string
		levels []level
	}{
		{"sample", []level{{15_000_000, 0.44}, {20_000_000, 0.445}, {50_000_000, 0.455}, {100_000_000, 0.47}, {200_000_000, 0.48}}},
		{"expected", []level{{16_000_000, 0.48}, {32_000_000, 0.49}}},
	} {
		a := newCurriculum(Config{Index: pigIndex(2, 100), Settings: curriculumSettings(test.update), Seed: 1, StepLimit: 10_000})
		for _, level := range test.levels {
			for a.at.Steps < level.steps {
				a.Learn(2)
			}
			if win := compare(t, a.Greedy(), perfect).WinMean(); win < level.win || win > 0.5+1e-9 {
				t.Errorf("%v updates, after %d decisions: Greedy() wins %.4f against perfect play, want %v or more", test.update, a.at.Steps, win, level.win)
			}
		}
	}
}

// TestExpectedUpdatesLearnFaster checks how far the default settings come in a
// moment, and that expected updates come further than sample updates.
func TestExpectedUpdatesLearnFaster(t *testing.T) {
	racedetector.Skip(t)
	const target, steps, least, better = 50, 2_000_000, 0.46, 0.015
	g := game("pig", 2, target)
	perfect := perfectPlay(t, g)
	win := make(map[string]float64)
	for _, u := range updates {
		a := newCurriculum(Config{Index: pigIndex(2, target), Settings: curriculumSettings(u), Seed: 1})
		for a.at.Steps < steps {
			a.Learn(2)
		}
		win[u] = compare(t, a.Greedy(), perfect).WinMean()
	}
	if win["sample"] < least || win["expected"] < win["sample"]+better || win["expected"] > 0.5+1e-9 {
		t.Errorf("after %d decisions sample updates win %.4f against perfect play and expected ones %.4f, want %v or more and %v more, 0.5 at most", steps, win["sample"], win["expected"], least, better)
	}
}

// TestOrderOfSums checks the order of the sums, and that each begins as many
// episodes at every start of a turn with its sum as the others.
func TestOrderOfSums(t *testing.T) {
	for _, g := range gamesOfTwo(2, 6) {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			index := indexOf(g, policies.FullAbstraction)
			starts := make(map[int64]int64) // by sum, seats that sit alike apart
			highest := int64(0)
			for _, s := range index.Turns() {
				sum := int64(s.Scores[0]) + int64(s.Scores[1])
				if s.First == 0 && g.Variant().Ending == env.AfterRound && int(s.Scores[1]) >= g.Target() {
					continue // the second seat has banked the target before its turn in the last round
				}
				starts[sum]++
				if g.Players() == 2 && g.Variant().Ending == env.AtTarget && s.Scores[0] == s.Scores[1] {
					starts[sum]++ // for each of two seats
				}
				highest = max(highest, sum)
			}
			q := newCurriculum(Config{Index: index, Settings: curriculumSettings("sample"), StepLimit: 100})
			steps := int64(0)
			for pass := range int64(3) {
				for sum := highest; sum >= 0; sum-- {
					for block := range int64(1) << pass {
						if want := (curriculumPosition{Pass: pass, Sum: sum, Block: block, Steps: steps}); q.at != want {
							t.Fatalf("the position is %+v, want %+v", q.at, want)
						}
						played := q.Learn(3)
						if want := firstEpisodes * starts[sum]; played.Episodes != want {
							t.Errorf("a block of sum %d has %d episodes, want %d", sum, played.Episodes, want)
						}
						steps += played.Steps
					}
				}
			}
		})
	}
}

// TestStartScoresCoverTurns checks that the start scores of all sums, with every seat to move
// that has not reached the target, cover each state in which a turn begins that
// an index tells apart, once.
func TestStartScoresCoverTurns(t *testing.T) {
	for _, g := range gamesOfTwo(2, 6) {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			index := indexOf(g, policies.FullAbstraction)
			want := make(map[int]int)
			for start, s := range index.Turns() {
				if s.Over = false; g.Validate(s) != nil {
					continue // cannot occur
				}
				want[start] = 1
				if g.Players() == 2 && g.Variant().Ending == env.AtTarget && s.Scores[0] == s.Scores[1] {
					want[start] = 2 // for each of two seats
				}
			}
			q := newCurriculum(Config{Index: index, Settings: curriculumSettings("sample")})
			got := make(map[int]int)
			for sum := range int(q.highest()) + 1 {
				for _, s := range q.startScores(sum) {
					if int(s.Scores[0])+int(s.Scores[1]) != sum {
						t.Fatalf("startScores(%d) has %+v", sum, s)
					}
					for seat := range int8(g.Players()) {
						if s.Seat = seat; int(s.Scores[seat]) >= g.Target() {
							continue
						}
						if err := g.Validate(s); err != nil {
							t.Fatalf("startScores(%d): %v", sum, err)
						}
						got[index.Of(&s)]++
					}
				}
			}
			for start, n := range want {
				if got[start] != n {
					t.Errorf("turn %d begins in %d start scores, want %d", start, got[start], n)
				}
				delete(got, start)
			}
			if len(got) > 0 {
				t.Errorf("there are start scores for turns that cannot occur: %v", got)
			}
		})
	}
}

// A curriculumReference follows the curriculum as its comment describes it, in
// maps, with states copied and everything looked up when it is needed.
type curriculumReference struct {
	game     env.Game
	settings tuning
	weight   func(n int) float32
	seed     uint64
	limit    int

	value map[view]float32
	count map[view]int
	pass  int
	sum   int
	block int
	steps int64
	// banked is what holding was worth when it was first looked at in the block,
	// by seat and turn total as far as they are told apart: from there on, in
	// games that end after a round, states differ that look alike.
	banked map[[2]int]float32
}

func newCurriculumReference(g env.Game, s tuning, weight func(n int) float32, seed uint64, limit int) *curriculumReference {
	p := &curriculumReference{game: g, settings: s, weight: weight, seed: seed, limit: limit, value: make(map[view]float32), count: make(map[view]int)}
	p.sum = p.highest()
	return p
}

func (p *curriculumReference) highest() int {
	if p.game.Players() == 1 {
		return p.game.Target() - 1
	}
	return highestScore(p.game) + p.game.Target() - 1
}

// foreign returns what a value of s is worth to a seat.
func (p *curriculumReference) foreign(value float32, s env.State, seat int8) float32 {
	if s.Seat != seat {
		return -value
	}
	return value
}

func (p *curriculumReference) hold(s env.State) float32 {
	at := [2]int{int(s.Seat), min(int(s.TurnTotal), highestScore(p.game))}
	if x, known := p.banked[at]; known {
		return x
	}
	next := p.game.AfterHold(s)
	x := float32(p.game.Return(next, int(s.Seat)))
	if !next.Over {
		x = p.foreign(p.value[see(p.game, next)], next, s.Seat)
	}
	p.banked[at] = x
	return x
}

// best is what s is worth to the player to move.
func (p *curriculumReference) best(s env.State) float32 {
	value := p.value[see(p.game, s)]
	if s.TurnTotal > 0 && !s.MustRoll {
		if hold := p.hold(s); hold > value {
			return hold
		}
	}
	return value
}

// expectation is the mean of what all rolls of the dice in s lead to.
func (p *curriculumReference) expectation(s env.State) float32 {
	mean, weights := 0.0, 0
	for _, c := range p.game.Outcomes(s) {
		next := p.game.AfterRoll(s, c.Outcome)
		x := float32(p.game.Return(next, int(s.Seat)))
		switch {
		case next.Over:
		case next.TurnTotal > 0 && p.count[see(p.game, next)] == 0:
			x = p.hold(next) // nobody has rolled there
		default:
			x = p.foreign(p.best(next), next, s.Seat)
		}
		mean += float64(c.Weight) * float64(x)
		weights += c.Weight
	}
	mean /= float64(weights)
	if p.game.Players() == 1 && s.TurnTotal == 0 {
		mean--
	}
	return float32(mean)
}

// A step is a roll in an episode.
type step struct {
	state  env.State
	reward float32 // for who rolled
	next   env.State
	over   bool
}

// episode plays from a state until the scores have changed.
func (p *curriculumReference) episode(m *env.Match, from env.State) {
	if err := m.ResetTo(from); err != nil {
		panic(err)
	}
	epsilon := p.settings.Epsilon.At(p.steps)
	var path []step
	for m.Live() && m.State().Scores == from.Scores {
		s := m.State()
		if s.TurnTotal > 0 && !s.MustRoll && p.hold(s) >= p.value[see(p.game, s)] && m.Rand().Float64() >= epsilon {
			break // holding banks the points, which changes the scores
		}
		terminated, _, err := m.Step(env.Roll)
		if err != nil {
			panic(err)
		}
		path = append(path, step{s, float32(m.Reward(int(s.Seat))), m.State(), terminated})
	}
	for _, s := range slices.Backward(path) {
		sample := s.reward
		if !s.over {
			sample += p.foreign(p.best(s.next), s.next, s.state.Seat)
		}
		if p.settings.Expected {
			sample = p.expectation(s.state)
		}
		v := see(p.game, s.state)
		p.count[v]++
		p.value[v] += float32(p.weight(p.count[v]) * (sample - p.value[v]))
	}
}

// learn plays the block of a sum; the order of its start scores does not
// matter but for the dice.
func (p *curriculumReference) learn() (played Played) {
	began := p.steps
	seed := env.SeedAt(env.SeedAt(env.SeedAt(p.seed, uint64(p.pass)), uint64(p.sum)), uint64(p.block))
	for i, s := range p.startScores() {
		p.banked = make(map[[2]int]float32)
		m := env.NewMatch(p.game, env.MatchOptions{StepLimit: p.limit})
		m.Reset(env.SeedAt(seed, uint64(i)))
		var seats []int8
		for seat := range int8(p.game.Players()) {
			if int(s.Scores[seat]) < p.game.Target() {
				seats = append(seats, seat)
			}
		}
		if p.block == 0 {
			for v, n := range p.count {
				for _, seat := range seats {
					s.Seat = seat
					if start := see(p.game, s); v.own == start.own && v.other == start.other && v.seatsAfter == start.seatsAfter {
						p.count[v] = min(n, remembered)
					}
				}
			}
		}
		for range firstEpisodes {
			for _, seat := range seats {
				s.Seat = seat
				p.steps = began
				from := s
				if p.settings.Expected { // the highest turn total reaches the highest score
					from.TurnTotal = int16(m.Rand().Below(uint32(highestScore(p.game) + 1 - int(s.Scores[seat]))))
				}
				p.episode(m, from)
				played = played.add(Played{int64(m.Steps()), 1})
			}
		}
	}
	p.steps = began + played.Steps
	if p.block++; p.block == 1<<p.pass {
		p.block = 0
		if p.sum--; p.sum < 0 {
			p.pass, p.sum = p.pass+1, p.highest()
		}
	}
	return played
}

// startScores returns the banked scores of the sum, the first seat's rising or,
// in games that end after a round, the second's.
func (p *curriculumReference) startScores() (all []env.State) {
	for x := 0; x <= p.sum; x++ {
		s := env.State{}
		s.Scores[0] = int16(x)
		if p.game.Players() == 2 {
			s.Scores[1] = int16(p.sum - x)
		}
		if p.game.Variant().Ending == env.AfterRound {
			s.Scores[0], s.Scores[1] = s.Scores[1], s.Scores[0]
		}
		first, second := int(s.Scores[0]), int(s.Scores[1])
		switch {
		case p.game.Players() == 1 && x < p.sum:
		case first > highestScore(p.game) || second >= p.game.Target():
		case p.game.Players() == 2 && p.game.Variant().Ending == env.AtTarget && first > second:
		default:
			all = append(all, s)
		}
	}
	return all
}

// TestCurriculumAgainstReference compares with a plain implementation, on the
// same dice, for every variant: all estimates and counts after every block.
func TestCurriculumAgainstReference(t *testing.T) {
	harmonic := func(n int) float32 { return float32(1 / float64(n)) }
	for k, g := range gamesOfTwo(2, 5) {
		if g.Variant().Ending == env.AfterRound && g.Target() > 2 || g.Variant().ID == "cochon" && g != game("cochon", 2, 10) {
			continue // many states; long
		}
		for i, s := range []tuning{
			{StepSize: StepSize{Scale: 1, Power: 1}, Epsilon: Epsilon{Start: 0.5}},
			{StepSize: StepSize{Scale: 0.25}, Epsilon: Epsilon{Start: 0.9, Floor: 0.2, Halving: 1000}},
			{StepSize: StepSize{Scale: 1, Power: 1, Floor: 0.0625}, Epsilon: Epsilon{}},
			{StepSize: StepSize{Scale: 1, Power: 1}, Epsilon: Epsilon{Start: 0.3}, Expected: true},
			{StepSize: StepSize{Scale: 1, Power: 1}, Epsilon: Epsilon{Start: 0.5}}, // with a step limit
			{StepSize: StepSize{Scale: 0.5}, Epsilon: Epsilon{}, Expected: true},
		} {
			if !*long && (i+k)%3 != 0 {
				continue // each game has two settings, and each setting some games
			}
			t.Run(fmt.Sprintf("%v, settings %d", g, i), func(t *testing.T) {
				t.Parallel()
				weight := harmonic
				switch {
				case s.StepSize.Power == 0:
					weight = func(int) float32 { return float32(s.StepSize.Scale) }
				case s.StepSize.Floor > 0:
					weight = func(n int) float32 { return max(float32(s.StepSize.Floor), harmonic(n)) }
				}
				checkCurriculum(t, g, s, weight, []int{0, 3}[i%2])
			})
		}
	}
}

func checkCurriculum(t *testing.T, g env.Game, s tuning, weight func(n int) float32, limit int) {
	passes := int64(3)
	if g.Variant().Ending == env.AfterRound {
		passes = 2
	}
	index := indexOf(g, policies.FullAbstraction)
	q, p := newCurriculum(Config{Index: index, Settings: s.of(curriculumRecipe), Seed: 7, StepLimit: limit}), newCurriculumReference(g, s, weight, 7, limit)
	for q.at.Pass < passes {
		at := q.at
		got, want := q.Learn(2), p.learn()
		if got != want || q.at.Steps != p.steps {
			t.Fatalf("%v, %+v, step limit %d, position %+v: Learn plays %+v, want %+v", g, s, limit, at, got, want)
		}
		for i, state := range index.All() {
			v := see(g, state)
			if q.value[i] != p.value[v] || int(q.count[i]) != min(p.count[v], len(q.weights)-1) {
				t.Fatalf("%v, %+v, step limit %d, position %+v: rolling in %+v is estimated at %v after %d samples, want %v after %d", g, s, limit, at, v, q.value[i], q.count[i], p.value[v], p.count[v])
			}
		}
	}
}
