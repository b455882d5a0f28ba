package agents

import (
	"math"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// TestWorth checks that worth is the inverse of env.Game.Return, where m of n players tie.
func TestWorth(t *testing.T) {
	for players := 2; players <= 6; players++ {
		g := game("pig-last-round", players, 10)
		for tied := 1; tied <= players; tied++ {
			s := env.State{Over: true}
			for seat := range tied {
				s.Scores[seat] = 12
			}
			for seat := range players {
				if got, want := float64(worth(g, float32(g.Return(s, seat)), tied%2 == 0)), g.WinShare(s, seat); math.Abs(got-want) > 1e-7 {
					t.Errorf("seat %d of %v, %d tied: a return of %v is worth %v, want %v", seat, g, tied, g.Return(s, seat), got, want)
				}
			}
		}
	}
	if start, within := worth(game("pig", 1, 10), -3.5, true), worth(game("pig", 1, 10), -3.5, false); start != -2.5 || within != -3.5 {
		t.Errorf("with one player a return of -3.5 is worth %v at the start of a turn and %v within it, want -2.5 and -3.5", start, within)
	}
}

// misses are mean distances of estimates from exact values.
type misses struct {
	n   float64 // number of estimates
	own float64 // of each from its value
	// The others are from what it would be if two actions, gains and losses, or the
	// players were confused.
	action, sign, player float64
	largest              float64 // of the distances of each from its value
}

// missesOf compares the estimates of a with the values of perfect play, in every state of
// the game that has an entry of its own.
func missesOf(t *testing.T, g env.Game, a Agent) (m misses) {
	t.Helper()
	perfect, v := perfectPlay(t, g), a.(Estimator).Estimates()
	index := v.Index()
	for i, s := range index.All() {
		afterRound := g.Variant().Ending == env.AfterRound
		if g.Validate(s) != nil || afterRound && int(max(s.Scores[0]+s.TurnTotal, s.Scores[1])) >= index.Width()-1 {
			continue
		}
		hold, roll := v.At(i)
		wantHold, wantRoll := perfect.Values(s)
		if s.TurnTotal == 0 && hold == hold {
			t.Fatalf("%v: holding is estimated at %v where a turn begins", g, hold)
		}
		foe := s // in the other's place, as far as there is such a state
		if g.Players() == 2 && !afterRound {
			foe.Scores[0], foe.Scores[1] = s.Scores[1], s.Scores[0]
			foe.TurnTotal = min(s.TurnTotal, int16(g.Target())-1-foe.Scores[0])
		}
		foeHold, foeRoll := perfect.Values(foe)
		for _, of := range [][4]float64{{float64(hold), wantHold, wantRoll, foeHold}, {float64(roll), wantRoll, wantHold, foeRoll}} {
			estimate, value, other, foe := of[0], of[1], of[2], of[3]
			if math.IsNaN(estimate) || math.IsNaN(other) || math.IsNaN(foe) {
				continue
			}
			opposite := 1 - value
			if g.Players() == 1 {
				opposite = -value
			}
			m.n++
			m.own += math.Abs(estimate - value)
			m.action += math.Abs(estimate - other)
			m.sign += math.Abs(estimate - opposite)
			m.player += math.Abs(estimate - foe)
			m.largest = max(m.largest, math.Abs(estimate-value))
		}
	}
	for _, sum := range []*float64{&m.own, &m.action, &m.sign, &m.player} {
		*sum /= m.n
	}
	return m
}

// TestEstimates checks that the estimates of every recipe come close to what both actions
// are worth in perfect play. Monte Carlo's are of the policies that it has played, which
// explore, or are those of earlier rounds.
func TestEstimates(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range []env.Game{game("pig", 2, 12), game("pig", 1, 12)} {
		near := 0.03
		if g.Players() == 1 {
			near = 0.1 // turns
		}
		forEachRecipe(t, func(t *testing.T, r Recipe) {
			near, steps := near, int64(400_000)
			switch {
			case r.Name == roundsRecipe.Name:
				near, steps = 2*near, 6_000_000
			case r.Doc == monteCarloTextbook.Doc:
				near = 0.18
			}
			m := missesOf(t, g, learn(r, indexOf(g, policies.FullAbstraction), nil, steps))
			if m.n < 80 || m.own > near || m.action < 2.5*near || m.sign < 2.5*near || g.Players() == 2 && m.player < near {
				t.Errorf("%v: %+v, want a mean of %v at most, and more where something is confused", g, m, near)
			}
		})
	}
}

// TestExpectedEstimates checks the estimates of an agent with expected updates, whose
// targets have no noise, for every variant.
func TestExpectedEstimates(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range gamesOfTwo(6) {
		mean, largest := 1e-4, 1e-3
		switch g.Variant().ID {
		case "pass-the-pigs", "pig-last-round": // which come to some states hardly ever
			mean, largest = 1e-3, 0.15
		}
		m := missesOf(t, g, study(g, curriculumSettings("expected"), 4))
		seats := g.Players() == 2 && g.Variant().Ending == env.AtTarget
		if m.own > mean || m.largest > largest || min(m.action, m.sign) < 10*mean || seats && m.player < 10*mean {
			t.Errorf("%v: %+v, want a mean of %v and at most %v, and more where something is confused", g, m, mean, largest)
		}
	}
}

// TestWorthInfinite checks that what overflows becomes no value, which [policies.Values]
// would not take.
func TestWorthInfinite(t *testing.T) {
	for players := 1; players <= 3; players++ {
		g := game("pig", players, 10)
		for _, r := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
			for _, start := range []bool{false, true} {
				if x := worth(g, float32(r), start); x == x {
					t.Errorf("worth(%d players, %v, %t) = %v, want NaN", players, r, start, x)
				}
			}
		}
	}
}
