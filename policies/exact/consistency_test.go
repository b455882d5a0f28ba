package exact_test

import (
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
)

// TestValuesAreConsistent holds what must be true of the solutions of every game:
// perfect play evaluates to its own values, nothing gains on it, and a best
// response earns what it promises. With -long the games are of full size.
func TestValuesAreConsistent(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range defaults(sized(30, 1000)) {
		t.Run(g.String(), func(t *testing.T) {
			all := []policy{hashed(g, 3), named(t, "hold-20", g)}
			if wipes(g) {
				// Many sweeps, each as long as another game's only one.
				all = []policy{tabled(g, all[0])}
			}
			checkConsistency(t, g, all...)
		})
	}
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v, sized(8, 25)) {
			if g.Players() == 2 {
				t.Run(g.String(), func(t *testing.T) {
					checkConsistency(t, g, append(fixedPolicies(t, g, sized([]int{5}, []int{1, 5, 20})...), hashed(g, 3), hashed(g, 4))...)
				})
			}
		}
	}
}

// wipes reports whether a roll of g can cost the banked score.
func wipes(g env.Game) bool {
	return slices.ContainsFunc(g.Outcomes(g.Start(0)), func(c env.Chance) bool { return c.Effect == env.Wipe })
}

// TestValuesAreConsistentLarge is TestValuesAreConsistent of large games.
func TestValuesAreConsistentLarge(t *testing.T) {
	racedetector.Skip(t)
	if !*exact.Long {
		t.Skip("takes minutes; run it with -long")
	}
	for _, v := range env.Variants() {
		target := 300
		switch {
		case wipes(game(v.ID, 2, v.Target.Default)):
			continue // many sweeps: those of TestValuesAreConsistent are large enough
		case v.ID == "pig":
			target = v.Target.Max
		}
		for _, g := range gamesOf(v, target) {
			if g.Players() == 2 {
				t.Run(g.String(), func(t *testing.T) { checkConsistency(t, g, named(t, "race", g)) })
			}
		}
	}
}

func checkConsistency(t *testing.T, g env.Game, all ...policy) {
	t.Helper()
	residual := func(call string, residual float64) {
		t.Helper()
		if !(residual <= 1e-13) {
			t.Errorf("%s: the residual is %v, want no more than 1e-13", call, residual)
		}
	}
	s := solve(t, g)
	optimal := policy{"optimal", s}
	wins := s.WinBySeat()
	if s.Game() != g || len(wins) != 2 || !near(wins[0]+wins[1], 1, 1e-13) {
		t.Errorf("Solve(%v) is of %v and has WinBySeat() = %v, want two that sum to 1", g, s.Game(), wins)
	}
	if got := s.Exploitability(); !near(got, 0, 1e-13) {
		t.Errorf("Solve(%v).Exploitability() = %v, want 0", g, got)
	}
	residual("Solve", s.Residual())

	e := evaluate(t, g, optimal, optimal)
	if !allNear(e.Win, wins, 1e-12) {
		t.Errorf("Evaluate(%v, optimal v optimal).Win = %v, want %v", g, e.Win, wins)
	}
	residual("Evaluate", e.Residual)
	r := respond(t, g, optimal)
	if got := r.WinBySeat(); !allNear(got, wins, 1e-12) || math.Abs(r.Exploitability()) > 1e-12 {
		t.Errorf("BestResponse(%v, optimal): WinBySeat() = %v, Exploitability() = %v, want %v and 0", g, got, r.Exploitability(), wins)
	}
	residual("BestResponse", r.Residual())

	for _, p := range all {
		r := respond(t, g, p)
		promised := r.WinBySeat()
		residual("BestResponse", r.Residual())
		if got, want := r.WinMean(), (promised[0]+promised[1])/2; !near(got, want, 1e-15) || !near(r.Exploitability(), want-0.5, 1e-15) {
			t.Errorf("BestResponse(%v, %s): WinMean() = %v, Exploitability() = %v, want %v, %v", g, p.name, got, r.Exploitability(), want, want-0.5)
		}
		earned := compare(t, g, policy{"the response", r}, p)
		if !allNear(earned.WinBySeat, promised, 1e-12) {
			t.Errorf("Compare(%v, best response, %s).WinBySeat = %v, want %v as promised", g, p.name, earned.WinBySeat, promised)
		}
		residual("Compare", earned.Residual)
		safe := compare(t, g, optimal, p)
		for seat := range 2 {
			if safe.WinBySeat[seat] < wins[seat]-1e-12 {
				t.Errorf("Compare(%v, optimal, %s).WinBySeat[%d] = %v, less than %v of perfect play", g, p.name, seat, safe.WinBySeat[seat], wins[seat])
			}
			if promised[seat] < safe.WinBySeat[seat]-1e-12 {
				t.Errorf("BestResponse(%v, %s).WinBySeat()[%d] = %v, less than %v of perfect play", g, p.name, seat, promised[seat], safe.WinBySeat[seat])
			}
		}
	}
}

