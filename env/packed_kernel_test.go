package env_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// guardedBatch returns a batch for v whose slices stand between guards, and a
// function that reports whether these are intact.
func guardedBatch(v *env.Vec) (*env.Batch, func() bool) {
	b := v.NewBatch()
	var all []func() bool
	numbers := func(n int) []int16 {
		s, intact := env.Guarded(n, func(i int) int16 { return int16(i) })
		all = append(all, intact)
		return s
	}
	bools := func(n int) []bool {
		s, intact := env.Guarded(n, func(i int) bool { return i%3 == 1 })
		all = append(all, intact)
		return s
	}
	b.Observations, b.Final = numbers(len(b.Observations)), numbers(len(b.Final))
	b.Terminated, b.Truncated, b.Legal = bools(len(b.Terminated)), bools(len(b.Truncated)), bools(len(b.Legal))
	rewards, rewardsIntact := env.Guarded(len(b.Rewards), func(i int) float32 { return float32(i) })
	seats, seatsIntact := env.Guarded(len(b.Seats), func(i int) int8 { return int8(i) })
	b.Rewards, b.Seats = rewards, seats
	all = append(all, rewardsIntact, seatsIntact)
	return b, func() bool {
		return !slices.ContainsFunc(all, func(intact func() bool) bool { return !intact() })
	}
}

func cloneBatch(b *env.Batch) *env.Batch {
	return &env.Batch{
		Observations: slices.Clone(b.Observations), Rewards: slices.Clone(b.Rewards),
		Terminated: slices.Clone(b.Terminated), Truncated: slices.Clone(b.Truncated),
		Legal: slices.Clone(b.Legal), Seats: slices.Clone(b.Seats), Final: slices.Clone(b.Final),
	}
}

// rareRand returns a generator whose next word is near the bounds between two
// of n slots, where it may have to be redrawn.
func rareRand(n int, r *env.Rand) env.Rand {
	bound := (uint64(r.Below(uint32(n)))<<32 + uint64(n) - 1) / uint64(n)
	half := uint32(bound) + r.Below(5) - 2
	return env.RandIn(env.Before(uint64(half)<<32 | r.Uint64()>>32))
}

// TestKernelEqualsScalar steps the same games with the kernel and with stepScalar:
// after every step batches, states and generators must be the same, and nothing
// beside the slices be written. Some games are done, some rolls may have to be
// redrawn, and some actions are illegal.
func TestKernelEqualsScalar(t *testing.T) {
	racedetector.Skip(t)
	if !env.NewVec(env.Must(env.New(env.Config{})), env.VecOptions{Games: 1}).HasKernel() {
		t.Skip("this processor has no kernel")
	}
	for _, variant := range env.Variants() {
		configs := []env.Config{{}, {Target: smallTarget(variant)}}
		for _, o := range variant.Options {
			configs = append(configs, env.Config{Options: map[string]bool{o.Name: !o.Default}})
		}
		for _, c := range configs {
			c.Variant = variant.ID
			g := env.Must(env.New(c))
			if !env.NewVec(g, env.VecOptions{Games: 1}).HasKernel() {
				continue // not packable
			}
			for _, mode := range []env.Autoreset{env.AutoresetNextStep, env.AutoresetSameStep, env.AutoresetDisabled} {
				for _, limit := range []int{0, 9} {
					t.Run(fmt.Sprintf("%v, %v, limit %d", g, mode, limit), func(t *testing.T) {
						t.Parallel()
						for n := 1; n <= 41; n++ {
							if !*env.Long && n > 9 && n != 41 {
								continue
							}
							for _, first := range []env.First{env.FirstSeat0, env.FirstRandom} {
								if first == env.FirstRandom && variant.Ending == env.AfterRound {
									continue // not packable
								}
								checkKernel(t, g, env.VecOptions{Games: n, Autoreset: mode, StepLimit: limit, First: first})
							}
						}
					})
				}
			}
		}
	}
}

func checkKernel(t *testing.T, g env.Game, o env.VecOptions) {
	t.Helper()
	withKernel := env.NewVec(g, o)
	scalar := withKernel.Clone()
	scalar.DisableKernel()
	if !withKernel.HasKernel() || scalar.HasKernel() {
		t.Fatal("there is nothing to compare")
	}
	intact := withKernel.Guard()
	b, batchIntact := guardedBatch(withKernel)
	want := scalar.NewBatch()
	coins := env.NewRand(uint64(o.Games))
	check := func(what string) {
		t.Helper()
		if !b.Equal(want) || !withKernel.Equal(scalar) {
			t.Fatalf("%d games, %s: the kernel writes\n%+v, and stepScalar\n%+v", o.Games, what, *b, *want)
		}
		if !intact() || !batchIntact() {
			t.Fatalf("%d games, %s: the kernel writes beside a slice", o.Games, what)
		}
	}
	both := func(what string, f func(v *env.Vec, b *env.Batch) error) {
		t.Helper()
		got, want := f(withKernel, b), f(scalar, want)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%d games, %s: with the kernel %v, with stepScalar %v", o.Games, what, got, want)
		}
		check(what)
	}
	both("Reset", func(v *env.Vec, b *env.Batch) error { return v.Reset(uint64(o.Games), b) })
	actions, which := make([]env.Action, o.Games), make([]bool, o.Games)
	for step := range 60 {
		choices(b, &coins, actions)
		i := int(coins.Below(uint32(o.Games)))
		if coins.Below(4) == 0 {
			rare := rareRand(g.Slots(), &coins)
			withKernel.SetRand(i, rare)
			scalar.SetRand(i, rare)
		}
		if coins.Below(4) == 0 {
			bad, was := slices.Clone(actions), cloneBatch(b)
			stood := withKernel.Clone()
			for _, i := range []int{i, int(coins.Below(uint32(o.Games)))} {
				bad[i] = 2 + env.Action(coins.Below(254))
				if legal := legalOf(b, i); legal == env.RollOnly {
					bad[i] = env.Hold
				}
			}
			both("refused", func(v *env.Vec, b *env.Batch) error {
				err := v.Step(bad, b)
				if !errors.Is(err, env.ErrIllegal) {
					t.Fatalf("Step(%v) = %v, want %v", bad, err, env.ErrIllegal)
				}
				return err
			})
			if !b.Equal(was) || !withKernel.Equal(stood) {
				t.Fatal("a step that is refused has changed something")
			}
		}
		both(fmt.Sprintf("step %d", step), func(v *env.Vec, b *env.Batch) error { return v.Step(actions, b) })
		if coins.Below(16) == 0 {
			for i := range which {
				which[i] = coins.Below(3) == 0
			}
			both("ResetGames", func(v *env.Vec, b *env.Batch) error { return v.ResetGames(which, b) })
		}
	}
}
