package exact_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestLastRoll holds that LastRoll is the highest score at which a solution
// chooses to roll, and that indices of tables reach well beyond it.
func TestLastRoll(t *testing.T) {
	racedetector.Skip(t)
	check := func(what string, s *exact.Solution) {
		t.Helper()
		g := s.Game()
		want := 0
		decisions(g, policies.BeyondTarget+20, func(at env.State) {
			if held := int(at.Scores[at.Seat] + at.TurnTotal); held > want && s.RollChance(at) == 1 {
				want = held
			}
		})
		if got := s.LastRoll(); got != want {
			t.Errorf("%s.LastRoll() = %d, and it rolls at %d", what, got, want)
		}
		if got := s.LastRoll(); got >= g.Target() && g.Variant().Ending == env.AtTarget {
			t.Errorf("%s.LastRoll() = %d, where the game is over", what, got)
		}
	}
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v, 2, 3, 40) {
			check(fmt.Sprintf("Solve(%v)", g), solve(t, g))
			if g.Players() == 2 {
				check(fmt.Sprintf("BestResponse(%v, hash 8)", g), respond(t, g, hashed(g, 8)))
			}
		}
	}
	for _, target := range sized([]int{2, 5, 10, 50}, []int{2, 5, 10, 20, 50, 100, 150}) {
		g := game("pig-last-round", 2, target)
		// Perfect play goes beyond the target, but leaves half of an index's margin.
		if past := solve(t, g).LastRoll() - target; past < 0 || past > policies.BeyondTarget/2 {
			t.Errorf("Solve(%v).LastRoll() is %d past the target, want from 0 to half of BeyondTarget, %d", g, past, policies.BeyondTarget)
		}
	}
}

// TestPlayersWhoNeverHold checks games of a last round whose players may never end them.
func TestPlayersWhoNeverHold(t *testing.T) {
	racedetector.Skip(t)
	target := sized(8, 50)
	g := game("pig-last-round", 2, target)
	roll, hold := named(t, "always-roll", g), named(t, "hold-20", g)
	inf := math.Inf(1)
	if got := evaluate(t, g, roll, roll); !slices.Equal(got.Win, []float64{0, 0}) || got.Turns != inf || got.Decisions != inf {
		t.Errorf("Evaluate(%v, always-roll v always-roll) = %+v, want wins of 0, infinite turns and decisions", g, got)
	}
	// Against always-roll, hold-20 is alone in banking points: it takes as many
	// turns as a lone player does, and a decision more, to hold at the end. The
	// other has a turn for each of them, of 6 rolls on average.
	lone := game("pig", 1, target)
	alone := evaluate(t, lone, named(t, "hold-20", lone))
	for seat, seats := range [][]policy{{hold, roll}, {roll, hold}} {
		want := exact.Evaluation{Win: []float64{0, 0}, Turns: 2 * alone.Turns, Decisions: alone.Decisions + 1 + 6*alone.Turns}
		want.Win[seat] = 1
		if got := evaluate(t, g, seats...); !allNear(got.Win, want.Win, 1e-12) || !near(got.Turns, want.Turns, 1e-12) || !near(got.Decisions, want.Decisions, 1e-12) {
			t.Errorf("Evaluate(%v, %s) = %+v, want %+v", g, names(seats), got, want)
		}
	}
	for _, p := range []policy{roll, hold} {
		if got := compare(t, g, p, p).WinMean(); p.name == roll.name && got != 0 || p.name == hold.name && !near(got, 0.5, 1e-12) {
			t.Errorf("Compare(%v, %s, %s).WinMean() = %v", g, p.name, p.name, got)
		}
	}
	if got := respond(t, g, roll).WinBySeat(); !allNear(got, []float64{1, 1}, 1e-12) {
		t.Errorf("BestResponse(%v, always-roll).WinBySeat() = %v, want 1, 1", g, got)
	}

	// A policy that now and then comes to a score at which it never holds again,
	// and else holds at once, so that the graph need not go far.
	g = game("pig-last-round", 2, 6)
	stuck := policy{"stuck at 3", playerFunc(func(s env.State) float64 {
		if s.Scores[s.Seat] == 3 {
			return 1
		}
		return 0
	})}
	got, want := evaluate(t, g, stuck, stuck), newGraph(g, 10).play(t, stuck, stuck)
	sum := got.Win[0] + got.Win[1]
	if !allNear(got.Win, want.Win, 1e-10) || got.Turns != inf || got.Decisions != inf || sum > 0.99 || sum < 0.5 {
		t.Errorf("Evaluate(%v, %s) = %+v, want %+v, with wins that sum to less than 1", g, stuck.name, got, want)
	}
}

