package exact_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
)

// manyGames returns the games of three and four players of a variant, with every setting of
// its options, at targets that leave few states. Those with many are left to -long.
func manyGames(v *env.Variant) (games []env.Game) {
	targets := map[int][]int{3: sized([]int{2, 5}, []int{2, 3, 4, 5, 7, 9}), 4: sized([]int{3}, []int{2, 3, 4, 5})}
	switch {
	case v.Target.Min == v.Target.Max:
		targets = map[int][]int{3: sized(nil, []int{v.Target.Min})}
	case v.Ending == env.AfterRound:
		targets = map[int][]int{3: sized(nil, []int{2, 3})}
	}
	for players := max(3, v.MinPlayers); players <= min(4, v.MaxPlayers); players++ {
		for _, target := range targets[players] {
			for _, options := range optionsOf(v) {
				games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: target, Options: options})))
			}
		}
	}
	return games
}

// beyondMany is how far past the target the graphs of these games go.
const beyondMany = 60

// TestEquilibriumAgainstSweepsOverAllStates checks equilibria of small games for three and
// more players against sweeps over all their states: its policy wins what it says, no
// seat gains by any other policy, and where plain value iteration comes to rest, it comes
// to an equilibrium that is worth the same or, there being several, to one too.
func TestEquilibriumAgainstSweepsOverAllStates(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		for _, g := range manyGames(v) {
			t.Run(g.String(), func(t *testing.T) {
				n := g.Players()
				gr := newGraph(g, beyondMany)
				s := solve(t, g)
				wins := s.WinBySeat()
				seats := make([]policy, n)
				for seat := range seats {
					seats[seat] = policy{"equilibrium", s}
				}
				sum := 0.0
				for seat := range n {
					sum += wins[seat]
					if got := gr.best(t, seat, seats...)[0]; !near(wins[seat], got, 1e-10) {
						t.Errorf("Solve(%v).WinBySeat()[%d] = %v, and its policy wins %v", g, seat, wins[seat], got)
					}
					others := append([]policy(nil), seats...)
					others[seat] = policy{}
					if got := gr.best(t, seat, others...)[0]; got > wins[seat]+1e-9 {
						t.Errorf("Solve(%v).WinBySeat()[%d] = %v, and another policy wins %v", g, seat, wins[seat], got)
					}
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("Solve(%v).WinBySeat() = %v, which sum to %v, want 1", g, wins, sum)
				}
				if got := s.Deviation(); got > 1e-12 {
					t.Errorf("Solve(%v).Deviation() = %v, want no more than 1e-12", g, got)
				}
				if got, ok := gr.iterateValues(); ok && !allNear(got[0][:n], wins, 1e-9) {
					t.Errorf("Solve(%v).WinBySeat() = %v, want %v as of value iteration", g, wins, got[0][:n])
				} else if ok {
					gr.checkManyValues(t, s, got)
				}
			})
		}
	}
}

// iterateValues returns the win probabilities of all seats in every state by value
// iteration, in which every player takes the better action by its own, and holds where
// it is indifferent. It reports whether that comes to rest.
func (gr *graph) iterateValues() (values [][env.MaxPlayers]float64, ok bool) {
	n := gr.g.Players()
	values = make([][env.MaxPlayers]float64, len(gr.states))
	for i, s := range gr.states {
		for seat := range n {
			values[i][seat] = gr.g.WinShare(s, seat)
		}
	}
	update := func(i int32) (change float64) {
		var roll [env.MaxPlayers]float64
		for _, e := range gr.rolls[i] {
			for seat := range n {
				roll[seat] += e.chance * values[e.to][seat]
			}
		}
		mover := gr.states[i].Seat
		if h := gr.holds[i]; h >= 0 && roll[mover]-values[h][mover] <= 1e-12 {
			roll = values[h]
		}
		for seat := range n {
			change = max(change, math.Abs(roll[seat]-values[i][seat]))
		}
		values[i] = roll
		return change
	}
	for _, i := range gr.order[:gr.cyclic] {
		update(i)
	}
	for range 2000 {
		change := 0.0
		for _, i := range gr.order[gr.cyclic:] {
			change = max(change, update(i))
		}
		if change <= 1e-15 {
			return values, true
		}
	}
	return nil, false
}

