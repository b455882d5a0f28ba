package env_test

import (
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