// A waits function tells at which scores a player never holds in games that
// end after a round, as long as nobody has banked the target.
type waits func(own, other int) bool

// waiter returns a policy that waits, or holds at a turn total of 5; in the
// last round it rolls until ahead.
func waiter(g env.Game, name string, waits waits) policy {
	return policy{name, playerFunc(func(s env.State) float64 {
		own, other := int(s.Scores[s.Seat]), int(s.Scores[1-s.Seat])
		roll := s.TurnTotal < 5 || waits(own, other)
		if other >= g.Target() {
			roll = own+int(s.TurnTotal) <= other
		}
		if roll {
			return 1
		}
		return 0
	})}
}

// TestResponseToWaiter finds the best response to who never holds before the
// last round, or not at some scores. Then there is all the time to roll for a
// score that is out of reach, which wins for sure in the limit; win
// probabilities are near to that of the limit, and never beyond 1.
func TestResponseToWaiter(t *testing.T) {
	racedetector.Skip(t)
	for _, test := range []struct {
		name    string
		waits   waits
		certain bool // to lose
	}{
		{"always", func(int, int) bool { return true }, true},
		{"at 0 to 0", func(own, other int) bool { return own+other == 0 }, false},
		{"when behind", func(own, other int) bool { return own < other }, false},
		{"at odd sums", func(own, other int) bool { return (own+other)%2 == 1 }, false},
	} {
		for _, target := range sized([]int{2, 4}, []int{2, 5, 7, 12}) {
			g := game("pig-last-round", 2, target)
			p := waiter(g, "who waits "+test.name, test.waits)
			r := respond(t, g, p)
			promised := r.WinBySeat()
			if max(promised[0], promised[1]) > 1+1e-12 || test.certain && !allNear(promised, []float64{1, 1}, 1e-12) {
				t.Errorf("BestResponse(%v, %s).WinBySeat() = %v, want no more than 1; all of it: %t", g, p.name, promised, test.certain)
			}
			if got := compare(t, g, policy{"the response", r}, p).WinBySeat; !allNear(got, promised, 1e-12) {
				t.Errorf("Compare(%v, best response, %s).WinBySeat = %v, want %v as promised", g, p.name, got, promised)
			}
		}
	}
}

// TestSolitaireMaximum solves the largest game of one player: its values are
// those of its own play, and each point more saves a turn in 8.14.
func TestSolitaireMaximum(t *testing.T) {
	g := game("pig", 1, 1000)
	s := solve(t, g)
	e := evaluate(t, g, policy{"optimal", s})
	if !near(e.Turns, s.FewestTurns(), 1e-12) || !(s.Residual() < 1e-12) {
		t.Errorf("Evaluate(%v, optimal).Turns = %v, want %v; the residual is %v", g, e.Turns, s.FewestTurns(), s.Residual())
	}
	// Far from the target hold-20 is best, at 8.1418 points a turn (T. Neller,
	// Nifty Assignments 2010).
	nearer := solve(t, game("pig", 1, 500))
	if got := 500 / (s.FewestTurns() - nearer.FewestTurns()); math.Abs(got-8.1418) > 5e-4 {
		t.Errorf("500 points more take %v points a turn, want 8.1418", got)
	}
}

// TestBadChance holds that a policy's answer which is no chance is a panic.
func TestBadChance(t *testing.T) {
	options := exact.Options{Workers: 2}
	for _, chance := range []float64{1.5, -0.1, math.NaN(), math.Inf(1)} {
		for _, g := range []env.Game{pig(10), game("pig-last-round", 2, 10)} {
			bad, good := playerFunc(func(env.State) float64 { return chance }), named(t, "hold-3", g)
			for call, f := range map[string]func() error{
				"Evaluate": func() error {
					_, err := exact.Evaluate(t.Context(), g, []env.Player{good, bad}, options)
					return err
				},
				"Compare": func() error {
					_, err := exact.Compare(t.Context(), g, bad, good, options)
					return err
				},
				"BestResponse": func() error {
					_, err := exact.BestResponse(t.Context(), g, bad, options)
					return err
				},
			} {
				func() {
					defer func() {
						want := fmt.Sprintf("exact: a policy rolls with chance %v, which is not in [0, 1]", chance)
						if got := recover(); got != want {
							t.Errorf("%s(%v) with a policy that returns %v: panic %v, want %s", call, g, chance, got, want)
						}
					}()
					err := f()
					t.Errorf("%s(%v) with a policy that returns %v: %v", call, g, chance, err)
				}()
			}
		}
	}
}

