package policies_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

func game(variant string, players, target int) env.Game {
	return env.Must(env.New(env.Config{Variant: variant, Players: players, Target: target}))
}

func pig(players, target int) env.Game { return game("pig", players, target) }

func named(t testing.TB, name string, g env.Game) policies.Policy {
	t.Helper()
	p, err := policies.Named(t.Context(), name, g, exact.Options{})
	if err != nil {
		t.Fatalf("Named(%q, %v): %v", name, g, err)
	}
	return p
}

func scores(s ...int16) (all [env.MaxPlayers]int16) {
	copy(all[:], s)
	return all
}

const never = 0

// TestHeuristics finds the turn total at which each policy holds: it must roll
// at every lower one and hold at every higher one.
func TestHeuristics(t *testing.T) {
	for _, test := range []struct {
		policy  string
		target  int
		scores  []int16 // of every player
		seat    int8
		holdsAt int16
	}{
		{"always-roll", 100, []int16{0, 0}, 0, never},
		{"always-roll", 100, []int16{50, 99}, 0, never},

		{"hold-1", 100, []int16{0, 0}, 0, 1},
		{"hold-20", 100, []int16{0, 0}, 0, 20},
		{"hold-20", 100, []int16{79, 99}, 0, 20},
		{"hold-20", 100, []int16{80, 0}, 0, never}, // 20 points win
		{"hold-25", 100, []int16{3, 74}, 1, 25},
		{"hold-25", 100, []int16{3, 75}, 1, never},
		{"hold-100", 100, []int16{0, 0}, 0, never},
		{"hold-2147483647", 1000, []int16{0, 0}, 0, never},

		// 21 + round((other - own)/8), halves up; never from 71 on.
		{"race", 100, []int16{0, 0}, 0, 21},
		{"race", 100, []int16{30, 33}, 0, 21},
		{"race", 100, []int16{30, 34}, 0, 22}, // 4/8
		{"race", 100, []int16{30, 41}, 0, 22}, // 11/8
		{"race", 100, []int16{30, 42}, 0, 23}, // 12/8
		{"race", 100, []int16{30, 26}, 0, 21}, // -4/8
		{"race", 100, []int16{30, 25}, 0, 20}, // -5/8
		{"race", 100, []int16{30, 18}, 0, 20}, // -12/8
		{"race", 100, []int16{30, 17}, 0, 19}, // -13/8
		{"race", 100, []int16{0, 70}, 0, 30},  // 70/8
		{"race", 100, []int16{0, 70}, 1, 12},  // -70/8
		{"race", 100, []int16{70, 70}, 0, 21},
		{"race", 100, []int16{71, 70}, 0, never},
		{"race", 100, []int16{70, 71}, 0, never},
		{"race", 100, []int16{0, 99}, 0, never},
		{"race", 50, []int16{20, 20}, 0, 21},
		{"race", 50, []int16{21, 20}, 0, never},
		{"race", 50, []int16{20, 21}, 0, never},
		{"race", 200, []int16{160, 170}, 0, 22},
		{"race", 200, []int16{171, 170}, 0, never},
		{"race", 200, []int16{0, 171}, 0, never},
		{"race", 20, []int16{0, 0}, 0, never},

		// max(19, other - own - 14); never from 69 on.
		{"base-race", 100, []int16{0, 0}, 0, 19},
		{"base-race", 100, []int16{68, 0}, 0, 19},
		{"base-race", 100, []int16{20, 53}, 0, 19},
		{"base-race", 100, []int16{20, 54}, 0, 20},
		{"base-race", 100, []int16{0, 68}, 0, 54},
		{"base-race", 100, []int16{0, 68}, 1, 19},
		{"base-race", 100, []int16{69, 0}, 0, never},
		{"base-race", 100, []int16{0, 69}, 0, never},
		{"base-race", 50, []int16{18, 18}, 0, 19},
		{"base-race", 50, []int16{19, 18}, 0, never},
		{"base-race", 50, []int16{18, 19}, 0, never},
		{"base-race", 200, []int16{60, 168}, 0, 94},
		{"base-race", 200, []int16{169, 0}, 0, never},

		// With more players the other is the best other, wherever it sits.
		{"race", 100, []int16{10, 40, 26}, 0, 25}, // 30/8
		{"race", 100, []int16{10, 40, 26}, 1, 19}, // -14/8
		{"race", 100, []int16{10, 40, 26}, 2, 23}, // 14/8
		{"race", 100, []int16{50, 0, 0, 70}, 0, 24},
		{"race", 100, []int16{50, 0, 0, 71}, 0, never},
		{"race", 100, []int16{50, 0, 0, 71}, 1, never},
		{"base-race", 100, []int16{60, 5, 0}, 1, 41},
		{"base-race", 100, []int16{5, 0, 60}, 1, 46},
		{"base-race", 100, []int16{5, 0, 69}, 1, never},
		{"hold-20", 100, []int16{5, 0, 99}, 1, 20},
	} {
		g := pig(len(test.scores), test.target)
		s := env.State{Scores: scores(test.scores...), Seat: test.seat}
		p := named(t, test.policy, g)
		for s.TurnTotal = 1; s.Scores[s.Seat]+s.TurnTotal < int16(test.target); s.TurnTotal++ {
			want := 1.0
			if test.holdsAt != never && s.TurnTotal >= test.holdsAt {
				want = 0
			}
			if got := p.RollChance(s); got != want {
				t.Errorf("%s, %v: RollChance(scores %v, seat %d, turn total %d) = %v, want %v", test.policy, g, test.scores, s.Seat, s.TurnTotal, got, want)
				break
			}
		}
	}
}

