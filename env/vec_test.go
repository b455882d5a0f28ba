package env_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest"
)

// vecEnv adapts one game of a Vec, among others that always roll, for the
// conformance suite.
type vecEnv struct {
	*env.Vec
	batch   *env.Batch
	actions []env.Action
}

// vecGame is the game of a vecEnv that the suite sees.
const vecGame = 1

func newVecEnv(g env.Game, o env.VecOptions) vecEnv {
	o.Games, o.Autoreset = 3, env.AutoresetDisabled
	v := env.NewVec(g, o)
	return vecEnv{v, v.NewBatch(), slices.Repeat([]env.Action{env.Roll}, o.Games)}
}

func (e vecEnv) view() envtest.View {
	b, n, c := e.batch, e.Game().Players(), e.Game().NumColumns()
	v := envtest.View{
		State: e.State(), Seat: int(b.Seats[vecGame]), Observation: slices.Clone(b.Observations[vecGame*c : (vecGame+1)*c]),
		Rewards: make(map[int]float64), Terminated: b.Terminated[vecGame], Truncated: b.Truncated[vecGame],
		Legal: legalOf(b, vecGame),
	}
	for seat := range n {
		// A batch rounds rewards; the suite wants them as they are.
		got, exact := b.Rewards[vecGame*n+seat], e.Game().Return(v.State, seat)
		if v.Rewards[seat] = float64(got); got == float32(exact) {
			v.Rewards[seat] = exact
		}
	}
	return v
}

// legalOf returns what a batch says of a game's legal actions.
func legalOf(b *env.Batch, i int) (legal env.Actions) {
	for a := range env.Action(env.NumActions) {
		if b.Legal[env.NumActions*i+int(a)] {
			legal |= 1 << a
		}
	}
	return legal
}

func (e vecEnv) State() env.State { return e.Vec.State(vecGame) }

func (e vecEnv) Reset(seed uint64) envtest.View {
	if err := e.Vec.Reset(seed, e.batch); err != nil {
		panic(err)
	}
	return e.view()
}

func (e vecEnv) ResetNext() envtest.View {
	which := make([]bool, e.Games())
	which[vecGame] = true
	if err := e.ResetGames(which, e.batch); err != nil {
		panic(err)
	}
	return e.view()
}

// Step refuses to step a game that is done, which a Vec lets pass.
func (e vecEnv) Step(a env.Action) (envtest.View, error) {
	if legalOf(e.batch, vecGame) == 0 {
		return envtest.View{}, env.ErrNoEpisode
	}
	e.actions[vecGame] = a
	if err := e.Vec.Step(e.actions, e.batch); err != nil {
		return envtest.View{}, err
	}
	return e.view(), nil
}

func (e vecEnv) Clone() envtest.Environment {
	c := vecEnv{e.Vec.Clone(), e.NewBatch(), slices.Clone(e.actions)}
	copy(c.batch.Observations, e.batch.Observations)
	copy(c.batch.Legal, e.batch.Legal)
	copy(c.batch.Seats, e.batch.Seats)
	return c
}

func TestVec(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		for _, first := range []env.First{env.FirstSeat0, env.FirstRandom} {
			envtest.TestEnvironment(t, func(stepLimit int) envtest.Environment {
				return newVecEnv(g, env.VecOptions{StepLimit: stepLimit, First: first})
			})
		}
	})
}

// reference plays what a Vec is to play with a Match for each game.
type reference struct {
	game    env.Game
	options env.VecOptions
	matches []*env.Match
	done    []bool
	*env.Batch
}

func newReference(g env.Game, o env.VecOptions, seed uint64) *reference {
	r := &reference{game: g, options: o, done: make([]bool, o.Games), Batch: env.NewVec(g, o).NewBatch()}
	for i := range o.Games {
		m := env.NewMatch(g, env.MatchOptions{StepLimit: o.StepLimit, First: o.First})
		m.Reset(env.SeedAt(seed, o.FirstIndex+uint64(i)))
		r.matches = append(r.matches, m)
		r.show(i)
	}
	return r
}

func (r *reference) show(i int) {
	m, c := r.matches[i], r.game.NumColumns()
	copy(r.Observations[i*c:], m.Observe(nil))
	for a := range env.Action(env.NumActions) {
		r.Legal[env.NumActions*i+int(a)] = m.Legal().Has(a)
	}
	r.Seats[i] = m.State().Seat
}

func (r *reference) begin(i int) {
	r.matches[i].ResetNext()
	r.done[i] = false
	r.show(i)
}

