package policies_test

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

func simulate(t *testing.T, g env.Game, p, against policies.Policy, o policies.SimulateOptions) []policies.Tally {
	t.Helper()
	tallies, err := policies.Simulate(t.Context(), g, p, against, o)
	if err != nil {
		t.Fatalf("Simulate(%v, %+v): %v", g, o, err)
	}
	return tallies
}

// replay plays the same games one after the other, with a match made for each.
func replay(t *testing.T, g env.Game, p, against policies.Policy, o policies.SimulateOptions) []policies.Tally {
	t.Helper()
	tallies := make([]policies.Tally, g.Players())
	for i := range o.Games {
		seat := i % g.Players()
		players := slices.Repeat([]policies.Policy{against}, g.Players())
		players[seat] = p
		m := env.NewMatch(g, env.MatchOptions{StepLimit: o.StepLimit})
		m.Reset(env.SeedAt(o.Seed, uint64(i)))
		turns := 0
		for m.Live() {
			if _, _, err := m.Step(env.Choose(players[m.State().Seat], m.State(), m.Rand())); err != nil {
				t.Fatal(err)
			}
			if last := m.Last(); last.BeganTurn && int(last.Seat) == seat {
				turns++
			}
		}
		game := policies.TallyOf(1, g.WinShare(m.State(), seat)).WithTurns(turns)
		if !m.State().Over {
			game.Truncated = 1
		}
		tallies[seat] = tallies[seat].Add(game)
	}
	return tallies
}

// TestSimulate compares with games played by hand, at several numbers of
// workers and of games, of which a worker takes 1024 at a time.
func TestSimulate(t *testing.T) {
	for _, test := range []struct {
		variant         string
		players, target int
		p, against      string
		limit           int
	}{
		{"pig", 1, 20, "hold-5", "hold-5", 0},
		{"pig", 2, 30, "hold-5", "hold-9", 0},
		{"pig", 2, 30, "random", "race", 30}, // draws of players between the dice
		{"pig", 3, 30, "race", "random", 0},
		{"pig", 4, 20, "always-roll", "hold-4", 20},
		{"pig-last-round", 2, 3, "hold-2", "hold-2", 0}, // many ties
		{"pig-last-round", 3, 3, "hold-2", "random", 6},
		{"pig-last-round", 6, 2, "hold-2", "hold-2", 0},
		{"cochon", 3, 10, "always-roll", "random", 0},
		{"pig-snake-eyes", 2, 20, "hold-8", "hold-9", 0},
	} {
		g := game(test.variant, test.players, test.target)
		p, against := named(t, test.p, g), named(t, test.against, g)
		for _, games := range []int{1, 1023, 1025, 4100} {
			o := policies.SimulateOptions{Games: games, Seed: uint64(games), StepLimit: test.limit}
			want := replay(t, g, p, against, o)
			for _, workers := range []int{1, 2, 5} {
				o.Workers = workers
				if got := simulate(t, g, p, against, o); !slices.Equal(got, want) {
					t.Errorf("Simulate(%v, %s, %s, %+v) = %v, want %v", g, test.p, test.against, o, got, want)
				}
			}
		}
	}
}

func TestSimulateSeeds(t *testing.T) {
	g := pig(2, 100)
	p := named(t, "hold-20", g)
	o := policies.SimulateOptions{Games: 2000, Seed: 1, Workers: 2}
	one := simulate(t, g, p, p, o)
	if again := simulate(t, g, p, p, o); !slices.Equal(again, one) {
		t.Errorf("seed 1 gives %v, and then %v", one, again)
	}
	o.Seed = 2
	if two := simulate(t, g, p, p, o); slices.Equal(two, one) {
		t.Errorf("seeds 1 and 2 give the same tallies, %v", one)
	}
}

