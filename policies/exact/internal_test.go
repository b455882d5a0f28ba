package exact

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

func testRules(t testing.TB, variant string, players, target int) *rules {
	t.Helper()
	return rulesOf(env.Must(env.New(env.Config{Variant: variant, Players: players, Target: target})))
}

type holdAt int

func (n holdAt) RollChance(s env.State) float64 {
	if int(s.TurnTotal) < int(n) {
		return 1
	}
	return 0
}

type holdWhen func(env.State) bool

func (f holdWhen) RollChance(s env.State) float64 {
	if f(s) {
		return 0
	}
	return 1
}

// TestTurnOutcomes checks how a turn of hold-20 ends: T. Neller, Nifty
// Assignments 2010, "turn outcomes" and points per turn.
func TestTurnOutcomes(t *testing.T) {
	r := testRules(t, "pig", 2, 1000)
	for _, own := range []int{0, 300} {
		turn := newTurn(r, 0)
		e := turn.forward(own, holdAt(20), stateOf(0, own, 0), nil)
		if math.Abs(e.stay-.624541) > 5e-7 || e.wiped != 0 || e.won != 0 {
			t.Errorf("forward(%d, hold-20) = %+v, want stay 0.624541 and nothing wiped or won", own, e)
		}
		mean := 0.0
		for points, want := range map[int]float64{19: 0, 20: .099713, 21: .094991, 22: .074189, 23: .054196, 24: .035198, 25: .017173, 26: 0} {
			got := 0.0
			if h := own + points; turn.low <= h && h <= turn.top {
				got = turn.bank[h]
			}
			mean += float64(points) * got
			if math.Abs(got-want) > 6e-7 {
				t.Errorf("forward(%d, hold-20): %d points with chance %.7f, want %v", own, points, got, want)
			}
		}
		if math.Abs(mean-8.1418) > 5e-5 {
			t.Errorf("forward(%d, hold-20): %.5f points on average, want 8.1418", own, mean)
		}
		for h, c := range turn.roll {
			if c != 0 {
				t.Fatalf("after forward(%d, hold-20): roll[%d] = %v, want 0", own, h, c)
			}
		}
	}
}

// TestLastRollBound holds that rolling past lastRoll gains nothing: with more
// scores left open to decision, every turn of role 0 has the same values, to
// the bit.
func TestLastRollBound(t *testing.T) {
	racedetector.Skip(t)
	targets := []int{2, 5}
	if *Long {
		targets = append(targets, 7, 30)
	}
	for _, target := range targets {
		for name, players := range map[string][2]env.Player{
			"perfect play":        {},
			"against hold-20":     {nil, holdAt(20)},
			"against hold-1":      {nil, holdAt(1)},
			"against always-roll": {nil, holdAt(1 << 14)},
			"against who waits": {nil, holdWhen(func(s env.State) bool {
				// It never holds before the last round, so that there is all the time
				// to run up a score that is out of reach.
				other := s.Scores[1-s.Seat]
				return int(other) >= target && s.Scores[s.Seat]+s.TurnTotal > other
			})},
		} {
			t.Run(fmt.Sprintf("target %d, %s", target, name), func(t *testing.T) {
				if target == 30 && name == "against who waits" {
					t.Skip("takes seconds, and shows no more than smaller targets")
				}
				b := newValueTable(testRules(t, "pig-last-round", 2, target), players)
				if err := b.iterate(t.Context(), Options{Workers: 1}); err != nil {
					t.Fatal(err)
				}
				checkLastRoll(t, b)
			})
		}
	}
}

func checkLastRoll(t *testing.T, b *valueTable) {
	const more = 150
	turn := newTurn(b.rules, b.target+len(b.catchUp)+more+b.maxGain)
	for other := range b.target {
		highest := 0
		for own := range b.target {
			bust, _ := b.failureValues(0, own, other)
			highest = max(highest, b.lastRoll(other, bust))
		}
		row := b.afterPassRow(&turn, 0, other, highest+more+b.maxGain)
		for own := range b.target {
			bust, wiped := b.failureValues(0, own, other)
			top := b.lastRoll(other, bust)
			want := turn.backup(own, row, top, bust, wiped, bust, b.margin)
			values := slices.Clone(turn.value[own : top+1])
			got := turn.backup(own, row, top+more, bust, wiped, bust, b.margin)
			if got != want {
				t.Fatalf("backup(%d against %d) = %v with decisions up to %d, but %v up to %d", own, other, want, top, got, top+more)
			}
			for h := own; h <= top+more; h++ {
				want := row[h]
				if h <= top {
					want = values[h-own]
				}
				if got := turn.value[h]; got != want {
					t.Fatalf("backup(%d against %d): the value at %d is %v with decisions up to %d, but %v up to %d", own, other, h, want, top, got, top+more)
				}
			}
		}
	}
}

