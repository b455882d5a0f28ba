package agents

import (
	"fmt"
	"io"

	"pigpen/env"
	"pigpen/policies"
)

// roundsRecipe is Monte Carlo control with exploring starts (R. Sutton, A. Barto,
// "Reinforcement Learning", 2nd ed., section 5.3) for one or two players, in
// rounds: many episodes with the same policy, then a policy improvement. An episode
// begins in a random state with a roll and follows the policy; every roll in it is a
// sample of the return of rolling in its state. The weight of samples of earlier rounds,
// which come from other policies, decays. Each round is longer than the one before.
//
// Returns are so noisy that estimating each state by itself would need too many samples.
// So the agent estimates an advantage (L. Baird, "Advantage Updating", 1993): the value
// of rolling minus that of holding, which is the value of the resulting state. The
// advantage varies slowly from state to state, so neighbouring states share samples in
// cells of several resolutions, from coarse to fine. Each resolution adds a correction
// for the residual of the coarser ones, shrunk towards 0 in cells with few samples
// (state aggregation with weights, as in A.
// George, W. Powell, S. Kulkarni, "Value Function Approximation Using Multiple
// Aggregation for Multiattribute Resource Management", JMLR 9, 2008).
var roundsRecipe = Recipe{
	Name: "rounds", Doc: "exploring starts, with samples shared among like states",
	MaxPlayers: 2,
	// The least of targets 50, 100 and 200; pig to 100 for the last.
	Reached: []Reached{{2, 50, 0.152}, {2, 100, 0.319}, {2, 200, 0.475}, {2, 400, 0.489}, {2, 800, 0.495}, {2, 5000, 0.497}},
	// It is 2.5G for pig to 100, whose table has 505,000 entries.
	DefaultSteps:  func(_ env.Game, _ Settings, entries int) int64 { return max(leastSteps, 5000*int64(entries)) },
	BytesPerEntry: func(workers int) int { return roundsBytes + workers*roundsBytesOfWorker },
	Make:          func(c Config) Agent { return newRounds(c) },
}

const (
	roundsBytes         = 6 * 4 // past, total, base and advantage
	roundsBytesOfWorker = 2 * 4 // samples of a worker
)

const (
	// batchEpisodes is the number of episodes in a batch, which is seeded as a whole.
	batchEpisodes = 256
	// batchesPerCall is the largest number of batches in a call of Learn.
	batchesPerCall = 16
	// firstRound is the number of batches in the first round. Each later round has 30%
	// more than the one before.
	firstRound = 800
	// decay is the factor by which the weight of a sample falls with each round.
	decay = 0.5
	// optimism is the initial estimate of the advantage, above 0 so that rolling is
	// tried (optimistic initial values; Sutton and Barto, section 2.6).
	optimism = 0.02
)

// A resolution is the size of cells of states that share samples.
type resolution struct {
	score     int // width of a cell in banked points of each player
	turnTotal int // width of a cell in turn total
	// prior is the number of samples at which a cell applies half of its mean
	// residual: about the variance of a return divided by the variance of the
	// correction between cells.
	prior float64
}

var resolutions = []resolution{{20, 2, 100}, {10, 2, 600}, {5, 1, 5000}, {2, 1, 30_000}, {1, 1, 100_000}}

type rounds struct {
	afterstates
	config Config
	policy *policies.Table // of this round
	// past are the samples of earlier rounds with their weights at the end of the
	// last one.
	past    samples[float32]
	workers []*roundsWorker
	at      round
	// The working memory of fit. base is the value of holding, or 0 if holding ends the
	// game, and advantage is the value of rolling minus base.
	total           samples[float32]
	base, advantage []float32
}

// A round is the current round, with the number of its batches and of those played.
type round struct{ Number, Played, Batches int64 }

// samples has, by entry, the number of observed returns of rolling and their sum.
type samples[N int32 | float32] struct{ count, sum []N }

func newSamples[N int32 | float32](entries int) samples[N] {
	return samples[N]{make([]N, entries), make([]N, entries)}
}

// A roundsWorker has the working memory of one goroutine that plays batches.
type roundsWorker struct {
	_       cacheLinePad
	match   env.Match
	samples samples[int32] // of this round
	path    []roll
	_       cacheLinePad
}

// A roll is a decision to roll in an episode.
type roll struct {
	entry int
	seat  int8
	began bool // whether the roll began a turn
}