func TestSimulateSeats(t *testing.T) {
	for _, test := range []struct {
		players, games int
		want           []int
	}{
		{2, 2000, []int{1000, 1000}},
		{2, 2001, []int{1001, 1000}},
		{3, 2000, []int{667, 667, 666}},
		{3, 1, []int{1, 0, 0}},
	} {
		g := pig(test.players, 20)
		p := named(t, "hold-10", g)
		var got []int
		for _, tally := range simulate(t, g, p, p, policies.SimulateOptions{Games: test.games, Workers: 2}) {
			got = append(got, tally.Games)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("of %d games %d players sit in each seat in %v, want %v", test.games, test.players, got, test.want)
		}
	}
}

// TestSimulateTruncates lets players who never hold reach the step limit:
// 1000 points take 167 rolls of one turn at least.
func TestSimulateTruncates(t *testing.T) {
	g := pig(2, 1000)
	p := named(t, "always-roll", g)
	got := simulate(t, g, p, p, policies.SimulateOptions{Games: 101, Workers: 2, StepLimit: 166})
	for seat, games := range []int{51, 50} {
		if tally := got[seat]; tally.Games != games || tally.Truncated != games || tally.Wins() != 0 {
			t.Errorf("Simulate with a step limit of 166 = %+v in seat %d, want %d games, all truncated", tally, seat, games)
		}
	}
}

// TestSimulateAgainstPublished: seat 0 wins 53.47% where both hold at 20 (T.
// Neller, Nifty Assignments 2010).
func TestSimulateAgainstPublished(t *testing.T) {
	racedetector.Skip(t)
	g := pig(2, 100)
	p := named(t, "hold-20", g)
	for seat, tally := range simulate(t, g, p, p, policies.SimulateOptions{Games: 200_000, Seed: 1, Workers: 2}) {
		want := []float64{0.5347, 0.4653}[seat]
		if ci := tally.CI95(); want < ci[0] || want > ci[1] || ci[1]-ci[0] > 0.0063 {
			t.Errorf("hold-20 against itself wins %.4f in seat %d, interval %.4f, want %v in it", tally.WinRate(), seat, ci, want)
		}
	}
}

// TestMeanTurns checks the formula by hand, on turns 10, 12 and 17 with mean 13
// and sum of squared deviations 26, and hold-20 alone against the published
// number, 12.637 turns to 100 (T. Neller, Nifty Assignments 2010).
func TestMeanTurns(t *testing.T) {
	var tally policies.Tally
	for _, turns := range []int{10, 12, 17} {
		tally = tally.Add(policies.TallyOf(1, 1).WithTurns(turns))
	}
	half := 1.959964 * math.Sqrt(26.0/2/3)
	if mean, ci := tally.MeanTurns(); mean != 13 || !near(ci[0], 13-half, 1e-5) || !near(ci[1], 13+half, 1e-5) {
		t.Errorf("MeanTurns of 10, 12, 17 = %v, %v, want 13 ± %v", mean, ci, half)
	}
	if mean, ci := (policies.Tally{}).MeanTurns(); mean != 0 || ci != [2]float64{} {
		t.Errorf("MeanTurns without games = %v, %v, want 0", mean, ci)
	}
	g := pig(1, 100)
	p := named(t, "hold-20", g)
	alone := simulate(t, g, p, p, policies.SimulateOptions{Games: 100_000, Seed: 1, Workers: 2})[0]
	if mean, ci := alone.MeanTurns(); ci[0] > 12.637 || ci[1] < 12.637 || ci[1]-ci[0] > 0.06 {
		t.Errorf("hold-20 alone takes %v turns, interval %v, want 12.637 in it", mean, ci)
	}
}

// A canceller ends its context at its n-th decision.
type canceller struct {
	cancel    context.CancelFunc
	decisions *atomic.Int64
	n         int64
}

func (c canceller) RollChance(env.State) float64 {
	if c.decisions.Add(1) == c.n {
		c.cancel()
	}
	return 0
}