// TestCompareIsEvaluateInBothSeats holds that Compare is Evaluate in both seats, and that what one
// player wins the other loses.
func TestCompareIsEvaluateInBothSeats(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v, sized(12, 20)) {
			if g.Players() != 2 {
				continue
			}
			all := append(fixedPolicies(t, g, 20), hashed(g, 5), hashed(g, 6))
			for i, p := range all {
				q := all[(i+1)%len(all)]
				got, reverse := compare(t, g, p, q), compare(t, g, q, p)
				first, second := evaluate(t, g, p, q), evaluate(t, g, q, p)
				if want := []float64{first.Win[0], second.Win[1]}; !allNear(got.WinBySeat, want, 1e-13) {
					t.Errorf("Compare(%v, %s, %s).WinBySeat = %v, and Evaluate has %v", g, p.name, q.name, got.WinBySeat, want)
				}
				if want := []float64{first.Turns, second.Turns}; !allNear(got.TurnsBySeat, want, 1e-13) {
					t.Errorf("Compare(%v, %s, %s).TurnsBySeat = %v, and Evaluate has %v", g, p.name, q.name, got.TurnsBySeat, want)
				}
				if want := []float64{first.Decisions, second.Decisions}; !allNear(got.DecisionsBySeat, want, 1e-13) {
					t.Errorf("Compare(%v, %s, %s).DecisionsBySeat = %v, and Evaluate has %v", g, p.name, q.name, got.DecisionsBySeat, want)
				}
				for what, mean := range map[string][2]float64{
					"WinMean":   {got.WinMean(), (got.WinBySeat[0] + got.WinBySeat[1]) / 2},
					"Turns":     {got.Turns(), (first.Turns + second.Turns) / 2},
					"Decisions": {got.Decisions(), (first.Decisions + second.Decisions) / 2},
				} {
					if !near(mean[0], mean[1], 1e-13) {
						t.Errorf("Compare(%v, %s, %s).%s() = %v, want %v", g, p.name, q.name, what, mean[0], mean[1])
					}
				}
				for seat := range 2 {
					if sum := got.WinBySeat[seat] + reverse.WinBySeat[1-seat]; !near(sum, 1, 1e-13) {
						t.Errorf("%v: %s wins %v in seat %d against %s, which wins %v in the other: a sum of %v", g, p.name, got.WinBySeat[seat], seat, q.name, reverse.WinBySeat[1-seat], sum)
					}
				}
			}
		}
	}
}

