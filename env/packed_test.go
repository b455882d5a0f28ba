package env

import (
	"fmt"
	"slices"
	"testing"

	"pigpen/env/envtest/racedetector"
)

// drawing returns, for each roll of g, a generator that rolls it next.
func drawing(g Game) []Rand {
	found := make([]Rand, g.Rolls())
	for missing, state := len(found), uint64(1); missing > 0; state++ {
		m := Match{game: g, rand: Rand{state}, state: g.Start(0), live: true}
		if _, _, err := m.Step(Roll); err != nil {
			panic(err)
		}
		if i := m.last.RollNumber; found[i] == (Rand{}) {
			found[i] = Rand{state}
			missing--
		}
	}
	return found
}

// TestPackedMoves compares packed moves with the rules: from every state of small
// games, every roll and Hold lead to the state that AfterRoll and AfterHold return.
func TestPackedMoves(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range Variants() {
		most := 9
		if *Long {
			most = 14
		}
		target := max(v.Target.Min, min(v.Target.Default, most))
		configs := []Config{{Variant: v.ID, Target: target}}
		for _, o := range v.Options {
			configs = append(configs, Config{Variant: v.ID, Options: map[string]bool{o.Name: !o.Default}})
		}
		for _, c := range configs {
			g := Must(New(c))
			if !packable(g, FirstSeat0) {
				continue
			}
			t.Run(g.String(), func(t *testing.T) {
				t.Parallel()
				states, dice := 0, drawing(g)
				forEachPackable(g, func(s State) {
					states++
					checkMoves(t, g, dice, s)
				})
				if states < g.Target()*g.Target() {
					t.Errorf("only %d states", states)
				}
			})
		}
	}
}

// TestPackedMovesLarge is TestPackedMoves with numbers of one byte and of two.
func TestPackedMovesLarge(t *testing.T) {
	racedetector.Skip(t)
	numbers := []int16{0, 1, 2, 255, 256, 257, 511, 512, 743, 744, 998, 999, 1000, 3000, 15000}
	for _, v := range Variants() {
		if v.Target.Max < 256 {
			continue
		}
		g := Must(New(Config{Variant: v.ID, Target: v.Target.Max}))
		if !packable(g, FirstSeat0) {
			continue
		}
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			states, dice := 0, drawing(g)
			for seat := range int8(2) {
				for _, own := range numbers {
					for _, turnTotal := range numbers {
						for _, other := range numbers {
							s := State{Seat: seat, TurnTotal: turnTotal}
							s.Scores[seat], s.Scores[1-seat] = own, other
							for _, s.MustRoll = range []bool{false, true} {
								if g.Validate(s) == nil {
									states++
									checkMoves(t, g, dice, s)
								}
							}
						}
					}
				}
			}
			if states < 500 {
				t.Errorf("only %d states", states)
			}
		})
	}
}

// forEachPackable calls f with every state of g, for two players, in which a game
// may go on; in games that end after a round, with those up to 10 beyond the
// target.
func forEachPackable(g Game, f func(State)) {
	top := g.Target()
	if g.variant.Ending == AfterRound {
		top += 10
	}
	for seat := range int8(2) {
		for own := range top {
			for other := range top {
				for turnTotal := range top - own {
					s := State{Seat: seat, TurnTotal: int16(turnTotal)}
					s.Scores[seat], s.Scores[1-seat] = int16(own), int16(other)
					for _, s.MustRoll = range []bool{false, true} {
						if g.Validate(s) == nil {
							f(s)
						}
					}
				}
			}
		}
	}
}

