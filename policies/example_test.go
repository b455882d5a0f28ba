package policies_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// How often does "hold at 20" win against "end race or keep pace"?
func ExampleSimulate() {
	g := env.Must(env.New(env.Config{Variant: "pig"}))
	p, err := policies.Named(context.Background(), "hold-20", g, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	against, err := policies.Named(context.Background(), "race", g, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tallies, err := policies.Simulate(context.Background(), g, p, against, policies.SimulateOptions{Games: 20_000, Seed: 1, Workers: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for seat, t := range tallies {
		ci := t.CI95()
		fmt.Printf("seat %d: %.0f of %d won, 95%% interval %.3f to %.3f\n", seat, t.Wins(), t.Games, ci[0], ci[1])
	}
	// Output:
	// seat 0: 4822 of 10000 won, 95% interval 0.472 to 0.492
	// seat 1: 4305 of 10000 won, 95% interval 0.421 to 0.440
}

// A table that copies "hold at 20" goes to a file and back.
func ExampleSave() {
	folder, err := os.MkdirTemp("", "pigpen")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)

	g := env.Must(env.New(env.Config{Variant: "pig"}))
	index, err := policies.NewStateIndex(g, policies.DefaultAbstraction(g))
	if err != nil {
		fmt.Println(err)
		return
	}
	table := policies.NewTable(index)
	var s env.State // seat 0 is to move
	for s.Scores[0] = 0; s.Scores[0] < 100; s.Scores[0]++ {
		for s.Scores[1] = 0; s.Scores[1] < 100; s.Scores[1]++ {
			for s.TurnTotal = 0; s.Scores[0]+s.TurnTotal < 100; s.TurnTotal++ {
				table.Set(index.Of(&s), s.TurnTotal < 20)
			}
		}
	}

	path := filepath.Join(folder, "hold-20.msgpack")
	if err := policies.Save(path, policies.File{Table: table, Provenance: policies.Provenance{Agent: "by hand"}}); err != nil {
		fmt.Println(err)
		return
	}
	f, err := policies.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	loaded := f.Table.Index()
	fmt.Printf("%v, made %s\n", loaded.Game(), f.Provenance.Agent)
	fmt.Println("roll at 19:", f.Table.RollChance(env.State{TurnTotal: 19}))
	fmt.Println("roll at 20:", f.Table.RollChance(env.State{TurnTotal: 20}))
	// Output:
	// pig, 2 players, target 100, made by hand
	// roll at 19: 1
	// roll at 20: 0
}

// In how many states of Pig for three does a rule hold?
func ExampleDecisionPoints() {
	g := env.Must(env.New(env.Config{Variant: "pig", Players: 3, Target: 20}))
	points, err := policies.NewDecisionPoints(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := policies.Named(context.Background(), "hold-8", g, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	holds := 0
	var row []int16
	for i := range points.Len() {
		row = points.Observation(row[:0], i)
		s, err := g.StateOf(row)
		if err != nil {
			fmt.Println(err)
			return
		}
		if p.RollChance(s) == 0 {
			holds++
		}
	}
	fmt.Printf("in %d of %d; the last is %v\n", holds, points.Len(), row)
	// Output:
	// in 31200 of 76000; the last is [18 1 19 19]
}
