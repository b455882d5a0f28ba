package agents

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
)

// neighboursOf returns a new agent of the recipe, on full states of g.
func neighboursOf(g env.Game, seed uint64) *curriculum {
	index := indexOf(g, policies.FullAbstraction)
	return newAgent(neighboursRecipe, Config{Index: index, Seed: seed, StepLimit: 10_000}).(*curriculum)
}

// TestFit compares the fit of every state with one that finds the neighbours by the states
// themselves, and with the advantages of a plane, which it must not change.
func TestFit(t *testing.T) {
	for _, g := range []env.Game{game("pig", 2, 50), game("pig", 1, 50), game("pig-last-round", 2, 30)} {
		n := newNeighbours(indexOf(g, policies.FullAbstraction))
		if want := (reach{own: g.Target() / 25, other: 1, held: g.Target() / 50}); n.reach != want {
			t.Fatalf("%v: the reach is %+v, want %+v", g, n.reach, want)
		}
		random, step := env.NewRand(1), sized(23, 1) // every 23rd state, which meets every turn total
		count := make([]uint16, n.index.Size())
		var states []env.State
		index := make(map[env.State]int)
		for i, s := range n.index.All() {
			n.advantage[i], count[i] = float32(random.Float64()-0.5), uint16(random.Float64()*9)
			states, index[s] = append(states, s), i
		}
		// goesOn returns the index of a state with the differences d from s in which
		// holding is legal and does not end the game, or -1.
		goesOn := func(s env.State, d reach) int {
			other := 1 - s.Seat
			s.Scores[s.Seat] += int16(d.own)
			s.TurnTotal += int16(d.held - d.own)
			if d.other != 0 {
				if g.Players() == 1 {
					return -1
				}
				s.Scores[other] += int16(d.other)
			}
			i, ok := index[s]
			if !ok || s.TurnTotal < 1 || g.AfterHold(s).Over {
				return -1
			}
			return i
		}
		// The planes are of integers, so that rounding does not blur them.
		plane := make([]float32, n.index.Size())
		for i, s := range n.index.All() {
			plane[i] = float32(3*int(s.Scores[s.Seat]) - 2*int(s.TurnTotal))
			if g.Players() == 2 {
				plane[i] += float32(5 * int(s.Scores[1-s.Seat]))
			}
		}
		noise, fits := n.advantage, 0
		for k, start := range n.starts {
			for i := start + 1; i < n.endOfTurn(k); i++ {
				if i%step != 0 {
					continue
				}
				s, sum, weight := states[i], 0.0, 0.0
				for own := -n.reach.own; own <= n.reach.own; own++ {
					for other := -1; other <= 1; other++ {
						for held := -n.reach.held; held <= n.reach.held; held++ {
							p, q := goesOn(s, reach{own, other, held}), goesOn(s, reach{-own, -other, -held})
							if p >= 0 && q >= 0 {
								w := float64(min(count[p], count[q]))
								sum += w * float64(noise[p])
								weight += w
							}
						}
					}
				}
				n.advantage = noise
				got, ok := n.fit(k, i-start, count)
				if ok != (weight > 0) || ok && math.Abs(got-sum/weight) > 1e-6 {
					t.Fatalf("%v: the fit in %+v is %v, %t, want %v of weight %v", g, s, got, ok, sum/weight, weight)
				}
				n.advantage = plane
				if got, ok := n.fit(k, i-start, count); ok && math.Abs(got-float64(plane[i])) > 1e-9 {
					t.Fatalf("%v: the fit in %+v of a plane is %v, want %v", g, s, got, plane[i])
				}
				fits++
			}
		}
		if fits < n.index.Size()/(4*step) {
			t.Errorf("%v: %d fits of %d states were compared", g, fits, n.index.Size())
		}
	}
}

// TestNeighboursLearnMore trains to 50, where states have neighbours, and expects more wins
// than the curriculum alone has after as many decisions.
func TestNeighboursLearnMore(t *testing.T) {
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
	if together := missing(neighboursOf(g, 1)); together > alone/2 {
		t.Errorf("neighbours miss %.5f of half of the games against perfect play, and the curriculum alone %.5f; want half of that at most", together, alone)
	}
}

// TestNeighboursDeterminism trains to 50 with several workers, and goes on from states, as
// tests of every recipe do where states have no neighbours.
func TestNeighboursDeterminism(t *testing.T) {
	g := game("pig", 2, 50)
	const calls = 400
	var want []byte
	var policy *policies.Table
	for _, workers := range []func(int) int{always(1), changing} {
		a := neighboursOf(g, 1)
		for call := range calls {
			if call%150 == 149 {
				state := savedState(t, a)
				if a = neighboursOf(g, 2); a.ReadState(bytes.NewReader(state)) != nil {
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
