package agents

import (
	"fmt"
	"io"
	"math"

	"pigpen/env"
	"pigpen/policies"
)

// curriculumRecipe is Q-learning (C. Watkins, 1989) for one or two players that
// starts where games end and works backwards: a reverse curriculum (C. Florensa
// et al., "Reverse Curriculum Generation for Reinforcement Learning", CoRL
// 2017) of exploring starts.
//
// In most games banked scores only increase, so that the values at one sum of the scores
// depend on those at higher sums, and on those at the same sum if a turn gains nothing.
// A pass visits the sums from the highest down, and starts the same number of episodes
// from every pair of scores with that sum; each pass starts twice as many episodes as
// the one before. An episode ends when the scores change, and bootstraps from the
// estimate of the state reached. At the start of its visit to a state, a pass limits the
// count of earlier samples to remembered, so that samples that bootstrapped from less
// accurate estimates lose weight.
//
// The agent estimates only the value of rolling. Holding banks the turn total and passes
// the turn without chance, so its value is that of the resulting state (an afterstate;
// R. Sutton, A. Barto, "Reinforcement Learning", 2nd ed., section 6.8). If that is at
// least the value of rolling, the agent rolls with probability epsilon and otherwise
// ends the episode. Updates go from the last step of an episode to the first, so that
// each step bootstraps from an updated estimate of the next (L.-J. Lin,
// "Self-Improving Reactive Agents Based on Reinforcement Learning, Planning and
// Teaching", Machine Learning 8, 1992).
//
// With expected updates, the target of an update is the mean over all outcomes of the
// dice instead of a sampled outcome. It has no sampling noise, so the step size may be 1.
var curriculumRecipe = Recipe{
	Name: "curriculum", Doc: "from the end of the game backwards",
	Settings: []Setting{
		{
			Name: "update", Domain: Words{"sample", "expected"}, Default: "sample",
			Doc: "what an estimate moves towards, a sample of the dice or their expectation",
		},
		stepSizeSetting.withDefault("n^-0.75", Case{expectedUpdates, "1"}),
		stepSizeFloorSetting.withDefault("0"),
		epsilonSetting.withDefault("0.65", Case{expectedUpdates, "0.8"}),
		epsilonHalvingSetting, epsilonFloorSetting,
	},
	MaxPlayers: 2,
	// The least of targets 50, 100 and 200; pig to 100 for the last.
	Reached: []Reached{{2, 50, 0.454}, {2, 100, 0.470}, {2, 200, 0.479}, {2, 400, 0.485}, {2, 800, 0.490}, {2, 5000, 0.497}},
	DefaultSteps: func(_ env.Game, s Settings, entries int) int64 {
		if s.Text("update") == "expected" {
			return max(leastSteps, 800*int64(entries)) // 400M for pig to 100, whose table has 505,000 entries
		}
		return max(leastSteps, 5000*int64(entries)) // 2.5G
	},
	BytesPerEntry: func(int) int { return curriculumBytes },
	Make:          func(c Config) Agent { return newCurriculum(c) },
}

// expectedUpdates holds if updates use the probabilities of the dice.
var expectedUpdates = Condition{
	Doc:   "with --update expected",
	Holds: func(_ env.Game, s Settings) bool { return s.Text("update") == "expected" },
}

// curriculumBytes is the memory of an entry in bytes: a float32 estimate and a 16-bit
// count.
const curriculumBytes = 4 + 2

const (
	// firstEpisodes is the number of episodes that the first pass starts from each
	// state in which a turn begins. Later passes start them in blocks of this size.
	firstEpisodes = 64
	// remembered is the limit of the count of an estimate at the start of a pass's
	// visit to its state.
	remembered = 30
	// maxPass is an upper bound of the number of a pass that a training can reach:
	// earlier passes start more than 2^40 episodes from every state.
	maxPass = 40
)