// TestResidual holds that residuals are of the size of rounding: not 0, or
// nobody has looked.
func TestResidual(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range []env.Game{pig(100), game("pig-last-round", 2, 40), game("pig-snake-eyes", 2, 30), game("pig", 1, 100)} {
		s := solve(t, g)
		hold := named(t, "hold-20", g)
		residuals := map[string]float64{"Solve": s.Residual()}
		if g.Players() == 2 {
			residuals["BestResponse"] = respond(t, g, hold).Residual()
			residuals["Evaluate"] = evaluate(t, g, hold, hold).Residual
			residuals["Compare"] = compare(t, g, hold, policy{"optimal", s}).Residual
		}
		for call, got := range residuals {
			if !(got > 0 && got <= 1e-13) {
				t.Errorf("%s(%v): the residual is %v, want more than 0 and no more than 1e-13", call, g, got)
			}
		}
	}
}

// equations checks the values of a solution against those of the states that
// follow.
type equations struct {
	g    env.Game
	s    *exact.Solution
	best map[env.State]float64 // what the mover has
	miss float64               // the largest
	at   env.State
}

func (q *equations) value(s env.State) float64 {
	v, ok := q.best[s]
	if !ok {
		hold, roll := q.s.Values(s)
		v = roll
		if hold > roll { // not if NaN
			v = hold
		}
		q.best[s] = v
	}
	return v
}

// follows returns what next is worth to the player who moved in s.
func (q *equations) follows(s, next env.State) float64 {
	switch {
	case q.g.Players() == 1 && next.Over:
		return 0
	case q.g.Players() == 1 && next.TurnTotal == 0:
		return q.value(next) - 1
	case next.Over:
		return q.g.WinShare(next, int(s.Seat))
	case next.Seat != s.Seat:
		return 1 - q.value(next)
	}
	return q.value(next)
}

func (q *equations) check(t *testing.T, s env.State) {
	t.Helper()
	if err := q.g.Validate(s); err != nil {
		t.Fatal(err)
	}
	wantRoll := 0.0
	for _, c := range q.g.Outcomes(s) {
		wantRoll += float64(c.Weight) / float64(q.g.TotalWeight()) * q.follows(s, q.g.AfterRoll(s, c.Outcome))
	}
	hold, roll := q.s.Values(s)
	miss := math.Abs(roll - wantRoll)
	if s.TurnTotal == 0 {
		if !math.IsNaN(hold) {
			t.Fatalf("Solve(%v).Values(%+v): hold is worth %v, want NaN", q.g, s, hold)
		}
	} else {
		miss = max(miss, math.Abs(hold-q.follows(s, q.g.AfterHold(s))))
	}
	if !(miss <= q.miss) {
		q.miss, q.at = miss, s
	}
	// RollChance agrees, up to the rounding of equal values.
	switch chance := q.s.RollChance(s); {
	case s.TurnTotal == 0 && chance == 1, chance == 1 && roll > hold-1e-13, chance == 0 && hold > roll-1e-11:
	default:
		t.Fatalf("Solve(%v).RollChance(%+v) = %v, and holding is worth %v, rolling %v", q.g, s, chance, hold, roll)
	}
}

func (q *equations) report(t *testing.T) {
	t.Helper()
	limit := 1e-12
	if q.g.Players() == 1 {
		limit = 1e-11 // in turns
	}
	if !(q.miss <= limit) {
		hold, roll := q.s.Values(q.at)
		t.Errorf("Solve(%v).Values(%+v) = %v, %v misses its equation by %v", q.g, q.at, hold, roll, q.miss)
	}
}

// TestEquations puts the values of perfect play into the equations of every
// state inside a turn, which are written here with states alone; of large
// games, into those of a sample.
func TestEquations(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v, sized(16, 24), 100) {
			t.Run(g.String(), func(t *testing.T) {
				q := &equations{g: g, s: solve(t, g), best: make(map[env.State]float64)}
				if g.Target() == 100 && g.Players() == 2 {
					for _, s := range sample(g, 2000) {
						q.check(t, s)
					}
					q.report(t)
					return
				}
				decisions(g, 15, func(s env.State) {
					q.check(t, s)
					if s.TurnTotal == 1 {
						s.TurnTotal = 0
						q.check(t, s)
					}
				})
				if v.Ending == env.AfterRound {
					for other := g.Target(); other < g.Target()+15; other++ {
						for own := range g.Target() {
							for turnTotal := range other - own + 5 {
								q.check(t, state(1, own, other, turnTotal))
							}
						}
					}
				}
				q.report(t)
			})
		}
	}
}

