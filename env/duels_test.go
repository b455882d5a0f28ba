package env

import (
	"slices"
	"testing"
)

// drawing returns, for each roll of g, a generator that rolls it next.
func drawing(g Game) []Rand {
	found := make([]Rand, g.Rolls())
	for missing, state := len(found), uint64(1); missing > 0; state++ {
		r := Rand{state}
		if i := r.Below(uint32(g.Rolls())); found[i] == (Rand{}) {
			found[i] = Rand{state}
			missing--
		}
	}
	return found
}

// TestDuels holds the masks of duels against the rules: from every state of
// small games, every roll and holding lead where AfterRoll and AfterHold lead.
func TestDuels(t *testing.T) {
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
			t.Run(g.String(), func(t *testing.T) {
				t.Parallel()
				states := 0
				forEachDuel(g, func(s State) {
					states++
					checkMoves(t, g, s)
				})
				if states < g.Target()*g.Target() {
					t.Errorf("only %d states", states)
				}
			})
		}
	}
}

// TestDuelsLarge is TestDuels with numbers of one byte and of two.
func TestDuelsLarge(t *testing.T) {
	numbers := []int16{0, 1, 2, 255, 256, 257, 511, 512, 743, 744, 998, 999, 1000, 3000, 15000}
	for _, v := range Variants() {
		if v.Target.Max < 256 {
			continue
		}
		g := Must(New(Config{Variant: v.ID, Target: v.Target.Max}))
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			states := 0
			for seat := range int8(2) {
				for _, own := range numbers {
					for _, turnTotal := range numbers {
						for _, other := range numbers {
							s := State{Seat: seat, TurnTotal: turnTotal}
							s.Scores[seat], s.Scores[1-seat] = own, other
							if g.Validate(s) == nil {
								states++
								checkMoves(t, g, s)
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

// forEachDuel calls f with every state of g, for two players, in which a game
// may go on; in games that end after a round, with those up to 10 beyond the
// target.
func forEachDuel(g Game, f func(State)) {
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
					if g.Validate(s) == nil {
						f(s)
					}
				}
			}
		}
	}
}

// checkMoves plays every roll, and holding, from s at once: in each of the four
// places where fours have it, and each by itself.
func checkMoves(t *testing.T, g Game, s State) {
	t.Helper()
	dice := drawing(g)
	moves := g.Rolls()
	if s.TurnTotal > 0 {
		moves++ // the last is to hold
	}
	n := 4 * moves
	move := func(i int) int { return (i/4 + i%4) % moves }
	v := NewVec(g, VecOptions{Games: n, Autoreset: AutoresetDisabled})
	d := v.tables.(*duels)
	actions := make([]Action, n)
	for i := range n {
		d.begin(i)
		state := lanes(s.Scores[s.Seat]) | lanes(s.TurnTotal)<<16 | lanes(s.Scores[1-s.Seat])<<32
		if d.afterRound != (s.Seat == 1) {
			state |= one3
		}
		d.states[i], d.canHold[i] = state, one(s.TurnTotal > 0)
		if roll := move(i); roll < g.Rolls() {
			actions[i], d.rands[i] = Roll, dice[roll]
		}
	}
	v.resting = v.resting[:0]
	each := v.Clone()
	each.PlayEach()
	shown, shownEach := v.NewBatch(), v.NewBatch()
	for _, play := range []struct {
		v *Vec
		b *Batch
	}{{v, shown}, {each, shownEach}} {
		v, b := play.v, play.b
		if err := v.Step(actions, b); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			roll := move(i)
			want, what := g.AfterHold, "hold"
			if roll < g.Rolls() {
				o := g.chance.byRoll[g.chance.row(s.held())+roll]
				what = o.String()
				want = func(s State) State { return g.AfterRoll(s, o) }
			}
			if got, want := v.State(i), want(s); got != want || b.Terminated[i] != want.Over {
				t.Fatalf("in game %d, in fours %t, %s in %+v leads to %+v, terminated %t, want %+v", i, v.HasFours(), what, s, got, b.Terminated[i], want)
			}
			if roll == g.Rolls() && v.tables.(*duels).at(i).rand != NewRand(SeedAt(0, uint64(i))) {
				t.Fatalf("hold in %+v draws from the dice", s)
			}
		}
	}
	if !v.Equal(each) || !shown.Equal(shownEach) {
		t.Fatalf("after every move in %+v, fours and each by itself are not alike", s)
	}
}

// TestPlayFours checks that fours play all that they can, and stop, with nothing
// written, at the four with a roll that may have to be redrawn.
func TestPlayFours(t *testing.T) {
	const games = 40
	for _, variant := range Variants() {
		v := NewVec(Must(New(Config{Variant: variant.ID})), VecOptions{Games: games})
		if !v.HasFours() {
			t.Skip("here every duel is played by itself")
		}
		b, actions := v.NewBatch(), slices.Repeat([]Action{Roll}, games)
		if err := v.Reset(1, b); err != nil {
			t.Fatal(err)
		}
		play := func(rare int) (*duels, *Batch, int) {
			d, b := v.Clone().tables.(*duels), v.NewBatch()
			if rare >= 0 {
				d.rands[rare] = Rand{Before(1)}
			}
			return d, b, playFours(d.fours, d, &actions[0], b, 0, games)
		}
		full, shown, n := play(-1)
		if n != games {
			t.Fatalf("%s: %d of %d duels played in fours", variant.ID, n, games)
		}
		start := v.tables.(*duels)
		for rare := range games {
			d, b, n := play(rare)
			left := rare &^ 3
			if n != left {
				t.Fatalf("%s: with a rare roll in game %d fours stop at %d, want %d", variant.ID, rare, n, left)
			}
			c := d.columns
			if !slices.Equal(d.states[:left], full.states[:left]) || !slices.Equal(d.states[left:], start.states[left:]) ||
				!slices.Equal(d.rands[:left], full.rands[:left]) || d.rands[rare] != (Rand{Before(1)}) ||
				!slices.Equal(b.Observations[:left*c], shown.Observations[:left*c]) || !slices.Equal(b.Legal[:2*left], shown.Legal[:2*left]) ||
				slices.Max(b.Observations[left*c:]) != 0 || slices.Contains(b.Legal[2*left:], true) {
				t.Fatalf("%s: with a rare roll in game %d fours have not played all before %d, or more", variant.ID, rare, left)
			}
		}
	}
}
