package exact_test

import (
	"context"
	"fmt"
	"log"

	"pigpen/env"
	"pigpen/policies/exact"
)

// Perfect play of Pig: how much it is worth to begin, and what to do with 20
// points in the turn.
func ExampleSolve() {
	game := env.Must(env.New(env.Config{Variant: "pig"}))
	solution, err := exact.Solve(context.Background(), game, exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("seat 0 wins %.4f\n", solution.WinBySeat()[0])
	for _, scores := range [][2]int16{{0, 0}, {0, 60}, {60, 0}} {
		state := env.State{TurnTotal: 20}
		copy(state.Scores[:], scores[:])
		hold, roll := solution.Values(state)
		action := env.Hold
		if solution.RollChance(state) == 1 {
			action = env.Roll
		}
		fmt.Printf("%2d against %2d: hold %.4f, roll %.4f: %v\n", scores[0], scores[1], hold, roll, action)
	}
	// Output:
	// seat 0 wins 0.5306
	//  0 against  0: hold 0.6193, roll 0.6199: roll
	//  0 against 60: hold 0.1476, roll 0.1553: roll
	// 60 against  0: hold 0.9669, roll 0.9624: hold
}

// How far hold-20 falls short of perfect play, and what an opponent who knows
// it gains.
func ExampleCompare() {
	ctx := context.Background()
	game := env.Must(env.New(env.Config{Variant: "pig"}))
	perfect, err := exact.Solve(ctx, game, exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	hold20 := holdAt(20)
	comparison, err := exact.Compare(ctx, game, hold20, perfect, exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("hold-20 wins %.4f in seat 0 and %.4f in seat 1\n", comparison.WinBySeat[0], comparison.WinBySeat[1])
	fmt.Printf("a game takes %.1f turns\n", comparison.Turns())
	response, err := exact.BestResponse(ctx, game, hold20, exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("its exploitability is %.4f\n", response.Exploitability())
	// Output:
	// hold-20 wins 0.4917 in seat 0 and 0.4285 in seat 1
	// a game takes 19.5 turns
	// its exploitability is 0.0549
}

// holdAt holds at a turn total of so much.
type holdAt int16

func (n holdAt) RollChance(s env.State) float64 {
	if s.TurnTotal < int16(n) {
		return 1
	}
	return 0
}
