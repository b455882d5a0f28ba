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
// Banked scores only grow, so that what is learned at one sum of them rests on
// higher sums, and on itself where a roll gains nothing. A pass goes through
// the sums from the highest down, and starts the same number of episodes from every pair
// of scores with that sum; the next pass starts twice as many. An episode ends
// when the scores change: from there on, it is worth what has been learned
// before. Each pass forgets most of the last, so that a sample is of little
// account once what it was taken from has been learned better.
//
// Only rolling is learned. Holding banks the turn total and passes the turn,
// which needs no dice: it is worth what the state that it leads to is worth
// (an afterstate; R. Sutton, A. Barto, "Reinforcement Learning", 2nd ed.,
// section 6.8). Where that is worth more than rolling on, the agent rolls on
// with chance epsilon and ends the episode otherwise. The steps of an episode
// are learned from last to first, each from the one after it (L.-J. Lin,
// "Self-Improving Reactive Agents Based on Reinforcement Learning, Planning and
// Teaching", Machine Learning 8, 1992).
//
// With expected updates, an estimate takes the mean over all that the dice can
// do instead of what they did. There is no noise to average out then, so that
// the step size may be 1.
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
	Reached:       []Reached{{2, 50, 0.454}, {2, 100, 0.470}, {2, 200, 0.479}, {2, 400, 0.485}, {2, 800, 0.490}, {2, 5000, 0.497}},
	BytesPerEntry: func(int) int { return curriculumBytes },
	Make:          func(c Config) Agent { return newCurriculum(c) },
}

// expectedUpdates holds if the agent is told the chances of the dice.
var expectedUpdates = Condition{
	Doc:   "with --update expected",
	Holds: func(_ env.Game, s Settings) bool { return s.Text("update") == "expected" },
}

// curriculumBytes is what an entry takes: a float32 estimate and a 16-bit
// count.
const curriculumBytes = 4 + 2

const (
	// firstEpisodes is how many episodes the first pass starts from each
	// state in which a turn begins. Later passes start as many at a time.
	firstEpisodes = 64
	// remembered is the most samples of earlier passes that an estimate counts
	// when a pass comes to it.
	remembered = 30
	// maxPass is past every pass that a training can come to: the passes before
	// it start 2^40 episodes and more from every state.
	maxPass = 40
)

type curriculum struct {
	afterstates
	config          Config
	weights         []float32
	schedule        Epsilon
	expectedUpdates bool
	// value[i] estimates the return of rolling in the states of number i, for
	// the player who rolls; count[i] is the number of its samples, as far as
	// it is remembered and as weights goes.
	value   []float32
	count   []uint16
	workers []*curriculumWorker
	at      progress
	// epsilon is that of the block under way.
	epsilon float64
}

// progress is a position in the curriculum.
type progress struct {
	Pass  int64
	Sum   int64 // of the banked scores
	Block int64 // of firstEpisodes from each start, in [0, 2^Pass)
	Steps int64 // decisions so far
}

// A curriculumWorker holds what one goroutine reads and writes.
type curriculumWorker struct {
	_     cacheLinePad
	match env.Match
	hold  [2][]float32 // by seat and turn total; unknown where not looked up
	path  []rolled
	// states are those of the path, for expected updates.
	states []env.State
	_      cacheLinePad
}

// rolled is a roll of an episode.
type rolled struct {
	entry  int
	reward float32 // of the step
	hold   float32 // what holding was worth instead; lowest where it was not legal
	passed bool    // the turn passed, and the episode went on
}

var lowest = float32(math.Inf(-1))

func newCurriculum(c Config) *curriculum {
	n := c.Index.Size()
	q := &curriculum{
		afterstates: newAfterstates(c.Index), config: c,
		weights: c.Settings.StepSize().weights(), schedule: c.Settings.Epsilon(), expectedUpdates: c.Settings.Text("update") == "expected",
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

// startScores returns the banked scores that have a sum, with seat 0 first. Where
// the round does not matter, seats are as good as each other, and seat 0 has no
// more than seat 1.
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

// Learn implements [Agent]: one block of episodes from every start of a sum.
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
	}
	return played
}

// playBlock plays a block of episodes from scores s, from every seat to move.
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

// episode plays from the start of a turn until the banked scores change, and
// learns from it.
func (q *curriculum) episode(t *curriculumWorker, from *env.State) {
	m, expected := &t.match, q.expectedUpdates
	if err := m.ResetTo(*from); err != nil {
		panic(err) // the curriculum starts in states of the game
	}
	s := m.Current()
	path, states := t.path[:0], t.states[:0]
	var after float32 // what the last step is worth to the player who took it
play:
	for {
		seat, holds := s.Seat, t.hold[s.Seat]
		start, last := q.index.Turn(s)
		for entry, hold := start, lowest; ; {
			if s.TurnTotal > 0 {
				entry = min(start+int(s.TurnTotal), last)
				hold = q.holdIn(holds, s)
				if q.value[entry] <= hold && m.Rand().Float64() >= q.epsilon {
					after = hold
					break play
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
			} else if hold = q.holdIn(holds, s); hold > after { // cut off within a turn
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
		if after = q.value[v.entry]; v.hold > after {
			after = v.hold
		}
	}
}

// holdIn returns what holding in s is worth, from a row of a worker's hold, which
// caches it for a block.
func (q *curriculum) holdIn(row []float32, s *env.State) float32 {
	known := &row[min(int(s.TurnTotal), len(row)-1)]
	if *known != *known {
		*known = q.hold(q.value, s)
	}
	return *known
}

// expected returns what a roll in s is worth, the mean over all that the dice
// can do.
func (q *curriculum) expected(t *curriculumWorker, s *env.State) float32 {
	start, last := q.index.Turn(s)
	mean := 0.0
	for _, c := range q.game.Outcomes(*s) {
		next := q.game.AfterRoll(*s, c.Outcome)
		var worth float32
		switch {
		case next.Over:
			worth = float32(q.game.Return(next, int(s.Seat)))
		case c.Effect == env.Gain:
			worth = q.holdIn(t.hold[s.Seat], &next)
			if i := min(start+int(next.TurnTotal), last); q.count[i] > 0 && q.value[i] > worth {
				worth = q.value[i]
			}
		default:
			worth = q.passed * q.value[q.index.Of(&next)]
		}
		mean += float64(float64(c.Weight) * float64(worth))
	}
	mean /= float64(q.game.Rolls())
	if q.passed > 0 && s.TurnTotal == 0 {
		mean-- // the turn that the roll begins
	}
	return float32(mean)
}

// Greedy implements [Agent].
func (q *curriculum) Greedy() *policies.Table { return q.greedy(q.value) }

// Metrics implements [Agent].
func (q *curriculum) Metrics() Metrics {
	g := metrics(q.count, func(n uint16) float64 { return float64(q.weights[n]) })
	g.Epsilon = q.schedule.At(q.at.Steps)
	return g
}

// parts returns what the state holds.
func (q *curriculum) parts() []any { return []any{&q.at, q.value, q.count} }

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
		return fmt.Errorf("%w: its progress is out of range, %+v", ErrState, q.at)
	}
	for _, n := range q.count {
		if int(n) >= len(q.weights) {
			return fmt.Errorf("%w: a count of %d", ErrState, n)
		}
	}
	return readEnd(r)
}
