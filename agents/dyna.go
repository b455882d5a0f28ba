package agents

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"pigpen/env"
	"pigpen/policies"
)

// dynaRecipe is a model-based learner for one or two players in the manner of Dyna
// (R. Sutton, "Integrated Architectures for Learning, Planning, and Reacting Based on
// Approximating Dynamic Programming", ICML 1990): it plays games, counts what rolls
// do, and plans with the counted frequencies as if they were the probabilities of the
// dice (certainty equivalence). It knows the rules of banking and of the end of the
// game, but nothing of the dice: it infers each outcome from the states before and
// after a roll.
//
// A plan makes expected updates from the end of the game backwards, as prioritized
// sweeping would order them (A. Moore, C. Atkeson, "Prioritized Sweeping", Machine
// Learning 13, 1993), so that a single sweep suffices, unless a roll can lower a banked
// score. Plans are made each time that the number of decisions has grown by planGrowth.
//
// The outcomes of a roll may depend on the points that the mover holds, banked and not.
// A chi-squared test on the agent's own counts decides whether one model serves all
// states or each number of points needs its own.
var dynaRecipe = Recipe{
	Name: "sweeps", Doc: "counts what rolls do, and plans backwards with the frequencies",
	Settings: []Setting{{
		Name: "model", Domain: Words{"auto", "by-points", "one"}, Default: "auto",
		Doc: "model of the dice, one for all states or one for each number of points held; auto tests the counts",
	}},
	MaxPlayers: 2,
	// The policy has one bit for each entry; counts and values are much fewer than
	// entries.
	BytesPerEntry: func(int) int { return 1 },
	DefaultSteps:  func(env.Game, Settings, int) int64 { return 3_000_000 },
	Make:          func(c Config) Agent { return newDyna(c) },
}

const (
	// planGrowth is the factor by which the number of decisions grows from one plan to
	// the next.
	planGrowth = 1.2
	// firstPlan is the number of decisions before the first plan.
	firstPlan = 100
	// mostGames is the largest number of games in a call of Learn.
	mostGames = 256
	// mostSweeps bounds the sweeps of a plan, and mostSolves the solutions of a pair of
	// turns in a sweep.
	mostSweeps, mostSolves = 200, 30
	// settled is the change of a value, in units of return, below which a plan ends.
	settled = 1e-9
	// leastRow is the number of rolls with which a number of points takes part in the
	// test, and leastExpected the least expected count of a cell of the test.
	leastRow, leastExpected = 20, 5
	// critical is the quantile of the test in standard deviations: a false alarm has
	// probability 3e-7, since the test is repeated at every plan.
	critical = 5
)

// An ending is what the state after a roll that ended the turn tells of its effect.
// Effects that lead to the same state are not told apart.
type ending int

const (
	endStop         ending = iota // the turn total was banked
	endStopNoScore                // likewise, and the banked score was 0
	endBust                       // the turn total was lost, the banked score was not
	endWipe                       // both were lost
	endWipeScore                  // the banked score was lost, the turn total was 0
	endBustStop                   // one of both: the turn total was 0
	endBustWipe                   // one of both: the banked score was 0
	endBustStopWipe               // one of three: both were 0
	numEndings
)

type dyna struct {
	afterstates
	config Config
	model  string // the setting
	at     dynaProgress
	// rolls are the counts of all rolls so far, and planned those at the last plan.
	rolls, planned rollCounts
	// value[k] is the value of the turn with key k, for the player whose turn it is,
	// according to the last plan.
	value    []float64
	policy   *policies.Table // of the last plan
	workers  []*dynaWorker
	planning time.Duration
}

// dynaProgress counts what was played.
type dynaProgress struct {
	Decisions, Games int64
	Planned          int64 // decisions at the last plan; 0 if there was none
}

// rollCounts counts what rolls did.
type rollCounts struct {
	width, columns int
	// outcome[held*columns+c] counts rolls by a mover with held points that
	//
	//	c = 0            ended the turn
	//	c = p            gained p points, in [1, width]
	//	c = width + p    gained p points and must be followed by another roll
	//	c = 2·width + p  gained p points, which ended the game
	//
	// The last row is also that of more points held, and p = width that of larger gains.
	outcome []int64
	ended   [numEndings]int64
}

func newRollCounts(width int) rollCounts {
	columns := 1 + 3*width
	return rollCounts{width: width, columns: columns, outcome: make([]int64, width*columns)}
}

