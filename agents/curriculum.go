package agents

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"pigpen/env"
	"pigpen/policies"
)

// curriculumRecipe is Q-learning (C. Watkins, 1989) that starts where games end and works
// backwards: a reverse curriculum (C. Florensa et al., "Reverse Curriculum Generation for
// Reinforcement Learning", CoRL 2017) of exploring starts.
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
// With smoothing, like states decide together. At the end of a pass the agent estimates
// the advantage of rolling over holding in each state and smooths these estimates with a
// [localFit]. The next pass explores around the policy that rolls where the fitted
// advantage is positive, and bootstraps from the values of its actions: optimistic policy
// iteration (D. Bertsekas, J. Tsitsiklis, "Neuro-Dynamic Programming", 1996, section 5.4).
// Unlike the largest of noisy estimates, the value of an action chosen in advance has no
// upward bias. The estimates themselves remain those of single states, so that a fit's
// error changes only the decisions of one pass.
//
// With expected updates, the target of an update is the mean over all outcomes of the
// dice instead of a sampled outcome. It has no sampling noise, so the step size may be 1,
// and one update of a state is enough if those of the states that follow are done. So
// that rare states get theirs too, episodes of one or two players begin with a random turn
// total (exploring starts; Sutton and Barto, section 5.3).
//
// With three and more players the value of an afterstate for one seat does not follow from
// that for the next. So the agent also estimates, for each state in which a turn begins, the
// returns of the seats that are not to move. Their samples are of the policy: where it
// holds and the episode explored, holding is the sample. Since all returns sum to 0, the
// estimates are of the differences from the mean of these seats, which the mover's value
// tells and which varies most. With summary states, a pass draws its start states.
var curriculumRecipe = Recipe{
	Name: "curriculum", Doc: "from the end of the game backwards",
	Settings: []Setting{
		{
			Name: "update", Domain: Words{"sample", "expected"}, Default: "sample",
			Doc: "what an estimate moves towards, a sample of the dice or their expectation",
		},
		stepSizeSetting.withDefault("n^-0.75", Case{exactTargets, "1"}),
		stepSizeFloorSetting.withDefault("0"),
		epsilonSetting.withDefault("0.65", Case{expectedUpdates, "0.8"}),
		epsilonHalvingSetting, epsilonFloorSetting,
		{
			Name: "smoothing", Domain: Words{"on", "off"}, Default: "on", Cases: []Case{{expectedUpdates, "off"}},
			Doc: "whether like states decide together, by a local fit of the advantages of rolling",
		},
	},
	MaxPlayers:  env.MaxPlayers,
	FullEntries: fullEntries,
	// The least of targets 50, 100 and 200; pig to 100 for the last.
	Reached: []Reached{{2, 50, 0.353}, {2, 100, 0.466}, {2, 200, 0.492}, {2, 400, 0.494}, {2, 5000, 0.499}},
	DefaultSteps: func(g env.Game, s Settings, entries int) int64 {
		if s.Text("update") == "expected" {
			return backwardsSteps(g, entries, 400) // 200M for pig to 100, whose table has 505,000 entries
		}
		return backwardsSteps(g, entries, 5000) // 2.5G
	},
	BytesPerEntry: func(s Settings, _ int) int {
		if s.Text("smoothing") == "off" {
			return curriculumBytes
		}
		return curriculumBytes + smoothingBytes
	},
	Make: func(c Config) Agent { return newCurriculum(c) },
}

// expectedUpdates holds if updates use the probabilities of the dice.
var expectedUpdates = Condition{
	Doc:   "with --update expected",
	Holds: func(_ env.Game, s Settings) bool { return s.Text("update") == "expected" },
}

// exactTargets holds if no target of an update is sampled. With more than two players
// the returns of those who are not to move are.
var exactTargets = Condition{
	Doc:   "with --update expected and up to 2 players",
	Holds: func(g env.Game, s Settings) bool { return expectedUpdates.Holds(g, s) && g.Players() <= 2 },
}

// fullEntries is the size of a table that 5G decisions, some minutes, fill: pig to 60 for
// three players has 6.6 million entries. In one to 100, of 50 million, they come less far
// than with summary states.
const fullEntries = 1 << 23