type curriculum struct {
	afterstates
	config          Config
	weights         []float32
	schedule        Epsilon
	expectedUpdates bool
	// value[i] estimates the return of the mover for rolling in the states with index
	// i. count[i] is the number of its samples, limited by remembered at each pass and
	// by the length of weights.
	value []float32
	count []uint16
	// neighbours, if not nil, chooses the actions of each pass but the first: those
	// that seemed best at the end of the pass before. Bit i%8 of rolls[i/8] is 1 where
	// the choice in the states with index i is to roll.
	neighbours *neighbours
	rolls      []byte
	workers    []*curriculumWorker
	at         curriculumPosition
	// epsilon is the probability of exploring in the current block.
	epsilon float64
}

// A curriculumPosition is what a curriculum plays next.
type curriculumPosition struct {
	Pass  int64
	Sum   int64 // of the banked scores
	Block int64 // of firstEpisodes from each start, in [0, 2^Pass)
	Steps int64 // decisions so far
}

// A curriculumWorker has the working memory of one goroutine.
type curriculumWorker struct {
	_     cacheLinePad
	match env.Match
	hold  [2][]float32 // value of holding by seat and turn total; unknown until computed
	path  []rolled
	// states[k] is the state of path[k], for expected updates.
	states []env.State
	_      cacheLinePad
}

// rolled is a decision to roll in an episode.
type rolled struct {
	entry  int
	reward float32 // of the step
	hold   float32 // value of holding instead; lowest if not legal
	passed bool    // the roll ended the turn and the episode went on
}

var lowest = float32(math.Inf(-1))

func newCurriculum(c Config) *curriculum {
	n := c.Index.Size()
	q := &curriculum{
		afterstates: newAfterstates(c.Index), config: c,
		weights: c.Settings.StepSize().weights(), schedule: c.Settings.Epsilon(), expectedUpdates: c.Settings["update"] == "expected",
		value: make([]float32, n), count: make([]uint16, n),
	}
	q.at.Sum = q.highest()
	return q
}

// highest returns the highest sum of banked scores with which a turn begins.
func (q *curriculum) highest() int64 {
	sum := q.game.Players() * (q.game.Target() - 1)
	if q.game.Variant().Ending == env.AfterRound {
		sum += q.index.Width() - q.game.Target() // the first of the last round
	}
	return int64(sum)
}

// startScores returns a state for each choice of banked scores with the given sum; seat
// 0 is the first of the round. In games that end at the target the seats are symmetric,
// so it returns only states in which seat 0 has at most the score of seat 1.
func (q *curriculum) startScores(sum int) (list []env.State) {
	target := q.game.Target()
	var s env.State
	switch {
	case q.game.Players() == 1:
		s.Scores[0] = int16(sum)
		return []env.State{s}
	case q.game.Variant().Ending == env.AfterRound:
		for second := max(0, sum-q.index.Width()+1); second <= min(sum, target-1); second++ {
			s.Scores[0], s.Scores[1] = int16(sum-second), int16(second)
			list = append(list, s)
		}
	default:
		for low := max(0, sum-target+1); low <= sum/2; low++ {
			s.Scores[0], s.Scores[1] = int16(low), int16(sum-low)
			list = append(list, s)
		}
	}
	return list
}

// Learn implements [Agent]. It plays one block of episodes from every start state of the
// current sum.
func (q *curriculum) Learn(workers int) Played {
	for len(q.workers) < workers {
		t := &curriculumWorker{match: *env.NewMatch(q.game, env.MatchOptions{StepLimit: q.config.StepLimit})}
		for seat := range t.hold {
			t.hold[seat] = make([]float32, q.index.Width())
		}
		q.workers = append(q.workers, t)
	}
	q.epsilon = q.schedule.At(q.at.Steps)
	list := q.startScores(int(q.at.Sum))
	seed := env.SeedAt(env.SeedAt(env.SeedAt(q.config.Seed, uint64(q.at.Pass)), uint64(q.at.Sum)), uint64(q.at.Block))
	played := inParallel(q.workers[:workers], len(list), func(t *curriculumWorker, i int) Played {
		return q.playBlock(t, list[i], env.SeedAt(seed, uint64(i)))
	})
	q.at.Steps += played.Steps
	q.at.Block++
	if q.at.Block == 1<<q.at.Pass {
		q.at.Block = 0
		q.at.Sum--
	}
	if q.at.Sum < 0 {
		q.at.Pass++
		q.at.Sum = q.highest()
		if q.neighbours != nil {
			q.choose(q.Greedy())
		}
	}
	return played
}