// copyFrom sets n to m, which has the same size.
func (n *rollCounts) copyFrom(m *rollCounts) { copy(n.outcome, m.outcome); n.ended = m.ended }

// A dynaWorker has the working memory of one goroutine.
type dynaWorker struct {
	_     cacheLinePad
	match env.Match
	seen  []observed
	plan  turnPlanner
	_     cacheLinePad
}

// observed is the cell of rollCounts.outcome in which a roll counts, and its ending if
// it ended the turn.
type observed struct {
	cell   int32
	ending int8 // -1 for a gain
}

func newDyna(c Config) *dyna {
	d := &dyna{afterstates: newAfterstates(c.Index), config: c, model: c.Settings.Text("model")}
	width := c.Index.Width()
	d.rolls, d.planned = newRollCounts(width), newRollCounts(width)
	turns := d.game.Target()
	if d.game.Players() == 2 {
		turns *= width
	}
	if d.game.Variant().Ending == env.AfterRound {
		turns *= d.game.Players()
	}
	d.value = make([]float64, turns)
	d.policy = d.firstPolicy()
	return d
}

// firstPolicy returns the policy before the first plan. It holds whenever that is legal.
func (d *dyna) firstPolicy() *policies.Table {
	t := policies.NewTable(d.index)
	for start := range d.index.Turns() {
		t.Set(start, true)
	}
	return t
}

// Learn implements [Agent]. It plays some games and plans if there is enough news. The
// number of games grows with those played before, so that short trainings end on time.
func (d *dyna) Learn(workers int) Played {
	d.addWorkers(workers)
	games := int(min(mostGames, 1+d.at.Games/64))
	play := func(w *dynaWorker, i int) Played {
		w.match.Reset(env.SeedAt(d.config.Seed, uint64(d.at.Games)+uint64(i)))
		d.play(w)
		return Played{Steps: int64(w.match.Steps()), Episodes: 1}
	}
	var played Played
	if games < 8 { // too few for more goroutines
		for i := range games {
			played = played.add(play(d.workers[0], i))
		}
	} else {
		played = inParallel(d.workers[:workers], games, play)
	}
	for _, w := range d.workers {
		for _, o := range w.seen {
			d.rolls.outcome[o.cell]++
			if o.ending >= 0 {
				d.rolls.ended[o.ending]++
			}
		}
		w.seen = w.seen[:0]
	}
	d.at.Decisions += played.Steps
	d.at.Games += played.Episodes
	if d.at.Decisions >= firstPlan && float64(d.at.Decisions) >= planGrowth*float64(d.at.Planned) {
		began := time.Now()
		d.at.Planned = d.at.Decisions
		d.planned.copyFrom(&d.rolls)
		m := d.dice(&d.planned)
		d.sweep(m, d.value, workers)
		d.policy = d.greedyFor(m, d.value)
		d.planning += time.Since(began)
	}
	return played
}

// PlanningTime implements [Planner].
func (d *dyna) PlanningTime() time.Duration { return d.planning }

// play plays the game on w.match and notes what the rolls did.
func (d *dyna) play(w *dynaWorker) {
	m := &w.match
	s := m.Current()
	start, last := d.index.Turn(s)
	for m.Live() {
		before := *s
		rolls := s.MustRoll || d.policy.Rolls(min(start+int(s.TurnTotal), last))
		if d.at.Planned == 0 { // nothing is known: draw the action
			rolls = s.TurnTotal == 0 || s.MustRoll || m.Rand().Below(env.NumActions) == uint32(env.Roll)
		}
		if !rolls {
			if _, _, err := m.Step(env.Hold); err != nil {
				panic(err) // the policy rolls where a turn begins
			}
		} else {
			if _, _, err := m.Step(env.Roll); err != nil {
				panic(err) // rolling is always legal
			}
			w.seen = append(w.seen, d.observe(&before, s))
		}
		if s.TurnTotal == 0 && m.Live() {
			start, last = d.index.Turn(s)
		}
	}
}