// TestFewestTurnsPanics holds that only a lone player has fewest turns.
func TestFewestTurnsPanics(t *testing.T) {
	s := solve(t, pig(5))
	defer func() {
		if got, want := recover(), "exact: FewestTurns of pig, 2 players, target 5"; got != want {
			t.Errorf("FewestTurns() of a game of two: panic %v, want %s", got, want)
		}
	}()
	t.Errorf("FewestTurns() of a game of two = %v", s.FewestTurns())
}

// TestErrors checks what is not to be had.
func TestErrors(t *testing.T) {
	var o exact.Options
	ctx := t.Context()
	alone, both, many := game("pig", 1, 10), pig(10), game("pig", 6, 100)
	p := named(t, "hold-3", both).Player
	solve := func(g env.Game) error { _, err := exact.Solve(ctx, g, o); return err }
	respond := func(g env.Game, p env.Player) error { _, err := exact.BestResponse(ctx, g, p, o); return err }
	evaluate := func(g env.Game, seats ...env.Player) error { _, err := exact.Evaluate(ctx, g, seats, o); return err }
	compare := func(g env.Game, p, q env.Player) error { _, err := exact.Compare(ctx, g, p, q, o); return err }
	for _, test := range []struct {
		call    string
		err     error
		tooMany bool // players
		want    string
	}{
		{"Solve with 6 players", solve(many), true, "exact: too many players: to solve pig, 6 players, target 100 takes"},
		{"BestResponse with 6 players", respond(many, p), true, "exact: too many players: to evaluate policies of pig, 6 players, target 100 takes"},
		{"Evaluate with 6 players", evaluate(many, p, p, p, p, p, p), true, "exact: too many players: to evaluate policies of pig, 6 players, target 100 takes"},
		{"BestResponse with 1 player", respond(alone, p), false, "one player"},
		{"BestResponse to nil", respond(both, nil), false, "exact: a policy is nil"},
		{"Evaluate with a policy too few", evaluate(both, p), false, "exact: 1 policies for the 2 seats of pig, 2 players, target 10"},
		{"Evaluate with a policy too many", evaluate(both, p, p, p), false, "exact: 3 policies for the 2 seats"},
		{"Evaluate with no policy", evaluate(alone), false, "exact: 0 policies for the 1 seats"},
		{"Evaluate with nil in seat 0", evaluate(both, nil, p), false, "exact: a policy is nil"},
		{"Evaluate with nil in seat 1", evaluate(both, p, nil), false, "exact: a policy is nil"},
		{"Evaluate with nil alone", evaluate(alone, nil), false, "exact: a policy is nil"},
		{"Compare of nil", compare(both, nil, p), false, "exact: a policy is nil"},
		{"Compare with nil", compare(both, p, nil), false, "exact: a policy is nil"},
		{"Compare of nil alone", compare(alone, nil, p), false, "exact: a policy is nil"},
	} {
		if test.err == nil || errors.Is(test.err, exact.ErrPlayers) != test.tooMany || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q that wraps ErrPlayers: %t", test.call, test.err, test.want, test.tooMany)
		}
	}
	if err := compare(alone, p, nil); err != nil {
		t.Errorf("Compare of one player against nil: %v, want no error", err)
	}
}

// TestComparePlayers holds that Compare has the error of a game of six, as
// all functions do.
func TestComparePlayers(t *testing.T) {
	g := game("pig", 6, 100)
	p := named(t, "hold-3", g)
	defer func() {
		if got := recover(); got != nil {
			t.Errorf("Compare(%v): panic %v, want an error that wraps ErrPlayers", g, got)
		}
	}()
	if _, err := exact.Compare(t.Context(), g, p, p, exact.Options{}); !errors.Is(err, exact.ErrPlayers) {
		t.Errorf("Compare(%v): error %v, want one that wraps ErrPlayers", g, err)
	}
}

