package exact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"pigpen/env"
)

// ErrPlayers is wrapped where a game has more players than can be solved.
var ErrPlayers = errors.New("exact: too many players")

// rules are a game's chance outcomes and ending in the form that the passes
// over a turn read.
type rules struct {
	game       env.Game
	players    int // 1 or 2
	target     int
	afterRound bool
	wipes      bool // a roll can cost the banked score
	minGain    int  // the fewest points that a roll gains
	maxGain    int  // the most
	// odds are by what the mover holds, or a single one where that does not
	// matter.
	odds  []odds
	alike bool // no odds depend on what the mover holds, nor does a roll bank points
	// arrivals are by the score come to, or a single list: from how far below
	// a roll comes to it, and with what chance, from the farthest.
	arrivals [][]gain
	// chase[d] is the best chance of the last player to move of a last round
	// who is d points behind; see chases.
	chase []float64
}

// odds are the chances of what one roll does.
type odds struct {
	gains            []gain // from the most points to the fewest
	bust, wipe, stop float64
}

type gain struct {
	points int
	chance float64
}

// Solves reports whether this package solves g: a game of one or two players.
func Solves(g env.Game) bool { return g.Players() <= 2 }

// Solvable returns nil if this package solves g, else an error that wraps
// [ErrPlayers].
func Solvable(g env.Game) error {
	if !Solves(g) {
		return fmt.Errorf("%w: %v; one or two are solved", ErrPlayers, g)
	}
	return nil
}

func newRules(g env.Game) (*rules, error) {
	if err := Solvable(g); err != nil {
		return nil, err
	}
	r := &rules{game: g, players: g.Players(), target: g.Target(), afterRound: g.Variant().Ending == env.AfterRound}
	r.odds = make([]odds, 1)
	if g.Variant().ByHeld {
		r.odds = make([]odds, r.target)
	}
	for held := range r.odds {
		o := &r.odds[held]
		for _, c := range g.Outcomes(env.State{TurnTotal: int16(held)}) {
			chance := float64(c.Weight) / float64(g.Rolls())
			switch c.Effect {
			case env.Gain:
				o.gains = append(o.gains, gain{int(c.Points), chance})
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
		// A turn is worked from its end, so that what follows the fewest points
		// is known last; added last, it is waited for the least.
		slices.SortFunc(o.gains, func(a, b gain) int { return cmp.Compare(b.points, a.points) })
	}
	r.alike = len(r.odds) == 1 && r.odds[0].stop == 0
	r.arrivals = make([][]gain, 1)
	if len(r.odds) > 1 {
		r.arrivals = make([][]gain, r.target+r.maxGain)
	}
	for held := range r.odds {
		for _, g := range r.odds[held].gains {
			to := (held + g.points) % len(r.arrivals)
			r.arrivals[to] = append(r.arrivals[to], g)
		}
	}
	if r.afterRound {
		r.chase = r.chases()
	}
	return r, nil
}

// at returns the odds of a mover who holds so much.
func (r *rules) at(held int) *odds {
	if len(r.odds) == 1 {
		return &r.odds[0]
	}
	return &r.odds[held]
}

// negligible is a chance that changes no result: sums of such are far below
// the last digit of a float64 near 1.
const negligible = 1e-20

// chases returns by deficit the best chance of the last player to move of a
// last round, who wins by passing the leader, shares the win by drawing level,
// and has nothing to lose, as far as it is not negligible. It bounds the
// chance of any way to play.
func (r *rules) chases() []float64 {
	o := r.at(0)
	var chase []float64
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
				roll += float64(g.chance * chase[d-g.points])
			}
		}
		c := max(hold, roll)
		if c < negligible {
			return chase
		}
		chase = append(chase, c)
	}
}

// lastRoll returns the highest score, banked and in the turn, at which the
// first player of a round may do better by rolling than by holding, with the
// other at a score below the target: anything past it is for holding. bust is
// what the first player has of a roll that gains nothing, at most.
//
// At the target and beyond, with the other d behind, holding wins 1 - c at
// least, where c = chase[d]. With a roll that busts with chance b, stops with
// chance s, and else may be thought to win at once, rolling wins at most
// b·bust + s(1 - c) + (1 - b - s). So holding is right where
// c(1 - s) <= b(1 - bust). A roll that costs the banked score too is taken for
// a bust, which is worth no less.
func (r *rules) lastRoll(other int, bust float64) int {
	o := r.at(0)
	limit := float64((o.bust+o.wipe)*(1-bust)) / (1 - o.stop)
	d, _ := slices.BinarySearchFunc(r.chase, limit, func(c, limit float64) int {
		if c > limit {
			return -1
		}
		return 1
	})
	return max(r.target-1, other+d-1)
}

// share returns the part of the win that falls to a player with score own at
// the end of a game of two.
func share(own, other int) float64 {
	switch {
	case own > other:
		return 1
	case own < other:
		return 0
	}
	return 0.5
}
