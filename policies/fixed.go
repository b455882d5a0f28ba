package policies

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pigpen/env"
)

// A Policy gives the chance of rolling in a state where both actions are
// legal. It is the same type as [env.Player], so that every policy can sit in
// any seat of an environment. Policies of this package are safe for
// concurrent use.
type Policy = env.Player

// ErrUnknown is what [Named] wraps when no fixed policy has a name.
var ErrUnknown = errors.New("policies: unknown policy")

// A Fixed is a fixed policy.
type Fixed struct {
	// Name is what [Named] takes; N at its end stands for any positive number.
	Name string
	// Doc describes the policy in a line.
	Doc string

	make func(v view, n int) Policy
}

// FixedPolicies returns every fixed policy, in the order in which they are
// shown.
//
// The heuristics were made for two players and a target of 100. Elsewhere the
// other player is the one with the highest banked score, and thresholds keep
// their distance from the target.
func FixedPolicies() []Fixed {
	return []Fixed{
		{"random", "rolls or holds with equal chance",
			func(view, int) Policy { return random{} }},
		{"always-roll", "never holds",
			func(view, int) Policy { return alwaysRoll{} }},
		{"hold-N", "holds at a turn total of N or more, as in hold-20",
			func(v view, n int) Policy {
				return heuristic{v, func(_, _, turnTotal int) bool { return turnTotal < n }}
			}},
		{"race", `"end race or keep pace": near the end rolls to win, else keeps pace with the leader`,
			func(v view, _ int) Policy { return heuristic{v, v.race} }},
		{"base-race", `"score base, keep pace, end race": near the end rolls to win, else holds at 19 or what keeps pace`,
			func(v view, _ int) Policy { return heuristic{v, v.baseRace} }},
	}
}

// Named returns the fixed policy of that name for g. The error wraps
// [ErrUnknown] and names the nearest and all of them.
func Named(name string, g env.Game) (Policy, error) {
	v := view{players: g.Players(), target: g.Target(), afterRound: g.Variant().Ending == env.AfterRound}
	var names []string
	for _, f := range FixedPolicies() {
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			digits, ok := strings.CutPrefix(name, stem)
			// Atoi alone would take signs and leading zeros.
			if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && n <= math.MaxInt32 && strconv.Itoa(n) == digits {
				return f.make(v, n), nil
			}
		} else if name == f.Name {
			return f.make(v, 0), nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("%w %q; %sthe fixed policies are %s (N from 1)", ErrUnknown, name, env.DidYouMean(name, names), strings.Join(names, ", "))
}

// view is what the heuristics see of a state.
type view struct {
	players, target int
	afterRound      bool
}

// scores returns the mover's banked score and the highest one of the others;
// 0 where there are none.
func (v view) scores(s env.State) (own, other int) {
	for seat, score := range s.Scores[:v.players] {
		if seat != int(s.Seat) {
			other = max(other, int(score))
		}
	}
	return int(s.Scores[s.Seat]), other
}

// chance is the chance of rolling of a policy that holds or rolls for sure.
func chance(roll bool) float64 {
	if roll {
		return 1
	}
	return 0
}

type random struct{}

func (random) RollChance(env.State) float64 { return 0.5 }

type alwaysRoll struct{}

func (alwaysRoll) RollChance(env.State) float64 { return 1 }

// A heuristic rolls or holds by the mover's banked score, the highest one of
// the others, and the turn total; roll is asked unless the last round decides.
type heuristic struct {
	view
	roll func(own, other, turnTotal int) bool
}

func (p heuristic) RollChance(s env.State) float64 {
	own, other := p.scores(s)
	turnTotal := int(s.TurnTotal)
	if p.afterRound {
		if roll, decided := p.lastRound(own+turnTotal, other); decided {
			return chance(roll)
		}
	}
	return chance(p.roll(own, other, turnTotal))
}

// race is "end race or keep pace". Source: T. Neller, C. Presser, "Practical
// Play of the Dice Game Pig", UMAP Journal 31(1), 2010: when either player has
// 71 or more, roll to win; otherwise hold at 21 + round((other - own)/8).
func (v view) race(own, other, turnTotal int) bool {
	if near := v.target - 29; own >= near || other >= near {
		return true
	}
	// The shift divides by 8 and rounds down, so that adding 4 rounds to nearest.
	return turnTotal < 21+(other-own+4)>>3
}

// baseRace is "score base, keep pace, end race", from the same source: when
// either player has 69 or more, roll to win; otherwise hold at 19, or at
// other - own - 14 if that is more.
func (v view) baseRace(own, other, turnTotal int) bool {
	if near := v.target - 31; own >= near || other >= near {
		return true
	}
	return turnTotal < max(19, other-own-14)
}

// lastRound decides for every heuristic in games that end after a round, where
// points count only when they are banked: once somebody else has banked the
// target, roll until ahead; otherwise hold on reaching the target.
func (v view) lastRound(held, other int) (roll, decided bool) {
	if other >= v.target {
		return held <= other, true
	}
	return false, held >= v.target
}
