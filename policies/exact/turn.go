package exact

import (
	"fmt"

	"pigpen/env"
)

// A TurnPlayer is a policy that answers for a range of turn totals in one call, which
// makes [Evaluate] and [BestResponse] several times faster.
type TurnPlayer interface {
	env.Player
	// RollChances sets chances[i] to what RollChance returns for s with i added to
	// its turn total, for every i. The turn total of s is 1 or more. Some of the
	// states may be unreachable.
	RollChances(s env.State, chances []float64)
}

// A turn is the working memory for one turn. Its slices are indexed by the mover's
// score h, banked score plus turn total.
type turn struct {
	*rules
	value []float64 // value of the turn at h; see backup
	reach []float64 // probability of reaching h
	roll  []float64 // roll[h+maxGain] is the probability of rolling at h; all 0 between calls
	// rollValue is the value of rolling at h, and forced the probability of reaching h by
	// a roll that must be followed by another; both only in games with such rolls.
	rollValue, forced []float64
	chances           []float64 // conditional probability of rolling at h; see [TurnPlayer]
	// bank is the probability of banking h, for h in [low, top]. It is 0 at other
	// scores, whose elements are not set.
	bank     []float64
	low, top int
}

// ahead is the number of scores for which a [TurnPlayer] is asked at once.
const ahead = 16

// newTurn returns the memory for turns with scores from 0 to top or more.
func newTurn(r *rules, top int) turn {
	// In a game that ends after a round the score of a turn is unbounded, but the
	// probability of exceeding n is negligible.
	n := max(top+1, r.target+len(r.catchUp)+2*r.maxGain+ahead)
	parts := 5
	if r.again {
		parts = 7
	}
	all := make([]float64, parts*n+r.maxGain)
	next := func(n int) (part []float64) {
		part, all = all[:n:n], all[n:]
		return part
	}
	t := turn{rules: r, value: next(n), reach: next(n), chances: next(n), bank: next(n), roll: next(n + r.maxGain)}
	if r.again {
		t.rollValue, t.forced = next(n), next(n)
	}
	return t
}

// A turnEnd is the distribution of the ends of a turn under a policy, except for the
// scores that it banks, which are in [turn.bank].
type turnEnd struct {
	stay      float64 // probability that the banked scores are unchanged
	wiped     float64 // probability that the banked score is lost
	won       float64 // probability that the turn wins the game
	decisions float64 // expected number, the first included
}

// backup returns the value of rolling at score from if the mover plays the rest of the
// turn optimally, by backward induction from top. The value of holding at h is row[h],
// of a bust bust, and of a roll that costs the banked score wiped; stop is the value of
// a roll at from that ends the turn (at higher scores it is that of holding). The mover
// holds above top; row must have top + maxGain + 1 values. Where roll and hold differ
// by less than margin, which allows for rounding, the mover holds.
//
//	value[h] = max(row[h], roll[h])
//	roll[h] = Σ_k chance_k·value[h+k] + Σ_k again_k·roll[h+k] + bust, wipe and stop, by chance
//
// where again_k is the chance of k points that must be followed by another roll, which above
// top end the game.
func (t *turn) backup(from int, row []float64, top int, bust, wiped, stop, margin float64) float64 {
	value := t.value
	copy(value[top+1:top+1+t.maxGain], row[top+1:])
	if t.again {
		copy(t.rollValue[top+1:top+1+t.maxGain], row[top+1:])
		for h := top; h > from; h-- {
			o := t.at(h)
			roll := t.forcedRolls(o, h, t.rollAt(o, h, bust, wiped, row[h]))
			value[h] = better(roll, row[h], margin)
		}
		o := t.at(from)
		value[from] = t.forcedRolls(o, from, t.rollAt(o, from, bust, wiped, stop))
		return value[from]
	}
	o := t.at(from)
	rest := float64(o.bust*bust) + float64(o.wipe*wiped)
	for h := top; h > from; h-- {
		if len(t.odds) > 1 {
			o = t.at(h)
			rest = float64(o.bust*bust) + float64(o.wipe*wiped)
		}
		hold := row[h]
		roll := rest + float64(o.stop*hold)
		for _, g := range o.gains {
			roll += float64(g.chance * value[h+g.points])
		}
		if roll-hold > margin {
			value[h] = roll
		} else {
			value[h] = hold
		}
	}
	value[from] = t.rollAt(t.at(from), from, bust, wiped, stop)
	return value[from]
}

