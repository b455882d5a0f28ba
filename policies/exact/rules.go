package exact

import (
	"cmp"
	"errors"
	"slices"

	"pigpen/env"
)

// ErrPlayers is wrapped where a game has too many players, at its target, to be solved or
// evaluated.
var ErrPlayers = errors.New("exact: too many players")

// rules has the outcomes and the ending of a game in the form that backup and forward
// read.
type rules struct {
	game       env.Game
	players    int
	target     int
	afterRound bool
	wipes      bool // a roll can cost the banked score
	minGain    int  // the fewest points that a roll gains
	maxGain    int  // the most
	// odds has an element for each score of the mover, banked and in the turn, or a
	// single one if the outcomes do not depend on it.
	odds     []odds
	sameOdds bool // odds has a single element and no roll stops the turn
	// predecessors has, for each score or once for all scores, the gains that lead to
	// it, from the most points to the fewest.
	predecessors [][]gain
	// again says that some rolls must be followed by another; againPredecessors has their
	// gains, as predecessors does those of the other rolls.
	again             bool
	againPredecessors [][]gain
	// catchUp[d] is the win share of the last player of a last round who is d points
	// behind and plays optimally; see catchUpChances.
	catchUp []float64
}

// odds are the probabilities of the outcomes of one roll.
type odds struct {
	gains            []gain // from the most points to the fewest
	again            []gain // those of rolls that must be followed by another
	bust, wipe, stop float64
}

type gain struct {
	points int
	chance float64
}

// rulesOf returns the rules of g.
func rulesOf(g env.Game) *rules {
	r := &rules{game: g, players: g.Players(), target: g.Target(), afterRound: g.Variant().Ending == env.AfterRound}
	r.odds = make([]odds, 1)
	if g.Variant().ByHeld {
		r.odds = make([]odds, r.target)
	}
	for held := range r.odds {
		o := &r.odds[held]
		for _, c := range g.Outcomes(env.State{TurnTotal: int16(held)}) {
			chance := float64(c.Weight) / float64(g.TotalWeight())
			switch c.Effect {
			case env.Gain, env.Again:
				if c.Effect == env.Again {
					o.again = append(o.again, gain{int(c.Points), chance})
					r.again = true
				} else {
					o.gains = append(o.gains, gain{int(c.Points), chance})
				}
				r.maxGain = max(r.maxGain, int(c.Points))
				if r.minGain == 0 || int(c.Points) < r.minGain {
					r.minGain = int(c.Points)
				}
			case env.Bust:
				o.bust += chance
			case env.Wipe:
				o.wipe += chance
				r.wipes = true
			case env.Stop:
				o.stop += chance
			}
		}
		// backup computes values from the highest score down, so the value after the
		// fewest points is ready last. Summing it last hides its latency.
		slices.SortFunc(o.gains, func(a, b gain) int { return cmp.Compare(b.points, a.points) })
	}
	r.sameOdds = len(r.odds) == 1 && r.odds[0].stop == 0
	r.predecessors = r.predecessorsOf(func(o *odds) []gain { return o.gains })
	r.againPredecessors = r.predecessorsOf(func(o *odds) []gain { return o.again })
	if r.afterRound {
		r.catchUp = r.catchUpChances()
	}
	return r
}

// predecessorsOf returns [rules.predecessors] for the gains that the function returns.
func (r *rules) predecessorsOf(gains func(o *odds) []gain) [][]gain {
	predecessors := make([][]gain, 1)
	if len(r.odds) > 1 {
		predecessors = make([][]gain, r.target+r.maxGain)
	}
	for held := range r.odds {
		for _, g := range gains(&r.odds[held]) {
			to := (held + g.points) % len(predecessors)
			predecessors[to] = append(predecessors[to], g)
		}
	}
	return predecessors
}

// at returns the odds of a mover whose score, banked and in the turn, is held.
func (r *rules) at(held int) *odds {
	if len(r.odds) == 1 {
		return &r.odds[0]
	}
	return &r.odds[held]
}

// negligible is a probability that does not change a result: sums of such are far
// smaller than the precision of a float64 near 1.
const negligible = 1e-20

// catchUpChances returns, by deficit, the win share of an optimal final turn of a last
// round: the last player wins by exceeding the leader and shares the win by drawing
// level. The result ends where the share is negligible. It is an upper bound for
// every other policy.
func (r *rules) catchUpChances() []float64 {
	o := r.at(0)
	var chances []float64
	for d := 0; ; d++ {
		hold := 0.0
		if d == 0 {
			hold = 0.5
		}
		roll := float64(o.stop * hold)
		for _, g := range o.gains {
			if g.points > d {
				roll += g.chance
			} else {
				roll += float64(g.chance * chances[d-g.points])
			}
		}
		c := max(hold, roll)
		if c < negligible {
			return chances
		}
		chances = append(chances, c)
	}
}

// lastRoll returns the highest score, banked and in the turn, at which the
// first player of a round may do better by rolling than by holding, with the
// other at a score below the target: anything past it is for holding. bust is
// what the first player has of a roll that gains nothing, at most.
//
// At the target and beyond, with the other d behind, holding wins 1 - c at
// least, where c = catchUp[d]. With a roll that busts with chance b, stops with
// chance s, and else may be thought to win at once, rolling wins at most
// b·bust + s(1 - c) + (1 - b - s). So holding is right where
// c(1 - s) <= b(1 - bust). A roll that costs the banked score too is taken for
// a bust, which is worth no less.
func (r *rules) lastRoll(other int, bust float64) int {
	o := r.at(0)
	limit := float64((o.bust+o.wipe)*(1-bust)) / (1 - o.stop)
	d, _ := slices.BinarySearchFunc(r.catchUp, limit, func(c, limit float64) int {
		if c > limit {
			return -1
		}
		return 1
	})
	return max(r.target-1, other+d-1)
}

// winShare returns the share of the win of a player with score own at the end of a game
// of two players: 1, 0, or 1/2 for a tie.
func winShare(own, other int) float64 {
	switch {
	case own > other:
		return 1
	case own < other:
		return 0
	}
	return 0.5
}
