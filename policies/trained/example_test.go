package trained_test

import (
	"context"
	"fmt"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// How often does a trained policy of Piglet win against perfect play, and at which
// turn total does it hold when the opponent needs two more?
func Example() {
	g := env.Must(env.New(env.Config{Variant: "piglet"}))
	learned, err := policies.Find(context.Background(), "trained/piglet-qlearning", g, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	perfect, err := policies.Find(context.Background(), policies.Optimal, g, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := exact.Compare(context.Background(), g, learned, perfect, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("wins %.4f%%\n", 100*c.WinMean())
	s := env.State{TurnTotal: 1}
	s.Scores[1] = 8
	for learned.RollChance(s) == 1 {
		s.TurnTotal++
	}
	fmt.Println("holds at", s.TurnTotal)
	// Output:
	// wins 49.8899%
	// holds at 3
}
