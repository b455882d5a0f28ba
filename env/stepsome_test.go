package env_test

import (
	"fmt"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// stepper is a Vec or a SoloVec.
type stepper interface {
	NewBatch() *env.Batch
	Reset(seed uint64, b *env.Batch) error
	StepSome(actions []env.Action, which []bool, b *env.Batch) error
	Show(b *env.Batch) error
}

// Games of which some stand still are compared with games alone, each stepped
// only when it is to step.
func TestStepSome(t *testing.T) {
	racedetector.Skip(t)
	const games, steps = 11, 400
	for _, variant := range env.Variants() {
		for _, mode := range []env.Autoreset{env.AutoresetNextStep, env.AutoresetSameStep, env.AutoresetDisabled} {
			for _, ignore := range []bool{false, true} {
				for _, solo := range []bool{false, true} {
					for _, players := range []int{2, 3} {
						name := fmt.Sprintf("%v/%v/ignore=%v/solo=%v/players=%d", variant.ID, mode, ignore, solo, players)
						t.Run(name, func(t *testing.T) {
							g, err := env.New(env.Config{Variant: variant.ID, Players: players})
							if err != nil {
								t.Fatal(err)
							}
							o := env.VecOptions{Games: games, StepLimit: 23, Autoreset: mode, IgnoreIllegal: ignore}
							stepSome(t, steps, o, func(o env.VecOptions) stepper {
								if !solo {
									return env.NewVec(g, o)
								}
								v, err := env.NewSoloVec(g, env.SoloVecOptions{VecOptions: o, Opponents: []env.Player{halfRolls{}}})
								if err != nil {
									t.Fatal(err)
								}
								return v
							})
						})
					}
				}
			}
		}
	}
}

// halfRolls rolls half the time.
type halfRolls struct{}

func (halfRolls) RollChance(env.State) float64 { return 0.5 }

func stepSome(t *testing.T, steps int, o env.VecOptions, make func(o env.VecOptions) stepper) {
	all := make(o)
	b := all.NewBatch()
	alone := []stepper{}
	shown := []*env.Batch{}
	for i := range o.Games {
		o := o
		o.Games, o.FirstIndex = 1, uint64(i)
		one := make(o)
		alone, shown = append(alone, one), append(shown, one.NewBatch())
		if err := one.Reset(5, shown[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Reset(5, b); err != nil {
		t.Fatal(err)
	}
	r := env.NewRand(9)
	actions, which := slices.Repeat([]env.Action{env.Roll}, o.Games), slices.Repeat([]bool{true}, o.Games)
	ends := 0
	for step := range steps {
		for i := range actions {
			which[i] = r.Below(3) > 0
			actions[i] = env.Action(r.Below(2))
			switch {
			case !which[i]:
				actions[i] = env.Action(r.Below(4)) // perhaps none
			case b.Legal[2*i+1] && !b.Legal[2*i] && !o.IgnoreIllegal:
				actions[i] = env.Roll
			}
		}
		if err := all.StepSome(actions, which, b); err != nil {
			t.Fatal(err)
		}
		for i, one := range alone {
			var err error
			if which[i] {
				err = one.StepSome(actions[i:i+1], nil, shown[i])
			} else {
				err = one.Show(shown[i])
				clear(shown[i].Ignored)
			}
			if err != nil {
				t.Fatal(err)
			}
			n, players := len(shown[i].Observations), len(shown[i].Rewards)
			if b.Terminated[i] || b.Truncated[i] {
				ends++
			}
			if !slices.Equal(b.Observations[i*n:(i+1)*n], shown[i].Observations) ||
				!slices.Equal(b.Rewards[i*players:(i+1)*players], shown[i].Rewards) ||
				!slices.Equal(b.Legal[2*i:2*i+2], shown[i].Legal) ||
				b.Terminated[i] != shown[i].Terminated[0] || b.Truncated[i] != shown[i].Truncated[0] || b.Seats[i] != shown[i].Seats[0] ||
				o.IgnoreIllegal && b.Ignored[i] != shown[i].Ignored[0] {
				t.Fatalf("step %d, game %d, which %v, action %v: StepSome shows %+v, a game alone %+v", step, i, which[i], actions[i], b, shown[i])
			}
		}
	}
	if ends == 0 {
		t.Error("no episode has ended")
	}
}
