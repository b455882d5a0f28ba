package exact

import (
	"fmt"

	"pigpen/env"
)

// A TurnPlayer is a policy that can be asked about a turn at a time, which
// spares [Evaluate] and [BestResponse] most of the time of asking.
type TurnPlayer interface {
	env.Player
	// RollChances sets each chances[i] to what RollChance would return for s
	// with i added to the turn total, which is 1 or more in s. No roll may be
	// able to come to some of these totals.
	RollChances(s env.State, chances []float64)
}

// A turn is the memory for working through one turn; every slice is by the
// mover's score h, banked and in the turn.
type turn struct {
	*rules
	value   []float64 // what the turn is worth at h; see best
	reach   []float64 // chance of coming to h
	roll    []float64 // chance of rolling at h, maxGain further on; all 0 between calls
	chances []float64 // of rolling, when at h; see [TurnPlayer]
	// bank is the chance of ending the turn with h banked, from low to top; there
	// is none at other scores.
	bank     []float64
	low, top int
}

// ahead is for how many scores a [TurnPlayer] is asked at once.
const ahead = 16

// newTurn returns a turn for scores from 0 to top at least.
func newTurn(r *rules, top int) turn {
	// In a game that ends after a round a turn has no end of its own, but its
	// chance of getting further than this is negligible.
	n := max(top+1, r.target+len(r.chase)+2*r.maxGain+ahead)
	all := make([]float64, 5*n+r.maxGain)
	next := func(n int) (part []float64) {
		part, all = all[:n:n], all[n:]
		return part
	}
	return turn{rules: r, value: next(n), reach: next(n), chances: next(n), bank: next(n), roll: next(n + r.maxGain)}
}

// ends is how a turn ends that is played in a certain way, but for the scores
// that it may bank, which stand in [turn.bank].
type ends struct {
	stay      float64 // chance that it leaves the banked scores as they were
	wiped     float64 // chance that it costs the banked score
	won       float64 // chance that it wins the game at once
	decisions float64 // expected number, the first included
}

// best returns what a roll at score from is worth to a mover who makes the
// most of the rest of the turn. Holding at h is worth row[h], a bust is worth
// bust, losing the banked score too is worth wiped, and stop is worth a roll
// that ends the turn now, which later on banks what holding would. Past top the
// mover holds; row must go top + maxGain far. Of two values that differ by less
// than margin, which is for rounding, the mover prefers to hold.
//
//	value[h] = max(row[h], Σ_k chance_k·value[h+k] + chances of the rest · their worth)
func (t *turn) best(from int, row []float64, top int, bust, wiped, stop, margin float64) float64 {
	value := t.value
	copy(value[top+1:top+1+t.maxGain], row[top+1:])
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
	o = t.at(from)
	roll := float64(o.bust*bust) + float64(o.wipe*wiped) + float64(o.stop*stop)
	for _, g := range o.gains {
		roll += float64(g.chance * value[from+g.points])
	}
	value[from] = roll
	return roll
}

// follow works out how a turn from banked score own ends, with p to decide in
// the states of s, in which it fills in the turn total; if p is nil, as best,
// which was called with the same row, has just decided. With c_h the chance of
// rolling at h,
//
//	reach[h] = Σ_k chance_k·roll[h-k], roll[h] = c_h·reach[h], bank[h] = (1 - c_h)·reach[h]
func (t *turn) follow(own int, p env.Player, s env.State, row []float64) ends {
	end := len(t.bank)
	if !t.afterRound {
		end = t.target // where the game is won
	}
	s.TurnTotal = 1
	t.roll[own+t.maxGain] = 1
	first := t.at(own)
	e := ends{stay: first.bust + first.stop, wiped: first.wipe, decisions: 1}
	rolls := 0.0 // expected number, but for the first
	t.low = end
	h, last := own+1, own // last is where it may roll for the last time
	for h < end && h <= last+t.maxGain {
		to := t.ask(h, end, p, &s, row)
		t.arrive(h, to)
		last = max(last, t.tally(h, to, &e, &rolls))
		h = to
	}
	t.top = h - 1
	if t.alike {
		e.stay += float64(rolls * first.bust)
		e.wiped += float64(rolls * first.wipe)
	}
	if !t.afterRound {
		t.arrive(end, last+t.maxGain+1)
		for _, chance := range t.reach[end:max(end, last+t.maxGain+1)] {
			e.won += chance
		}
	}
	clear(t.roll[own+t.maxGain : h+1+t.maxGain]) // arrive may have gone one further
	return e
}

// ask sets the chances of rolling from h on, whose turn total s has, and returns
// where they end, the turn total of which s has then.
func (t *turn) ask(h, end int, p env.Player, s *env.State, row []float64) int {
	to := min(h+ahead, end)
	switch p := p.(type) {
	case nil:
		to = min(to, len(row)) // past which it does not come
		for h := h; h < to; h++ {
			t.chances[h] = Certain(t.value[h] != row[h])
		}
	case TurnPlayer:
		p.RollChances(*s, t.chances[h:to])
	default:
		to = h + 1
		t.arrive(h, to)
		if t.reach[h] > 0 {
			t.chances[h] = p.RollChance(*s)
		}
	}
	s.TurnTotal += int16(to - h) // long before s is copied, which waits for a store just before
	return to
}

// arrive works out reach and roll from h to before to, if not one further.
func (t *turn) arrive(h, to int) {
	n, arrivals := t.maxGain, t.arrivals[0]
	roll, reach, chances := t.roll, t.reach, t.chances
	if len(t.arrivals) == 1 && t.minGain > 1 {
		for ; h < to; h += 2 {
			one, two := arrive2(roll[h:h+n], arrivals)
			reach[h], reach[h+1] = one, two
			roll[h+n], roll[h+1+n] = float64(one*chances[h]), float64(two*chances[h+1])
		}
		return
	}
	for ; h < to; h++ {
		if len(t.arrivals) > 1 {
			arrivals = t.arrivals[h]
		}
		sum := 0.0
		for _, g := range arrivals {
			sum += float64(g.chance * roll[h+n-g.points])
		}
		reach[h], roll[h+n] = sum, float64(sum*chances[h])
	}
}

// arrive2 returns the chances of coming to the score after the window, whose
// elements are the chances of rolling at as many scores as a roll may gain
// points, and to the one after that, where no roll gains a single point.
//
// As part of another function it has its loop counter spilled to the stack.
//
//go:noinline
func arrive2(window []float64, arrivals []gain) (one, two float64) {
	for i := range arrivals {
		g := &arrivals[i]
		from := len(window) - g.points
		one += float64(g.chance * window[from])
		two += float64(g.chance * window[from+1])
	}
	return one, two
}

// tally adds to e what happens at the scores from h to before to, but for rolls
// that are alike, which it adds to rolls. It sets bank, and returns the highest
// of these scores at which it may roll; 0 if there is none.
func (t *turn) tally(h, to int, e *ends, rolls *float64) (last int) {
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
		if c := chances[i]; c != 1 {
			if !(c >= 0 && c < 1) {
				panic(fmt.Sprintf("exact: a policy rolls with chance %v, which is not in [0, 1]", c))
			}
			bank[i] = float64(chance * (1 - c))
			if chance > 0 {
				t.low = min(t.low, h+i)
			}
			chance = roll[i]
		}
		rolled += chance
		if chance > 0 {
			last = h + i
		}
	}
	e.decisions, *rolls = decisions, rolled
	if t.alike {
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
