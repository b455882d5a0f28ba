package env_test

import (
	"fmt"
	"log"

	"pigpen/env"
)

// Two players who hold at 20 or more play Pig to 50 points.
func ExampleMatch() {
	game, err := env.New(env.Config{Variant: "pig", Target: 50})
	if err != nil {
		log.Fatal(err)
	}
	match := env.NewMatch(game, env.MatchOptions{})
	match.Reset(7)
	for match.Live() {
		action := env.Roll
		if match.State().TurnTotal >= 20 {
			action = env.Hold
		}
		if _, _, err := match.Step(action); err != nil {
			log.Fatal(err)
		}
		if s, last := match.State(), match.Last(); s.TurnTotal == 0 {
			fmt.Printf("seat %d's turn ends with a %v; banked: %d\n", last.Seat, last.Action, s.Scores[:game.Players()])
		}
	}
	fmt.Println("returns:", match.Reward(0), match.Reward(1))
	// Output:
	// seat 0's turn ends with a hold; banked: [20 0]
	// seat 1's turn ends with a hold; banked: [20 20]
	// seat 0's turn ends with a roll; banked: [20 20]
	// seat 1's turn ends with a roll; banked: [20 20]
	// seat 0's turn ends with a hold; banked: [41 20]
	// seat 1's turn ends with a roll; banked: [41 20]
	// seat 0's turn ends with a roll; banked: [51 20]
	// returns: 1 -1
}

// A learner in seat 0 plays against one who holds at 15 or more.
func ExampleSolo() {
	game := env.Must(env.New(env.Config{Variant: "pig", Target: 30}))
	solo, err := env.NewSolo(game, env.SoloOptions{Opponents: []env.Player{holdAt(15)}})
	if err != nil {
		log.Fatal(err)
	}
	observation, info := solo.Reset(7)
	for info.Legal != 0 {
		ownScore, turnTotal, otherScore := observation[0], observation[1], observation[2]
		action := env.Roll
		if turnTotal >= 10 {
			action = env.Hold
		}
		fmt.Printf("%2d + %2d against %2d: %v\n", ownScore, turnTotal, otherScore, action)
		var reward float64
		var terminated bool
		observation, reward, terminated, _, info, err = solo.Step(action)
		if err != nil {
			log.Fatal(err)
		}
		if terminated {
			fmt.Println("reward:", reward)
		}
	}
	// Output:
	// 0 +  0 against  0: roll
	//  0 +  5 against  0: roll
	//  0 +  9 against  0: roll
	//  0 + 13 against  0: hold
	// 13 +  0 against 15: roll
	// 13 +  6 against 15: roll
	// 13 + 12 against 15: hold
	// 25 +  0 against 15: roll
	// reward: 1
}

// What a roll can do, and how likely each outcome is.
func ExampleGame_Outcomes() {
	game := env.Must(env.New(env.Config{Variant: "pig"}))
	start := game.Start(0)
	for _, c := range game.Outcomes(start) {
		after := game.AfterRoll(start, c.Outcome)
		fmt.Printf("%d/%d %v: seat %d to move, turn total %d\n", c.Weight, game.Rolls(), c.Outcome, after.Seat, after.TurnTotal)
	}
	// Output:
	// 1/6 bust: seat 1 to move, turn total 0
	// 1/6 gain 2: seat 0 to move, turn total 2
	// 1/6 gain 3: seat 0 to move, turn total 3
	// 1/6 gain 4: seat 0 to move, turn total 4
	// 1/6 gain 5: seat 0 to move, turn total 5
	// 1/6 gain 6: seat 0 to move, turn total 6
}

// A step tells what the dice did in each game, if its batch has room for events.
func ExampleStepEvent() {
	game := env.Must(env.New(env.Config{Variant: "pig-snake-eyes"}))
	vec := env.NewVec(game, env.VecOptions{Games: 3})
	batch := vec.NewBatch()
	batch.Events = make([]env.StepEvent, vec.Games())
	if err := vec.Reset(7, batch); err != nil {
		log.Fatal(err)
	}
	if err := vec.Step([]env.Action{env.Roll, env.Roll, env.Roll}, batch); err != nil {
		log.Fatal(err)
	}
	for i, e := range batch.Events {
		fmt.Printf("game %d: seat %d rolls %v: %v\n", i, e.Seat, game.Faces(int(e.RollNumber)), e.Outcome)
	}
	// Output:
	// game 0: seat 0 rolls [2 2]: gain 4
	// game 1: seat 0 rolls [5 6]: gain 11
	// game 2: seat 0 rolls [1 2]: bust
}