func (r *reference) step(t *testing.T, actions []env.Action) {
	for i, m := range r.matches {
		n, c := r.game.Players(), r.game.NumColumns()
		rewards := r.Rewards[i*n : (i+1)*n]
		clear(rewards)
		r.Terminated[i], r.Truncated[i] = false, false
		if r.done[i] {
			if r.options.Autoreset == env.AutoresetNextStep {
				r.begin(i)
			}
			continue
		}
		var err error
		if r.Terminated[i], r.Truncated[i], err = m.Step(actions[i]); err != nil {
			t.Fatal(err)
		}
		for seat := range rewards {
			rewards[seat] = float32(m.Reward(seat))
		}
		r.show(i)
		if m.Live() {
			continue
		}
		if r.options.Autoreset == env.AutoresetSameStep {
			copy(r.Final[i*c:], m.Observe(nil))
			r.begin(i)
		} else {
			r.done[i] = true
		}
	}
}

func (r *reference) check(t *testing.T, v *env.Vec, b *env.Batch) {
	for i, m := range r.matches {
		if v.State(i) != m.State() {
			t.Helper()
			t.Fatalf("State(%d) = %+v, want %+v", i, v.State(i), m.State())
		}
	}
	for _, s := range []struct {
		name string
		same bool
	}{
		{"Observations", slices.Equal(b.Observations, r.Observations)},
		{"Rewards", slices.Equal(b.Rewards, r.Rewards)},
		{"Terminated", slices.Equal(b.Terminated, r.Terminated)},
		{"Truncated", slices.Equal(b.Truncated, r.Truncated)},
		{"Legal", slices.Equal(b.Legal, r.Legal)},
		{"Seats", slices.Equal(b.Seats, r.Seats)},
		{"Final", slices.Equal(b.Final, r.Final)},
	} {
		if !s.same {
			t.Fatalf("%s differ: the Vec shows\n%+v, and a Match for each game\n%+v", s.name, *b, *r.Batch)
		}
	}
}

// forEachVec runs a subtest on a few games of every variant in every mode.
func forEachVec(t *testing.T, test func(t *testing.T, g env.Game, o env.VecOptions)) {
	for _, v := range env.Variants() {
		for i, players := range []int{v.MinPlayers, 2, 3, 4, 5} {
			if i == 1 && v.MinPlayers == 2 || players > v.MaxPlayers {
				continue
			}
			limits := []int{0, 1, 17}
			if players > 3 {
				limits = limits[:1]
			}
			g := env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: smallTarget(v)}))
			for _, mode := range []env.Autoreset{env.AutoresetNextStep, env.AutoresetSameStep, env.AutoresetDisabled} {
				for _, first := range []env.First{env.FirstSeat0, env.FirstRandom} {
					for _, limit := range limits {
						o := env.VecOptions{Games: 7, FirstIndex: 5, Autoreset: mode, First: first, StepLimit: limit}
						t.Run(fmt.Sprintf("%v, %v, first %d, limit %d", g, mode, first, limit), func(t *testing.T) {
							t.Parallel()
							test(t, g, o)
						})
					}
				}
			}
		}
	}
}

// choices draws an action for every game: a legal one, or any where it does
// not matter.
func choices(b *env.Batch, r *env.Rand, actions []env.Action) {
	for i := range actions {
		actions[i] = env.Action(r.Below(env.NumActions))
		if legal := legalOf(b, i); legal != 0 && !legal.Has(actions[i]) {
			actions[i] = env.Roll
		}
	}
}

// TestVecPlaysMatches plays a Vec beside a Match for each of its games.
func TestVecPlaysMatches(t *testing.T) {
	forEachVec(t, func(t *testing.T, g env.Game, o env.VecOptions) {
		v, r := env.NewVec(g, o), newReference(g, o, 3)
		b := v.NewBatch()
		if err := v.Reset(3, b); err != nil {
			t.Fatal(err)
		}
		r.check(t, v, b)
		coins := env.NewRand(actionSeed)
		actions, which := make([]env.Action, o.Games), make([]bool, o.Games)
		ends := 0
		for range max(400, 150*g.Players()) {
			choices(b, &coins, actions)
			if err := v.Step(actions, b); err != nil {
				t.Fatal(err)
			}
			r.step(t, actions)
			r.check(t, v, b)
			for i := range which {
				if b.Terminated[i] || b.Truncated[i] {
					ends++
				}
				// Now and then a game is begun again, done or not.
				if which[i] = coins.Below(40) == 0; which[i] {
					clear(r.Rewards[i*g.Players() : (i+1)*g.Players()])
					r.Terminated[i], r.Truncated[i] = false, false
					r.begin(i)
				}
			}
			if err := v.ResetGames(which, b); err != nil {
				t.Fatal(err)
			}
			r.check(t, v, b)
		}
		if ends < o.Games {
			t.Errorf("only %d episodes ended", ends)
		}
	})
}

