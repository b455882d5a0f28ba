package agents

import (
	"bytes"
	"reflect"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// smoothingOf returns a new agent that smooths, on full states of g.
func smoothingOf(g env.Game, seed uint64) *curriculum {
	index := indexOf(g, policies.FullAbstraction)
	return newAgent(curriculumRecipe, Config{Index: index, Seed: seed, StepLimit: 10_000}).(*curriculum)
}

// TestSmoothingLearnsMore trains to 50, where states have neighbours, and expects more wins
// than without smoothing after as many decisions.
func TestSmoothingLearnsMore(t *testing.T) {
	racedetector.Skip(t)
	if !*long {
		t.Skip("takes seconds; run it with -long")
	}
	g := game("pig", 2, 50)
	perfect := perfectPlay(t, g)
	missing := func(a Agent) float64 {
		for steps := int64(0); steps < 10_000_000; {
			steps += a.Learn(2).Steps
		}
		return 0.5 - compare(t, a.Greedy(), perfect).WinMean()
	}
	alone := missing(newCurriculum(Config{Index: indexOf(g, policies.FullAbstraction), Settings: curriculumSettings("sample"), Seed: 1, StepLimit: 10_000}))
	if together := missing(smoothingOf(g, 1)); together > alone/2 {
		t.Errorf("with smoothing the agent misses %.5f of half of the games against perfect play, and without it %.5f; want half of that at most", together, alone)
	}
}

// TestSmoothingDeterminism trains to 50 with several workers, and goes on from states, as
// tests of every recipe do where states have no neighbours.
func TestSmoothingDeterminism(t *testing.T) {
	g := game("pig", 2, 50)
	const calls = 400
	var want []byte
	var policy *policies.Table
	for _, workers := range []func(int) int{always(1), changing} {
		a := smoothingOf(g, 1)
		for call := range calls {
			if call%150 == 149 {
				state := savedState(t, a)
				if a = smoothingOf(g, 2); a.ReadState(bytes.NewReader(state)) != nil {
					t.Fatal("a state is refused")
				}
			}
			a.Learn(workers(call))
		}
		if want == nil {
			if want, policy = savedState(t, a), a.Greedy(); a.at.Pass < 2 {
				t.Fatalf("%d calls of Learn come to pass %d, want the third", calls, a.at.Pass)
			}
		}
		if !bytes.Equal(savedState(t, a), want) || !reflect.DeepEqual(a.Greedy(), policy) {
			t.Error("Learn with another number of workers comes to something else")
		}
	}
}