// observe infers from the states before and after a roll what the roll did.
func (d *dyna) observe(before, after *env.State) observed {
	score, turnTotal := int(before.Scores[before.Seat]), int(before.TurnTotal)
	row := min(score+turnTotal, d.index.Width()-1) * d.rolls.columns
	width := d.rolls.width
	gain := func(points, column int) observed {
		return observed{int32(row + column + min(points, width)), -1}
	}
	now := int(after.Scores[before.Seat])
	switch {
	case after.MustRoll:
		return gain(int(after.TurnTotal)-turnTotal, width)
	case after.TurnTotal > 0:
		return gain(int(after.TurnTotal)-turnTotal, 0)
	case after.Over && d.game.Variant().Ending == env.AtTarget:
		return gain(now-score-turnTotal, 2*width)
	}
	e := endBust
	switch {
	case now < score && turnTotal == 0:
		e = endWipeScore
	case now < score:
		e = endWipe
	case now > score && score == 0:
		e = endStopNoScore
	case now > score:
		e = endStop
	case score == 0 && turnTotal == 0:
		e = endBustStopWipe
	case turnTotal == 0:
		e = endBustStop
	case score == 0:
		e = endBustWipe
	}
	return observed{int32(row), int8(e)}
}

// A diceModel has the probabilities of the outcomes of a roll, by the points of the
// mover, or one for all.
type diceModel []rollChances

// rollChances are the probabilities of the outcomes of a roll. They sum to 1.
type rollChances struct {
	effect [env.Stop + 1]float64 // of Bust, Wipe and Stop
	gains  []gainChance
}

type gainChance struct {
	points int
	again  bool // must be followed by another roll
	chance float64
}

// at returns the probabilities for a mover with held points.
func (m diceModel) at(held int) *rollChances { return &m[min(held, len(m)-1)] }

// dice returns the model that n supports. Rolls must have been counted.
func (d *dyna) dice(n *rollCounts) diceModel {
	sums := make([]int64, n.columns)
	for cell, count := range n.outcome {
		sums[cell%n.columns] += count
	}
	again := n.againShares(sums)
	all := n.resolved(sums, again)
	shares := n.shares()
	overall := frequencies(all, nil)
	if d.model == "one" || d.model == "auto" && !n.dependOnPoints(all, again) {
		return diceModel{n.chancesOf(overall, shares)}
	}
	var m diceModel
	for row := range slices.Chunk(n.outcome, n.columns) {
		m = append(m, n.chancesOf(frequencies(n.resolved(row, again), overall), shares))
	}
	return m
}

// againShares estimates, by points, the share of rolls that must be followed by another,
// from those that did not end the game. sums has the sums of the columns.
func (n *rollCounts) againShares(sums []int64) []float64 {
	shares := make([]float64, n.width+1)
	for p := 1; p <= n.width; p++ {
		if again := sums[n.width+p]; again > 0 {
			shares[p] = float64(again) / float64(again+sums[p])
		}
	}
	return shares
}

// resolved returns a row of counts without the last third of its columns, the rolls that
// ended the game: whether these would have asked for another roll does not show, and they
// are shared out as the others of the same points are.
func (n *rollCounts) resolved(row []int64, again []float64) []float64 {
	counts := make([]float64, 1+2*n.width)
	for c := range counts {
		counts[c] = float64(row[c])
	}
	for p := 1; p <= n.width; p++ {
		if ended := float64(row[2*n.width+p]); ended > 0 {
			counts[p] += float64((1 - again[p]) * ended)
			counts[n.width+p] += float64(again[p] * ended)
		}
	}
	return counts
}

// frequencies returns the relative frequencies of counts, to which prior, if not nil,
// adds as one more roll.
func frequencies(counts, prior []float64) []float64 {
	total := 0.0
	f := make([]float64, len(counts))
	for c, n := range counts {
		f[c] = n
		if prior != nil {
			f[c] += prior[c]
		}
		total += f[c]
	}
	for c := range f {
		f[c] /= total
	}
	return f
}

// chancesOf returns the chances with the given probability of each column of
// [rollCounts.resolved]. shares are those of the effects in turns that end.
func (n *rollCounts) chancesOf(columns []float64, shares [env.Stop + 1]float64) (r rollChances) {
	for e, share := range shares {
		r.effect[e] = float64(columns[0] * share)
	}
	for c, p := range columns {
		if c > 0 && p > 0 {
			r.gains = append(r.gains, gainChance{1 + (c-1)%n.width, c > n.width, p})
		}
	}
	return r
}