// curriculumBytes is the memory of an entry in bytes: a float32 estimate and a 16-bit
// count. That of waits, which has an element for each turn and seat not to move, is less
// than a byte more unless the table is small.
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
	// smoothing, if not nil, chooses the actions of each pass but the first: those
	// that seemed best at the end of the pass before. Bit i%8 of rolls[i/8] is 1 where
	// the choice in the states with index i is to roll.
	smoothing *smoothing
	rolls     []byte
	workers   []*curriculumWorker
	at        curriculumPosition
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
	hold  [][]float32 // value of holding by seat and turn total; unknown until computed
	path  []rolled
	// states[k] is the state of path[k], for expected updates.
	states []env.State
	// returns are, with three and more players, the returns of all seats from a point
	// of the episode on, the mover's as sampled rather than estimated in each step.
	returns [env.MaxPlayers]float32
	_       cacheLinePad
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
	q.waits = newWaits(c.Index)
	q.at.Sum = q.highest()
	if c.Settings["smoothing"] == "on" {
		q.smoothing, q.rolls = newSmoothing(q.afterstates), make([]byte, (n+7)/8)
	}
	return q
}

// highest returns the highest sum of banked scores with which a turn begins.
func (q *curriculum) highest() int64 {
	players, most := q.game.Players(), q.game.Target()-1
	sum := players * most
	if q.game.Variant().Ending == env.AfterRound {
		sum += (players - 1) * (q.index.Width() - 1 - most) // all but the last have reached the target
	}
	return int64(sum)
}

// mostScore returns the highest score with which the game goes on for a seat, as far as
// the index distinguishes scores; seat 0 is the first of the round.
func (q *curriculum) mostScore(seat int) int {
	if q.game.Variant().Ending == env.AfterRound && seat < q.game.Players()-1 {
		return q.index.Width() - 1
	}
	return q.game.Target() - 1
}

// startScores returns a state for each choice of banked scores with the given sum; seat
// 0 is the first of the round. In games that end at the target the seats are symmetric,
// so it returns one of the rotations of each choice, the lexicographically least.
func (q *curriculum) startScores(sum int) (list []env.State) {
	n, afterRound := q.game.Players(), q.game.Variant().Ending == env.AfterRound
	var s env.State
	// choose chooses the scores of all seats but the k that have theirs; left is the sum
	// of their scores. Seats choose in turn order or, in games that end after a round,
	// against it.
	var choose func(k, left int)
	choose = func(k, left int) {
		if k == n {
			if afterRound || leastRotation(s.Scores[:n]) {
				list = append(list, s)
			}
			return
		}
		seat, others := k, 0
		if afterRound {
			seat = n - 1 - k
		}
		for j := k + 1; j < n; j++ {
			others += q.mostScore(n - 1 - j) // that of any seat in games that end at the target
		}
		for score := max(0, left-others); score <= min(left, q.mostScore(seat)); score++ {
			s.Scores[seat] = int16(score)
			choose(k+1, left-score)
		}
	}
	choose(0, sum)
	return list
}

// leastRotation reports whether no rotation of scores is lexicographically less.
func leastRotation(scores []int16) bool {
	for by := 1; by < len(scores); by++ {
		for i, score := range scores {
			if c := cmp.Compare(score, scores[(i+by)%len(scores)]); c > 0 {
				return false
			} else if c < 0 {
				break
			}
		}
	}
	return true
}

// drawScores draws states with the given sum of banked scores; seat 0 is the first of
// the round. A pass draws about as many as the abstraction tells states apart in which
// turns begin, for each seat to move. Seats choose their scores in turn, uniformly from
// those that leave the others a choice, from a random seat on, which spreads scores more
// than a uniform choice among all.
func (q *curriculum) drawScores(sum int, seed uint64) (list []env.State) {
	n, r := q.game.Players(), env.NewRand(seed)
	turns := q.index.Views() / q.index.Width() * q.game.Target()
	for range turns/n/int(q.highest()+1) + 1 {
		var s env.State
		first, left, others := int(r.Below(uint32(n))), sum, int(q.highest())
		for k := range n {
			seat := (first + k) % n
			most := q.mostScore(seat)
			others -= most
			least := max(0, left-others)
			score := least + int(r.Below(uint32(min(left, most)-least+1)))
			s.Scores[seat] = int16(score)
			left -= score
		}
		list = append(list, s)
	}
	return list
}

// Learn implements [Agent]. It plays one block of episodes from every start state of the
// current sum.
func (q *curriculum) Learn(workers int) Played {
	for len(q.workers) < workers {
		t := &curriculumWorker{match: *env.NewMatch(q.game, env.MatchOptions{StepLimit: q.config.StepLimit})}
		for range q.game.Players() {
			t.hold = append(t.hold, make([]float32, q.index.Width()))
		}
		q.workers = append(q.workers, t)
	}
	q.epsilon = q.schedule.At(q.at.Steps)
	seed := env.SeedAt(env.SeedAt(env.SeedAt(q.config.Seed, uint64(q.at.Pass)), uint64(q.at.Sum)), uint64(q.at.Block))
	var list []env.State
	if q.waits != nil && q.index.Abstraction() == policies.SummaryAbstraction {
		list, workers = q.drawScores(int(q.at.Sum), seed), 1 // states of one sum may have the same index
	} else {
		list = q.startScores(int(q.at.Sum))
	}
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
		if q.smoothing != nil {
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
		if s.Seat = int8(seat); q.game.Validate(s) == nil {
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
				from := s
				if q.expectedUpdates && q.waits == nil {
					start, last := q.index.Turn(&s)
					from.TurnTotal = int16(t.match.Rand().Below(uint32(last - start + 1)))
				}
				q.episode(t, &from)
				played.Steps += int64(t.match.Steps())
				played.Episodes++
			}
		}
	}
	return played
}

