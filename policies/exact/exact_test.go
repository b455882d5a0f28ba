package exact_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// sized returns how much a test does: quick, or the whole with -long.
func sized[T any](quick, whole T) T {
	if *exact.Long {
		return whole
	}
	return quick
}

func game(variant string, players, target int) env.Game {
	return env.Must(env.New(env.Config{Variant: variant, Players: players, Target: target}))
}

func pig(target int) env.Game { return game("pig", 2, target) }

// optionsOf returns every setting of a variant's options.
func optionsOf(v *env.Variant) []map[string]bool {
	all := []map[string]bool{{}}
	for _, o := range v.Options {
		for _, m := range all {
			with := map[string]bool{o.Name: true}
			for name, on := range m {
				with[name] = on
			}
			m[o.Name] = false
			all = append(all, with)
		}
	}
	return all
}

// gamesOf returns a variant's games of two players and, where it has them, of
// one, with every setting of its options, at those of the targets that it
// allows; at its only target if there is but one.
func gamesOf(v *env.Variant, targets ...int) (games []env.Game) {
	if v.Target.Min == v.Target.Max {
		targets = []int{v.Target.Min}
	}
	for _, target := range targets {
		if target < v.Target.Min || target > v.Target.Max {
			continue
		}
		for players := v.MinPlayers; players <= 2; players++ {
			for _, options := range optionsOf(v) {
				games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: target, Options: options})))
			}
		}
	}
	return games
}

// defaults returns the game of two of every variant with the default target, or
// with one that is no higher than most.
func defaults(most int) (games []env.Game) {
	for _, v := range env.Variants() {
		target := max(v.Target.Min, min(v.Target.Default, most))
		games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Target: target})))
	}
	return games
}

// A policy has a name for messages.
type policy struct {
	name string
	env.Player
}

// fixed calls policies.Named.
func fixed(ctx context.Context, name string, g env.Game) (env.Player, error) {
	return policies.Named(ctx, name, g, exact.Options{})
}

// named returns the fixed policy of that name.
func named(t testing.TB, name string, g env.Game) policy {
	t.Helper()
	p, err := fixed(t.Context(), name, g)
	if err != nil {
		t.Fatalf("Named(%q, %v): %v", name, g, err)
	}
	return policy{name, p}
}

// fixedPolicies returns every fixed policy, with a few numbers for N.
func fixedPolicies(t testing.TB, g env.Game, numbers ...int) (all []policy) {
	t.Helper()
	for _, f := range policies.FixedPolicies() {
		if f.Name == policies.TwoPlayer && g.Players() <= 2 {
			continue // it is optimal
		}
		if stem, numbered := strings.CutSuffix(f.Name, "N"); numbered {
			for _, n := range numbers {
				all = append(all, named(t, fmt.Sprint(stem, n), g))
			}
			continue
		}
		all = append(all, named(t, f.Name, g))
	}
	return all
}

// hashed returns a policy without rhyme or reason: its chances of rolling are
// a hash of all that the mover observes; a quarter of them are 0, a quarter 1.
func hashed(g env.Game, seed uint64) policy {
	return policy{fmt.Sprint("hash ", seed), playerFunc(func(s env.State) float64 {
		var room [env.MaxColumns]int16
		h := seed
		for _, x := range g.Observe(room[:0], s, int(s.Seat)) {
			h = (h ^ uint64(uint16(x))) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		u := float64(h>>11) / (1 << 53)
		return max(0, min(1, 2*u-0.5))
	})}
}

// tabled returns p with its chances written down beforehand, which is faster
// where sweep after sweep asks for them. The game must be one of two that ends
// at the target, and p must not look at the seat.
func tabled(g env.Game, p policy) policy {
	n := g.Target()
	table := make([]float64, n*n*n)
	at := func(s *env.State) int {
		return (int(s.Scores[s.Seat])*n+int(s.Scores[1-s.Seat]))*n + int(s.TurnTotal)
	}
	decisions(g, 0, func(s env.State) { table[at(&s)] = p.RollChance(s) })
	return policy{p.name, playerFunc(func(s env.State) float64 { return table[at(&s)] })}
}

type playerFunc func(env.State) float64

func (f playerFunc) RollChance(s env.State) float64 { return f(s) }

var two = exact.Options{Workers: 2}

func solve(t testing.TB, g env.Game) *exact.Solution {
	t.Helper()
	s, err := exact.Solve(t.Context(), g, two)
	if err != nil {
		t.Fatalf("Solve(%v): %v", g, err)
	}
	return s
}

func respond(t testing.TB, g env.Game, against policy) *exact.Solution {
	t.Helper()
	s, err := exact.BestResponse(t.Context(), g, against, two)
	if err != nil {
		t.Fatalf("BestResponse(%v, %s): %v", g, against.name, err)
	}
	return s
}

func evaluate(t testing.TB, g env.Game, seats ...policy) exact.Evaluation {
	t.Helper()
	var players []env.Player
	for _, p := range seats {
		players = append(players, p.Player)
	}
	e, err := exact.Evaluate(t.Context(), g, players, two)
	if err != nil {
		t.Fatalf("Evaluate(%v, %s): %v", g, names(seats), err)
	}
	return e
}

func compare(t testing.TB, g env.Game, p, against policy) exact.Comparison {
	t.Helper()
	c, err := exact.Compare(t.Context(), g, p.Player, against.Player, two)
	if err != nil {
		t.Fatalf("Compare(%v, %s, %s): %v", g, p.name, against.name, err)
	}
	return c
}

func names(seats []policy) string {
	var all []string
	for _, p := range seats {
		all = append(all, p.name)
	}
	return strings.Join(all, " v ")
}

// near reports whether got is want up to a tolerance, which is absolute up to
// 1 and relative beyond. It is false of NaN; infinities must agree.
func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// allNear is near of two lists of the same length.
func allNear(got, want []float64, tolerance float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !near(got[i], want[i], tolerance) {
			return false
		}
	}
	return true
}

// decisions calls f in every state of g in which both actions are legal,
// reached by dice or not, with seat 0 to begin: while both have banked less
// than the target, with turn totals up to beyond past it in games that end
// after a round.
func decisions(g env.Game, beyond int, f func(s env.State)) {
	target := g.Target()
	others := target
	if g.Players() == 1 {
		others = 1
	}
	end := target
	if g.Variant().Ending == env.AfterRound {
		end += beyond
	}
	for seat := range g.Players() {
		for own := range target {
			for other := range others {
				for held := own + 1; held < end; held++ {
					f(state(seat, own, other, held-own))
				}
			}
		}
	}
}

// state returns a state with seat to move.
func state(seat, own, other, turnTotal int) env.State {
	s := env.State{Seat: int8(seat), TurnTotal: int16(turnTotal)}
	s.Scores[1-seat] = int16(other)
	s.Scores[seat] = int16(own)
	return s
}

// shifted returns the same game of two with the seats exchanged.
func shifted(s env.State) env.State {
	s.Scores[0], s.Scores[1] = s.Scores[1], s.Scores[0]
	s.Seat, s.First = 1-s.Seat, 1-s.First
	return s
}
