package agents_test

import (
	"testing"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// BenchmarkEpisode learns the full game of one-die Pig, one episode an
// iteration.
func BenchmarkEpisode(b *testing.B) {
	g := env.Must(env.New(env.Config{Variant: "pig"}))
	for _, k := range agents.Kinds() {
		b.Run(k.Name, func(b *testing.B) {
			l, err := policies.NewLayout(g, policies.AutoStates(g))
			if err != nil {
				b.Fatal(err)
			}
			agent, m := k.New(l, k.Defaults), env.NewMatch(g, env.MatchOptions{StepLimit: policies.DefaultStepLimit})
			m.Reset(1)
			steps := 0
			b.ReportAllocs()
			for b.Loop() {
				agent.Episode(m)
				steps += m.Steps()
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
