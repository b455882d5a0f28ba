package policies_test

import (
	"errors"
	"iter"
	"reflect"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/internal/policytest"
)

// width returns below which number an index of g tells scores apart.
func width(g env.Game) int16 {
	if g.Variant().Ending == env.AfterRound {
		return int16(g.Target()) + policies.BeyondTarget
	}
	return int16(g.Target())
}

// allStates calls do with everything that an index of g tells apart, seat 0 to
// move, in lexicographic order of the seats that still act after the mover in
// the round, the last seat's score, …, the first seat's, the turn total. Not
// all of it can occur: scores beyond the target are rare.
func allStates(g env.Game, do func(env.State)) {
	var s env.State
	var from func(seat int)
	from = func(seat int) {
		if seat < 0 {
			for s.TurnTotal = 0; s.Scores[0]+s.TurnTotal < width(g); s.TurnTotal++ {
				do(s)
			}
			return
		}
		end := width(g)
		if seat == 0 {
			end = int16(g.Target()) // with more the game is over on the next turn
		}
		for s.Scores[seat] = 0; s.Scores[seat] < end; s.Scores[seat]++ {
			from(seat - 1)
		}
	}
	if g.Variant().Ending != env.AfterRound {
		from(g.Players() - 1)
		return
	}
	for after := range g.Players() {
		s.First = int8(g.NextSeat(0, after+1))
		from(g.Players() - 1)
	}
}

// seated returns s as it is when everybody sits so many seats further on.
func seated(g env.Game, s env.State, shift int) env.State {
	moved := env.State{TurnTotal: s.TurnTotal, Seat: int8(g.NextSeat(int(s.Seat), shift)), First: int8(g.NextSeat(int(s.First), shift))}
	for seat := range g.Players() {
		moved.Scores[g.NextSeat(seat, shift)] = s.Scores[seat]
	}
	return moved
}

// TestIndex walks through all states in the order of the documented formula:
// full states are numbered as they come, a summary by what it sees, and
// neither depends on where the players sit.
func TestIndex(t *testing.T) {
	for _, g := range policytest.SmallGames() {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			full, summary := policytest.Index(t, g, policies.FullAbstraction), policytest.Index(t, g, policies.SummaryAbstraction)
			type view struct {
				first                int8
				own, turnTotal, best int16
			}
			numbers := make(map[view]int)
			seen := make(map[int]bool)
			var starts []int
			next := 0
			allStates(g, func(s env.State) {
				v := view{s.First, s.Scores[0], s.TurnTotal, slices.Max(s.Scores[1:])}
				number, known := numbers[v]
				if !known {
					number = summary.Of(&s)
					if seen[number] || number < 0 || number >= summary.Size() {
						t.Fatalf("summary: Of(%+v) = %d, want another number than before in [0, %d)", s, number, summary.Size())
					}
					numbers[v], seen[number] = number, true
				}
				for shift := range g.Players() {
					moved := seated(g, s, shift)
					if i := full.Of(&moved); i != next {
						t.Fatalf("full: Of(%+v) = %d, want %d", moved, i, next)
					}
					if i := summary.Of(&moved); i != number {
						t.Fatalf("summary: Of(%+v) = %d, want %d as for all that look like %+v", moved, i, number, v)
					}
				}
				if s.TurnTotal == 0 {
					starts = append(starts, next)
				}
				next++
			})
			if full.Size() != next {
				t.Errorf("full: Size() = %d, want %d", full.Size(), next)
			}
			if summary.Size() != len(numbers) {
				t.Errorf("summary: Size() = %d, want %d", summary.Size(), len(numbers))
			}
			if got := numbersOf(full.Turns()); !slices.Equal(got, starts) {
				t.Errorf("full: Turns() = %v, want %v", got, starts)
			}
			starts = nil
			for v, number := range numbers {
				if v.turnTotal == 0 {
					starts = append(starts, number)
				}
			}
			slices.Sort(starts)
			if got := numbersOf(summary.Turns()); !slices.Equal(got, starts) {
				t.Errorf("summary: Turns() = %v, want %v", got, starts)
			}
		})
	}
}

// numbersOf returns what comes before the states.
func numbersOf(all iter.Seq2[int, env.State]) (numbers []int) {
	for i := range all {
		numbers = append(numbers, i)
	}
	return numbers
}