func TestSimulateStops(t *testing.T) {
	g := pig(2, 20)
	for _, n := range []int64{0, 1, 100_000} {
		ctx, cancel := context.WithCancel(t.Context())
		if n == 0 {
			cancel()
		}
		p := canceller{cancel, new(atomic.Int64), n}
		_, err := policies.Simulate(ctx, g, p, p, policies.SimulateOptions{Games: policies.MaxGames, Workers: 2})
		if err != context.Canceled {
			t.Errorf("Simulate cancelled at decision %d: %v, want %v", n, err, context.Canceled)
		}
		if decisions := p.decisions.Load(); n == 0 && decisions != 0 {
			t.Errorf("Simulate cancelled before its begin makes %d decisions", decisions)
		}
		cancel()
	}
}

func TestSimulateRefuses(t *testing.T) {
	g := pig(2, 20)
	p := named(t, "hold-10", g)
	const few = "policies: a simulation needs at least one game and one worker"
	for _, test := range []struct {
		options policies.SimulateOptions
		want    string
	}{
		{policies.SimulateOptions{Workers: 1}, few},
		{policies.SimulateOptions{Games: -1, Workers: 1}, few},
		{policies.SimulateOptions{Games: 1}, few},
		{policies.SimulateOptions{Games: 1, Workers: -1}, few},
		{policies.SimulateOptions{Games: 1, Workers: 1, StepLimit: -1}, "policies: step limit -1 is negative"},
	} {
		if _, err := policies.Simulate(t.Context(), g, p, p, test.options); err == nil || err.Error() != test.want {
			t.Errorf("Simulate(%+v): %v, want %s", test.options, err, test.want)
		}
	}
}

// TestCI95 compares with published Wilson intervals: R. Newcombe, "Two-sided
// confidence intervals for the single proportion", Statistics in Medicine 17,
// 1998, table I, method 3, and with the formula by hand, z² = 3.841459: at no
// win of n the bounds are 0 and z²/(n + z²).
func TestCI95(t *testing.T) {
	for _, test := range []struct {
		wins      float64
		games     int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{8, 10, 0.4902, 0.9433},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{0.5, 1, 0.0546, 0.9454}, // a shared win: 1/2 ± z·√(1/4 + z²/4)/(1 + z²)
		{0, 0, 0, 1},
	} {
		ci := policies.TallyOf(test.games, test.wins).CI95()
		if !near(ci[0], test.low, 5e-5) || !near(ci[1], test.high, 5e-5) {
			t.Errorf("CI95 of %v wins in %d games = %.4f, want [%.4f %.4f]", test.wins, test.games, ci, test.low, test.high)
		}
	}
	// Rounding must not keep a bound from 0 or 1, nor put it beyond.
	for n := 1; n < 10_000; n++ {
		if low := policies.TallyOf(n, 0).CI95()[0]; low != 0 {
			t.Fatalf("CI95 of no win in %d games begins at %v, want 0", n, low)
		}
		if high := policies.TallyOf(n, float64(n)).CI95()[1]; high != 1 {
			t.Fatalf("CI95 of %d wins in %d games ends at %v, want 1", n, n, high)
		}
	}
}

func TestTally(t *testing.T) {
	sum := policies.TallyOf(3, 1).Add(policies.TallyOf(1, 1.0/3)).Add(policies.TallyOf(1, 1.0/3)).Add(policies.TallyOf(5, 1.0/3))
	sum = sum.Add(policies.Tally{Games: 2, Truncated: 1})
	if sum.Games != 12 || sum.Truncated != 1 || sum.Wins() != 2 || sum.WinRate() != 2.0/12 {
		t.Errorf("the sum is %+v: %v wins, rate %v, want 12 games, 1 truncated, 2 wins", sum, sum.Wins(), sum.WinRate())
	}
	if rate := (policies.Tally{}).WinRate(); rate != 0 {
		t.Errorf("WinRate without games = %v, want 0", rate)
	}
	for m := 1; m <= env.MaxPlayers; m++ {
		tally := policies.Tally{}
		for range m {
			tally = tally.Add(policies.TallyOf(1, 1/float64(m)))
		}
		if tally.Wins() != 1 {
			t.Errorf("%d shares of a win are %v wins, want 1", m, tally.Wins())
		}
	}
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }
