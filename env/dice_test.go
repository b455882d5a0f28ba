package env_test

import (
	"maps"
	"slices"
	"testing"

	"pigpen/env"
)

// throw rolls all dice at once, the given faces, from s.
func throw(t *testing.T, g env.Game, s env.State, faces ...int) (env.Outcome, env.State) {
	t.Helper()
	o, err := g.OutcomeOf(s, faces...)
	if err != nil {
		t.Fatalf("OutcomeOf(%+v, %v): %v", s, faces, err)
	}
	return o, g.AfterRoll(s, o)
}

// gains returns the outcome that adds points.
func gains(points int16) env.Outcome { return env.Outcome{Effect: env.Gain, Points: points} }

// TestTwoDice checks what every roll of the two-dice games is worth.
// pig-doubles is "Alternative Versions" of the rule sheet of Pig: one 1 scores
// nothing, two count 25, double 2s to 6s 8, 12, 16, 20, 24.
func TestTwoDice(t *testing.T) {
	doubles := map[int]int16{1: 25, 2: 8, 3: 12, 4: 16, 5: 20, 6: 24}
	bust := env.Outcome{Effect: env.Bust}
	for id, worth := range map[string]func(a, b int) env.Outcome{
		"pig-doubles": func(a, b int) env.Outcome {
			if a == b {
				return gains(doubles[a])
			}
			return gains(int16(a + b))
		},
		"pig-snake-eyes": func(a, b int) env.Outcome {
			if a == 1 && b == 1 {
				return env.Outcome{Effect: env.Wipe}
			}
			return gains(int16(a + b))
		},
	} {
		g := env.Must(env.New(env.Config{Variant: id}))
		busts := 0
		for a := 1; a <= 6; a++ {
			for b := 1; b <= 6; b++ {
				want := worth(a, b)
				if (a == 1) != (b == 1) {
					want = bust
					busts++
				}
				if got, _ := throw(t, g, g.Start(0), a, b); got != want {
					t.Errorf("%s: a roll of %d and %d is %v, want %v", id, a, b, got, want)
				}
			}
		}
		if busts != 10 {
			t.Errorf("%s: %d of 36 rolls are busts, want 10", id, busts)
		}
	}
}

// TestSnakeEyesWipe loses the banked score to two 1s, and only the mover's.
func TestSnakeEyesWipe(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "pig-snake-eyes"}))
	s := env.State{Scores: [env.MaxPlayers]int16{40, 30}, TurnTotal: 7}
	want := env.State{Scores: [env.MaxPlayers]int16{0, 30}, Seat: 1}
	if _, got := throw(t, g, s, 1, 1); got != want {
		t.Errorf("two 1s in %+v lead to %+v, want %+v", s, got, want)
	}
	want.Scores[0] = 40
	if _, got := throw(t, g, s, 1, 4); got != want {
		t.Errorf("one 1 in %+v leads to %+v, want %+v", s, got, want)
	}
}

// TestTwoPigs checks how often one throw of two pigs scores what, of 9,991² = 99,820,081
// throws: the sums of products of the weights of the positions, worked out by hand.
func TestTwoPigs(t *testing.T) {
	const side, dotted, razorback, trotter, snouter, jowler = 3490, 3020, 2240, 880, 300, 61
	const sides = side + dotted
	want := map[env.Outcome]int{
		gains(1):           side*side + dotted*dotted,
		{Effect: env.Bust}: 2 * side * dotted,
		gains(5):           2 * sides * (razorback + trotter),
		gains(10):          2*sides*snouter + 2*razorback*trotter,
		gains(15):          2*sides*jowler + 2*(razorback+trotter)*snouter,
		gains(20):          razorback*razorback + trotter*trotter + 2*(razorback+trotter)*jowler,
		gains(25):          2 * snouter * jowler,
		gains(40):          snouter * snouter,
		gains(60):          jowler * jowler,
	}
	g := env.Must(env.New(env.Config{Variant: "pass-the-pigs"}))
	got := make(map[env.Outcome]int)
	for _, c := range g.Outcomes(g.Start(0)) {
		got[c.Outcome] = c.Weight
	}
	if !maps.Equal(got, want) || g.TotalWeight() != 99_820_081 {
		t.Errorf("the outcomes are %v of %d, want %v", got, g.TotalWeight(), want)
	}
}

// TestPigletCoin tosses: tails, face 1, busts and heads, face 2, adds 1.
func TestPigletCoin(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "piglet"}))
	if o, _ := throw(t, g, g.Start(0), 1); o.Effect != env.Bust || g.Rolls() != 2 || g.Target() != 10 {
		t.Errorf("tails is %v of %d rolls to %d, want a bust of 2 to 10", o, g.Rolls(), g.Target())
	}
	if o, _ := throw(t, g, g.Start(0), 2); o != gains(1) {
		t.Errorf("heads is %v, want %v", o, gains(1))
	}
}

// A turn of a game with one die: what is rolled, and then a hold, if it is not
// a bust.
type turn []int

// playTurns plays whole turns from s.
func playTurns(t *testing.T, g env.Game, s env.State, turns ...turn) env.State {
	t.Helper()
	for _, turn := range turns {
		seat := s.Seat
		for _, face := range turn {
			if s.Over || s.Seat != seat {
				t.Fatalf("the turn %v ended early, in %+v", turn, s)
			}
			_, s = throw(t, g, s, face)
		}
		if s.TurnTotal > 0 {
			s = g.AfterHold(s)
		}
	}
	return s
}

