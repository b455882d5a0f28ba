package agents

import (
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestFit compares the fit of every state with one that finds the neighbours by the states
// themselves, and with the advantages of a plane, which it must not change.
func TestFit(t *testing.T) {
	for _, g := range []env.Game{game("pig", 2, 50), game("pig", 1, 50), game("pig-last-round", 2, 30), game("pig", 3, 30)} {
		f := newLocalFit(indexOf(g, policies.FullAbstraction))
		if want := (reach{own: g.Target() / 25, other: 1, held: g.Target() / 50}); f.reach != want {
			t.Fatalf("%v: the reach is %+v, want %+v", g, f.reach, want)
		}
		random, step := env.NewRand(1), sized(23, 1) // every 23rd state, which meets every turn total
		noise, count := make([]float32, f.index.Size()), make([]uint16, f.index.Size())
		var states []env.State
		index := make(map[env.State]int)
		for i, s := range f.index.All() {
			noise[i], count[i] = float32(random.Float64()-0.5), uint16(random.Float64()*9)
			states, index[s] = append(states, s), i
		}
		// goesOn returns the index of a state with the differences d from s, and with third
		// from the score of seat 2, in which holding is legal and does not end the game,
		// or -1.
		goesOn := func(s env.State, d reach, third int) int {
			s.Scores[0] += int16(d.own)
			s.TurnTotal += int16(d.held - d.own)
			if d.other != 0 && g.Players() == 1 || third != 0 && g.Players() < 3 {
				return -1
			}
			s.Scores[1] += int16(d.other)
			s.Scores[2] += int16(third)
			i, ok := index[s]
			if !ok || s.TurnTotal < 1 || g.AfterHold(s).Over {
				return -1
			}
			return i
		}
		// The planes are of integers, so that rounding does not blur them.
		plane := make([]float32, f.index.Size())
		for i, s := range f.index.All() {
			plane[i] = float32(3*int(s.Scores[s.Seat]) - 2*int(s.TurnTotal))
			plane[i] += float32(5*int(s.Scores[1]) - 7*int(s.Scores[2]))
		}
		fit(f, 2, plane, count)
		fittedPlane := slices.Clone(f.fitted)
		fit(f, 2, noise, count)
		fits := 0
		for k, start := range f.starts {
			for i := start + 1; i < f.endOfTurn(k); i++ {
				if i%step != 0 {
					continue
				}
				s, sum, weight := states[i], 0.0, 0.0
				for own := -f.reach.own; own <= f.reach.own; own++ {
					for other := -1; other <= 1; other++ {
						for held := -f.reach.held; held <= f.reach.held; held++ {
							for third := -1; third <= 1; third++ {
								p, q := goesOn(s, reach{own, other, held}, third), goesOn(s, reach{-own, -other, -held}, -third)
								if p >= 0 && q >= 0 {
									w := float64(min(count[p], count[q]))
									sum += w * float64(noise[p])
									weight += w
								}
							}
						}
					}
				}
				want := float64(noise[i])
				if weight > 0 {
					want = sum / weight
				}
				if got := float64(f.fitted[i]); math.Abs(got-want) > 1e-6 {
					t.Fatalf("%v: the fit in %+v is %v, want %v of weight %v", g, s, got, want, weight)
				}
				if fittedPlane[i] != plane[i] {
					t.Fatalf("%v: the fit in %+v of a plane is %v, want %v", g, s, fittedPlane[i], plane[i])
				}
				fits++
			}
		}
		for i, s := range states {
			if s.TurnTotal == 0 || g.AfterHold(s).Over {
				if f.fitted[i] != noise[i] {
					t.Fatalf("%v: the fit changes the advantage in %+v, want it as it was", g, s)
				}
			}
		}
		if fits < f.index.Size()/(4*step) {
			t.Errorf("%v: %d fits of %d states were compared", g, fits, f.index.Size())
		}
	}
}
