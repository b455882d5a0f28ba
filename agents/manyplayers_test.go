package agents

import (
	"fmt"
	"math"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// gamesOfMany returns games of three and four players that are solved in a moment: of
// every variant that allows as many, those of three.
func gamesOfMany() (games []env.Game) {
	for _, v := range env.Variants() {
		if v.MaxPlayers < 3 {
			continue
		}
		target := max(7, v.Target.Min)
		if v.Ending == env.AfterRound {
			target = 2 // scores beyond the target make a large table
		}
		games = append(games, game(v.ID, 3, min(target, v.Target.Max)))
	}
	return append(games, game("pig", 4, 5))
}

// TestManyPlayersLearn checks, for every variant, that the greedy policy comes close to
// an even share against an equilibrium, and that the returns that the agent estimates for
// all seats at the start are those of its policy in every seat.
func TestManyPlayersLearn(t *testing.T) {
	racedetector.Skip(t)
	for _, g := range gamesOfMany() {
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			n, passes, near := g.Players(), int64(5), 0.03
			if g.Variant().Ending == env.AfterRound || n > 3 {
				passes, near = 3, 0.06 // the estimates still rise
			}
			q := study(g, curriculumSettings("sample"), passes)
			greedy := q.Greedy()
			if exact.Evaluates(g) {
				if win := compare(t, greedy, perfectPlay(t, g)).WinMean(); win < 0.98/float64(n) {
					t.Errorf("Greedy() wins %.4f against an equilibrium, want nearly %.4f", win, 1/float64(n))
				}
			}
			checkStart(t, q, greedy, near)
		})
	}
}

// checkStart compares the estimates of the start with the exact values of p in all seats.
func checkStart(t *testing.T, q *curriculum, p policies.Policy, near float64) {
	t.Helper()
	g := q.game
	if !exact.Evaluates(g) {
		return
	}
	seats := make([]env.Player, g.Players())
	for seat := range seats {
		seats[seat] = p
	}
	e, err := exact.Evaluate(t.Context(), g, seats, exact.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var returns [env.MaxPlayers]float32
	q.outlook(&returns, q.value, new(g.Start(0)))
	for seat, want := range e.Win {
		if got := float64(worth(g, returns[seat], false)); math.Abs(got-want) > near {
			t.Errorf("seat %d is estimated to win %.4f from the start, want %.4f", seat, got, want)
		}
	}
}

// TestManyPlayersSummary checks that agents of four players that see only the leader's
// score beat hold-20, and that the number of workers does not matter.
func TestManyPlayersSummary(t *testing.T) {
	racedetector.Skip(t)
	g := game("pig", 4, 50)
	var want []byte
	for _, workers := range []int{1, 3} {
		a := newAgent(curriculumRecipe, Config{Index: indexOf(g, policies.SummaryAbstraction), Seed: 1, StepLimit: 10_000})
		for steps := int64(0); steps < 3_000_000; {
			steps += a.Learn(workers).Steps
		}
		if want == nil {
			want = savedState(t, a)
			hold20, err := policies.Named(t.Context(), "hold-20", g, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := (&policies.Evaluator{Game: g, Opponent: hold20, OpponentName: "hold-20", Games: 40_000, Seed: 1, SimulateOnly: true}).Evaluate(t.Context(), "agent", a.Greedy())
			if err != nil {
				t.Fatal(err)
			}
			if r.Simulated.CI95[0] < 0.27 {
				t.Errorf("Greedy() wins %.4f against hold-20, want more than 0.27", r.WinMean)
			}
		} else if string(savedState(t, a)) != string(want) {
			t.Errorf("with %d workers Learn comes to something else than with 1", workers)
		}
	}
}

// TestStartScoresOfMany checks that the start scores of all sums, with every seat to move
// that can be, begin in each turn of the game as often as rotations map it to itself.
func TestStartScoresOfMany(t *testing.T) {
	for _, g := range []env.Game{game("pig", 3, 7), game("pig", 4, 4), game("pig-last-round", 3, 2)} {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			index := indexOf(g, policies.FullAbstraction)
			q := newCurriculum(Config{Index: index, Settings: curriculumSettings("sample")})
			got := make(map[int]int)
			for sum := range int(q.highest()) + 1 {
				for _, s := range q.startScores(sum) {
					for seat := range int8(g.Players()) {
						if s.Seat = seat; g.Validate(s) == nil {
							got[index.Of(&s)]++
						}
					}
				}
			}
			for start, s := range index.Turns() {
				want := 0
				if g.Validate(s) == nil {
					want = 1
					for by := 1; by < g.Players() && g.Variant().Ending == env.AtTarget; by++ {
						rotated := s
						for seat := range g.Players() {
							rotated.Scores[seat] = s.Scores[g.NextSeat(seat, by)]
						}
						if rotated == s {
							want++
						}
					}
				}
				if got[start] != want {
					t.Fatalf("the turn with scores %v begins in %d start scores, want %d", s.Scores, got[start], want)
				}
			}
		})
	}
}
