package agents

import (
	"fmt"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestCochonControl trains on the game in which rolling is never wrong: where
// an agent has tried both actions often enough to tell, it rolls. Q-learning
// with its default settings ends at exactly always-roll.
func TestCochonControl(t *testing.T) {
	average := Settings{StepSize: StepSize{Scale: 1, Power: 1}, Epsilon: Epsilon{Start: 0.5}, ExploringStarts: true}
	for _, test := range []struct {
		kind     Kind
		settings Settings
		players  int
		steps    int
		tried    uint16 // times that each action was tried
		states   int    // that were, at least
	}{
		{qLearning, qLearning.Defaults, 2, 3_000_000, 1, 450},
		{qLearning, average, 3, 10_000_000, 300, 400},
		{qLearning, average, 4, 20_000_000, 300, 500},
		{monteCarlo, average, 2, 60_000_000, 10_000, 80},
	} {
		t.Run(fmt.Sprintf("%s, %d players", test.kind.Name, test.players), func(t *testing.T) {
			t.Parallel()
			g := env.Must(env.New(env.Config{Variant: "cochon", Players: test.players}))
			l, err := policies.NewLayout(g, policies.FullStates)
			if err != nil {
				t.Fatal(err)
			}
			v := valuesOf(learn(test.kind, l, test.settings, test.steps))
			states := 0
			for i := range l.Entries() {
				n := min(v.updates[2*i], v.updates[2*i+1]) // 0 where a turn begins
				if n < test.tried {
					continue
				}
				states++
				if !v.rolls(i) {
					t.Errorf("entry %d: holding is estimated at %v and rolling at %v after %d tries, want rolling above", i, v.q[2*i], v.q[2*i+1], n)
				}
			}
			if states < test.states {
				t.Errorf("both actions were tried %d times in %d states, want %d", test.tried, states, test.states)
			}
		})
	}
}