// checkManyValues compares Values and RollChance in every state with the win probabilities
// of all seats.
func (gr *graph) checkManyValues(t *testing.T, s *exact.Solution, values [][env.MaxPlayers]float64) {
	t.Helper()
	own := make([]float64, len(values))
	for seat := range gr.g.Players() {
		for i := range values {
			own[i] = values[i][seat]
		}
		for i := range gr.states {
			state := gr.states[i]
			highest := state.Scores[state.Seat] + state.TurnTotal
			for _, score := range state.Scores {
				highest = max(highest, score)
			}
			if gr.over[i] || int(state.Seat) != seat || int(highest) > gr.g.Target()+beyondMany/4 {
				continue
			}
			hold, roll := gr.actions(int32(i), own)
			gotHold, gotRoll := s.Values(state)
			if !(math.IsNaN(hold) && math.IsNaN(gotHold) || near(gotHold, hold, 1e-9)) || !near(gotRoll, roll, 1e-9) {
				t.Fatalf("Solve(%v).Values(%+v) = %v, %v, want %v, %v", gr.g, state, gotHold, gotRoll, hold, roll)
			}
			want := exact.Certain(math.IsNaN(hold) || roll > hold)
			if got := s.RollChance(state); got != want && !(math.Abs(roll-hold) < 1e-9) {
				t.Fatalf("Solve(%v).RollChance(%+v) = %v, want %v", gr.g, state, got, want)
			}
		}
	}
}

// TestEvaluateManyAgainstSweepsOverAllStates compares policies, their best responses and
// what a game takes with sweeps over all states, for three and four players.
func TestEvaluateManyAgainstSweepsOverAllStates(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		for _, g := range manyGames(v) {
			t.Run(g.String(), func(t *testing.T) {
				n := g.Players()
				gr := newGraph(g, beyondMany)
				all := []policy{named(t, "hold-3", g), {"optimal", solve(t, g)}}
				all = append(all, named(t, "race", g), named(t, "hold-1", g))
				if v.Ending != env.AfterRound && v.Target.Min < v.Target.Max {
					all = append(all, hashed(g, 1), named(t, "random", g), hashed(g, 2))
				}
				for i := range all {
					seats := make([]policy, n)
					for seat := range seats {
						seats[seat] = all[(i+seat*seat)%len(all)]
					}
					got, want := evaluate(t, g, seats...), gr.play(t, seats...)
					if !allNear(got.Win, want.Win, 1e-10) || !near(got.Turns, want.Turns, 1e-10) || !near(got.Decisions, want.Decisions, 1e-10) {
						t.Errorf("Evaluate(%v, %s) = %+v, want %+v", g, names(seats), got, want)
					}
				}
				for i, p := range all[:min(len(all), sized(4, 99))] {
					q := all[(i+1)%len(all)]
					response, compared := respond(t, g, p).WinBySeat(), compare(t, g, q, p)
					for seat := range n {
						seats := make([]policy, n)
						for k := range seats {
							seats[k] = p
						}
						seats[seat] = policy{}
						if want := gr.best(t, seat, seats...)[0]; !near(response[seat], want, 1e-10) {
							t.Errorf("BestResponse(%v, %s).WinBySeat()[%d] = %v, want %v", g, p.name, seat, response[seat], want)
						}
						seats[seat] = q
						if want := evaluate(t, g, seats...); compared.WinBySeat[seat] != want.Win[seat] && !near(compared.WinBySeat[seat], want.Win[seat], 1e-13) ||
							!near(compared.TurnsBySeat[seat], want.Turns, 1e-12) {
							t.Errorf("Compare(%v, %s, %s): seat %d wins %v in %v turns, want %v in %v", g, q.name, p.name, seat,
								compared.WinBySeat[seat], compared.TurnsBySeat[seat], want.Win[seat], want.Turns)
						}
					}
				}
			})
		}
	}
}

// TestEquilibriumAtAnyNumberOfWorkers checks that the number of goroutines changes no bit
// of an equilibrium.
func TestEquilibriumAtAnyNumberOfWorkers(t *testing.T) {
	for _, g := range []env.Game{game("pig", 3, 30), game("pig-last-round", 3, 12), game("pig-snake-eyes", 3, 14), game("pig", 4, 9)} {
		var want string
		for _, workers := range []int{1, 2, 5} {
			s, err := exact.Solve(t.Context(), g, exact.Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(s.WinBySeat(), s.Mixed(), s.Deviation(), s.Residual(), s.LastRoll())
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("Solve(%v) with %d workers: %s, want %s as with 1", g, workers, got, want)
			}
		}
	}
}