// shares estimates how the endings of turns split into effects: the share of stops from
// turns that had a total to lose, and that of wipes from movers who had a banked score to
// lose. Where nothing tells, the effect that loses less is assumed, so that the plan
// comes to where it shows (optimism in the face of uncertainty; R. Brafman, M.
// Tennenholtz, "R-max", JMLR 3, 2002).
func (n *rollCounts) shares() (share [env.Stop + 1]float64) {
	ratio := func(part, rest int64, unknown float64) float64 {
		if part+rest == 0 {
			return unknown
		}
		return float64(part) / float64(part+rest)
	}
	e := &n.ended
	stop := ratio(e[endStop]+e[endStopNoScore], e[endBust]+e[endWipe]+e[endBustWipe], 1)
	wipe := ratio(e[endWipe]+e[endWipeScore], e[endBust]+e[endBustStop]+e[endStop], 0)
	wipe = min(wipe, 1-stop)
	share[env.Stop], share[env.Wipe], share[env.Bust] = stop, wipe, 1-stop-wipe
	return share
}

// dependOnPoints reports whether the outcomes depend on the points of the mover. It is
// Pearson's test of homogeneity of the rows, with the Wilson-Hilferty approximation of
// the critical value. In each row, outcomes with small expected counts are pooled. all
// has the sums of the columns of [rollCounts.resolved], and again is its argument.
func (n *rollCounts) dependOnPoints(all, again []float64) bool {
	total := 0.0
	for _, count := range all {
		total += count
	}
	statistic, freedom := 0.0, 0
	for row := range slices.Chunk(n.outcome, n.columns) {
		counts, size := n.resolved(row, again), 0.0
		for _, count := range counts {
			size += count
		}
		if size < leastRow {
			continue
		}
		cells, restSeen, restExpected := 0, 0.0, 0.0
		add := func(seen, expected float64) {
			off := seen - expected
			statistic += off * off / expected
			cells++
		}
		for c, count := range counts {
			switch expected := size * (all[c] / total); {
			case expected >= leastExpected:
				add(count, expected)
			default:
				restSeen += count
				restExpected += expected
			}
		}
		if restExpected >= leastExpected {
			add(restSeen, restExpected)
		}
		freedom += max(0, cells-1)
	}
	if freedom == 0 {
		return false
	}
	a := 2 / (9 * float64(freedom))
	root := 1 - a + float64(critical*math.Sqrt(a))
	return statistic > float64(freedom)*root*root*root
}

// key returns the number of the turn that s is in, in the order of value.
func (d *dyna) key(s *env.State) int {
	own := int(s.Scores[s.Seat])
	if d.game.Players() == 1 {
		return own
	}
	other, after := min(int(s.Scores[1-s.Seat]), d.index.Width()-1), 0
	if d.game.Variant().Ending == env.AfterRound {
		after = d.game.SeatsAfter(s, int(s.Seat))
	}
	return (after*d.index.Width()+other)*d.game.Target() + own
}

// sweep moves value to the values of perfect play with the dice of m. It sweeps over the
// pairs of banked scores from the highest sum down. Only if a roll can lower a banked
// score is there more than one sweep.
func (d *dyna) sweep(m diceModel, value []float64, workers int) {
	d.addWorkers(workers)
	wipes := slices.ContainsFunc(m, func(r rollChances) bool { return r.effect[env.Wipe] > 0 })
	highest := d.game.Target() - 1
	if d.game.Players() == 2 {
		highest += d.index.Width() - 1
	}
	for range mostSweeps {
		for sum := highest; sum >= 0; sum-- {
			low, high := d.firstScores(sum)
			solve := func(w *dynaWorker, i int) Played {
				s := env.State{}
				if s.Scores[0] = int16(low + i); d.game.Players() == 2 {
					s.Scores[1] = int16(sum - low - i)
				}
				w.plan.solve(d, m, value, s)
				return Played{}
			}
			if n := high - low + 1; n >= 8 && workers > 1 {
				inParallel(d.workers[:workers], n, solve)
			} else {
				for i := range n {
					solve(d.workers[0], i)
				}
			}
		}
		change := 0.0
		for _, w := range d.workers {
			change = max(change, w.plan.change)
			w.plan.change = 0
		}
		if !wipes || change < settled {
			break
		}
	}
}

// firstScores returns the range of the score of seat 0 in the states with the given sum
// of banked scores in which a turn begins. Where the seats are symmetric, seat 0 has at
// most the score of seat 1. The range is empty if high < low.
func (d *dyna) firstScores(sum int) (low, high int) {
	target := d.game.Target()
	switch {
	case d.game.Players() == 1:
		return sum, sum
	case d.game.Variant().Ending == env.AfterRound:
		return max(0, sum-target+1), min(sum, d.index.Width()-1)
	}
	return max(0, sum-target+1), sum / 2
}

// A turnPlanner computes the values of turns.
type turnPlanner struct {
	turns  [2]turnValues // by seat
	change float64       // largest change of a value in this sweep
}