// TestLastRound plays the last rounds of four players, who have 72, 98, 95 and
// 98 before it. The first is the example on the rule sheet of "Big Pig": 72,
// 102, 98 and 104 after the round, and the fourth player wins.
func TestLastRound(t *testing.T) {
	g := env.Must(env.New(env.Config{Variant: "big-pig", Players: 4}))
	before := [env.MaxPlayers]int16{72, 98, 95, 98}
	for _, test := range []struct {
		name   string
		turns  []turn
		scores [4]int16
		shares [4]float64
		over   bool
	}{
		{"the sheet's example", []turn{{1}, {4}, {3}, {6}}, [4]int16{72, 102, 98, 104}, [4]float64{3: 1}, true},
		{"it goes on before the last turn", []turn{{1}, {4}, {3}}, [4]int16{72, 102, 98, 98}, [4]float64{}, false},
		{"nobody follows", []turn{{1}, {4}, {3}, {1}}, [4]int16{72, 102, 98, 98}, [4]float64{1: 1}, true},
		{"the last alone reaches it", []turn{{1}, {1}, {1}, {2}}, [4]int16{72, 98, 95, 100}, [4]float64{3: 1}, true},
		{"nobody reaches it", []turn{{1}, {1}, {4}, {1}}, [4]int16{72, 98, 99, 98}, [4]float64{}, false},
		{"two share it", []turn{{1}, {4}, {3}, {4}}, [4]int16{72, 102, 98, 102}, [4]float64{1: 0.5, 3: 0.5}, true},
		{"all share it", []turn{{6, 6, 6, 6, 6}, {4}, {5, 2}, {4}}, [4]int16{102, 102, 102, 102}, [4]float64{0.25, 0.25, 0.25, 0.25}, true},
		{"rolling on beyond the target", []turn{{1}, {4, 6, 6}, {6, 6}, {6, 6}}, [4]int16{72, 114, 107, 110}, [4]float64{1: 1}, true},
		{"losing it by rolling on", []turn{{1}, {4, 6, 6, 1}, {6}, {2}}, [4]int16{72, 98, 101, 100}, [4]float64{2: 1}, true},
	} {
		// Whoever is first, the round ends with the seat before it.
		for first := range 4 {
			var s env.State
			s.First, s.Seat = int8(first), int8(first)
			for place, score := range before[:4] {
				s.Scores[g.NextSeat(first, place)] = score
			}
			s = playTurns(t, g, s, test.turns...)
			if s.Over != test.over {
				t.Fatalf("%s, seat %d first: over %t in %+v, want %t", test.name, first, s.Over, s, test.over)
			}
			for place := range 4 {
				seat := g.NextSeat(first, place)
				if s.Scores[seat] != test.scores[place] || g.WinShare(s, seat) != test.shares[place] {
					t.Errorf("%s, seat %d first: player %d has %d and %v of the win, want %d and %v",
						test.name, first, place+1, s.Scores[seat], g.WinShare(s, seat), test.scores[place], test.shares[place])
				}
			}
		}
	}
}

// TestCochon checks the sheet's table of what each piece needs, its edge cases
// and the options, on every roll of three dice: pieces placed by who holds how
// many, 0 for a roll that ends the turn. Pieces are, in order, the body, eight
// parts (four legs, two ears, two eyes) and the tail.
func TestCochon(t *testing.T) {
	const body, tail = 1, 1
	for _, test := range []struct {
		name    string
		options map[string]bool
		placed  func(held, aces int, six bool) int
	}{
		{"as on the sheet", nil, func(held, aces int, six bool) int {
			switch {
			case held == 0 && !six:
				return 0 // the body comes first
			case held == 0:
				return body + aces
			case held < 9:
				return min(aces, 9-held) // extra aces are wasted
			case aces >= 2:
				return tail
			}
			return 0
		}},
		{"aces_with_body=false", map[string]bool{"aces_with_body": false}, func(held, aces int, six bool) int {
			switch {
			case held == 0 && !six:
				return 0
			case held == 0:
				return body
			case held < 9:
				return min(aces, 9-held)
			case aces >= 2:
				return tail
			}
			return 0
		}},
		{"spill_to_tail=true", map[string]bool{"spill_to_tail": true}, func(held, aces int, six bool) int {
			switch {
			case held == 0 && !six:
				return 0
			case held == 0:
				return body + aces
			case held == 8 && aces == 3:
				return 1 + tail // the last part with one ace, the tail with two
			case held < 9:
				return min(aces, 9-held)
			case aces >= 2:
				return tail
			}
			return 0
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := env.Must(env.New(env.Config{Variant: "cochon", Options: test.options}))
			for held := range 10 {
				for roll := range g.Rolls() {
					faces := g.Faces(roll)
					aces := 0
					for _, f := range faces {
						if f == 1 {
							aces++
						}
					}
					want := test.placed(held, aces, slices.Contains(faces, 6))
					// It makes no difference which pieces were placed this turn.
					for turnTotal := range held + 1 {
						s := env.State{TurnTotal: int16(turnTotal)}
						s.Scores[0] = int16(held - turnTotal)
						o, next := throw(t, g, s, faces...)
						switch {
						case want == 0 && (o.Effect != env.Stop || next.Seat != 1 || int(next.Scores[0]) != held):
							t.Fatalf("%v with %d pieces, %d of them new, is %v to %+v, want the turn to end and every piece to stay", faces, held, turnTotal, o, next)
						case want > 0 && (o != gains(int16(want)) || next.Seat != 0 || next.Over != (held+want == 10)):
							t.Fatalf("%v with %d pieces, %d of them new, is %v to %+v, want %d placed, and the game over at 10", faces, held, turnTotal, o, next, want)
						}
					}
				}
			}
		})
	}
}
