package env_test

import (
	"errors"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest"
)

// randomAction draws one of the legal actions; it rolls three times of four.
func randomAction(legal env.Actions, r *env.Rand) env.Action {
	if legal.Has(env.Hold) && r.Below(4) == 0 {
		return env.Hold
	}
	return env.Roll
}

// mustStep takes an action that must be allowed.
func mustStep(t testing.TB, m *env.Match, a env.Action) {
	if _, _, err := m.Step(a); err != nil {
		t.Helper()
		t.Fatalf("Step(%v) in %+v: %v", a, m.State(), err)
	}
}

// TestMatchFollowsTheRules plays every game and checks each step, and the
// event that tells of it, against the pure rules.
func TestMatchFollowsTheRules(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		m := env.NewMatch(g, env.MatchOptions{First: env.FirstRandom})
		m.Reset(1)
		r := env.NewRand(2)
		for steps := 0; steps < 5000; {
			m.ResetNext()
			if m.Last() != (env.Event{}) || m.Steps() != 0 || !m.Live() {
				t.Fatalf("after ResetNext: Last() = %+v, Steps() = %d, Live() = %t", m.Last(), m.Steps(), m.Live())
			}
			for n := 1; m.Live(); n++ {
				before, a := m.State(), randomAction(m.Legal(), &r)
				mustStep(t, m, a)
				last := m.Last()
				want, event := g.AfterRoll(before, last.Outcome), env.Event{
					Seat: before.Seat, Action: a, BeganTurn: before.TurnTotal == 0,
					Outcome: last.Outcome, RollNumber: last.RollNumber,
				}
				if a == env.Hold {
					want, event.Outcome, event.RollNumber = g.AfterHold(before), env.Outcome{}, -1
				} else if o, err := g.OutcomeOf(before, g.Faces(int(last.RollNumber))...); err != nil || o != last.Outcome {
					t.Fatalf("Step(roll) in %+v: %+v, want outcome %v, %v", before, last, o, err)
				}
				if m.State() != want || last != event || m.Steps() != n {
					t.Fatalf("Step(%v) in %+v: %+v, %+v, step %d, want %+v, %+v, step %d", a, before, m.State(), last, m.Steps(), want, event, n)
				}
				steps++
			}
		}
	})
}

func TestMatchErrors(t *testing.T) {
	m := env.NewMatch(pigGame(2, 100), env.MatchOptions{})
	check := func(a env.Action, want error, text string) {
		t.Helper()
		before := *m
		terminated, truncated, err := m.Step(a)
		if !errors.Is(err, want) || err.Error() != text || terminated || truncated {
			t.Errorf("Step(%v) = %t, %t, %v, want error %s", a, terminated, truncated, err, text)
		}
		if *m != before {
			t.Errorf("Step(%v) is refused and changed the match", a)
		}
	}
	const noEpisode = "env: no episode is under way; call Reset first"
	check(env.Roll, env.ErrNoEpisode, noEpisode)
	m.Reset(1)
	check(env.Hold, env.ErrIllegal, "env: illegal action: hold before the first roll of the turn; a turn begins with a roll")
	check(2, env.ErrIllegal, "env: illegal action 2; an action is 0 (hold) or 1 (roll)")
	check(255, env.ErrIllegal, "env: illegal action 255; an action is 0 (hold) or 1 (roll)")
	for m.Live() {
		mustStep(t, m, env.Roll)
	}
	check(env.Roll, env.ErrNoEpisode, noEpisode)
	check(2, env.ErrNoEpisode, noEpisode)
}

