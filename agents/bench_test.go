package agents_test

import (
	"fmt"
	"testing"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// BenchmarkLearn learns the full game of one-die Pig by every recipe, with one
// and with two goroutines.
func BenchmarkLearn(b *testing.B) {
	g := env.Must(env.New(env.Config{Variant: "pig"}))
	index, err := policies.NewStateIndex(g, policies.DefaultAbstraction(g))
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range agents.Kinds() {
		for _, r := range k.Recipes {
			for workers := 1; workers <= 2; workers++ {
				b.Run(fmt.Sprintf("%s/%s/workers-%d", k.Name, r.Name, workers), func(b *testing.B) {
					agent, err := r.New(agents.Config{Index: index, Seed: 1, StepLimit: policies.DefaultStepLimit})
					if err != nil {
						b.Fatal(err)
					}
					steps := int64(0)
					for b.Loop() {
						steps += agent.Learn(workers).Steps
					}
					b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
				})
				if r.Name == agents.Textbook {
					break // one goroutine is all it uses
				}
			}
		}
	}
}