func newRounds(c Config) *rounds {
	n := c.Index.Size()
	mc := &rounds{
		afterstates: newAfterstates(c.Index), config: c, past: newSamples[float32](n),
		at: round{Batches: firstRound}, total: newSamples[float32](n), base: make([]float32, n), advantage: make([]float32, n),
	}
	mc.policy = mc.roundPolicy()
	return mc
}

// roundPolicy returns the policy of the current round, fitted to the samples of the
// rounds before. In the first round it holds whenever that is legal, so that games end.
func (mc *rounds) roundPolicy() *policies.Table {
	if mc.at.Number > 0 {
		return mc.fit()
	}
	t := policies.NewTable(mc.index)
	for start := range mc.index.Turns() {
		t.Set(start, true)
	}
	return t
}

// Learn implements [Agent]. It plays up to batchesPerCall batches of the current round
// and, at the end of the round, improves the policy.
func (mc *rounds) Learn(workers int) Played {
	mc.addWorkers(workers)
	seed := env.SeedAt(mc.config.Seed, uint64(mc.at.Number))
	batches := min(batchesPerCall, mc.at.Batches-mc.at.Played)
	played := inParallel(mc.workers[:workers], int(batches), func(p *roundsWorker, i int) (played Played) {
		p.match.Reset(env.SeedAt(seed, uint64(mc.at.Played)+uint64(i)))
		for range batchEpisodes {
			mc.episode(p)
			played.Steps += int64(p.match.Steps())
			played.Episodes++
		}
		return played
	})
	mc.at.Played += batches
	if mc.at.Played == mc.at.Batches {
		mc.policy = mc.fit()
		mc.past, mc.total = mc.total, mc.past
		for _, p := range mc.workers {
			clear(p.samples.count)
			clear(p.samples.sum)
		}
		mc.at = round{Number: mc.at.Number + 1, Batches: mc.at.Batches + mc.at.Batches*3/10}
	}
	return played
}

// episode plays a game from a random state and adds its samples to p.
func (mc *rounds) episode(p *roundsWorker) {
	m := &p.match
	if err := m.ResetTo(mc.game.DrawStart(m.Rand())); err != nil {
		panic(err) // a drawn start is a state of the game
	}
	s := m.Current()
	path := p.path[:0]
	start, last := mc.index.Turn(s)
	for m.Live() {
		entry := min(start+int(s.TurnTotal), last)
		a := env.Roll
		if m.Steps() > 0 && !s.MustRoll && !mc.policy.Rolls(entry) {
			a = env.Hold
		} else {
			path = append(path, roll{entry, s.Seat, s.TurnTotal == 0})
		}
		if _, _, err := m.Step(a); err != nil {
			panic(err) // the policy rolls where a turn begins
		}
		if s.TurnTotal == 0 && m.Live() {
			start, last = mc.index.Turn(s)
		}
	}
	p.path = path
	if !s.Over {
		return // a truncated episode has no return
	}
	if mc.passed > 0 {
		turns := int32(0)
		for k := len(path) - 1; k >= 0; k-- {
			if path[k].began {
				turns++
			}
			p.samples.add(path[k].entry, -turns)
		}
		return
	}
	returns := [2]int32{int32(m.Reward(0)), int32(m.Reward(1))} // 0 for a win that is shared
	for _, r := range path {
		p.samples.add(r.entry, returns[r.seat])
	}
}

func (s *samples[N]) add(entry int, sum N) {
	s.count[entry]++
	s.sum[entry] += sum
}

// fit estimates the advantages from all samples and returns the policy that is greedy
// with respect to them.
func (mc *rounds) fit() *policies.Table {
	mc.sumSamples()
	// States in which a turn begins have enough samples without sharing.
	value := mc.advantage
	for start := range mc.index.Turns() {
		value[start] = mc.total.sum[start] / (mc.total.count[start] + 1)
	}
	for i, s := range mc.index.All() {
		if s.TurnTotal > 0 {
			mc.advantage[i], mc.base[i] = optimism, 0
			if next := mc.game.AfterHold(s); !next.Over {
				mc.base[i] = mc.passed * value[mc.index.Of(&next)]
			}
		}
	}
	for _, r := range resolutions {
		mc.correct(r)
	}
	t := policies.NewTable(mc.index)
	for i, s := range mc.index.All() {
		t.Set(i, s.TurnTotal == 0 || mc.base[i]+mc.advantage[i] > mc.hold(value, &s))
	}
	return t
}