func TestMatchResetTo(t *testing.T) {
	g := pigGame(3, 100)
	m := env.NewMatch(g, env.MatchOptions{First: env.FirstRandom})
	m.Reset(3)
	mustStep(t, m, env.Roll)
	for _, s := range []env.State{
		{Seat: 3},
		{Scores: [env.MaxPlayers]int16{100}},
		{Scores: [env.MaxPlayers]int16{100}, Over: true}, // a state, but not one to begin in
	} {
		before := *m
		if err := m.ResetTo(s); !errors.Is(err, env.ErrState) || *m != before {
			t.Errorf("ResetTo(%+v) = %v, changed the match: %t; want an ErrState and no change", s, err, *m != before)
		}
	}
	s := env.State{Scores: [env.MaxPlayers]int16{10, 20, 30}, TurnTotal: 7, Seat: 2, First: 1}
	dice := *m.Rand()
	if err := m.ResetTo(s); err != nil {
		t.Fatalf("ResetTo(%+v): %v", s, err)
	}
	if m.State() != s || !m.Live() || m.Steps() != 0 || m.Last() != (env.Event{}) || *m.Rand() != dice {
		t.Errorf("after ResetTo(%+v): %+v", s, *m)
	}
	if got, want := m.Observe(nil), []int16{30, 7, 10, 20}; !slices.Equal(got, want) {
		t.Errorf("Observe(nil) = %v, want %v", got, want)
	}
	// A turn that is under way may be held at once.
	mustStep(t, m, env.Hold)
	if want := (env.State{Scores: [env.MaxPlayers]int16{10, 20, 37}, Seat: 0, First: 1}); m.State() != want || m.Last().BeganTurn {
		t.Errorf("Step(hold) in %+v: %+v, %+v, want %+v", s, m.State(), m.Last(), want)
	}
}

// TestMatchStepLimit counts steps; that a win goes before the limit is tested
// with all environments.
func TestMatchStepLimit(t *testing.T) {
	m := env.NewMatch(pigGame(2, 1000), env.MatchOptions{StepLimit: 5})
	m.Reset(1)
	for range 3 {
		for n := 1; n <= 5; n++ {
			terminated, truncated, err := m.Step(env.Roll)
			if terminated || truncated != (n == 5) || err != nil {
				t.Fatalf("step %d of 5: Step(roll) = %t, %t, %v", n, terminated, truncated, err)
			}
		}
		if m.Live() || m.Legal() != 0 || m.Reward(0) != 0 || m.Reward(1) != 0 {
			t.Errorf("after truncation: Live() = %t, Legal() = %v, rewards %v, %v", m.Live(), m.Legal(), m.Reward(0), m.Reward(1))
		}
		m.ResetNext()
	}
}

// TestFirst checks who begins.
func TestFirst(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		n := g.Players()
		fixed := env.NewMatch(g, env.MatchOptions{})
		random := env.NewMatch(g, env.MatchOptions{First: env.FirstRandom})
		counts, weights := make([]int, n), make([]int, n)
		for i := range weights {
			weights[i] = 1
		}
		for seed := range uint64(1000 * n) {
			fixed.Reset(seed)
			if s := fixed.State(); s != g.Start(0) {
				t.Fatalf("Reset(%d) begins in %+v, want %+v", seed, s, g.Start(0))
			}
			random.Reset(seed)
			s := random.State()
			if s != g.Start(int(s.Seat)) {
				t.Fatalf("Reset(%d) with a random beginner begins in %+v", seed, s)
			}
			counts[s.Seat]++
			if random.Reset(seed); random.State() != s {
				t.Fatalf("Reset(%d) begins in %+v, then in %+v", seed, s, random.State())
			}
		}
		envtest.CheckFrequencies(t, "beginners by seed", counts, weights)
		clear(counts)
		for range 1000 * n {
			random.ResetNext()
			counts[random.State().First]++
		}
		envtest.CheckFrequencies(t, "beginners by ResetNext", counts, weights)
	})
}

func TestMatchAllocatesNothing(t *testing.T) {
	for _, v := range env.Variants() {
		m := env.NewMatch(env.Must(env.New(env.Config{Variant: v.ID})), env.MatchOptions{First: env.FirstRandom})
		m.Reset(1)
		r := env.NewRand(2)
		observation := make([]int16, 0, env.MaxColumns)
		episodes := 0
		allocs := testing.AllocsPerRun(100, func() {
			for range 100 {
				if _, _, err := m.Step(randomAction(m.Legal(), &r)); err != nil {
					t.Fatal(err)
				}
				observation = m.Observe(observation[:0])
				if !m.Live() {
					episodes++
					m.ResetNext()
				}
			}
		})
		if allocs != 0 || episodes == 0 {
			t.Errorf("%s: %v allocations in 100 steps, %d episodes, want none in several", v.ID, allocs, episodes)
		}
	}
}