// rollAt returns the value of a roll at h without the part of rolls that must be followed
// by another. The value of a roll that ends the turn is stop.
func (t *turn) rollAt(o *odds, h int, bust, wiped, stop float64) float64 {
	roll := float64(o.bust*bust) + float64(o.wipe*wiped) + float64(o.stop*stop)
	for _, g := range o.gains {
		roll += float64(g.chance * t.value[h+g.points])
	}
	return roll
}

// better returns the value of the better action: that of holding where rolling is not
// better by more than margin.
func better(roll, hold, margin float64) float64 {
	if roll-hold > margin {
		return roll
	}
	return hold
}

// forcedRolls adds to roll, the value of rolling at h, the part of the rolls that must be
// followed by another, and keeps the sum in rollValue.
func (t *turn) forcedRolls(o *odds, h int, roll float64) float64 {
	for _, g := range o.again {
		roll += float64(g.chance * t.rollValue[h+g.points])
	}
	t.rollValue[h] = roll
	return roll
}

// forward computes the distribution of the ends of a turn from banked score own, by
// forward induction. p decides in the states s with the turn total filled in; if p is
// nil, the decisions are those of the last backup, which had the same row. With c_h the
// probability of rolling at h,
//
//	reach[h] = Σ_k chance_k·roll[h-k], roll[h] = c_h·reach[h], bank[h] = (1 - c_h)·reach[h]
//
// With rolls that must be followed by another, forced[h] = Σ_k again_k·roll[h-k] is added to
// roll[h].
func (t *turn) forward(own int, p env.Player, s env.State, row []float64) turnEnd {
	end := len(t.bank)
	if !t.afterRound {
		end = t.target // where the game is won
	}
	s.TurnTotal = 1
	t.roll[own+t.maxGain] = 1
	first := t.at(own)
	e := turnEnd{stay: first.bust + first.stop, wiped: first.wipe, decisions: 1}
	rolls := 0.0 // expected number, but for the first
	t.low = end
	h, last := own+1, own // last is the highest score at which the policy may roll
	for h < end && h <= last+t.maxGain {
		to := t.queryPolicy(h, end, p, &s, row)
		t.propagate(h, to)
		last = max(last, t.collect(h, to, &e, &rolls))
		h = to
	}
	t.top = h - 1
	if t.sameOdds {
		e.stay += float64(rolls * first.bust)
		e.wiped += float64(rolls * first.wipe)
	}
	if !t.afterRound {
		t.propagate(end, last+t.maxGain+1)
		for _, chance := range t.reach[end:max(end, last+t.maxGain+1)] {
			e.won += chance
		}
		if t.again {
			for _, chance := range t.forced[end:max(end, last+t.maxGain+1)] {
				e.won += chance
			}
		}
	}
	clear(t.roll[own+t.maxGain : h+1+t.maxGain]) // propagate may have set one more
	return e
}

// queryPolicy sets t.chances from h on, where s has the turn total of h, and returns
// the end of the range that it has set. It advances the turn total of s to that end.
func (t *turn) queryPolicy(h, end int, p env.Player, s *env.State, row []float64) int {
	to := min(h+ahead, end)
	switch p := p.(type) {
	case nil:
		to = min(to, len(row)) // row covers all scores that the turn reaches
		for h := h; h < to; h++ {
			t.chances[h] = Certain(t.value[h] != row[h])
		}
	case TurnPlayer:
		p.RollChances(*s, t.chances[h:to])
	default:
		to = h + 1
		t.propagate(h, to)
		if t.reach[h] > 0 {
			t.chances[h] = p.RollChance(*s)
		}
	}
	s.TurnTotal += int16(to - h) // early, so that the store completes before s is copied
	return to
}