// actionSeed is that of the actions, which must not be those of the dice.
const actionSeed = 1 << 41

// TestVecSplit plays 12 games by one Vec and by several at once, on goroutines
// of their own.
func TestVecSplit(t *testing.T) {
	const games, steps = 12, 400
	forEachGame(t, func(t *testing.T, g env.Game) {
		// Every game follows a rule of its own, so that splits agree on actions.
		play := func(first, n int) (states []env.State) {
			v := env.NewVec(g, env.VecOptions{Games: n, FirstIndex: uint64(first), Autoreset: env.AutoresetSameStep})
			b := v.NewBatch()
			if err := v.Reset(9, b); err != nil {
				t.Error(err)
			}
			actions := make([]env.Action, n)
			for range steps {
				for i := range actions {
					actions[i] = env.Roll
					if s := v.State(i); int(s.TurnTotal) > first+i && !s.MustRoll {
						actions[i] = env.Hold
					}
				}
				if err := v.Step(actions, b); err != nil {
					t.Error(err)
				}
			}
			for i := range n {
				states = append(states, v.State(i))
			}
			return states
		}
		want := play(0, games)
		got := make([]env.State, games)
		var wg sync.WaitGroup
		for _, part := range [][2]int{{0, 1}, {1, 4}, {5, 7}} {
			wg.Go(func() { copy(got[part[0]:], play(part[0], part[1])) })
		}
		wg.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("in parts the games come to\n%+v, and in one to\n%+v", got, want)
		}
	})
}

// TestVecRefuses checks that a step with one illegal action, and one with a
// slice too short, changes nothing.
func TestVecRefuses(t *testing.T) {
	forEachVec(t, func(t *testing.T, g env.Game, o env.VecOptions) {
		v := env.NewVec(g, o)
		b := v.NewBatch()
		if err := v.Reset(1, b); err != nil {
			t.Fatal(err)
		}
		coins := env.NewRand(actionSeed)
		actions := make([]env.Action, o.Games)
		for step := range 60 {
			choices(b, &coins, actions)
			i := step % o.Games
			before, shown := v.Clone(), v.NewBatch()
			legal := legalOf(b, i)
			for _, a := range []env.Action{env.Hold, env.Roll, 2, 255} {
				if legal.Has(a) || legal == 0 && a < env.NumActions {
					continue
				}
				bad := slices.Clone(actions)
				bad[i] = a
				if err := v.Step(bad, shown); !errors.Is(err, env.ErrIllegal) {
					t.Fatalf("Step with action %d in game %d: %v, want %v", a, i, err, env.ErrIllegal)
				}
			}
			if err := v.Step(actions[1:], shown); !errors.Is(err, env.ErrBatch) {
				t.Fatalf("Step with %d actions for %d games: %v, want %v", len(actions)-1, o.Games, err, env.ErrBatch)
			}
			short := *shown
			short.Seats = short.Seats[1:]
			if err := v.Step(actions, &short); !errors.Is(err, env.ErrBatch) {
				t.Fatalf("Step into a batch with %d seats for %d games: %v, want %v", len(short.Seats), o.Games, err, env.ErrBatch)
			}
			if slices.Max(shown.Seats) != 0 || slices.Max(shown.Observations) != 0 || slices.Contains(shown.Legal, true) {
				t.Fatal("a step that is refused has written to the batch")
			}
			if err := v.Step(actions, b); err != nil {
				t.Fatal(err)
			}
			if err := before.Step(actions, shown); err != nil {
				t.Fatal(err)
			}
			for k := range o.Games {
				if v.State(k) != before.State(k) {
					t.Fatalf("after refused steps game %d is in %+v, want %+v", k, v.State(k), before.State(k))
				}
			}
		}
	})
}

