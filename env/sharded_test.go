package env_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"

	"pigpen/env"
)

// vecLike has the methods that a ShardedVec shares with a Vec and a SoloVec.
type vecLike interface {
	games
	StepSome(actions []env.Action, which []bool, b *env.Batch) error
	ReadSnapshot(b []byte) (restore func(), err error)
}

// TestShardedVecEqualsVec makes random calls, refused ones among them, on a Vec
// or SoloVec and on ShardedVecs with 1, 3 and 7 shards: batches, errors and
// snapshots must be the same after each.
func TestShardedVecEqualsVec(t *testing.T) {
	forEachVec(t, func(t *testing.T, g env.Game, o env.VecOptions) {
		if o.StepLimit == 1 || (o.StepLimit > 0) == (o.First == env.FirstRandom) {
			return // these modes are enough
		}
		for _, o.IgnoreIllegal = range []bool{false, true} {
			solo := env.SoloVecOptions{VecOptions: o, Rotate: true, Opponents: alike(g.Players()-1, coin(0.6))}
			vecs, solos := []vecLike{env.NewVec(g, o)}, []vecLike{newSoloVec(t, g, solo)}
			for _, workers := range []int{1, 3, o.Games + 4} {
				v, err := env.NewSmallShards(g, o, workers)
				s, soloErr := env.NewSmallSoloShards(g, solo, workers)
				if err := errors.Join(err, soloErr); err != nil {
					t.Fatal(err)
				}
				if want := min(workers, o.Games); v.Shards() != want || s.Shards() != want {
					t.Fatalf("%d games with %d workers have %d and %d shards, want %d", o.Games, workers, v.Shards(), s.Shards(), want)
				}
				vecs, solos = append(vecs, v), append(solos, s)
			}
			checkSameVecs(t, o, vecs)
			checkSameVecs(t, o, solos)
		}
	})
}

// checkSameVecs makes the same random calls on all vecs and compares the others
// with the first.
func checkSameVecs(t *testing.T, o env.VecOptions, vecs []vecLike) {
	t.Helper()
	var batches []*env.Batch
	for _, v := range vecs {
		batches = append(batches, v.NewBatch())
	}
	call := func(what string, f func(v vecLike, b *env.Batch) error) error {
		t.Helper()
		var want error
		var snapshot []byte
		for k, v := range vecs {
			err := f(v, batches[k])
			b, marshalErr := v.MarshalBinary()
			if marshalErr != nil {
				t.Fatal(marshalErr)
			}
			if k == 0 {
				want, snapshot = err, b
				continue
			}
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Fatalf("%s: %v, and of vec %d %v", what, want, k, err)
			}
			if !bytes.Equal(b, snapshot) {
				t.Fatalf("%s: the snapshot of vec %d differs", what, k)
			}
			checkBatch(t, "vec 0 after "+what, batches[k], batches[0])
			for i := range o.Games {
				if v.State(i) != vecs[0].State(i) {
					t.Fatalf("%s: State(%d) of vec %d = %+v, want %+v", what, i, k, v.State(i), vecs[0].State(i))
				}
			}
		}
		return want
	}
	mustCall := func(what string, f func(v vecLike, b *env.Batch) error) {
		t.Helper()
		if err := call(what, f); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	mustCall("Reset", func(v vecLike, b *env.Batch) error { return v.Reset(3, b) })
	coins := env.NewRand(actionSeed)
	actions, which, seeds := make([]env.Action, o.Games), make([]bool, o.Games), make([]uint64, o.Games)
	saved, _ := vecs[0].MarshalBinary()
	refused := 0
	for range 40 {
		for i := range which {
			which[i], seeds[i] = coins.Below(3) > 0, coins.Uint64()
		}
		choices(batches[0], &coins, actions)
		switch coins.Below(8) {
		case 0:
			mustCall("StepSome", func(v vecLike, b *env.Batch) error { return v.StepSome(actions, which, b) })
		case 1:
			mustCall("Seed", func(v vecLike, b *env.Batch) error { return v.Seed(seeds, which) })
			mustCall("ResetGames", func(v vecLike, b *env.Batch) error { return v.ResetGames(which, b) })
			mustCall("Show", func(v vecLike, b *env.Batch) error { return v.Show(b) })
		case 2:
			mustCall("UnmarshalBinary", func(v vecLike, b *env.Batch) error {
				return errors.Join(v.UnmarshalBinary(saved), v.Show(b))
			})
		case 3:
			saved, _ = vecs[0].MarshalBinary()
		case 4, 5:
			i := coins.Below(uint32(o.Games))
			actions[i] = 2 * env.Action(coins.Below(2)) // Hold, legal or not, or no action at all
			if call("Step with any action", func(v vecLike, b *env.Batch) error { return v.Step(actions, b) }) != nil {
				refused++
			}
		default:
			mustCall("Step", func(v vecLike, b *env.Batch) error { return v.Step(actions, b) })
		}
	}
	if refused == 0 {
		t.Error("no step was refused")
	}
}

