package env_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// newSoloVec returns a SoloVec, which must be possible.
func newSoloVec(t testing.TB, g env.Game, o env.SoloVecOptions) *env.SoloVec {
	t.Helper()
	v, err := env.NewSoloVec(g, o)
	if err != nil {
		t.Fatalf("NewSoloVec(%v, %+v): %v", g, o, err)
	}
	return v
}

// soloReference plays what a SoloVec is to play with a Solo for each game.
type soloReference struct {
	options env.SoloVecOptions
	columns int
	solos   []*env.Solo
	infos   []env.Info
	*env.Batch
}

func newSoloReference(t *testing.T, g env.Game, o env.SoloVecOptions, seed uint64) *soloReference {
	r := &soloReference{options: o, columns: g.NumColumns(), infos: make([]env.Info, o.Games), Batch: newSoloVec(t, g, o).NewBatch()}
	for i := range o.Games {
		seat := o.Seat
		if o.Rotate {
			seat = (int(o.FirstIndex) + i) % g.Players()
		}
		s := newSolo(t, g, env.SoloOptions{Seat: seat, Opponents: o.Opponents, StepLimit: o.StepLimit, First: o.First})
		r.solos = append(r.solos, s)
		observation, info := s.Reset(env.SeedAt(seed, o.FirstIndex+uint64(i)))
		r.Seats[i] = int8(seat)
		r.show(i, observation, info)
	}
	return r
}

func (r *soloReference) show(i int, observation []int16, info env.Info) {
	copy(r.Observations[i*r.columns:], observation)
	r.infos[i] = info
	for a := range env.Action(env.NumActions) {
		r.Legal[env.NumActions*i+int(a)] = info.Legal.Has(a)
	}
}

func (r *soloReference) begin(i int) {
	observation, info := r.solos[i].ResetNext()
	r.show(i, observation, info)
}

func (r *soloReference) step(t *testing.T, actions []env.Action) {
	for i, s := range r.solos {
		r.Rewards[i], r.Terminated[i], r.Truncated[i] = 0, false, false
		if r.infos[i].Legal == 0 {
			if r.options.Autoreset == env.AutoresetNextStep {
				r.begin(i)
			}
			continue
		}
		step := stepSolo(t, s, actions[i])
		r.Rewards[i], r.Terminated[i], r.Truncated[i] = float32(step.reward), step.terminated, step.truncated
		r.show(i, step.observation, step.info)
		if step.info.Legal == 0 && r.options.Autoreset == env.AutoresetSameStep {
			copy(r.Final[i*r.columns:], step.observation)
			r.begin(i)
		}
	}
}

func (r *soloReference) check(t *testing.T, v *env.SoloVec, b *env.Batch) {
	for i, s := range r.solos {
		if v.State(i) != s.State() {
			t.Helper()
			t.Fatalf("State(%d) = %+v, want %+v", i, v.State(i), s.State())
		}
	}
	checkBatch(t, "a Solo for each game", b, r.Batch)
}

// checkBatch compares what is shown with what another shows.
func checkBatch(t *testing.T, other string, got, want *env.Batch) {
	for _, s := range []struct {
		name string
		same bool
	}{
		{"Observations", slices.Equal(got.Observations, want.Observations)},
		{"Rewards", slices.Equal(got.Rewards, want.Rewards)},
		{"Terminated", slices.Equal(got.Terminated, want.Terminated)},
		{"Truncated", slices.Equal(got.Truncated, want.Truncated)},
		{"Legal", slices.Equal(got.Legal, want.Legal)},
		{"Seats", slices.Equal(got.Seats, want.Seats)},
		{"Final", slices.Equal(got.Final, want.Final)},
		{"Ignored", slices.Equal(got.Ignored, want.Ignored)},
	} {
		if !s.same {
			t.Helper()
			t.Fatalf("%s differ: shown is\n%+v, and by %s\n%+v", s.name, *got, other, *want)
		}
	}
}

// forEachSoloVec runs a subtest on a few games of every variant in every mode.
func forEachSoloVec(t *testing.T, test func(t *testing.T, g env.Game, o env.SoloVecOptions)) {
	forEachVec(t, func(t *testing.T, g env.Game, o env.VecOptions) {
		others := g.Players() - 1
		test(t, g, env.SoloVecOptions{VecOptions: o, Seat: others, Opponents: alike(others, holdAt(5))})
		test(t, g, env.SoloVecOptions{VecOptions: o, Rotate: true, Opponents: alike(others, coin(0.6))})
	})
}