// TestMixedEquilibrium checks a game of full size, some of whose blocks have no
// equilibrium in pure decisions.
func TestMixedEquilibrium(t *testing.T) {
	racedetector.Skip(t)
	if !*exact.Long {
		t.Skip("takes seconds; run it with -long")
	}
	g := game("pig", 3, 100)
	s := solve(t, g)
	if s.Mixed() == 0 || s.Deviation() > 1e-10 {
		t.Errorf("Solve(%v): Mixed() = %d, Deviation() = %v, want some and no more than 1e-10", g, s.Mixed(), s.Deviation())
	}
	optimal := policy{"optimal", s}
	if got := evaluate(t, g, optimal, optimal, optimal); !allNear(got.Win, s.WinBySeat(), 1e-12) {
		t.Errorf("Evaluate(%v, optimal).Win = %v, want %v", g, got.Win, s.WinBySeat())
	}
	if got := respond(t, g, optimal).Exploitability(); got > 1e-11 {
		t.Errorf("BestResponse(%v, optimal).Exploitability() = %v, want 0", g, got)
	}
}

// TestMixedEquilibriumOfEquals checks a game in which three players with the same score
// have no equilibrium in pure decisions, when 88 points short of the target.
func TestMixedEquilibriumOfEquals(t *testing.T) {
	racedetector.Skip(t)
	if !*exact.Long {
		t.Skip("takes seconds; run it with -long")
	}
	g := game("pass-the-pigs", 3, 88)
	s := solve(t, g)
	mixed := 0
	for turnTotal := range int16(88) {
		if c := s.RollChance(env.State{TurnTotal: turnTotal}); c > 0 && c < 1 {
			mixed++
			if hold, roll := s.Values(env.State{TurnTotal: turnTotal}); !near(hold, roll, 1e-12) {
				t.Errorf("Solve(%v) rolls with chance %v at the start with %d, and holding is worth %v, rolling %v", g, c, turnTotal, hold, roll)
			}
		}
	}
	if mixed != 1 || s.Deviation() > 1e-10 {
		t.Errorf("Solve(%v): %d mixed decisions at the start, Deviation() = %v, want 1 and no more than 1e-10", g, mixed, s.Deviation())
	}
}

// TestTooManyPlayers checks that a game which takes too much memory is refused with one
// that does not.
func TestTooManyPlayers(t *testing.T) {
	g := game("pig-last-round", 4, 100)
	_, err := exact.Solve(t.Context(), g, exact.Options{})
	want := reflect.TypeOf(exact.Solvable(g))
	if err == nil || reflect.TypeOf(err) != want || exact.Solves(g) {
		t.Fatalf("Solve(%v): error %v, Solves %t, want one and false", g, err, exact.Solves(g))
	}
	var target int
	if _, scan := fmt.Sscanf(err.Error()[indexOf(err.Error(), "a target of up to"):], "a target of up to %d", &target); scan != nil {
		t.Fatalf("Solve(%v): error %v, want one with a target that fits", g, err)
	}
	if !exact.Solves(game("pig-last-round", 4, target)) || exact.Solves(game("pig-last-round", 4, target+1)) {
		t.Errorf("Solve(%v): error %v, but %d is not the last target that fits", g, err, target)
	}
}

// indexOf returns where text begins with part.
func indexOf(text, part string) int {
	for i := range text {
		if len(text)-i >= len(part) && text[i:i+len(part)] == part {
			return i
		}
	}
	return len(text)
}

// TestResponseOfManyPlays lets a best response of three and more players decide: it wins
// what it promises, and its values are those of its decisions.
func TestResponseOfManyPlays(t *testing.T) {
	for _, v := range env.Variants() {
		for _, g := range manyGames(v) {
			if v.Ending == env.AfterRound {
				if err := exact.Responds(g); !errors.Is(err, exact.ErrPlayers) {
					t.Errorf("Responds(%v) is %v, want an error that wraps ErrPlayers", g, err)
				}
				continue
			}
			p := named(t, "hold-5", g)
			r := respond(t, g, p)
			promised := r.WinBySeat()
			for seat := range g.Players() {
				players := make([]policy, g.Players())
				for k := range players {
					players[k] = p
				}
				players[seat] = policy{"the response", r}
				if won := evaluate(t, g, players...).Win[seat]; !near(won, promised[seat], 1e-12) {
					t.Errorf("%v: the best response to hold-5 wins %v in seat %d, want %v as promised", g, won, seat, promised[seat])
				}
			}
			if _, roll := r.Values(g.Start(0)); !near(roll, promised[0], 1e-12) {
				t.Errorf("%v: to the best response to hold-5 the start is worth %v, want %v", g, roll, promised[0])
			}
		}
	}
}