// TestShardedVecRestoresAllOrNone reads snapshots that only one shard refuses,
// and one that is too long: no game of any shard may change.
func TestShardedVecRestoresAllOrNone(t *testing.T) {
	const games = 6
	v, err := env.NewSmallShards(pigGame(2, 50), env.VecOptions{Games: games}, 3)
	if err != nil {
		t.Fatal(err)
	}
	begun(t, v, 1)
	other, _ := v.MarshalBinary()
	begun(t, v, 2)
	before, _ := v.MarshalBinary()
	size := len(other) / games
	bad := [][]byte{other[1:], append(slices.Clone(other), 0)}
	for i := range games {
		b := slices.Clone(other)
		b[i*size] ^= 0xff // the version
		bad = append(bad, b)
	}
	for k, b := range bad {
		if err := v.UnmarshalBinary(b); !errors.Is(err, env.ErrSnapshot) {
			t.Errorf("bad snapshot %d: %v, want %v", k, err, env.ErrSnapshot)
		}
		if after, _ := v.MarshalBinary(); !bytes.Equal(before, after) {
			t.Fatalf("bad snapshot %d was refused and has changed games", k)
		}
	}
	restore, err := v.ReadSnapshot(other)
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := v.MarshalBinary(); !bytes.Equal(before, after) {
		t.Fatal("ReadSnapshot has changed games")
	}
	restore()
	if after, _ := v.MarshalBinary(); !bytes.Equal(other, after) {
		t.Error("restore has not restored the snapshot")
	}
}

// TestShardedVecErrors checks what the constructors refuse, and that slices of
// the wrong length change nothing.
func TestShardedVecErrors(t *testing.T) {
	g := pigGame(3, 20)
	if v, err := env.NewShardedSoloVec(g, env.SoloVecOptions{VecOptions: env.VecOptions{Games: 2000}}, 2); !errors.Is(err, env.ErrOpponents) {
		t.Errorf("NewShardedSoloVec without opponents = %v, %v, want %v", v, err, env.ErrOpponents)
	}
	for name, make1 := range map[string]func(){
		"no workers": func() { env.NewShardedVec(g, env.VecOptions{Games: 4}, 0) },
		"no games":   func() { env.NewShardedVec(g, env.VecOptions{}, 1) },
		"no game":    func() { env.NewShardedVec(env.Game{}, env.VecOptions{Games: 4}, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewShardedVec with %s does not panic", name)
				}
			}()
			make1()
		}()
	}
	v, err := env.NewSmallShards(g, env.VecOptions{Games: 4}, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := begun(t, v, 1)
	before, _ := v.MarshalBinary()
	short := v.NewBatch()
	short.Seats = nil
	for name, err := range map[string]error{
		"Step":       v.Step(make([]env.Action, 3), b),
		"Step into":  v.Step(slices.Repeat([]env.Action{env.Roll}, 4), short),
		"StepSome":   v.StepSome(slices.Repeat([]env.Action{env.Roll}, 4), make([]bool, 5), b),
		"Reset":      v.Reset(1, short),
		"ResetGames": v.ResetGames(make([]bool, 5), b),
		"Seed":       v.Seed(make([]uint64, 4), make([]bool, 5)),
		"Show":       v.Show(short),
		"Views":      v.Views(make([]int16, 4*3*4), make([]float32, 4)),
	} {
		if !errors.Is(err, env.ErrBatch) {
			t.Errorf("%s with slices of the wrong length: %v, want %v", name, err, env.ErrBatch)
		}
	}
	if after, _ := v.MarshalBinary(); !bytes.Equal(before, after) {
		t.Error("what is refused has changed the games")
	}
}

// TestShardedVecAllocates checks that a step of several shards allocates nothing.
func TestShardedVecAllocates(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		for _, players := range []int{2, 3} {
			o := env.VecOptions{Games: 64, StepLimit: 50, Autoreset: env.AutoresetSameStep, IgnoreIllegal: ignore}
			g := pigGame(players, 20)
			v, err := env.NewSmallShards(g, o, 3)
			s, soloErr := env.NewSmallSoloShards(g, env.SoloVecOptions{VecOptions: o, Opponents: alike(1, holdAt(5))}, 3)
			if err := errors.Join(err, soloErr); err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]vecLike{"Vec": v, "SoloVec": s} {
				b, coins, actions := begun(t, v, 1), env.NewRand(actionSeed), make([]env.Action, o.Games)
				if allocs := testing.AllocsPerRun(300, func() { stepAll(t, v, b, &coins, actions) }); allocs != 0 {
					t.Errorf("Step of shards of a %s, %v: %v allocations, want 0", name, g, allocs)
				}
			}
		}
	}
}

// Two thousand games on up to four goroutines: at any number the results are the
// same.
func ExampleShardedVec() {
	game, err := env.New(env.Config{Variant: "pig", Target: 20})
	if err != nil {
		log.Fatal(err)
	}
	vec := env.NewShardedVec(game, env.VecOptions{Games: 2000, Autoreset: env.AutoresetSameStep}, 4)
	batch := vec.NewBatch()
	if err := vec.Reset(1, batch); err != nil {
		log.Fatal(err)
	}
	columns := game.NumColumns()
	actions := make([]env.Action, vec.Games())
	episodes := 0
	for range 100 {
		for i := range actions {
			actions[i] = env.Roll
			if turnTotal := batch.Observations[i*columns+1]; turnTotal >= 10 {
				actions[i] = env.Hold
			}
		}
		if err := vec.Step(actions, batch); err != nil {
			log.Fatal(err)
		}
		for _, terminated := range batch.Terminated {
			if terminated {
				episodes++
			}
		}
	}
	fmt.Println(vec.Shards(), "shards,", episodes, "episodes")
	// Output:
	// 3 shards, 15579 episodes
}