// TestThresholdPlayers checks that environments ask a player for the threshold of its
// turns, where it has one, and play the turns as if they had asked it before
// every roll.
func TestThresholdPlayers(t *testing.T) {
	forEachVec(t, func(t *testing.T, g env.Game, o env.VecOptions) {
		others := g.Players() - 1
		for _, at := range []holdAt{1, 5, 12, math.MaxInt16} {
			options := env.SoloVecOptions{VecOptions: o, Rotate: true}
			options.Opponents = alike(others, at)
			v := newSoloVec(t, g, options)
			options.Opponents = alike(others, struct{ env.Player }{at})
			asked := newSoloVec(t, g, options)
			b, want := begun(t, v, 5), begun(t, asked, 5)
			coins, actions := env.NewRand(actionSeed), make([]env.Action, o.Games)
			for range 100 {
				checkBatch(t, "a player without threshold", b, want)
				choices(b, &coins, actions)
				if err := errors.Join(v.Step(actions, b), asked.Step(actions, want)); err != nil {
					t.Fatal(err)
				}
			}
			left, _ := v.MarshalBinary()
			right, _ := asked.MarshalBinary()
			if !bytes.Equal(left, right) {
				t.Fatalf("hold at %d: the games end as\n%x, with a player without threshold as\n%x", at, left, right)
			}
		}
	})
}