// TestEvaluateKeepsSeats holds that Evaluate writes nothing past the caller's
// policies.
func TestEvaluateKeepsSeats(t *testing.T) {
	g := pig(5)
	p := named(t, "hold-3", g).Player
	all := []env.Player{p, p, p, p}
	if _, err := exact.Evaluate(t.Context(), g, all[:2], exact.Options{}); err != nil {
		t.Fatal(err)
	}
	for i, q := range all {
		if q == nil {
			t.Errorf("Evaluate(%v, all[:2]) has changed all[%d] to nil", g, i)
		}
	}
}

// TestCanceled holds that a context that has ended before, or ends on the way,
// ends a computation.
func TestCanceled(t *testing.T) {
	for _, g := range []env.Game{game("pig", 1, 100), pig(100), game("pig-last-round", 2, 60), game("pig-snake-eyes", 2, 40)} {
		ended, end := context.WithCancel(t.Context())
		end()
		hold := named(t, "hold-20", g)
		seats := []env.Player{hold, hold}[:g.Players()]
		calls := map[string]func(ctx context.Context, p env.Player) (result any, err error){
			"Solve": func(ctx context.Context, _ env.Player) (any, error) {
				s, err := exact.Solve(ctx, g, two)
				return s == nil, err
			},
			"BestResponse": func(ctx context.Context, p env.Player) (any, error) {
				s, err := exact.BestResponse(ctx, g, p, two)
				return s == nil, err
			},
			"Evaluate": func(ctx context.Context, p env.Player) (any, error) {
				seats := slices.Clone(seats)
				seats[len(seats)-1] = p
				e, err := exact.Evaluate(ctx, g, seats, two)
				return e.Win == nil, err
			},
			"Compare": func(ctx context.Context, p env.Player) (any, error) {
				c, err := exact.Compare(ctx, g, p, hold, two)
				return c.WinBySeat == nil, err
			},
		}
		for call, f := range calls {
			if call == "BestResponse" && g.Players() == 1 {
				continue
			}
			if none, err := f(ended, hold); err != context.Canceled || none != true {
				t.Errorf("%s(%v) with an ended context: error %v, no result: %v, want %v and none", call, g, err, none, context.Canceled)
			}
			if call == "Solve" {
				continue
			}
			// How often the policy is asked in all, and with a context that ends
			// early on.
			var asked, limit atomic.Int64
			ctx, cancel := context.WithCancel(t.Context())
			counting := playerFunc(func(s env.State) float64 {
				if asked.Add(1) == limit.Load() {
					cancel()
				}
				return hold.RollChance(s)
			})
			if _, err := f(ctx, counting); err != nil {
				t.Errorf("%s(%v): %v", call, g, err)
			}
			all := asked.Swap(0)
			limit.Store(all / 10)
			if none, err := f(ctx, counting); err != context.Canceled || none != true {
				t.Errorf("%s(%v) with a context that ends: error %v, no result: %v, want %v and none", call, g, err, none, context.Canceled)
			}
			if some := asked.Load(); some > all/5 {
				t.Errorf("%s(%v) with a context that ends when the policy has been asked %d times asks it %d times, of %d in all", call, g, all/10, some, all)
			}
			cancel()
		}
	}
}

// TestConcurrentUse lets many look at a new solution at once; run it with the
// race detector, too.
func TestConcurrentUse(t *testing.T) {
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v, 12) {
			solutions := map[string]func() *exact.Solution{"Solve": func() *exact.Solution { return solve(t, g) }}
			if g.Players() == 2 {
				solutions["BestResponse"] = func() *exact.Solution { return respond(t, g, hashed(g, 9)) }
			}
			for call, make := range solutions {
				states := sample(g, 200)
				look := func(s *exact.Solution, i int) [3]float64 {
					hold, roll := s.Values(states[i])
					return [3]float64{s.RollChance(states[i]), hold, roll}
				}
				want := make()
				var all [][3]float64
				for i := range states {
					all = append(all, look(want, i))
				}
				shared := make()
				var wg sync.WaitGroup
				for k := range 8 {
					wg.Go(func() {
						if got := shared.LastRoll(); k%2 == 0 && got != want.LastRoll() {
							t.Errorf("%s(%v).LastRoll() = %d, want %d", call, g, got, want.LastRoll())
						}
						for n := range states {
							i := (n + 25*k) % len(states)
							if got := look(shared, i); fmt.Sprint(got) != fmt.Sprint(all[i]) {
								t.Errorf("%s(%v) in %+v: %v from several goroutines, want %v", call, g, states[i], got, all[i])
							}
						}
					})
				}
				wg.Wait()
			}
		}
	}
}
