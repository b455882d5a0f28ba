package agents

import (
	"fmt"
	"io"
	"math"

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
// for the residual of the coarser ones, shrunk towards 0 in cells with few samples, by as
// much as the spread of the residuals themselves shows to be right (state aggregation with
// weights, as in A. George, W. Powell, S. Kulkarni, "Value Function Approximation Using
// Multiple Aggregation for Multiattribute Resource Management", JMLR 9, 2008). A
// [localFit] smooths the noise that is left.
var roundsRecipe = Recipe{
	Name: "rounds", Doc: "exploring starts, with samples shared among like states",
	MaxPlayers: 2,
	// The least of targets 50, 100 and 200; pig to 100 for the last.
	Reached: []Reached{{2, 10, 0.440}, {2, 20, 0.468}, {2, 50, 0.485}, {2, 200, 0.492}, {2, 5000, 0.499}},
	// It is 2.5G for pig to 100, whose table has 505,000 entries.
	DefaultSteps:  func(_ env.Game, _ Settings, entries int) int64 { return max(leastSteps, 5000*int64(entries)) },
	BytesPerEntry: func(_ Settings, workers int) int { return roundsBytes + workers*roundsBytesOfWorker },
	Make:          func(c Config) Agent { return newRounds(c) },
}

const (
	roundsBytes         = 6*4 + localFitBytes // past, total, base and advantage
	roundsBytesOfWorker = 2 * 4               // samples of a worker
)

const (
	// batchEpisodes is the number of episodes in a batch, which is seeded as a whole.
	batchEpisodes = 256
	// batchesPerCall is the largest number of batches in a call of Learn.
	batchesPerCall = 16
	// firstRound is the number of batches in the first round. Each later round has 30%
	// more than the one before.
	firstRound = 50
	// earlyDecay and lateDecay are the factors by which the weight of a sample falls
	// with each round; for the later one see rounds.late.
	earlyDecay, lateDecay = 0.5, 0.8
	// optimism is the initial estimate of the advantage, above 0 so that rolling is
	// tried (optimistic initial values; Sutton and Barto, section 2.6).
	optimism = 0.02
)

// A resolution is the size of cells of states that share samples.
type resolution struct {
	score     int // width of a cell in banked points of each player
	turnTotal int // width of a cell in turn total
}

var resolutions = []resolution{{20, 2}, {10, 2}, {5, 1}, {2, 1}, {1, 1}}

type rounds struct {
	afterstates
	config Config
	policy *policies.Table // of this round
	// past are the samples of earlier rounds with their weights at the end of the
	// last one.
	past    samples[float32]
	workers []*roundsWorker
	at      round
	// The working memory of improve. base is the value of holding, or 0 if holding ends
	// the game, and advantage is the value of rolling minus base.
	total           samples[float32]
	base, advantage []float32
	smooth          *localFit // of advantage
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
		smooth: newLocalFit(c.Index),
	}
	mc.policy = mc.roundPolicy()
	return mc
}

// roundPolicy returns the policy of the current round, fitted to the samples of the
// rounds before. In the first round it holds whenever that is legal, so that games end.
func (mc *rounds) roundPolicy() *policies.Table {
	if mc.at.Number > 0 {
		return mc.improve()
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
		mc.policy = mc.improve()
		mc.past, mc.total = mc.total, mc.past
		for _, p := range mc.workers {
			clear(p.samples.count)
			clear(p.samples.sum)
		}
		mc.at = round{Number: mc.at.Number + 1, Batches: mc.at.Batches + mc.at.Batches*3/10}
	}
	return played
}

// drawStart draws the state in which an episode begins, in early rounds by
// [env.Game.DrawStart]. In late rounds half of them have low scores, which all games come
// through, more often than high ones. In the others all turn totals that fit the scores
// are equally likely, so that there are samples of those, too, which the policy does not
// come to.
func (mc *rounds) drawStart(r *env.Rand) env.State {
	s := mc.game.DrawStart(r)
	switch {
	case !mc.late():
	case r.Below(2) == 0:
		start, last := mc.index.Turn(&s)
		s.TurnTotal = int16(r.Below(uint32(last - start + 1)))
	default:
		for seat := range mc.game.Players() {
			s.Scores[seat] = int16(r.Below(uint32(s.Scores[seat]) + 1))
		}
	}
	return s
}

