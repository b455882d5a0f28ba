package agents_test

import (
	"fmt"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// An agent learns by self-play, batch after batch. With expected updates it takes few
// decisions to find that to 5 points it never pays to hold.
func ExampleRecipe_New() {
	g := env.Must(env.New(env.Config{Variant: "pig", Target: 5}))
	index, err := policies.NewStateIndex(g, policies.FullAbstraction)
	if err != nil {
		fmt.Println(err)
		return
	}
	kind, err := agents.Lookup("qlearning")
	if err != nil {
		fmt.Println(err)
		return
	}
	recipe, err := kind.Recipe("curriculum", g)
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := recipe.New(agents.Config{Index: index, Settings: agents.Settings{"update": "expected"}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for steps := int64(0); steps < 100_000; {
		steps += agent.Learn(1).Steps
	}
	policy, rolls := agent.Greedy(), 0
	for i := range index.Size() {
		if policy.Rolls(i) {
			rolls++
		}
	}
	fmt.Printf("%s by %s rolls in %d of %d states\n", kind.Name, recipe.Name, rolls, index.Size())
	// Output:
	// qlearning by curriculum rolls in 75 of 75 states
}
