package policies

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pigpen/env"
	"pigpen/policies/exact"
)

// A Policy returns the probability of rolling in a state where both actions are
// legal. It is the same type as [env.Player], so that every policy can play any
// seat of an environment. Policies of this package are safe for concurrent use.
type Policy = env.Player

var (
	// ErrUnknown is wrapped by the error of [Named] if no fixed policy has the name.
	ErrUnknown = errors.New("policies: unknown policy")
	// ErrUnavailable is wrapped by the error of [Named] if the game does not have the
	// fixed policy.
	ErrUnavailable = errors.New("policies: not for this game")
)

// A Fixed describes a fixed policy: one that is not learned.
type Fixed struct {
	// Name is the name that [Named] accepts. A final N represents any positive
	// integer.
	Name string
	// Doc describes the policy in a line.
	Doc string

	solved bool // whether making the policy solves the game, which may be too large
	make   func(ctx context.Context, v view, n int, o exact.Options) (Policy, error)
}

// FixedPolicies returns every fixed policy, in the order in which lists show them.
//
// The heuristics were published for two players and a target of 100. With more
// players, the opponent's score is the highest banked score of the others. With
// other targets, score thresholds keep their distance from the target.
func FixedPolicies() []Fixed {
	return []Fixed{
		{Optimal, "plays perfectly, by solving the game: with three and more players an equilibrium, where it fits in memory", true,
			func(ctx context.Context, v view, _ int, o exact.Options) (Policy, error) {
				o.Prepare = true // so that no later call of the policy has to compute
				p, err := exact.Solve(ctx, v.game, o)
				if err != nil {
					return nil, err
				}
				return p, nil
			}},
		{"random", "rolls or holds with equal chance", false, always(0.5)},
		{"always-roll", "never holds", false, always(1)},
		{"hold-N", "holds at a turn total of N or more, as in hold-20", false,
			func(_ context.Context, v view, n int, _ exact.Options) (Policy, error) {
				return &heuristic{v, func(_, _ int) int { return n }}, nil
			}},
		{"race", `"end race or keep pace": near the end rolls to win, else keeps pace with the leader`, false,
			func(_ context.Context, v view, _ int, _ exact.Options) (Policy, error) {
				return &heuristic{v, v.race}, nil
			}},
		{"base-race", `"score base, keep pace, end race": near the end rolls to win, else holds at 19 or what keeps pace`, false,
			func(_ context.Context, v view, _ int, _ exact.Options) (Policy, error) {
				return &heuristic{v, v.baseRace}, nil
			}},
		{TwoPlayer, "plays as optimal does for two, as if the leader were the only other player", false, newTwoPlayer},
	}
}

// Named returns the fixed policy with the given name for g. The error is that of
// [Available], or ctx.Err() if ctx ends first. Only "optimal" and "two-player" are
// expensive: they solve the game, or that for two, with the options o, in time proportional
// to the target to the power of the players and one more.
func Named(ctx context.Context, name string, g env.Game, o exact.Options) (Policy, error) {
	if err := Available(name, g); err != nil {
		return nil, err
	}
	f, n, _ := fixed(name)
	v := view{game: g, players: g.Players(), target: g.Target(), afterRound: g.Variant().Ending == env.AfterRound}
	return f.make(ctx, v, n, o)
}

// Available returns nil if g has a fixed policy with the given name. Otherwise the
// error wraps [ErrUnknown], or [ErrUnavailable] and the reason, such as
// [exact.ErrPlayers]. It does not make the policy.
func Available(name string, g env.Game) error {
	f, _, ok := fixed(name)
	switch {
	case !ok:
		return unknownName(name)
	case !f.Suits(g):
		return fmt.Errorf("%w: no %s policy: %w", ErrUnavailable, name, exact.Solvable(g))
	}
	return nil
}

// Suits reports whether g has the policy f.
func (f Fixed) Suits(g env.Game) bool { return !f.solved || exact.Solves(g) }