// episode plays a game from a drawn state and adds its samples to p.
func (mc *rounds) episode(p *roundsWorker) {
	m := &p.match
	from := mc.drawStart(m.Rand())
	if err := m.ResetTo(from); err != nil {
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

// improve estimates the advantages from all samples and returns the policy that is greedy
// with respect to them.
func (mc *rounds) improve() *policies.Table {
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
	fit(mc.smooth, max(1, len(mc.workers)), mc.advantage, mc.total.count)
	t := policies.NewTable(mc.index)
	for i, s := range mc.index.All() {
		t.Set(i, s.TurnTotal == 0 || mc.base[i]+mc.smooth.fitted[i] > mc.hold(value, &s))
	}
	return t
}

// late reports whether the policy changes little from the current round to the next: when
// some rounds were played, and this one has an episode for each entry of the table.
func (mc *rounds) late() bool {
	return mc.at.Number >= 4 && mc.at.Batches*batchEpisodes >= int64(mc.index.Size())
}

// decay returns the factor by which the weight of a sample falls with the current round.
func (mc *rounds) decay() float32 {
	if mc.late() {
		return lateDecay
	}
	return earlyDecay
}

// sumSamples sets mc.total to the weighted sums of all samples. The weight of samples of
// earlier rounds falls linearly from 1 to the decay during the current round.
func (mc *rounds) sumSamples() {
	left := 1 - float32((1-mc.decay())*float32(mc.at.Played)/float32(mc.at.Batches))
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
	if r == (resolution{1, 1}) { // every entry is a cell
		var between variance
		mc.eachTurn(func(start, end int, _ env.State) {
			for entry := start + 1; entry < end; entry++ {
				between.add(mc.residuals(entry))
			}
		})
		prior := between.prior()
		mc.eachTurn(func(start, end int, _ env.State) {
			for entry := start + 1; entry < end; entry++ {
				mc.advantage[entry] += mc.residuals(entry).shrunken(prior)
			}
		})
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
	cells := make([]residuals, n)
	// eachEntry calls do with each entry in which holding is legal and its cell.
	eachEntry := func(do func(entry int, cell *residuals)) {
		mc.eachTurn(func(start, end int, s env.State) {
			own, other := int(s.Scores[0]), int(s.Scores[1])
			cell := ((int(s.First)*scores+other/r.score)*scores + own/r.score) * turnTotals
			for t := 1; t < end-start; t++ {
				do(start+t, &cells[cell+t/r.turnTotal])
			}
		})
	}
	eachEntry(func(entry int, cell *residuals) { cell.add(mc.residuals(entry)) })
	var between variance
	for _, cell := range cells {
		between.add(cell)
	}
	prior := between.prior()
	eachEntry(func(entry int, cell *residuals) { mc.advantage[entry] += cell.shrunken(prior) })
}

// eachTurn calls do with the range of the entries of each turn and its first state.
func (mc *rounds) eachTurn(do func(start, end int, s env.State)) {
	for start, s := range mc.index.Turns() {
		do(start, start+mc.index.Width()-int(s.Scores[0]), s)
	}
}

// residuals are the differences of returns from their estimates: of an entry, or of all
// entries in a cell.
type residuals struct {
	count float64
	sum   float64
	noise float64 // variance of sum if the estimates are right
}

// residuals returns those of an entry. The variance of a return of 1 or -1 is known from
// its mean; that of a number of turns is taken for their mean, as in a Poisson
// distribution.
func (mc *rounds) residuals(entry int) residuals {
	count, estimate := mc.total.count[entry], mc.base[entry]+mc.advantage[entry]
	r := residuals{count: float64(count), sum: float64(mc.total.sum[entry] - float32(count*estimate))}
	if mc.passed > 0 {
		r.noise = float64(r.count * float64(-estimate))
	} else {
		r.noise = float64(r.count * float64(1-float32(estimate*estimate)))
	}
	return r
}

func (r *residuals) add(o residuals) {
	r.count += o.count
	r.sum += o.sum
	r.noise += o.noise
}

// shrunken returns the mean residual, shrunk as by a prior of so many samples of 0.
func (r residuals) shrunken(prior float64) float32 { return float32(r.sum / (r.count + prior)) }

// variance estimates how much the means of cells differ beyond their noise, by the method
// of moments (R. DerSimonian, N. Laird, "Meta-Analysis in Clinical Trials", Controlled
// Clinical Trials 7, 1986), for means that scatter around 0: with n samples in a cell and
// variances t of the means and v of a sample, its n*mean^2 has the mean v + n*t.
type variance struct {
	cells, count, noise float64
	squares             float64 // the sum of n*mean^2
}

func (v *variance) add(cell residuals) {
	if cell.count > 0 {
		v.cells++
		v.count += cell.count
		v.noise += cell.noise
		// The conversion keeps a compiler from fusing the product into the sum.
		v.squares += float64(cell.sum / cell.count * cell.sum)
	}
}

// prior returns v/t, the number of samples at which a cell applies half of its mean
// (empirical Bayes; B. Efron, C. Morris, "Stein's Estimation Rule and Its Competitors",
// JASA 68, 1973). It is infinite if the means differ by no more than noise.
func (v *variance) prior() float64 {
	sample := v.noise / v.count
	between := v.squares - float64(v.cells*sample)
	if !(between > 0) {
		return math.Inf(1)
	}
	return v.noise / between
}

// Greedy implements [Agent].
func (mc *rounds) Greedy() *policies.Table {
	if mc.at.Played == 0 {
		return mc.policy.Clone()
	}
	return mc.improve()
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