// sample returns states of g, both banked scores and the turn total drawn at
// random.
func sample(g env.Game, n int) (states []env.State) {
	r := env.NewRand(7)
	below := func(n int) int { return int(r.Below(uint32(n))) }
	target := g.Target()
	for range n {
		if g.Players() == 1 {
			own := below(target)
			states = append(states, state(0, own, 0, below(target-own)))
			continue
		}
		own, other := below(target), below(target)
		seat, most := below(2), target-own
		if g.Variant().Ending == env.AfterRound {
			most += 40
			if seat == 1 && below(3) == 0 {
				other = target + below(30)
			}
		}
		states = append(states, state(seat, own, other, below(most)))
	}
	return states
}

// TestCochonControl holds that rolling on is right everywhere in the game
// without risk, and that nobody has an edge over always-roll.
func TestCochonControl(t *testing.T) {
	v, err := env.Lookup("cochon")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gamesOf(v, 10) {
		s := solve(t, g)
		decisions(g, 0, func(at env.State) {
			hold, roll := s.Values(at)
			if s.RollChance(at) != 1 || hold >= roll {
				t.Errorf("Solve(%v) in %+v: RollChance = %v, Values = %v, %v, want to roll", g, at, s.RollChance(at), hold, roll)
			}
		})
		roll := named(t, "always-roll", g)
		if got := respond(t, g, roll).Exploitability(); math.Abs(got) > 1e-12 {
			t.Errorf("BestResponse(%v, always-roll).Exploitability() = %v, want 0", g, got)
		}
		for _, p := range append(fixedPolicies(t, g, 1, 2, 4, 20), hashed(g, 1), hashed(g, 2), policy{"optimal", s}) {
			if got := compare(t, g, p, roll).WinMean(); got > 0.5+1e-12 {
				t.Errorf("Compare(%v, %s, always-roll).WinMean() = %v, want no more than 1/2", g, p.name, got)
			}
		}
		if got := compare(t, g, named(t, "hold-1", g), roll).WinMean(); got > 0.45 {
			t.Errorf("Compare(%v, hold-1, always-roll).WinMean() = %v, want much less than 1/2", g, got)
		}
	}
}

// TestMonotone holds that at the start of a turn it is better to have more
// points, and worse if the other has more; it makes no difference where any
// gain reaches the target at once.
func TestMonotone(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range defaults(sized(50, 1000)) {
		s := solve(t, g)
		target := g.Target()
		// same reports whether a point more makes no difference to a player.
		same := func(score int) bool {
			for _, c := range g.Outcomes(env.State{TurnTotal: int16(score)}) {
				if c.Effect.Gains() && score+int(c.Points) < target || g.Variant().Ending == env.AfterRound {
					return false
				}
			}
			return true
		}
		check := func(seat, own, other int, more, less float64, same bool) {
			if same && !near(more, less, 1e-14) || !same && more <= less {
				t.Errorf("Solve(%v): rolling in seat %d with %d against %d is worth %v and one point on %v; should be the same: %t", g, seat, own, other, more, less, same)
			}
		}
		for seat := range 2 {
			value := make([][]float64, target)
			for own := range target {
				for other := range target {
					_, roll := s.Values(state(seat, own, other, 0))
					value[own] = append(value[own], roll)
				}
			}
			for own := range target {
				for other := range target - 1 {
					check(seat, own, other, value[own][other], value[own][other+1], same(other))
					check(seat, other, own, value[other+1][own], value[other][own], same(other))
				}
			}
		}
	}
}