// TestStateIndexVisitsAllStates checks that All and Turns give every number, and every turn's start,
// once and in order, each with a state of that number as it is documented, and
// that Turn and Width agree with Index along the turn.
func TestStateIndexVisitsAllStates(t *testing.T) {
	for _, g := range policytest.SmallGames() {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
				index := policytest.Index(t, g, abstraction)
				if index.Width() != int(width(g)) {
					t.Fatalf("%s: Width() = %d, want %d", abstraction, index.Width(), width(g))
				}
				next := 0
				starts := make(map[int]env.State)
				for i, s := range index.All() {
					if i != next || index.Of(&s) != i {
						t.Fatalf("%s: All() gives %d with %+v, of number %d, want %d", abstraction, i, s, index.Of(&s), next)
					}
					next++
					if s.Seat != 0 || s.Over || abstraction == policies.SummaryAbstraction && g.Players() > 2 && slices.Max(s.Scores[2:]) > 0 {
						t.Fatalf("%s: All() gives %d with %+v", abstraction, i, s)
					}
					if s.TurnTotal == 0 {
						starts[i] = s
					}
					first, last := index.Turn(&s)
					if begin := starts[first]; begin.TurnTotal != 0 || begin.Scores != s.Scores || begin.First != s.First || first+int(s.TurnTotal) != i || last != first+index.Width()-1-int(s.Scores[0]) {
						t.Fatalf("%s: Turn(%+v) = %d, %d, which begins with %+v; the state has number %d", abstraction, s, first, last, begin, i)
					}
				}
				if next != index.Size() {
					t.Errorf("%s: All() gives %d numbers, want %d", abstraction, next, index.Size())
				}
				turns := 0
				for i, s := range index.Turns() {
					if want, known := starts[i]; !known || s != want {
						t.Fatalf("%s: Turns() gives %d with %+v, want one of All(), %+v", abstraction, i, s, want)
					}
					turns++
				}
				if turns != len(starts) {
					t.Errorf("%s: Turns() gives %d turns, want %d", abstraction, turns, len(starts))
				}
			}
		})
	}
}

// TestTurn checks that Turn agrees with Index in every state, wherever the
// players sit.
func TestTurn(t *testing.T) {
	for _, g := range policytest.SmallGames() {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
				index := policytest.Index(t, g, abstraction)
				allStates(g, func(s env.State) {
					for shift := range g.Players() {
						s := seated(g, s, shift)
						start, last := index.Turn(&s)
						begin, end := s, s
						begin.TurnTotal = 0
						end.TurnTotal = width(g) - 1 - s.Scores[s.Seat]
						if start != index.Of(&begin) || last != index.Of(&end) || start+int(s.TurnTotal) != index.Of(&s) {
							t.Fatalf("%s: Turn(%+v) = %d, %d, and the turn's numbers go from %d to %d", abstraction, s, start, last, index.Of(&begin), index.Of(&end))
						}
					}
				})
			}
		})
	}
}

// TestTableOf copies tables, which must come out as they were, and policies
// that toss coins, whose chances are kept.
func TestTableOf(t *testing.T) {
	for _, g := range policytest.SmallGames() {
		for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
			index := policytest.Index(t, g, abstraction)
			r := env.NewRand(1)
			table := policies.NewTable(index)
			for i, s := range index.All() {
				table.Set(i, s.TurnTotal == 0 || r.Below(2) == 1)
				if s.TurnTotal > 0 && r.Below(4) == 0 {
					table.SetChance(i, (r.Float64()+1)/3)
				}
			}
			again, err := policies.TableOf(t.Context(), index, table, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(again, table) {
				t.Errorf("%v, %s: TableOf a table is another", g, abstraction)
			}
			for chance, rolls := range map[float64]bool{0: false, 0.49: false, 0.5: true, 1: true} {
				table, err := policies.TableOf(t.Context(), index, always(chance), exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for i, s := range index.All() {
					if got, want := table.Rolls(i), rolls || s.TurnTotal == 0; got != want {
						t.Fatalf("%v, %s: TableOf a policy that rolls with chance %v rolls in %+v: %t, want %t", g, abstraction, chance, s, got, want)
					}
					if got := table.Chance(i); s.TurnTotal > 0 && got != chance {
						t.Fatalf("%v, %s: TableOf a policy that rolls with chance %v rolls with %v in %+v", g, abstraction, chance, got, s)
					}
				}
			}
		}
	}
}

// always rolls with the same chance in every state.
type always float64

func (p always) RollChance(env.State) float64 { return float64(p) }

// TestIndexBeyond looks where an index stops telling scores apart.
func TestIndexBeyond(t *testing.T) {
	g := game("pig-last-round", 3, 20)
	for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
		index := policytest.Index(t, g, abstraction)
		for _, test := range []struct {
			name  string
			a, b  env.State
			alike bool
		}{
			{"held 68 and 69", env.State{Scores: scores(5), TurnTotal: 63}, env.State{Scores: scores(5), TurnTotal: 64}, false},
			{"held 69 and 70", env.State{Scores: scores(5), TurnTotal: 64}, env.State{Scores: scores(5), TurnTotal: 65}, true},
			{"held 69 and 16000", env.State{Scores: scores(0), TurnTotal: 69}, env.State{Scores: scores(0), TurnTotal: 16000}, true},
			{"other 68 and 69", env.State{Scores: scores(68), Seat: 2}, env.State{Scores: scores(69), Seat: 2}, false},
			{"other 69 and 70", env.State{Scores: scores(69), Seat: 2}, env.State{Scores: scores(70), Seat: 2}, true},
			{"other 69 and 16000", env.State{Scores: scores(3, 69), Seat: 2}, env.State{Scores: scores(3, 16000), Seat: 2}, true},
			{"one and two seats after", env.State{Scores: scores(1, 1, 1), Seat: 1}, env.State{Scores: scores(1, 1, 1)}, false},
			{"no and one seats after", env.State{Scores: scores(1, 1, 1), Seat: 2}, env.State{Scores: scores(1, 1, 1), Seat: 1}, false},
		} {
			if a, b := index.Of(&test.a), index.Of(&test.b); (a == b) != test.alike {
				t.Errorf("%s states, %s: Of = %d and %d, want alike %t", abstraction, test.name, a, b, test.alike)
			}
		}
	}
}

