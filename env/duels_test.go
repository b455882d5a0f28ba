package env

import "testing"

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
		target := max(v.Target.Min, min(v.Target.Default, 14))
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

// checkMoves plays every roll, and holding, from s at once.
func checkMoves(t *testing.T, g Game, s State) {
	t.Helper()
	dice := drawing(g)
	n := g.Rolls()
	if s.TurnTotal > 0 {
		n++ // the last game holds
	}
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
		if i < g.Rolls() {
			actions[i], d.rands[i] = Roll, dice[i]
		}
	}
	v.resting = v.resting[:0]
	b := v.NewBatch()
	if err := v.Step(actions, b); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want, what := g.AfterHold, "hold"
		if i < g.Rolls() {
			o := g.chance.byRoll[g.chance.row(s.held())+i]
			what = o.String()
			want = func(s State) State { return g.AfterRoll(s, o) }
		}
		if got, want := v.State(i), want(s); got != want || b.Terminated[i] != want.Over {
			t.Fatalf("%s in %+v leads to %+v, terminated %t, want %+v", what, s, got, b.Terminated[i], want)
		}
	}
	if n > g.Rolls() && d.at(n-1).rand != NewRand(SeedAt(0, uint64(n-1))) {
		t.Fatalf("hold in %+v draws from the dice", s)
	}
}