// episode plays from the state from until the banked scores change, and updates the
// estimates of the states visited.
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
			if s.TurnTotal == 0 {
				after = q.waiting(q.value[q.index.Of(s)], s, seat)
			} else { // cut off within a turn
				after = q.value[q.index.Of(s)]
				if hold = q.holdIn(holds, s); hold > after && !s.MustRoll {
					after = hold
				}
			}
			if truncated || s.Scores != from.Scores {
				break play
			}
			v.passed = true
			break
		}
	}
	t.path, t.states = path, states
	if q.waits != nil {
		q.learnTurns(t, from, after)
		return
	}
	for k := len(path) - 1; k >= 0; k-- {
		v := &path[k]
		if v.passed {
			after *= q.passed
		}
		sample := v.reward + after
		if expected {
			sample = q.expected(t, &states[k])
		}
		q.learn(v.entry, sample)
		if after = q.value[v.entry]; !q.prefersRoll(v.entry, v.hold) {
			after = v.hold
		}
	}
}

// learn moves an estimate towards a sample, and returns the weight of the sample.
func (q *curriculum) learn(entry int, sample float32) (weight float32) {
	n := q.count[entry]
	if int(n) < len(q.weights)-1 {
		n++
		q.count[entry] = n
	}
	weight = q.weights[n]
	// The conversion keeps a compiler from fusing the product into the sum,
	// which would change the result from machine to machine.
	q.value[entry] += float32(weight * (sample - q.value[entry]))
	return weight
}

// learnTurns updates the estimates of the states visited in an episode of three or more
// players, which began in from: those of rolling and, where a turn begins, those of the
// other seats. after is the value of the state after the last step for the player who
// took it.
//
// What the other seats receive is sampled from turn to turn. Where the policy holds and
// the episode explored, the sample is that of holding.
func (q *curriculum) learnTurns(t *curriculumWorker, from *env.State, after float32) {
	path, returns := t.path, &t.returns
	q.outlook(returns, q.value, t.match.Current())
	turn := *from
	for k := range path {
		if path[k].passed {
			turn.Seat = int8(q.game.NextSeat(int(turn.Seat), 1))
		}
	}
	held := -1 // the entry of the first state of the turn in which the policy holds
	for k := len(path) - 1; k >= 0; k-- {
		v := &path[k]
		if v.passed {
			turn.Seat = int8(q.game.NextSeat(int(turn.Seat), q.game.Players()-1))
			after = returns[turn.Seat]
		}
		sample := v.reward + after
		if q.expectedUpdates {
			sample = q.expected(t, &t.states[k])
		}
		weight := q.learn(v.entry, sample)
		if after = q.value[v.entry]; !q.prefersRoll(v.entry, v.hold) {
			after, held = v.hold, v.entry
		}
		if k == 0 || path[k-1].passed { // the turn begins
			if held >= 0 {
				turn.TurnTotal = int16(held - v.entry)
				q.outlook(returns, q.value, &turn)
				turn.TurnTotal, held = 0, -1
			}
			q.learnWaits(returns, &turn, after, weight)
		}
	}
}

// learnWaits moves the estimates for the seats that are not to move in s, in which a turn
// begins, towards the given returns. Then it replaces these by the estimates. value is
// the mover's.
func (q *curriculum) learnWaits(returns *[env.MaxPlayers]float32, s *env.State, value, weight float32) {
	sampled := float32(q.passed * returns[s.Seat])
	for seat := range q.game.Players() {
		if seat == int(s.Seat) {
			returns[seat] = value
			continue
		}
		wait := &q.waits[q.wait(s, seat)]
		*wait += float32(weight * (returns[seat] - sampled - *wait))
		returns[seat] = float32(q.passed*value) + *wait
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
	if q.smoothing == nil || q.at.Pass == 0 || hold == lowest {
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
			worth = q.waiting(q.value[q.index.Of(&next)], &next, s.Seat)
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
	if q.smoothing != nil {
		return q.smoothing.decide(max(1, len(q.workers)), q.value, q.count)
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
	if q.smoothing != nil {
		return []any{&q.at, q.value, q.waits, q.rolls, q.count}
	}
	return []any{&q.at, q.value, q.waits, q.count}
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
