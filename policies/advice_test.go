package policies_test

import (
	"math"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

func valuer(t *testing.T, g env.Game, against policies.Policy) policies.Valuer {
	t.Helper()
	v, err := policies.NewValuer(t.Context(), g, against, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// scored returns the state in which seat 0 has a turn total and banked scores.
func scored(turnTotal int16, scores ...int16) env.State {
	s := env.State{TurnTotal: turnTotal}
	copy(s.Scores[:], scores)
	return s
}

// Piglet to 2, solved by hand in T. Neller, C. Presser, "Optimal Play of the Dice Game
// Pig", UMAP Journal 25(1), 2004: P(own, other, turn total) is 4/7 at 0,0,0, 2/5 at 0,1,0
// and 4/5 at 1,0,0. Holding at 0,0,1 is worth 1 - P(0,1,0), and rolling
// (1 + 1 - P(0,0,0))/2.
func TestAdvisePiglet(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "piglet", Target: 2}))
	v := valuer(t, g, nil)
	for _, c := range []struct {
		state      env.State
		hold, roll float64
		action     env.Action
	}{
		{scored(0, 0, 0), math.NaN(), 4.0 / 7, env.Roll},
		{scored(0, 0, 1), math.NaN(), 2.0 / 5, env.Roll},
		{scored(0, 1, 0), math.NaN(), 4.0 / 5, env.Roll},
		{scored(1, 0, 0), 1 - 2.0/5, (1 + 1 - 4.0/7) / 2, env.Roll},
	} {
		a := policies.Advise(g, v, c.state)
		same := math.IsNaN(a.Hold) && math.IsNaN(c.hold) || math.Abs(a.Hold-c.hold) < 1e-12
		if !same || math.Abs(a.Roll-c.roll) > 1e-12 || a.Action != c.action || a.HoldAt != 0 {
			t.Errorf("%+v: %+v, want hold %v, roll %v, %v", c.state, a, c.hold, c.roll, c.action)
		}
	}
	held := scored(1, 0, 0)
	want := (1+3.0/7)/2 - 3.0/5
	if loss := policies.Loss(v, held, env.Hold); math.Abs(loss-want) > 1e-12 {
		t.Errorf("holding at 0, 0, 1 gives away %v, want %v", loss, want)
	}
	if loss := policies.Loss(v, held, env.Roll); loss != 0 {
		t.Errorf("rolling at 0, 0, 1 gives away %v", loss)
	}
}

// At the start of Pig the optimum holds at 21; see Neller and Presser, above, figure 3.
func TestHoldAt(t *testing.T) {
	g := env.Must(env.New(env.Config{}))
	lastRound := env.Must(env.New(env.Config{Variant: "pig-last-round"}))
	perfect := valuer(t, g, nil)
	for _, c := range []struct {
		name  string
		game  env.Game
		p     policies.Policy
		state env.State
		want  int
		again bool
	}{
		{"optimal", g, perfect, scored(0, 0, 0), 21, false},
		{"optimal, more in the turn", g, perfect, scored(23, 0, 0), 23, false},
		{"optimal, near the end", g, perfect, scored(0, 0, 99), 0, false},
		{"hold-20", g, named(t, "hold-20", g), scored(0, 10, 60), 20, false},
		{"hold-20 wins first", g, named(t, "hold-20", g), scored(0, 80, 60), 0, false},
		{"random", g, named(t, "random", g), scored(0, 80, 60), 0, false},
		{"holds once", g, holdsOnceAt(7), scored(3, 80, 60), 7, true},
		{"behind in the last round", lastRound, named(t, "hold-20", lastRound), env.State{Scores: [env.MaxPlayers]int16{130, 90}, Seat: 1}, 41, false},
	} {
		if at, again := policies.HoldAt(c.game, c.p, c.state); at != c.want || again != c.again {
			t.Errorf("%s: holds at %d, rolls again: %v, want %d, %v", c.name, at, again, c.want, c.again)
		}
	}
}

// holdsOnceAt holds at one turn total and rolls at every other.
type holdsOnceAt int16

func (n holdsOnceAt) RollChance(s env.State) float64 { return exact.Certain(s.TurnTotal != int16(n)) }

// TestNewValuerAgainst has the best response take what a policy gives away: it wins as
// often as package exact says, and more than perfect play wins against itself.
func TestNewValuerAgainst(t *testing.T) {
	g := env.Must(env.New(env.Config{Target: 30}))
	rival := named(t, "hold-5", g)
	_, win := valuer(t, g, rival).Values(g.Start(0))
	best, err := exact.BestResponse(t.Context(), g, rival, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := best.WinBySeat()[0]; math.Abs(win-want) > 1e-12 {
		t.Errorf("rolling first is worth %v, want %v", win, want)
	}
	if _, perfect := valuer(t, g, nil).Values(g.Start(0)); perfect >= win-0.01 {
		t.Errorf("perfect play is worth %v to itself, the best response %v", perfect, win)
	}
}