// TestIndexByHand evaluates the documented formula at single states.
func TestIndexByHand(t *testing.T) {
	for _, test := range []struct {
		abstraction policies.Abstraction
		target      int
		scores      []int16
		seat        int8
		turn        int16
		want        int
	}{
		{policies.FullAbstraction, 100, []int16{0, 0}, 0, 0, 0},
		{policies.FullAbstraction, 100, []int16{0, 0}, 1, 99, 99},
		{policies.FullAbstraction, 100, []int16{1, 0}, 0, 0, 100},
		{policies.FullAbstraction, 100, []int16{30, 20}, 0, 10, 20*5050 + 3000 - 435 + 10},
		{policies.FullAbstraction, 100, []int16{30, 20}, 1, 10, 30*5050 + 2000 - 190 + 10},
		{policies.FullAbstraction, 100, []int16{99, 99}, 0, 0, 504_999},
		{policies.SummaryAbstraction, 100, []int16{30, 20}, 0, 10, 20*5050 + 3000 - 435 + 10},
		{policies.FullAbstraction, 10, []int16{3, 5, 2}, 0, 4, (2*10+5)*55 + 30 - 3 + 4},
		{policies.FullAbstraction, 10, []int16{3, 5, 2}, 1, 4, (3*10+2)*55 + 50 - 10 + 4},
		{policies.FullAbstraction, 10, []int16{3, 5, 2}, 2, 4, (5*10+3)*55 + 20 - 1 + 4},
		{policies.SummaryAbstraction, 10, []int16{3, 5, 2}, 0, 4, 5*55 + 30 - 3 + 4},
		{policies.SummaryAbstraction, 10, []int16{3, 5, 2}, 1, 4, 3*55 + 50 - 10 + 4},
		{policies.SummaryAbstraction, 10, []int16{3, 5, 2}, 2, 4, 5*55 + 20 - 1 + 4},
	} {
		index := policytest.Index(t, pig(len(test.scores), test.target), test.abstraction)
		s := env.State{Scores: scores(test.scores...), Seat: test.seat, TurnTotal: test.turn}
		if got := index.Of(&s); got != test.want {
			t.Errorf("%s states, target %d: Index(scores %v, seat %d, turn total %d) = %d, want %d", test.abstraction, test.target, test.scores, test.seat, test.turn, got, test.want)
		}
	}
}