func TestRandom(t *testing.T) {
	g := pig(2, 100)
	for _, s := range []env.State{{TurnTotal: 2}, {Scores: scores(99, 50), TurnTotal: 49, Seat: 1}} {
		if got := named(t, "random", g).RollChance(s); got != 0.5 {
			t.Errorf("random: RollChance(%+v) = %v, want 0.5", s, got)
		}
	}
}

// TestLastRound checks the heuristics where points count only when they are
// banked: hold on reaching the target, unless another has banked it; then roll
// until ahead.
func TestLastRound(t *testing.T) {
	g := game("pig-last-round", 3, 100)
	for _, test := range []struct {
		policy string
		scores []int16
		turn   int16
		want   float64
	}{
		{"hold-20", []int16{50, 0, 0}, 19, 1},
		{"hold-20", []int16{50, 0, 0}, 20, 0},
		{"hold-20", []int16{90, 0, 0}, 9, 1},
		{"hold-20", []int16{90, 0, 0}, 10, 0},
		{"hold-20", []int16{50, 0, 99}, 20, 0},
		{"hold-20", []int16{50, 0, 100}, 20, 1},
		{"hold-20", []int16{50, 0, 103}, 53, 1},
		{"hold-20", []int16{50, 0, 103}, 54, 0},
		{"hold-20", []int16{90, 103, 0}, 14, 0},
		{"race", []int16{60, 0, 70}, 21, 1}, // 21 + 10/8
		{"race", []int16{60, 0, 70}, 22, 0},
		{"race", []int16{75, 0, 0}, 24, 1},
		{"race", []int16{75, 0, 0}, 25, 0},
		{"race", []int16{75, 110, 0}, 35, 1},
		{"race", []int16{75, 110, 0}, 36, 0},
		{"base-race", []int16{60, 0, 0}, 18, 1},
		{"base-race", []int16{60, 0, 0}, 19, 0},
		{"base-race", []int16{75, 0, 0}, 24, 1},
		{"base-race", []int16{75, 0, 0}, 25, 0},
		{"base-race", []int16{75, 110, 0}, 35, 1},
		{"base-race", []int16{75, 110, 0}, 36, 0},
		{"always-roll", []int16{75, 0, 0}, 40, 1},
	} {
		s := env.State{Scores: scores(test.scores...), TurnTotal: test.turn}
		if got := named(t, test.policy, g).RollChance(s); got != test.want {
			t.Errorf("%s with a last round: RollChance(scores %v, turn total %d) = %v, want %v", test.policy, test.scores, test.turn, got, test.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	var fixed []string
	for _, f := range policies.FixedPolicies() {
		fixed = append(fixed, f.Name)
	}
	all := strings.Join(fixed, ", ")
	for _, name := range []string{
		"", "hold", "hold-", "hold-0", "hold-05", "hold-+5", "hold--5", "hold-5 ", "hold- 5", "hold-5.0", "hold-1_0", "hold-N",
		"hold-2147483648", "hold-99999999999", "hold-99999999999999999999", "HOLD-20", "hold20", "Race", "race ", "perfect",
	} {
		want := fmt.Sprintf("policies: unknown policy %q; the fixed policies are %s (N from 1)", name, all)
		if p, err := policies.Named(t.Context(), name, pig(2, 100), exact.Options{}); p != nil || !errors.Is(err, policies.ErrUnknown) || err.Error() != want {
			t.Errorf("Named(%q) = %v, %v, want %s", name, p, err, want)
		}
	}
}

// TestFixedPolicies asks for every name on the list, in every variant.
func TestFixedPolicies(t *testing.T) {
	racedetector.Skip(t)
	for _, v := range env.Variants() {
		g := env.Must(env.New(env.Config{Variant: v.ID}))
		for _, f := range policies.FixedPolicies() {
			p := named(t, strings.Replace(f.Name, "N", "7", 1), g)
			if c := p.RollChance(env.State{TurnTotal: 1}); c < 0.5 || c > 1 {
				t.Errorf("%s, %v: RollChance(turn total 1) = %v, want 0.5 or 1", f.Name, g, c)
			}
			if f.Doc == "" {
				t.Errorf("%s has no description", f.Name)
			}
		}
	}
}