// TestCatchUpChances checks what lastRoll needs: the chances to catch up do not grow
// with the deficit, and end where they are negligible.
func TestCatchUpChances(t *testing.T) {
	for _, target := range []int{2, 100} {
		catchUp := testRules(t, "pig-last-round", 2, target).catchUp
		for d := 1; d < len(catchUp); d++ {
			if catchUp[d] > catchUp[d-1] {
				t.Errorf("target %d: catchUp[%d] = %v, more than catchUp[%d] = %v", target, d, catchUp[d], d-1, catchUp[d-1])
			}
		}
		if last := catchUp[len(catchUp)-1]; last > 2*negligible || last < negligible {
			t.Errorf("target %d: the last chance is %v, want just above %v", target, last, negligible)
		}
	}
}

// TestSweepOrder holds that a sweep comes to every pair of scores once, after
// all those with a higher sum, at any number of workers.
func TestSweepOrder(t *testing.T) {
	for _, test := range []struct {
		players, target int
		symmetric       bool
	}{{2, 2, false}, {2, 2, true}, {2, 40, false}, {2, 40, true}, {2, 41, true}, {1, 40, false}} {
		r := testRules(t, "pig", test.players, test.target)
		for _, n := range []int{1, 2, 3, 5, 64} {
			// Pairs of one sum are worked at the same time, each on its own element.
			var calls, late [41][41]int
			workers := newWorkers(r, Options{Workers: n})
			for k := range workers {
				workers[k].residual = float64(k) // of the sweep before
			}
			residual, err := r.sweep(context.Background(), workers, test.symmetric, func(w *worker, i, j int) {
				calls[i][j]++
				// Every pair that banking points can lead to must be done.
				for own := i + 1; own < test.target; own++ {
					a, b := own, j
					if test.symmetric && a > b {
						a, b = b, a
					}
					if calls[a][b] != 1 {
						late[i][j]++
					}
				}
				w.residual = max(w.residual, float64(i*j))
			}, r.givenCost, nil)
			if err != nil {
				t.Fatal(err)
			}
			largest := 0
			for i := range test.target {
				for j := range test.target {
					want := 1
					if test.symmetric && i > j || test.players == 1 && j > 0 {
						want = 0
					}
					if want == 1 {
						largest = max(largest, i*j)
					}
					if calls[i][j] != want || late[i][j] != 0 {
						t.Fatalf("%+v, %d workers: sweep called solvePair(%d, %d) %d times, %d times too early; want %d and none", test, n, i, j, calls[i][j], late[i][j], want)
					}
				}
			}
			if residual != float64(largest) {
				t.Errorf("%+v, %d workers: sweep returned residual %v, want %v", test, n, residual, largest)
			}
		}
	}
}

// TestSweepSolvesEachBlockOnce counts the blocks that several workers solve in a sweep:
// one for each necklace of banked scores if all players optimize, which Burnside's lemma
// counts, and else one for each set of scores.
func TestSweepSolvesEachBlockOnce(t *testing.T) {
	for _, c := range []struct {
		target, blocks int
		players        []env.Player
	}{
		{20, (20*20*20 + 2*20) / 3, make([]env.Player, 3)},
		{8, (8*8*8*8 + 8*8 + 2*8) / 4, make([]env.Player, 4)},
		{20, 20 * 20 * 20, []env.Player{nil, holdAt(20), holdAt(20)}},
	} {
		b := newMultiTable(testRules(t, "pig", len(c.players), c.target), c.players)
		b.allocate(false)
		workers := b.newMultiWorkers(Options{Workers: 4})
		var change float64
		if _, err := b.sweepBlocks(t.Context(), workers, &change, nil); err != nil {
			t.Fatal(err)
		}
		blocks := 0
		for _, w := range workers {
			blocks += w.blocks
		}
		if blocks != c.blocks {
			t.Errorf("%v: a sweep solved %d blocks, want %d", b.game, blocks, c.blocks)
		}
	}
}

// TestSweepProgress tells changes that come to rest, however slowly, from those that go
// round in a cycle.
func TestSweepProgress(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(sweep int) float64
		stalls int // sweep, from 0; -1 is never
	}{
		{"a fifth of the last", func(i int) float64 { return math.Pow(0.2, float64(i)) }, -1},
		{"nine tenths of the last", func(i int) float64 { return math.Pow(0.9, float64(i)) }, -1},
		{"rounding", func(i int) float64 { return max(1e-15, math.Pow(0.2, float64(i))) }, -1},
		{"a cycle", func(i int) float64 { return max(math.Pow(0.2, float64(i)), 5e-4+1e-5*float64(i%2)) }, 5 + stallSweeps},
	} {
		p := sweepProgress{least: math.Inf(1)}
		got := -1
		for i := range 400 {
			if p.stalls(test.change(i)) {
				got = i
				break
			}
		}
		if got != test.stalls {
			t.Errorf("%s: it stalls at sweep %d, want %d", test.name, got, test.stalls)
		}
	}
}