// propagate computes reach and roll in [h, to), or in [h, to].
func (t *turn) propagate(h, to int) {
	n, predecessors := t.maxGain, t.predecessors[0]
	roll, reach, chances := t.roll, t.reach, t.chances
	if t.again {
		t.propagateForced(h, to)
		return
	}
	if len(t.predecessors) == 1 && t.minGain > 1 {
		for ; h < to; h += 2 {
			one, two := propagate2(roll[h:h+n], predecessors)
			reach[h], reach[h+1] = one, two
			roll[h+n], roll[h+1+n] = float64(one*chances[h]), float64(two*chances[h+1])
		}
		return
	}
	for ; h < to; h++ {
		if len(t.predecessors) > 1 {
			predecessors = t.predecessors[h]
		}
		sum := 0.0
		for _, g := range predecessors {
			sum += float64(g.chance * roll[h+n-g.points])
		}
		reach[h], roll[h+n] = sum, float64(sum*chances[h])
	}
}

// propagateForced is propagate for games in which some rolls must be followed by another.
func (t *turn) propagateForced(h, to int) {
	n, predecessors, again := t.maxGain, t.predecessors[0], t.againPredecessors[0]
	for ; h < to; h++ {
		if len(t.predecessors) > 1 {
			predecessors, again = t.predecessors[h], t.againPredecessors[h]
		}
		reach, forced := 0.0, 0.0
		for _, g := range predecessors {
			reach += float64(g.chance * t.roll[h+n-g.points])
		}
		for _, g := range again {
			forced += float64(g.chance * t.roll[h+n-g.points])
		}
		t.reach[h], t.forced[h], t.roll[h+n] = reach, forced, 0
		if h < t.target { // else the game has ended
			t.roll[h+n] = forced
			if reach > 0 { // else nobody has asked the policy
				t.roll[h+n] += float64(reach * t.chances[h])
			}
		}
	}
}

// propagate2 returns the probabilities of reaching the score after the window and the
// score after that. window has the probabilities of rolling at the maxGain scores
// before them, and no roll gains a single point.
//
// It is a function of its own because inlined its loop counter spills to the stack.
//
//go:noinline
func propagate2(window []float64, predecessors []gain) (one, two float64) {
	for i := range predecessors {
		g := &predecessors[i]
		from := len(window) - g.points
		one += float64(g.chance * window[from])
		two += float64(g.chance * window[from+1])
	}
	return one, two
}

// collect adds the ends of the turn at the scores in [h, to) to e and sets bank. Where
// the odds are the same at all scores, it adds the expected number of rolls to rolls
// instead of adding their ends to e. It returns the highest of these scores at which
// the chance of rolling is positive, or 0.
func (t *turn) collect(h, to int, e *turnEnd, rolls *float64) (last int) {
	reach, chances, bank, roll := t.reach[h:to], t.chances[h:to], t.bank[h:to], t.roll[h+t.maxGain:to+t.maxGain]
	if t.afterRound { // else a turn is short
		for i, chance := range reach {
			if chance < negligible {
				e.stay += chance
				reach[i], roll[i] = 0, 0
			}
		}
	}
	decisions, rolled := e.decisions, *rolls
	for i, chance := range reach {
		decisions += chance
		bank[i] = 0
		if t.again {
			decisions += t.forced[h+i]
			if chance == 0 { // nobody has asked the policy
				chances[i] = 1
			}
		}
		if c := chances[i]; c != 1 {
			if !(c >= 0 && c < 1) {
				panic(fmt.Sprintf("exact: a policy rolls with chance %v, which is not in [0, 1]", c))
			}
			bank[i] = float64(chance * (1 - c))
			if chance > 0 {
				t.low = min(t.low, h+i)
			}
		}
		chance = roll[i]
		rolled += chance
		if chance > 0 {
			last = h + i
		}
	}
	e.decisions, *rolls = decisions, rolled
	if t.sameOdds {
		return last
	}
	t.low = min(t.low, h)
	for i, chance := range roll {
		o := t.at(h + i)
		e.stay += float64(chance * o.bust)
		e.wiped += float64(chance * o.wipe)
		bank[i] += float64(chance * o.stop)
	}
	return last
}
