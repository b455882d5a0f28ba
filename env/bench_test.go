package env_test

import (
	"fmt"
	"testing"

	"pigpen/env"
)

// BenchmarkMatch plays one game after another, one step an iteration, rolling
// or holding by coins drawn outside of the timing.
func BenchmarkMatch(b *testing.B) {
	for _, v := range env.Variants() {
		b.Run(v.ID, func(b *testing.B) {
			m := env.NewMatch(env.Must(env.New(env.Config{Variant: v.ID})), env.MatchOptions{})
			m.Reset(1)
			var coins [4096]env.Action
			r := env.NewRand(2)
			for i := range coins {
				coins[i] = env.Action(r.Below(2))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				a := coins[i&4095]
				i++
				if !m.Legal().Has(a) {
					a = env.Roll
				}
				over, _, err := m.Step(a)
				if err != nil {
					b.Fatal(err)
				}
				if over {
					m.ResetNext()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// vecGames is the number of games in the benchmarks of Vec, and vecSteps how
// many steps of prepared actions they go round.
const (
	vecGames = 4096
	vecSteps = 256
)

// Where the time of BenchmarkVec/pig goes, by the profile of a run at 2.7 ns a
// decision with AVX2 (go test -run xxx -bench Vec/pig$ -cpuprofile cpu.out ./env),
// as parts of Vec.Step:
//
//   - 78%: stepKernel, 70 instructions for four games, of which the generator
//     takes 24, the move 16, and what is shown 13
//   - 11%: games that end and begin again
//   - 7%: checking the actions
//   - 4%: clearing rewards and ends
//
// What limits it is the number of instructions; the Go code, which serves one
// game at a time, takes 7.1 ns (-tags purego). It is hardly mispredicted
// branches: with actions that follow a pattern the figure is 0.2 ns lower. Nor is
// it memory: with 256 games, which fit the nearest cache, it is no lower.
//
// A decision among three or four players takes 2.4 times as long. The rest goes on two
// passes over the games in Go code, which take half of Vec.Step: rotateAll moves the
// seats on, and showMore writes the observations. Games of six players and more are
// played by a Match each.
//
// Games with weights, where some slots have no roll, take 1.4 times as long as pig, and
// games with rolls that must be followed by another 1.5 times: finishRolls or forbidHold
// passes over the games once more.

// BenchmarkVec advances 4,096 games of two players on one core, with random
// legal actions prepared outside of the timing, and writes observations,
// rewards, ends, legal actions and seats. An iteration is a step of them all.
func BenchmarkVec(b *testing.B) {
	for _, v := range env.Variants() {
		b.Run(v.ID, func(b *testing.B) { benchmarkVec(b, env.Config{Variant: v.ID}) })
	}
	for _, players := range []int{3, 4} {
		b.Run(fmt.Sprintf("pig %d players", players), func(b *testing.B) { benchmarkVec(b, env.Config{Players: players}) })
	}
}

func benchmarkVec(b *testing.B, c env.Config) {
	start := env.NewVec(env.Must(env.New(c)), env.VecOptions{Games: vecGames, Autoreset: env.AutoresetSameStep})
	batch := start.NewBatch()
	if err := start.Reset(1, batch); err != nil {
		b.Fatal(err)
	}
	var actions [vecSteps][]env.Action
	r := env.NewRand(2)
	vec := start.Clone()
	for k := range actions {
		actions[k] = make([]env.Action, vecGames)
		for i := range actions[k] {
			actions[k][i] = env.Roll
			if batch.Legal[2*i] {
				actions[k][i] = env.Action(r.Below(2))
			}
		}
		if err := vec.Step(actions[k], batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	k := vecSteps
	for b.Loop() {
		if k == vecSteps {
			b.StopTimer()
			k, vec = 0, start.Clone()
			b.StartTimer()
		}
		if err := vec.Step(actions[k], batch); err != nil {
			b.Fatal(err)
		}
		k++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vecGames, "ns/decision")
}

// BenchmarkSoloVec lets 4,096 learners decide by coins against players who hold
// at 20, on one core. An iteration is a step of them all.
func BenchmarkSoloVec(b *testing.B) {
	v, err := env.NewSoloVec(env.Must(env.New(env.Config{})), env.SoloVecOptions{
		VecOptions: env.VecOptions{Games: vecGames, Autoreset: env.AutoresetSameStep},
		Rotate:     true, Opponents: []env.Player{holdAt(20)},
	})
	if err != nil {
		b.Fatal(err)
	}
	batch, coins, actions := v.NewBatch(), env.NewRand(2), make([]env.Action, vecGames)
	if err := v.Reset(1, batch); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		choices(batch, &coins, actions)
		b.StartTimer()
		if err := v.Step(actions, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vecGames, "ns/decision")
}

// BenchmarkSoloVecTurns is BenchmarkSoloVec with learners who hold at 20 too, so that
// BenchmarkSoloVecTurns is BenchmarkSoloVec with learners who hold at 20 too, so that
// they act about as often as the others.
func BenchmarkSoloVecTurns(b *testing.B) {
	v, err := env.NewSoloVec(env.Must(env.New(env.Config{})), env.SoloVecOptions{
		VecOptions: env.VecOptions{Games: vecGames, Autoreset: env.AutoresetNextStep},
		Rotate:     true, Opponents: []env.Player{holdAt(20)},
	})
	if err != nil {
		b.Fatal(err)
	}
	batch, actions := v.NewBatch(), make([]env.Action, vecGames)
	if err := v.Reset(1, batch); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range actions {
			actions[i] = 0
			if batch.Observations[3*i+1] < 20 {
				actions[i] = 1
			}
		}
		if err := v.Step(actions, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vecGames, "ns/decision")
}