// sumSamples sets mc.total to the weighted sums of all samples. The weight of samples of
// earlier rounds falls linearly from 1 to decay during the current round.
func (mc *rounds) sumSamples() {
	left := 1 - (1-decay)*float32(mc.at.Played)/float32(mc.at.Batches)
	for i := range mc.total.count {
		var count, sum int32
		for _, p := range mc.workers {
			count += p.samples.count[i]
			sum += p.samples.sum[i]
		}
		mc.total.count[i] = float32(left*mc.past.count[i]) + float32(count)
		mc.total.sum[i] = float32(left*mc.past.sum[i]) + float32(sum)
	}
}

// correct adds to the advantages the shrunken mean residuals of the cells of size r.
func (mc *rounds) correct(r resolution) {
	excess := func(entry int) float64 { // sum of the returns minus their estimates
		known := mc.base[entry] + mc.advantage[entry]
		return float64(mc.total.sum[entry] - float32(mc.total.count[entry]*known))
	}
	if r.score == 1 && r.turnTotal == 1 { // every entry is a cell
		for start, s := range mc.index.Turns() {
			for entry := start + 1; entry < start+mc.index.Width()-int(s.Scores[0]); entry++ {
				mc.advantage[entry] += float32(excess(entry) / (float64(mc.total.count[entry]) + r.prior))
			}
		}
		return
	}
	width := mc.index.Width()
	scores, turnTotals := (width-1)/r.score+1, (width-1)/r.turnTotal+1
	n := scores * turnTotals
	if mc.game.Players() == 2 {
		n *= scores
	}
	if mc.game.Variant().Ending == env.AfterRound {
		n *= 2
	}
	count := make([]float64, n)
	sum := make([]float64, n) // of the excess
	// cells calls do with each entry in which holding is legal and its cell.
	cells := func(do func(entry, cell int)) {
		for start, s := range mc.index.Turns() {
			own, other := int(s.Scores[0]), int(s.Scores[1])
			cell := ((int(s.First)*scores+other/r.score)*scores + own/r.score) * turnTotals
			for t := 1; t < width-own; t++ {
				do(start+t, cell+t/r.turnTotal)
			}
		}
	}
	cells(func(entry, cell int) {
		count[cell] += float64(mc.total.count[entry])
		sum[cell] += excess(entry)
	})
	cells(func(entry, cell int) {
		mc.advantage[entry] += float32(sum[cell] / (count[cell] + r.prior))
	})
}

// Greedy implements [Agent].
func (mc *rounds) Greedy() *policies.Table {
	if mc.at.Played == 0 {
		return mc.policy.Clone()
	}
	return mc.fit()
}

// Metrics implements [Agent].
func (mc *rounds) Metrics() Metrics {
	mc.sumSamples()
	return metrics(mc.total.count, func(n float32) float64 { return 1 / float64(max(1, n)) })
}

// StateSize implements [Agent].
func (mc *rounds) StateSize() int64 {
	return sizeOf(&mc.at) + 2*sizeOf(mc.past.count, mc.past.sum) // past and this round's samples have the same size
}

// WriteState implements [Agent].
func (mc *rounds) WriteState(w io.Writer) error {
	mc.addWorkers(1)
	all := &mc.workers[0].samples // sums do not depend on which worker has the samples
	for _, p := range mc.workers[1:] {
		for i, n := range p.samples.count {
			all.count[i] += n
			all.sum[i] += p.samples.sum[i]
		}
		clear(p.samples.count)
		clear(p.samples.sum)
	}
	return writeParts(w, &mc.at, mc.past.count, mc.past.sum, all.count, all.sum)
}

// ReadState implements [Agent].
func (mc *rounds) ReadState(r io.Reader) error {
	var at round
	if err := readParts(r, &at, mc.past.count, mc.past.sum); err != nil {
		return err
	}
	if at.Number < 0 || at.Batches < firstRound || at.Played < 0 || at.Played >= at.Batches {
		return fmt.Errorf("%w: its round is out of range, %+v", ErrState, at)
	}
	mc.workers, mc.at = nil, round{Number: at.Number, Batches: at.Batches}
	mc.policy = mc.roundPolicy() // before this round's samples are read
	mc.at = at
	mc.addWorkers(1)
	if err := readParts(r, mc.workers[0].samples.count, mc.workers[0].samples.sum); err != nil {
		return err
	}
	return readEnd(r)
}

// addWorkers grows mc.workers to at least the given number.
func (mc *rounds) addWorkers(workers int) {
	for len(mc.workers) < workers {
		mc.workers = append(mc.workers, &roundsWorker{
			match:   *env.NewMatch(mc.game, env.MatchOptions{StepLimit: mc.config.StepLimit}),
			samples: newSamples[int32](mc.index.Size()),
		})
	}
}