// playBlock plays firstEpisodes episodes from the scores of s for each seat that can be
// to move.
func (q *curriculum) playBlock(t *curriculumWorker, s env.State, seed uint64) (played Played) {
	t.match.Reset(seed)
	seats := 0
	for seat := range q.game.Players() {
		for i := range t.hold[seat] {
			t.hold[seat][i] = unknown
		}
		if int(s.Scores[seat]) < q.game.Target() {
			seats |= 1 << seat
		}
	}
	for seat := range int8(q.game.Players()) {
		if s.Seat = seat; q.at.Block == 0 && seats>>seat&1 == 1 {
			start, last := q.index.Turn(&s)
			for i := start; i <= last; i++ {
				q.count[i] = min(q.count[i], remembered)
			}
		}
	}
	for range firstEpisodes {
		for seat := range int8(q.game.Players()) {
			if s.Seat = seat; seats>>seat&1 == 1 {
				q.episode(t, &s)
				played.Steps += int64(t.match.Steps())
				played.Episodes++
			}
		}
	}
	return played
}

// episode plays from from, the start of a turn, until the banked scores change, and
// updates the estimates of the states visited.
func (q *curriculum) episode(t *curriculumWorker, from *env.State) {
	m, expected := &t.match, q.expectedUpdates
	if err := m.ResetTo(*from); err != nil {
		panic(err) // the curriculum starts in states of the game
	}
	s := m.Current()
	path, states := t.path[:0], t.states[:0]
	var after float32 // value of the state after the last step for the player who took it
play:
	for {
		seat, holds := s.Seat, t.hold[s.Seat]
		start, last := q.index.Turn(s)
		for entry, hold := start, lowest; ; {
			if s.TurnTotal > 0 {
				entry, hold = min(start+int(s.TurnTotal), last), lowest
				if !s.MustRoll {
					hold = q.holdIn(holds, s)
					if !q.prefersRoll(entry, hold) && m.Rand().Float64() >= q.epsilon {
						after = hold
						break play
					}
				}
			}
			path = append(path, rolled{entry: entry, hold: hold})
			v := &path[len(path)-1]
			if expected {
				states = append(states, *s)
			}
			terminated, truncated, err := m.Step(env.Roll)
			if err != nil {
				panic(err) // rolling is always legal
			}
			switch {
			case terminated:
				v.reward, after = float32(m.Reward(int(seat))), 0
				break play
			case q.passed > 0:
				v.reward = float32(m.Reward(0))
			}
			if s.TurnTotal > 0 && !truncated {
				continue
			}
			after = q.value[q.index.Of(s)]
			if s.TurnTotal == 0 {
				after *= q.passed
			} else if hold = q.holdIn(holds, s); hold > after && !s.MustRoll { // cut off within a turn
				after = hold
			}
			if truncated || s.Scores != from.Scores {
				break play
			}
			v.passed = true
			break
		}
	}
	t.path, t.states = path, states
	for k := len(path) - 1; k >= 0; k-- {
		v := &path[k]
		if v.passed {
			after *= q.passed
		}
		sample := v.reward + after
		if expected {
			sample = q.expected(t, &states[k])
		}
		n := q.count[v.entry]
		if int(n) < len(q.weights)-1 {
			n++
			q.count[v.entry] = n
		}
		// The conversion keeps a compiler from fusing the product into the sum,
		// which would change the result from machine to machine.
		q.value[v.entry] += float32(q.weights[n] * (sample - q.value[v.entry]))
		if after = q.value[v.entry]; !q.prefersRoll(v.entry, v.hold) {
			after = v.hold
		}
	}
}