// checkMoves takes every roll, and Hold, from s in one step: each in all four
// positions of the kernel, and once more with stepScalar. dice is what drawing
// returns for g.
func checkMoves(t *testing.T, g Game, dice []Rand, s State) {
	moves := g.Rolls()
	if s.TurnTotal > 0 && !s.MustRoll {
		moves++ // the last is to hold
	}
	n := 4 * moves
	move := func(i int) int { return (i/4 + i%4) % moves }
	v := NewVec(g, VecOptions{Games: n, Autoreset: AutoresetDisabled})
	e := v.engine.(*packedEngine)
	actions := make([]Action, n)
	for i := range n {
		e.begin(i)
		state := packedState(s.Scores[s.Seat]) | packedState(s.TurnTotal)<<16 | packedState(s.Scores[1-s.Seat])<<32
		if e.afterRound != (s.Seat == 1) {
			state |= lane3One
		}
		if s.MustRoll {
			state |= mustRoll
		}
		e.states[i], e.canHold[i] = state, bit(s.TurnTotal > 0 && !s.MustRoll)
		if roll := move(i); roll < g.Rolls() {
			actions[i], e.rands[i] = Roll, dice[roll]
		}
	}
	v.done = v.done[:0]
	scalar := v.Clone()
	scalar.DisableKernel()
	shown, shownScalar := v.NewBatch(), v.NewBatch()
	for _, play := range []struct {
		v *Vec
		b *Batch
	}{{v, shown}, {scalar, shownScalar}} {
		v, b := play.v, play.b
		if err := v.Step(actions, b); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			roll := move(i)
			var want State
			var what fmt.Stringer = Hold
			if roll < g.Rolls() {
				o := g.table.outcome(s.held(), roll)
				want, what = g.AfterRoll(s, o), o
			} else {
				want = g.AfterHold(s)
			}
			if got := v.State(i); got != want || b.Terminated[i] != want.Over {
				t.Fatalf("in game %d, with the kernel %t, %v in %+v leads to %+v, terminated %t, want %+v", i, v.HasKernel(), what, s, got, b.Terminated[i], want)
			}
			if got := b.Legal[NumActions*i+int(Hold)]; !want.Over && got != g.Legal(want).Has(Hold) {
				t.Fatalf("in game %d, with the kernel %t, Hold is legal after %v in %+v: %t", i, v.HasKernel(), what, s, got)
			}
			if roll == g.Rolls() && v.engine.(*packedEngine).load(i).rand != NewRand(SeedAt(0, uint64(i))) {
				t.Fatalf("hold in %+v draws from the dice", s)
			}
		}
	}
	if !v.Equal(scalar) || !shown.Equal(shownScalar) {
		t.Fatalf("after every move in %+v, kernel and stepScalar differ", s)
	}
}

// TestKernelStopsAtRedraw checks that the kernel steps all games before the first
// four with a roll that may have to be redrawn, and writes nothing of those.
func TestKernelStopsAtRedraw(t *testing.T) {
	const games = 40
	for _, variant := range Variants() {
		v := NewVec(Must(New(Config{Variant: variant.ID})), VecOptions{Games: games})
		if !v.HasKernel() {
			t.Skip("this processor has no kernel")
		}
		b, actions := v.NewBatch(), slices.Repeat([]Action{Roll}, games)
		if err := v.Reset(1, b); err != nil {
			t.Fatal(err)
		}
		play := func(rare int) (*packedEngine, *Batch, int) {
			e, b := v.Clone().engine.(*packedEngine), v.NewBatch()
			if rare >= 0 {
				e.rands[rare] = Rand{Before(1)}
			}
			return e, b, stepKernel(e.kernel, e, &actions[0], b, 0, games)
		}
		full, shown, n := play(-1)
		if n != games {
			t.Fatalf("%s: the kernel steps %d of %d games", variant.ID, n, games)
		}
		start := v.engine.(*packedEngine)
		for rare := range games {
			e, b, n := play(rare)
			left := rare &^ 3
			if n != left {
				t.Fatalf("%s: with a rare roll in game %d the kernel stops at %d, want %d", variant.ID, rare, n, left)
			}
			c := e.columns
			if !slices.Equal(e.states[:left], full.states[:left]) || !slices.Equal(e.states[left:], start.states[left:]) ||
				!slices.Equal(e.rands[:left], full.rands[:left]) || e.rands[rare] != (Rand{Before(1)}) ||
				!slices.Equal(b.Observations[:left*c], shown.Observations[:left*c]) || !slices.Equal(b.Legal[:2*left], shown.Legal[:2*left]) ||
				slices.Max(b.Observations[left*c:]) != 0 || slices.Contains(b.Legal[2*left:], true) {
				t.Fatalf("%s: with a rare roll in game %d the kernel has not stepped exactly the games before %d", variant.ID, rare, left)
			}
		}
	}
}