// turnValues are the values of the states of a turn, by turn total.
type turnValues struct {
	hold, roll, best []float64
	// slope and rollSlope are the derivatives of best and roll with respect to the value
	// of a bust.
	slope, rollSlope []float64
	n                int // number of turn totals
	own              int
	beyond           float64 // value of turn totals from n on
	wipe             float64 // value after a wipe, unless own is 0
	bust             float64 // value after a bust, if bustKey is -1
	bustKey          int     // of the turn after a bust
	key              int
}

// prepare computes what does not depend on the value of a bust in the turn that begins
// in s.
func (t *turnValues) prepare(d *dyna, value []float64, s env.State) {
	width, seat := d.index.Width(), s.Seat
	t.own = int(s.Scores[seat])
	t.n = width - t.own
	t.key = d.key(&s)
	if t.hold == nil {
		for _, part := range []*[]float64{&t.hold, &t.roll, &t.best, &t.slope, &t.rollSlope} {
			*part = make([]float64, width)
		}
	}
	worth := func(next *env.State) float64 {
		if next.Over {
			return d.game.Return(*next, int(seat))
		}
		return float64(d.passed) * value[d.key(next)]
	}
	after := s
	for k := 1; k < t.n; k++ {
		after.TurnTotal = int16(k)
		next := d.game.AfterHold(after)
		t.hold[k] = worth(&next)
	}
	if d.game.Variant().Ending == env.AtTarget {
		end := s
		end.Scores[seat], end.Over = int16(d.game.Target()), true
		t.beyond = d.game.Return(end, int(seat))
	} else {
		t.beyond = t.hold[t.n-1]
	}
	if t.own > 0 {
		next := d.game.AfterRoll(s, env.Outcome{Effect: env.Wipe})
		t.wipe = worth(&next)
	}
	next := d.game.AfterRoll(s, env.Outcome{Effect: env.Bust})
	if t.bustKey = -1; next.Over {
		t.bust = worth(&next)
	} else {
		t.bustKey = d.key(&next)
	}
}

// evaluate computes the values of the turn, given that of a bust.
func (t *turnValues) evaluate(m diceModel, bust float64, alone bool) (value, slope float64) {
	for k := t.n - 1; k >= 0; k-- {
		r := m.at(t.own + k)
		lost, x := r.effect[env.Bust], 0.0
		if t.own == 0 {
			lost += r.effect[env.Wipe]
		} else {
			x += float64(r.effect[env.Wipe] * t.wipe)
		}
		if k == 0 {
			lost += r.effect[env.Stop]
		} else {
			x += float64(r.effect[env.Stop] * t.hold[k])
		}
		x += float64(lost * bust)
		slope = lost
		for _, g := range r.gains {
			switch to := k + g.points; {
			case to >= t.n:
				x += float64(g.chance * t.beyond)
			case g.again:
				x += float64(g.chance * t.roll[to])
				slope += float64(g.chance * t.rollSlope[to])
			default:
				x += float64(g.chance * t.best[to])
				slope += float64(g.chance * t.slope[to])
			}
		}
		t.roll[k], t.best[k], t.slope[k], t.rollSlope[k] = x, x, slope, slope
		if k > 0 && t.hold[k] >= x {
			t.best[k], t.slope[k] = t.hold[k], 0
		}
	}
	if alone {
		t.best[0]-- // the turn that begins
	}
	return t.best[0], t.slope[0]
}

// solve sets the values of the turns with the banked scores of s, one for each player
// who can be to move. These depend on each other through busts: x_i = f_i(b_i), where
// b_i is the value of a bust, which is ±x_j. Since f_i is piecewise linear, Newton's
// method comes to the solution in a few steps.
func (p *turnPlanner) solve(d *dyna, m diceModel, value []float64, s env.State) {
	var moves [2]bool
	players := d.game.Players()
	alone := players == 1
	for seat := range players {
		if moves[seat] = int(s.Scores[seat]) < d.game.Target(); moves[seat] {
			s.Seat = int8(seat)
			p.turns[seat].prepare(d, value, s)
		}
	}
	for range mostSolves {
		var constant, factor, x [2]float64 // x_i = constant + factor*x_j
		for seat := range players {
			if t := &p.turns[seat]; moves[seat] {
				bust := t.bust
				if t.bustKey >= 0 {
					bust = float64(d.passed) * value[t.bustKey]
				}
				v, slope := t.evaluate(m, bust, alone)
				if constant[seat] = v; t.bustKey >= 0 {
					constant[seat] -= float64(slope * bust)
					factor[seat] = float64(d.passed) * slope
				}
			}
		}
		if alone {
			x[0] = constant[0] / max(settled, 1-factor[0])
		} else {
			determinant := max(settled, 1-float64(factor[0]*factor[1]))
			x[0] = (constant[0] + float64(factor[0]*constant[1])) / determinant
			x[1] = (constant[1] + float64(factor[1]*constant[0])) / determinant
		}
		change := 0.0
		for seat := range players {
			if k := p.turns[seat].key; moves[seat] {
				change = max(change, math.Abs(x[seat]-value[k]))
				value[k] = x[seat]
			}
		}
		p.change = max(p.change, change)
		if change < settled {
			break
		}
	}
}