// TestSoloVecPlaysSolos plays a SoloVec beside a Solo for each of its games.
func TestSoloVecPlaysSolos(t *testing.T) {
	forEachSoloVec(t, func(t *testing.T, g env.Game, o env.SoloVecOptions) {
		v, r := newSoloVec(t, g, o), newSoloReference(t, g, o, 3)
		b := v.NewBatch()
		if err := v.Reset(3, b); err != nil {
			t.Fatal(err)
		}
		r.check(t, v, b)
		coins := env.NewRand(actionSeed)
		actions, which := make([]env.Action, o.Games), make([]bool, o.Games)
		ends := 0
		for range 300 {
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
					r.Rewards[i], r.Terminated[i], r.Truncated[i] = 0, false, false
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

// TestSoloVecAllocates checks that stepping allocates nothing, in any mode, at
// any number of players, ends included.
func TestSoloVecAllocates(t *testing.T) {
	racedetector.Skip(t)
	for _, variant := range env.Variants() {
		for _, players := range []int{2, 3} {
			for _, mode := range []env.Autoreset{env.AutoresetNextStep, env.AutoresetSameStep, env.AutoresetDisabled} {
				g := env.Must(env.New(env.Config{Variant: variant.ID, Players: players, Target: smallTarget(variant)}))
				v := newSoloVec(t, g, env.SoloVecOptions{
					VecOptions: env.VecOptions{Games: 64, StepLimit: 50, Autoreset: mode},
					Rotate:     true, Opponents: alike(1, holdAt(5)),
				})
				b, coins, actions := v.NewBatch(), env.NewRand(actionSeed), make([]env.Action, 64)
				if err := v.Reset(1, b); err != nil {
					t.Fatal(err)
				}
				if allocs := testing.AllocsPerRun(300, func() {
					choices(b, &coins, actions)
					if err := v.Step(actions, b); err != nil {
						t.Fatal(err)
					}
				}); allocs != 0 {
					t.Errorf("Step of %v, %v: %v allocations, want 0", g, mode, allocs)
				}
			}
		}
	}
}

// games are what a Vec and a SoloVec have in common.
type games interface {
	NewBatch() *env.Batch
	Reset(seed uint64, b *env.Batch) error
	Seed(seeds []uint64, which []bool) error
	ResetGames(which []bool, b *env.Batch) error
	Step(actions []env.Action, b *env.Batch) error
	Show(b *env.Batch) error
	State(i int) env.State
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(b []byte) error
}

// forEachGames runs a subtest on Vecs and SoloVecs; make returns one, always
// alike.
func forEachGames(t *testing.T, change func(o *env.VecOptions), test func(t *testing.T, o env.VecOptions, make func() games)) {
	forEachVec(t, func(t *testing.T, g env.Game, o env.VecOptions) {
		if o.StepLimit == 1 || (o.StepLimit > 0) == (o.First == env.FirstRandom) {
			return // these modes are enough
		}
		change(&o)
		test(t, o, func() games { return env.NewVec(g, o) })
		solo := env.SoloVecOptions{VecOptions: o, Rotate: true, Opponents: alike(g.Players()-1, coin(0.6))}
		test(t, o, func() games { return newSoloVec(t, g, solo) })
	})
}

// begun returns games after Reset, with what they show.
func begun(t *testing.T, v games, seed uint64) *env.Batch {
	t.Helper()
	b := v.NewBatch()
	if err := v.Reset(seed, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// stepAll takes random legal actions in all games.
func stepAll(t *testing.T, v games, b *env.Batch, coins *env.Rand, actions []env.Action) {
	t.Helper()
	choices(b, coins, actions)
	if err := v.Step(actions, b); err != nil {
		t.Fatal(err)
	}
}

// TestGamesSnapshot resumes at some steps, in games that were somewhere else,
// and plays both on.
func TestGamesSnapshot(t *testing.T) {
	forEachGames(t, func(*env.VecOptions) {}, func(t *testing.T, o env.VecOptions, make1 func() games) {
		v := make1()
		b := begun(t, v, 1)
		coins, actions := env.NewRand(actionSeed), make([]env.Action, o.Games)
		for range 3 {
			for range 5 {
				stepAll(t, v, b, &coins, actions)
			}
			snapshot, err := v.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			resumed := make1()
			astray := begun(t, resumed, 77)
			for other, k := env.NewRand(5), 0; k < 9; k++ {
				stepAll(t, resumed, astray, &other, actions)
			}
			if err := resumed.UnmarshalBinary(snapshot); err != nil {
				t.Fatal(err)
			}
			if again, _ := resumed.MarshalBinary(); !bytes.Equal(again, snapshot) {
				t.Fatalf("%x comes back as %x", snapshot, again)
			}
			shown, want := v.NewBatch(), v.NewBatch()
			if err := errors.Join(resumed.Show(shown), v.Show(want)); err != nil {
				t.Fatal(err)
			}
			checkBatch(t, "the original", shown, want)
			for twin, k := coins, 0; k < 30; k++ {
				stepAll(t, resumed, shown, &twin, actions)
				stepAll(t, v, want, &coins, actions)
				checkBatch(t, "the original", shown, want)
			}
			b = want
		}
	})
}

// TestGamesBadSnapshot feeds snapshots with any byte changed. What is refused
// changes nothing; what is taken is safe to play on.
func TestGamesBadSnapshot(t *testing.T) {
	forEachGames(t, func(o *env.VecOptions) { o.Games = 2 }, func(t *testing.T, o env.VecOptions, make1 func() games) {
		v := make1()
		b := begun(t, v, 1)
		coins, actions := env.NewRand(actionSeed), make([]env.Action, o.Games)
		for range 7 {
			stepAll(t, v, b, &coins, actions)
		}
		good, _ := v.MarshalBinary()
		for _, bad := range [][]byte{nil, good[1:], append(slices.Clone(good), 0)} {
			if err := v.UnmarshalBinary(bad); !errors.Is(err, env.ErrSnapshot) {
				t.Fatalf("UnmarshalBinary of %d bytes: %v, want %v", len(bad), err, env.ErrSnapshot)
			}
		}
		taken := 0
		for at := range good {
			for _, change := range []byte{1 << (at & 7)} {
				bad := slices.Clone(good)
				bad[at] ^= change
				err := v.UnmarshalBinary(bad)
				again, _ := v.MarshalBinary()
				switch {
				case err == nil:
					taken++
					if err := v.Show(b); err != nil {
						t.Fatal(err)
					}
					for range 5 {
						stepAll(t, v, b, &coins, actions)
					}
					if err := v.UnmarshalBinary(good); err != nil {
						t.Fatal(err)
					}
				case !errors.Is(err, env.ErrSnapshot):
					t.Fatalf("byte %d changed: %v, want %v", at, err, env.ErrSnapshot)
				case !bytes.Equal(again, good):
					t.Fatalf("byte %d changed: it is refused and has changed the games", at)
				}
			}
		}
		if taken < 8*o.Games {
			t.Errorf("%d changed snapshots are taken; those of other dice alone are more", taken)
		}
	})
}

// TestGamesSeed gives some games other dice in the middle of their episodes.
func TestGamesSeed(t *testing.T) {
	forEachGames(t, func(*env.VecOptions) {}, func(t *testing.T, o env.VecOptions, make1 func() games) {
		v, fresh := make1(), make1()
		b, want := begun(t, v, 1), begun(t, fresh, 9)
		coins, actions := env.NewRand(actionSeed), make([]env.Action, o.Games)
		for range 7 {
			stepAll(t, v, b, &coins, actions)
		}
		which, seeds := make([]bool, o.Games), make([]uint64, o.Games)
		for i := range which {
			which[i], seeds[i] = i%3 == 0, env.SeedAt(9, o.FirstIndex+uint64(i))
		}
		before := v.State(1)
		if err := errors.Join(v.Seed(seeds, which), v.ResetGames(which, b)); err != nil {
			t.Fatal(err)
		}
		if v.State(1) != before {
			t.Errorf("game 1 went from %+v to %+v", before, v.State(1))
		}
		for range 20 {
			for i := range which {
				if which[i] && (v.State(i) != fresh.State(i) || !slices.Equal(b.Legal[2*i:2*i+2], want.Legal[2*i:2*i+2])) {
					t.Fatalf("game %d is in %+v, want %+v", i, v.State(i), fresh.State(i))
				}
			}
			// The same actions in both, where the games are the same.
			mine := make([]env.Action, o.Games)
			choices(want, &coins, actions)
			choices(b, &coins, mine)
			for i := range which {
				if which[i] {
					mine[i] = actions[i]
				}
			}
			if err := errors.Join(v.Step(mine, b), fresh.Step(actions, want)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestGamesIgnoreIllegal takes random actions, illegal ones too. A game whose
// action is ignored stays where it is and its dice too; all others go on as in
// games that are asked for nothing illegal.
func TestGamesIgnoreIllegal(t *testing.T) {
	racedetector.Skip(t)
	forEachGames(t, func(o *env.VecOptions) { o.IgnoreIllegal = true }, func(t *testing.T, o env.VecOptions, make1 func() games) {
		v := make1()
		b := begun(t, v, 1)
		coins, actions := env.NewRand(actionSeed), make([]env.Action, o.Games)
		steps, ignored := make([]int, o.Games), 0
		for range 60 {
			before, _ := v.MarshalBinary()
			was := slices.Clone(b.Legal)
			for i := range actions {
				actions[i] = env.Action(coins.Below(2))
			}
			if err := v.Step(actions, b); err != nil {
				t.Fatal(err)
			}
			after, _ := v.MarshalBinary()
			size := len(after) / o.Games
			for i, a := range actions {
				done := !was[2*i+1]
				if want := a == env.Hold && !done && !was[2*i]; b.Ignored[i] != want {
					t.Fatalf("Ignored[%d] = %t, want %t", i, b.Ignored[i], want)
				}
				if steps[i]++; done && o.Autoreset == env.AutoresetNextStep {
					steps[i] = 0
				}
				if b.Ignored[i] {
					ignored++
					limit := steps[i] == o.StepLimit
					if b.Terminated[i] || b.Truncated[i] != limit {
						t.Fatalf("game %d, step %d of %d: terminated %t, truncated %t after an ignored action", i, steps[i], o.StepLimit, b.Terminated[i], b.Truncated[i])
					}
					// The version, the game and its options, and the dice stay.
					if !limit && !bytes.Equal(before[i*size:i*size+26], after[i*size:i*size+26]) {
						t.Fatalf("game %d has changed by an ignored action", i)
					}
				}
				if b.Terminated[i] || b.Truncated[i] {
					steps[i] = 0
				}
			}
			// The same step without what is illegal, in games that stand alike.
			twin := make1()
			shows := twin.NewBatch()
			if err := twin.UnmarshalBinary(before); err != nil {
				t.Fatal(err)
			}
			legal := slices.Clone(actions)
			for i := range legal {
				if b.Ignored[i] {
					legal[i] = env.Roll
				}
			}
			if err := twin.Step(legal, shows); err != nil {
				t.Fatal(err)
			}
			for i := range actions {
				if !b.Ignored[i] && (twin.State(i) != v.State(i) || shows.Terminated[i] != b.Terminated[i]) {
					t.Fatalf("beside an ignored action, game %d came to %+v, want %+v", i, v.State(i), twin.State(i))
				}
			}
			if o.Autoreset == env.AutoresetDisabled {
				which := make([]bool, o.Games)
				for i := range which {
					if which[i] = !b.Legal[2*i+1]; which[i] {
						steps[i] = 0
					}
				}
				if err := v.ResetGames(which, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if ignored < 30 {
			t.Errorf("%d actions were ignored", ignored)
		}
		actions[o.Games-1] = 2
		before, _ := v.MarshalBinary()
		err := v.Step(actions, b)
		if illegal := new(env.IllegalActionError); !errors.As(err, &illegal) || *illegal != (env.IllegalActionError{Game: o.Games - 1, Action: 2}) || !errors.Is(err, env.ErrIllegal) {
			t.Errorf("Step with action 2 in game %d: %v", o.Games-1, err)
		}
		if after, _ := v.MarshalBinary(); !bytes.Equal(before, after) {
			t.Error("a step that is refused has changed the games")
		}
	})
}

// TestGamesAllocate checks that a step with actions that are ignored allocates
// nothing.
func TestGamesAllocate(t *testing.T) {
	o := env.VecOptions{Games: 64, StepLimit: 50, IgnoreIllegal: true}
	for _, players := range []int{2, 3} {
		g := pigGame(players, 20)
		for _, v := range []games{env.NewVec(g, o), newSoloVec(t, g, env.SoloVecOptions{VecOptions: o, Opponents: alike(1, holdAt(5))})} {
			b, coins, actions := begun(t, v, 1), env.NewRand(actionSeed), make([]env.Action, o.Games)
			if allocs := testing.AllocsPerRun(300, func() {
				for i := range actions {
					actions[i] = env.Action(coins.Below(2))
				}
				if err := v.Step(actions, b); err != nil {
					t.Fatal(err)
				}
			}); allocs != 0 {
				t.Errorf("Step of %T, %v: %v allocations, want 0", v, g, allocs)
			}
		}
	}
}

// TestSoloVecErrors checks what NewSoloVec and Step refuse.
func TestSoloVecErrors(t *testing.T) {
	g := pigGame(3, 20)
	one := env.VecOptions{Games: 4}
	for _, o := range []env.SoloVecOptions{
		{VecOptions: one},
		{VecOptions: one, Opponents: alike(3, coin(0.5))},
		{VecOptions: one, Opponents: []env.Player{nil}},
		{VecOptions: one, Opponents: alike(1, coin(0.5)), Seat: 3},
		{VecOptions: one, Opponents: alike(1, coin(0.5)), Seat: -1},
		{VecOptions: one, Opponents: alike(1, coin(0.5)), Seat: 1, Rotate: true},
	} {
		if v, err := env.NewSoloVec(g, o); err == nil {
			t.Errorf("NewSoloVec(%+v) = %v, want an error", o, v)
		}
	}
	v := newSoloVec(t, g, env.SoloVecOptions{VecOptions: one, Opponents: alike(1, coin(0.5))})
	b := begun(t, v, 1)
	before, _ := v.MarshalBinary()
	for _, actions := range [][]env.Action{{1, 1, 1, 0}, {1, 2, 1, 1}} {
		if err := v.Step(actions, b); !errors.Is(err, env.ErrIllegal) {
			t.Errorf("Step(%v): %v, want %v", actions, err, env.ErrIllegal)
		}
	}
	short := v.NewBatch()
	short.Seats = nil
	for name, err := range map[string]error{
		"Step":       v.Step(make([]env.Action, 3), b),
		"Step into":  v.Step(slices.Repeat([]env.Action{env.Roll}, 4), short),
		"Reset":      v.Reset(1, short),
		"ResetGames": v.ResetGames(make([]bool, 5), b),
		"Seed":       v.Seed(make([]uint64, 4), make([]bool, 5)),
		"Show":       v.Show(short),
	} {
		if !errors.Is(err, env.ErrBatch) {
			t.Errorf("%s with slices of the wrong length: %v, want %v", name, err, env.ErrBatch)
		}
	}
	if after, _ := v.MarshalBinary(); !bytes.Equal(before, after) {
		t.Error("what is refused has changed the games")
	}
}

func ExampleSoloVec() {
	g := env.Must(env.New(env.Config{Target: 20}))
	v, err := env.NewSoloVec(g, env.SoloVecOptions{
		VecOptions: env.VecOptions{Games: 1000, Autoreset: env.AutoresetSameStep},
		Rotate:     true, Opponents: []env.Player{holdAt(6)},
	})
	if err != nil {
		panic(err)
	}
	b := v.NewBatch()
	if err := v.Reset(1, b); err != nil {
		panic(err)
	}
	actions := make([]env.Action, v.Games())
	wins, episodes := 0, 0
	for range 500 {
		for i := range actions { // hold at 5, or when nothing else wins
			actions[i] = env.Roll
			if b.Legal[env.NumActions*i] && b.Observations[3*i+1] >= 5 {
				actions[i] = env.Hold
			}
		}
		if err := v.Step(actions, b); err != nil {
			panic(err)
		}
		for i := range actions {
			if b.Terminated[i] {
				episodes++
				if b.Rewards[i] > 0 {
					wins++
				}
			}
		}
	}
	fmt.Printf("it won %.2f of its games\n", float64(wins)/float64(episodes))
	// Output: it won 0.39 of its games
}
