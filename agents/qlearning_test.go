package agents

import (
	"testing"

	"pigpen/env"
)

// TestQLearningByHand works updates of step size 1/2 by hand.
func TestQLearningByHand(t *testing.T) {
	for _, s := range []script{
		threeTurns("the sign changes only when the turn passes", map[cell]float32{
			{env.Roll, 0, 0, 0, 0}: 0.25,   // halfway to +0.5
			{env.Hold, 0, 2, 0, 0}: -0.125, // halfway from 0.5 to -0.75
			{env.Roll, 0, 0, 2, 0}: 0.625,  // halfway from 0.75 to -(-0.5)
			{env.Roll, 2, 0, 0, 0}: 0.25,   // halfway from -0.5 to +1, the win and nothing else
		}),
		{
			// Holding is no action at the start of a turn, whatever its estimate.
			name: "the best of the legal actions", players: 2, target: 4,
			faces: []int{1, 4},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0.5, {env.Hold, 0, 0, 0, 0}: 1,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0.5, // halfway from 0.5 to -0.5 is 0, from there to +1
			},
		},
		{
			// The turn goes on, and with it the point of view.
			name: "roll on", players: 2, target: 10,
			faces: []int{4, 6},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -1,
				{env.Hold, 0, 4, 0, 0}: -0.5, {env.Roll, 0, 4, 0, 0}: 0.5,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -0.25, // halfway from -1 to 0.5
				{env.Roll, 0, 4, 0, 0}: 0.75,
			},
		},
		{
			// Seats 0 and 1 bust; seat 2 rolls 2 and holds; seat 0 rolls 5 and wins.
			name: "with three players a decision waits for the next of its seat", players: 3, target: 4,
			faces: []int{1, 1, 2, 5},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0,
				{env.Hold, 0, 2, 0, 0}: 0.5, {env.Roll, 0, 2, 0, 0}: 0.25,
				{env.Roll, 0, 0, 0, 2}: 0.75,
			},
			after: map[cell]float32{
				// Seat 2's is valued first, towards its next, +0.5: 0.25. Then
				// seat 0's towards its next, +0.75: 0.5. At the end seat 1's
				// towards its loss, -0.5: 0.
				{env.Roll, 0, 0, 0, 0}: 0,
				{env.Hold, 0, 2, 0, 0}: 0,     // halfway from 0.5 to -0.5
				{env.Roll, 0, 0, 0, 2}: 0.875, // halfway from 0.75 to +1
			},
		},
		{
			// The player busts, rolls 2 and holds, rolls 3 and is done: three turns.
			name: "a player alone pays for each turn", players: 1, target: 4,
			faces: []int{1, 2, 3},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -2,
				{env.Hold, 0, 2, 0, 0}: -0.5, {env.Roll, 0, 2, 0, 0}: -1,
				{env.Roll, 2, 0, 0, 0}: -2,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: -2,    // halfway to -1-2 is -2.5, from there to -1-0.5
				{env.Hold, 0, 2, 0, 0}: -1.25, // halfway from -0.5 to -2
				{env.Roll, 2, 0, 0, 0}: -1.5,  // halfway from -2 to -1
			},
		},
		{
			name: "cut off within a turn", players: 2, target: 4, stepLimit: 1,
			faces: []int{2},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0,
				{env.Hold, 0, 2, 0, 0}: 0.25, {env.Roll, 0, 2, 0, 0}: 0.5,
			},
			after: map[cell]float32{{env.Roll, 0, 0, 0, 0}: 0.25},
		},
		{
			name: "cut off as the turn passes", players: 2, target: 4, stepLimit: 2,
			faces: []int{2},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0,
				{env.Hold, 0, 2, 0, 0}: 0.5, {env.Roll, 0, 2, 0, 0}: 0.25,
				{env.Roll, 0, 0, 2, 0}: 0.75,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0.25,
				{env.Hold, 0, 2, 0, 0}: -0.125,
			},
		},
		{
			// Seat 0 rolls 2 and holds, seat 1 busts, seat 2 rolls 3 and is cut off.
			name: "cut off with decisions waiting", players: 3, target: 6, stepLimit: 4,
			faces: []int{2, 1, 3},
			before: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0,
				{env.Hold, 0, 2, 0, 0}: 0.5, {env.Roll, 0, 2, 0, 0}: 0.25,
				{env.Roll, 0, 0, 2, 0}: 0,
				{env.Hold, 0, 3, 2, 0}: -0.5, {env.Roll, 0, 3, 2, 0}: -0.25,
			},
			after: map[cell]float32{
				{env.Roll, 0, 0, 0, 0}: 0.25,   // seat 0's
				{env.Roll, 0, 0, 2, 0}: -0.125, // seat 2's; seat 1's is another, with the leader last
			},
		},
	} {
		t.Run(s.name, func(t *testing.T) { s.run(t, qLearningTextbook) })
	}
}

// TestQLearningAgainstReference compares with Q-learning as the textbook has
// it. With two players the next state's value is seen from the other side if
// the turn has passed; with more, a seat's decision is valued when that seat
// moves again.
func TestQLearningAgainstReference(t *testing.T) {
	checkAgainstReference(t, qLearningTextbook, func(r *reference, m *env.Match) {
		players := m.Game().Players()
		r.play(m, func(path []visit, terminated bool) {
			for seat := range players {
				latest := len(path) - 1
				for latest >= 0 && path[latest].seat != seat {
					latest--
				}
				if latest < 0 || players == 2 && latest < len(path)-1 {
					continue // no decision yet, or valued a step or more ago
				}
				sample := earned(path, latest)
				switch next := m.State(); {
				case terminated:
				case int(next.Seat) == seat:
					sample += r.best(next)
				case players == 2:
					sample -= r.best(next)
				default:
					continue
				}
				r.update(path[latest].choice, sample)
			}
		})
	})
}