// greedyFor returns the policy that is greedy with respect to value and the dice of m.
func (d *dyna) greedyFor(m diceModel, value []float64) *policies.Table {
	table := policies.NewTable(d.index)
	var t turnValues
	for start, s := range d.index.Turns() {
		table.Set(start, true)
		t.prepare(d, value, s)
		bust := t.bust
		if t.bustKey >= 0 {
			bust = float64(d.passed) * value[t.bustKey]
		}
		t.evaluate(m, bust, d.game.Players() == 1)
		for k := 1; k < t.n; k++ {
			table.Set(start+k, t.roll[k] > t.hold[k])
		}
	}
	return table
}

// Greedy implements [Agent]. It plans with all rolls so far.
func (d *dyna) Greedy() *policies.Table {
	if d.at.Decisions < firstPlan || d.at.Planned == d.at.Decisions {
		return d.policy.Clone()
	}
	m, value := d.dice(&d.rolls), slices.Clone(d.value)
	d.sweep(m, value, 1)
	return d.greedyFor(m, value)
}

// Metrics implements [Agent]. The step size is that of an average over all rolls, and
// the coverage is 1 after the first roll, since a roll counts in every state.
func (d *dyna) Metrics() Metrics {
	rolls := int64(0)
	for _, n := range d.rolls.outcome {
		rolls += n
	}
	if rolls == 0 {
		return Metrics{}
	}
	return Metrics{StepSize: 1 / float64(rolls), Coverage: 1}
}

// parts returns the parts of the state, in the order in which they are written.
func (d *dyna) parts() []any {
	return []any{&d.at, d.rolls.outcome, d.rolls.ended[:], d.planned.outcome, d.planned.ended[:], d.value}
}

// StateSize implements [Agent].
func (d *dyna) StateSize() int64 { return sizeOf(d.parts()...) }

// WriteState implements [Agent].
func (d *dyna) WriteState(w io.Writer) error { return writeParts(w, d.parts()...) }

// ReadState implements [Agent].
func (d *dyna) ReadState(r io.Reader) error {
	if err := readParts(r, d.parts()...); err != nil {
		return err
	}
	if at := d.at; at.Decisions < 0 || at.Games < 0 || at.Games > at.Decisions || at.Planned < 0 || at.Planned > at.Decisions {
		return fmt.Errorf("%w: its progress is out of range, %+v", ErrState, at)
	}
	for _, n := range []*rollCounts{&d.rolls, &d.planned} {
		sum := int64(0)
		for _, counts := range [][]int64{n.outcome, n.ended[:]} {
			for _, count := range counts {
				if count < 0 || count > d.at.Decisions {
					return fmt.Errorf("%w: a count of %d", ErrState, count)
				}
			}
		}
		for _, count := range n.outcome {
			sum += count
		}
		if n == &d.planned && (sum == 0) != (d.at.Planned == 0) {
			return fmt.Errorf("%w: a plan of %d decisions with %d rolls", ErrState, d.at.Planned, sum)
		}
	}
	for _, x := range d.value {
		if !(math.Abs(x) < math.MaxInt32) {
			return fmt.Errorf("%w: a value of %v", ErrState, x)
		}
	}
	if d.policy = d.firstPolicy(); d.at.Planned > 0 {
		d.policy = d.greedyFor(d.dice(&d.planned), d.value)
	}
	return readEnd(r)
}

// addWorkers grows d.workers to at least the given number.
func (d *dyna) addWorkers(workers int) {
	for len(d.workers) < workers {
		d.workers = append(d.workers, &dynaWorker{match: *env.NewMatch(d.game, env.MatchOptions{StepLimit: d.config.StepLimit})})
	}
}