// TestVecSizes checks the message for each slice of the wrong length.
func TestVecSizes(t *testing.T) {
	g := env.Must(env.New(env.Config{}))
	v := env.NewVec(g, env.VecOptions{Games: 4, Autoreset: env.AutoresetSameStep})
	for _, test := range []struct {
		name  string
		short func(b *env.Batch)
		want  string
	}{
		{"Observations", func(b *env.Batch) { b.Observations = b.Observations[:11] }, "11 elements, not 12"},
		{"Rewards", func(b *env.Batch) { b.Rewards = nil }, "0 elements, not 8"},
		{"Terminated", func(b *env.Batch) { b.Terminated = make([]bool, 5) }, "5 elements, not 4"},
		{"Truncated", func(b *env.Batch) { b.Truncated = nil }, "0 elements, not 4"},
		{"Legal", func(b *env.Batch) { b.Legal = b.Legal[:4] }, "4 elements, not 8"},
		{"Seats", func(b *env.Batch) { b.Seats = nil }, "0 elements, not 4"},
		{"Final", func(b *env.Batch) { b.Final = nil }, "0 elements, not 12"},
	} {
		b := v.NewBatch()
		test.short(b)
		want := "env: slice of the wrong length: " + test.name + " has " + test.want
		if err := v.Reset(1, b); !errors.Is(err, env.ErrBatch) || err.Error() != want {
			t.Errorf("Reset with short %s: %v, want %s", test.name, err, want)
		}
	}
	if err := v.ResetGames(make([]bool, 3), v.NewBatch()); !errors.Is(err, env.ErrBatch) {
		t.Errorf("ResetGames with 3 of 4: %v, want %v", err, env.ErrBatch)
	}
}

// TestVecAllocates checks that stepping allocates nothing, in any mode, at any
// number of players, ends included.
func TestVecAllocates(t *testing.T) {
	for _, v := range env.Variants() {
		for _, players := range []int{2, 3} {
			for _, mode := range []env.Autoreset{env.AutoresetNextStep, env.AutoresetSameStep, env.AutoresetDisabled} {
				g := env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: smallTarget(v)}))
				vec := env.NewVec(g, env.VecOptions{Games: 64, StepLimit: 50, Autoreset: mode})
				b, coins, actions := vec.NewBatch(), env.NewRand(actionSeed), make([]env.Action, 64)
				if err := vec.Reset(1, b); err != nil {
					t.Fatal(err)
				}
				ends := 0
				allocs := testing.AllocsPerRun(300, func() {
					choices(b, &coins, actions)
					if err := vec.Step(actions, b); err != nil {
						t.Fatal(err)
					}
					for i := range actions {
						if b.Terminated[i] || b.Truncated[i] {
							ends++
						}
					}
				})
				if allocs != 0 || ends < 64 {
					t.Errorf("Step of %v, %v: %v allocations with %d ends, want 0 with 64 or more", g, mode, allocs, ends)
				}
			}
		}
	}
}

// TestVecRedraws gives a game, in every place of a Vec, dice whose next word has
// to be redrawn: it rolls on as a Match does, and holding leaves the word where
// it is.
func TestVecRedraws(t *testing.T) {
	const games = 9
	for _, v := range env.Variants() {
		for i := range games {
			for _, holds := range []bool{false, true} {
				g := env.Must(env.New(env.Config{Variant: v.ID}))
				vec, m := env.NewVec(g, env.VecOptions{Games: games}), env.NewMatch(g, env.MatchOptions{})
				b, actions := vec.NewBatch(), make([]env.Action, games)
				if err := vec.Reset(1, b); err != nil {
					t.Fatal(err)
				}
				m.Reset(env.SeedAt(1, uint64(i)))
				step := func(a env.Action) {
					for i := range actions {
						actions[i] = env.Roll
					}
					actions[i] = a
					if err := vec.Step(actions, b); err != nil {
						t.Fatal(err)
					}
					if _, _, err := m.Step(a); err != nil {
						t.Fatal(err)
					}
					if vec.State(i) != m.State() {
						t.Fatalf("%s, game %d, holds %t: after %v the Vec is in %+v, want %+v", v.ID, i, holds, a, vec.State(i), m.State())
					}
				}
				for holds && !m.Legal().Has(env.Hold) {
					step(env.Roll)
				}
				// The upper half of the word 1, times any number of rolls, is 0. A roll
				// looks at the next word, and holding at the last.
				rare := env.RandIn(env.Before(1))
				if holds {
					rare = env.RandIn(env.Before(1) + env.Weyl)
				}
				vec.SetRand(i, rare)
				*m.Rand() = rare
				if holds {
					step(env.Hold)
				}
				for range 10 {
					if !m.Live() {
						break
					}
					step(env.Roll)
				}
			}
		}
	}
}