// fixed returns the fixed policy with the given name, and the number n at the end of
// name if the name of the policy ends in N.
func fixed(name string) (f Fixed, n int, ok bool) {
	for _, f := range FixedPolicies() {
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			digits, ok := strings.CutPrefix(name, stem)
			// Atoi also accepts signs and leading zeros, so compare with Itoa.
			if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && n <= math.MaxInt32 && strconv.Itoa(n) == digits {
				return f, n, true
			}
		} else if name == f.Name {
			return f, 0, true
		}
	}
	return Fixed{}, 0, false
}

// A view extracts from a state the scores that the heuristics depend on.
type view struct {
	game            env.Game
	players, target int
	afterRound      bool
}

// scores returns the banked score of the mover, and the highest banked score of the
// other seats, or 0 with one player.
func (v view) scores(s *env.State) (own, other int) {
	if v.players == 2 {
		return int(s.Scores[s.Seat]), int(s.Scores[1-s.Seat])
	}
	for seat, score := range s.Scores[:v.players] {
		if seat != int(s.Seat) {
			other = max(other, int(score))
		}
	}
	return int(s.Scores[s.Seat]), other
}

// A constant rolls with the same probability in every state.
type constant struct{ chance float64 }

func (c *constant) RollChance(env.State) float64 { return c.chance }

func (c *constant) RollChances(_ env.State, chances []float64) {
	for i := range chances {
		chances[i] = c.chance
	}
}

// HoldsAt implements [env.ThresholdPlayer].
func (c *constant) HoldsAt(*env.State) (turnTotal int, ok bool) {
	if c.chance >= 1 {
		return toWin, true
	}
	return 0, c.chance <= 0
}

// always returns a maker of the policy that rolls with the given probability.
func always(chance float64) func(context.Context, view, int, exact.Options) (Policy, error) {
	return func(context.Context, view, int, exact.Options) (Policy, error) { return &constant{chance}, nil }
}

// A heuristic rolls at turn totals below a threshold. holdsAt returns the threshold
// for the banked score of the mover and the highest banked score of the others;
// threshold adapts it to the last round of games that end after a round.
type heuristic struct {
	view
	holdsAt func(own, other int) int
}

// RollChance implements [Policy]; it is 0 or 1.
func (p *heuristic) RollChance(s env.State) float64 {
	return exact.Certain(int(s.TurnTotal) < p.threshold(&s))
}

// HoldsAt implements [env.ThresholdPlayer].
func (p *heuristic) HoldsAt(s *env.State) (turnTotal int, ok bool) { return p.threshold(s), true }

// RollChances implements [exact.TurnPlayer].
func (p *heuristic) RollChances(s env.State, chances []float64) {
	rolls := min(max(0, p.threshold(&s)-int(s.TurnTotal)), len(chances))
	for i := range chances[:rolls] {
		chances[i] = 1
	}
	clear(chances[rolls:])
}

// threshold returns the lowest turn total at which the policy holds. In games that
// end after a round only banked points count: if another player has banked the
// target, the policy rolls until it is ahead; otherwise it holds no later than on
// reaching the target.
func (p *heuristic) threshold(s *env.State) int {
	own, other := p.scores(s)
	switch {
	case !p.afterRound:
		return p.holdsAt(own, other)
	case other >= p.target:
		return other - own + 1
	}
	return min(p.holdsAt(own, other), p.target-own)
}

// toWin is a threshold that no turn total reaches: the policy never holds.
const toWin = math.MaxInt

// race is "end race or keep pace". Source: T. Neller, C. Presser, "Practical
// Play of the Dice Game Pig", UMAP Journal 31(1), 2010: when either player has
// 71 or more, roll to win; otherwise hold at 21 + round((other - own)/8).
func (v view) race(own, other int) int {
	if near := v.target - 29; own >= near || other >= near {
		return toWin
	}
	// The shift divides by 8 and rounds down; adding 4 first rounds to nearest.
	return 21 + (other-own+4)>>3
}

// baseRace is "score base, keep pace, end race", from the same source: when
// either player has 69 or more, roll to win; otherwise hold at 19, or at
// other - own - 14 if that is more.
func (v view) baseRace(own, other int) int {
	if near := v.target - 31; own >= near || other >= near {
		return toWin
	}
	return max(19, other-own-14)
}