// TestEntries pins sizes and where they are too large: 1378·52^9 is below 2^62
// and 1431·53^9 above.
func TestEntries(t *testing.T) {
	for _, test := range []struct {
		variant         string
		players, target int
		abstraction     policies.Abstraction
		want            int // 0 where there is no such index
	}{
		// With two players as many as there are decision points: 100 scores of
		// the other, 100·101/2 pairs of own score and turn total.
		{"pig", 2, 100, policies.FullAbstraction, 505_000},
		{"pig", 2, 100, policies.SummaryAbstraction, 505_000},
		{"pig", 2, 1000, policies.FullAbstraction, 500_500_000},
		{"pig", 2, 2, policies.FullAbstraction, 6},
		{"pig", 3, 100, policies.FullAbstraction, 50_500_000},
		{"pig", 3, 100, policies.SummaryAbstraction, 505_000},
		{"pig", 10, 2, policies.FullAbstraction, 3 << 9},
		{"pig", 10, 1000, policies.SummaryAbstraction, 500_500_000},
		{"pig", 5, 1000, policies.FullAbstraction, 500_500_000_000_000_000},
		{"pig", 6, 1000, policies.FullAbstraction, 0},
		{"pig", 10, 52, policies.FullAbstraction, 3_830_710_307_650_011_136},
		{"pig", 10, 53, policies.FullAbstraction, 0},
		{"pig", 10, 1000, policies.FullAbstraction, 0},
		// 10,050 pairs of own score and held points; 150 scores tell apart.
		{"pig-last-round", 2, 100, policies.FullAbstraction, 10_050 * 150 * 2},
		{"pig-last-round", 3, 100, policies.FullAbstraction, 10_050 * 150 * 150 * 3},
		{"pig-last-round", 3, 100, policies.SummaryAbstraction, 10_050 * 150 * 3},
		{"pig", 2, 100, "", 0},
		{"pig", 2, 100, "Full", 0},
	} {
		g := game(test.variant, test.players, test.target)
		index, err := policies.NewStateIndex(g, test.abstraction)
		if test.want == 0 {
			if !errors.Is(err, policies.ErrStateIndex) {
				t.Errorf("NewStateIndex(%v, %q): error %v, want %v", g, test.abstraction, err, policies.ErrStateIndex)
			}
			continue
		}
		if err != nil || index.Size() != test.want || index.Game() != g || index.Abstraction() != test.abstraction {
			t.Errorf("NewStateIndex(%v, %q) = %d entries of %v, %q, error %v, want %d", g, test.abstraction, index.Size(), index.Game(), index.Abstraction(), err, test.want)
		}
	}
	for abstraction, want := range map[policies.Abstraction]string{
		policies.FullAbstraction: "policies: no such table: pig, 10 players, target 1000 has more full states than can be numbered; use summary states",
		"all":                    `policies: no such table: states "all"; they are full or summary`,
	} {
		if _, err := policies.NewStateIndex(pig(10, 1000), abstraction); err == nil || err.Error() != want {
			t.Errorf("NewStateIndex(pig(10, 1000), %q): error %v, want %s", abstraction, err, want)
		}
	}
}

// TestStop breaks loops over Turns and All.
func TestStop(t *testing.T) {
	index := policytest.Index(t, pig(2, 100), policies.FullAbstraction)
	for name, test := range map[string]struct {
		all  iter.Seq2[int, env.State]
		want []int
	}{"Turns": {index.Turns(), []int{0, 100, 199}}, "All": {index.All(), []int{0, 1, 2}}} {
		var got []int
		for i := range test.all {
			if got = append(got, i); len(got) == 3 {
				break
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("the first of %s() are %v, want %v", name, got, test.want)
		}
	}
}

// TestDefaultAbstraction: full states up to 2^22 entries, of which three players have
// 1431·53² at target 53 and 1485·54² at 54.
func TestDefaultAbstraction(t *testing.T) {
	for _, test := range []struct {
		variant         string
		players, target int
		want            policies.Abstraction
	}{
		{"pig", 2, 2, policies.FullAbstraction},
		{"pig", 2, 1000, policies.FullAbstraction},
		{"pig", 3, 53, policies.FullAbstraction},
		{"pig", 3, 54, policies.SummaryAbstraction},
		{"pig", 3, 100, policies.SummaryAbstraction},
		{"pig", 10, 4, policies.FullAbstraction},
		{"pig", 10, 5, policies.SummaryAbstraction},
		{"pig", 10, 1000, policies.SummaryAbstraction}, // full states have no number at all
		{"pig-last-round", 2, 1000, policies.FullAbstraction},
		{"pig-last-round", 3, 7, policies.FullAbstraction},    // 3·378·57² entries
		{"pig-last-round", 3, 8, policies.SummaryAbstraction}, // 3·436·58²
	} {
		if g := game(test.variant, test.players, test.target); policies.DefaultAbstraction(g) != test.want {
			t.Errorf("DefaultAbstraction(%v) = %v, want %v", g, policies.DefaultAbstraction(g), test.want)
		}
	}
}