// choose makes p the policy of the pass that begins.
func (q *curriculum) choose(p *policies.Table) {
	clear(q.rolls)
	for i := range q.value {
		if p.Rolls(i) {
			q.rolls[i/8] |= 1 << (i % 8)
		}
	}
}

// prefersRoll reports whether the policy rolls in the states with index entry, where
// hold is the value of holding, or lowest if only rolling is legal.
func (q *curriculum) prefersRoll(entry int, hold float32) bool {
	if q.neighbours == nil || q.at.Pass == 0 || hold == lowest {
		return q.value[entry] > hold
	}
	return q.rolls[entry/8]>>(entry%8)&1 == 1
}

// holdIn returns the value of holding in s. row is the row of curriculumWorker.hold of
// the mover, in which holdIn caches the value for the block.
func (q *curriculum) holdIn(row []float32, s *env.State) float32 {
	known := &row[min(int(s.TurnTotal), len(row)-1)]
	if *known != *known {
		*known = q.hold(q.value, s)
	}
	return *known
}

// expected returns the expected return of rolling in s over the outcomes of the dice.
func (q *curriculum) expected(t *curriculumWorker, s *env.State) float32 {
	start, last := q.index.Turn(s)
	mean := 0.0
	for _, c := range q.game.Outcomes(*s) {
		next := q.game.AfterRoll(*s, c.Outcome)
		var worth float32
		switch {
		case next.Over:
			worth = float32(q.game.Return(next, int(s.Seat)))
		case c.Effect.Gains():
			worth = q.holdIn(t.hold[s.Seat], &next)
			if i := min(start+int(next.TurnTotal), last); q.count[i] > 0 && (next.MustRoll || q.value[i] > worth) {
				worth = q.value[i]
			}
		default:
			worth = q.passed * q.value[q.index.Of(&next)]
		}
		mean += float64(float64(c.Weight) * float64(worth))
	}
	mean /= float64(q.game.TotalWeight())
	if q.passed > 0 && s.TurnTotal == 0 {
		mean-- // the turn that the roll begins
	}
	return float32(mean)
}

// Greedy implements [Agent].
func (q *curriculum) Greedy() *policies.Table {
	if q.neighbours != nil {
		return q.neighbours.decide(max(1, len(q.workers)), q.value, q.count)
	}
	return q.greedy(q.value)
}

// Metrics implements [Agent].
func (q *curriculum) Metrics() Metrics {
	g := metrics(q.count, func(n uint16) float64 { return float64(q.weights[n]) })
	g.Epsilon = q.schedule.At(q.at.Steps)
	return g
}

// parts returns the parts of the state, in the order in which they are written.
func (q *curriculum) parts() []any {
	if q.neighbours != nil {
		return []any{&q.at, q.value, q.rolls, q.count}
	}
	return []any{&q.at, q.value, q.count}
}

// StateSize implements [Agent].
func (q *curriculum) StateSize() int64 { return sizeOf(q.parts()...) }

// WriteState implements [Agent].
func (q *curriculum) WriteState(w io.Writer) error { return writeParts(w, q.parts()...) }

// ReadState implements [Agent].
func (q *curriculum) ReadState(r io.Reader) error {
	if err := readParts(r, q.parts()...); err != nil {
		return err
	}
	if q.at.Pass < 0 || q.at.Pass > maxPass || q.at.Sum < 0 || q.at.Sum > q.highest() || q.at.Block < 0 || q.at.Block >= 1<<q.at.Pass || q.at.Steps < 0 {
		return fmt.Errorf("%w: its position is out of range, %+v", ErrState, q.at)
	}
	for _, n := range q.count {
		if int(n) >= len(q.weights) {
			return fmt.Errorf("%w: a count of %d", ErrState, n)
		}
	}
	return readEnd(r)
}
