package train_test

import (
	"context"
	"fmt"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/train"
)

// A short game is learned in a moment. To 10 points it never pays to hold.
func ExampleRun() {
	g := env.Must(env.New(env.Config{Variant: "pig", Target: 10}))
	k, err := agents.Lookup("qlearning")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := k.Recipe("", g)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := train.Run(context.Background(), train.Config{
		Game: g, Agent: k, Recipe: r, Seed: 1,
		Length: train.Length{Steps: 1_000_000},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s by %s on %v\n", k.Name, r.Name, g)
	table, index := result.File.Table, result.File.Table.Index()
	rolls := 0
	for i := range index.Size() {
		if table.Rolls(i) {
			rolls++
		}
	}
	fmt.Printf("it rolls in %d of %d states\n", rolls, index.Size())
	// Output:
	// qlearning by curriculum on pig, 2 players, target 10
	// it rolls in 550 of 550 states
}
