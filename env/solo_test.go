package env_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest"
)

// alike returns n opponents.
func alike(n int, p env.Player) []env.Player { return slices.Repeat([]env.Player{p}, n) }

// soloStep is what Step returns.
type soloStep struct {
	observation           []int16
	reward                float64
	terminated, truncated bool
	info                  env.Info
}

func stepSolo(t testing.TB, s *env.Solo, a env.Action) soloStep {
	var r soloStep
	var err error
	if r.observation, r.reward, r.terminated, r.truncated, r.info, err = s.Step(a); err != nil {
		t.Helper()
		t.Fatalf("Step(%v) in %+v: %v", a, s.State(), err)
	}
	return r
}

// TestSoloIsAMatch plays episodes in a Solo, with a learner in each seat, and
// the same in a Match where Choose decides for the others: the same seed and
// actions must lead through the same states, whether or not the others draw.
func TestSoloIsAMatch(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		n := g.Players()
		for seat := range n {
			for _, p := range []env.Player{holdAt(5), coin(0.3), coin(0.99)} {
				solo := newSolo(t, g, env.SoloOptions{Seat: seat, Opponents: alike(n-1, p), First: env.FirstRandom})
				m := env.NewMatch(g, env.MatchOptions{First: env.FirstRandom})
				others := func() {
					for m.Live() && int(m.State().Seat) != seat {
						mustStep(t, m, env.Choose(p, m.State(), m.Rand()))
					}
				}
				r := env.NewRand(3)
				_, info := solo.Reset(1)
				m.Reset(1)
				for range 100 {
					others()
					if solo.State() != m.State() {
						t.Fatalf("seat %d against %v: the Solo is in %+v, the Match in %+v", seat, p, solo.State(), m.State())
					}
					if !m.Live() {
						if info.Legal != 0 { // the others won before the learner's turn
							stepSolo(t, solo, env.Roll)
						}
						_, info = solo.ResetNext()
						m.ResetNext()
						continue
					}
					a := randomAction(info.Legal, &r)
					step := stepSolo(t, solo, a)
					info = step.info
					mustStep(t, m, a)
					others()
					if want := m.Reward(seat); step.reward != want {
						t.Fatalf("seat %d: reward %v in %+v, want %v", seat, step.reward, m.State(), want)
					}
				}
			}
		}
	})
}

// TestSoloOpponents checks who is asked, and in which seat.
func TestSoloOpponents(t *testing.T) {
	g := pigGame(4, 30)
	const learner = 1
	spies := []*spy{{Player: holdAt(5)}, {Player: holdAt(8)}, {Player: coin(0.5)}}
	apart := newSolo(t, g, env.SoloOptions{Seat: learner, Opponents: []env.Player{spies[0], spies[1], spies[2]}})
	one := &spy{Player: holdAt(5)}
	together := newSolo(t, g, env.SoloOptions{Seat: learner, Opponents: []env.Player{one}})
	for _, solo := range []*env.Solo{apart, together} {
		observation, info := solo.Reset(1)
		for range 500 {
			if info.Legal == 0 {
				observation, info = solo.ResetNext()
			}
			// The learner is asked in its own turn only, and sees the others
			// in turn order.
			s := solo.State()
			if want := []int16{s.Scores[1], s.TurnTotal, s.Scores[2], s.Scores[3], s.Scores[0]}; s.Seat != learner && !s.Over || !slices.Equal(observation, want) {
				t.Fatalf("the learner sees %v in %+v, want %v", observation, s, want)
			}
			step := stepSolo(t, solo, env.Roll)
			observation, info = step.observation, step.info
		}
	}
	check := func(name string, s *spy, seats ...int8) {
		t.Helper()
		asked := make(map[int8]bool)
		for _, s := range s.asked {
			asked[s.Seat] = true
			if s.Over || s.TurnTotal == 0 || !slices.Contains(seats, s.Seat) {
				t.Fatalf("%s was asked in %+v, want seats %v, after a roll", name, s, seats)
			}
		}
		if len(asked) != len(seats) {
			t.Errorf("%s was asked in seats %v, want %v", name, asked, seats)
		}
	}
	check("the opponent one place on", spies[0], 2)
	check("the opponent two places on", spies[1], 3)
	check("the opponent three places on", spies[2], 0)
	check("the one for all", one, 2, 3, 0)
}

// TestSoloRewards checks the reward of each kind of end, by hand.
func TestSoloRewards(t *testing.T) {
	for _, players := range []int{2, 3, 5} {
		loss := -1 / float64(players-1)
		solo := newSolo(t, pigGame(players, 20), env.SoloOptions{Seat: players - 1, Opponents: alike(players-1, holdAt(6))})
		wins, losses := 0, 0
		for seed := range uint64(200) {
			_, info := solo.Reset(seed)
			for n := 1; info.Legal != 0; n++ {
				step := stepSolo(t, solo, env.Roll)
				info = step.info
				want := soloStep{info: env.Info{Legal: info.Legal, Steps: n}}
				switch winner := solo.State().Seat; {
				case !solo.State().Over:
					if info.Legal == 0 {
						t.Fatalf("seed %d: no legal action in %+v", seed, solo.State())
					}
				case winner == int8(players-1):
					want.reward, want.terminated, want.info.WinShare, want.info.Legal = 1, true, 1, 0
					wins++
				default:
					want.reward, want.terminated, want.info.Legal = loss, true, 0
					losses++
				}
				if step.reward != want.reward || step.terminated != want.terminated || step.truncated || step.info != want.info {
					t.Fatalf("seed %d: Step(roll) to %+v = %+v, want %+v", seed, solo.State(), step, want)
				}
			}
		}
		if wins == 0 || losses == 0 {
			t.Errorf("%d players: %d wins and %d losses, want some of both", players, wins, losses)
		}
	}
}

// TestSoloLostBeforeItsTurn plays to a target of 2, where the first player
// wins with its first roll unless that is a 1. The episode then has the one
// formal step that Reset documents.
func TestSoloLostBeforeItsTurn(t *testing.T) {
	solo := newSolo(t, pigGame(3, 2), env.SoloOptions{Seat: 2, Opponents: alike(2, holdAt(1))})
	lost := 0
	for seed := range uint64(600) {
		observation, info := solo.Reset(seed)
		s := solo.State()
		if !s.Over {
			continue
		}
		lost++
		if want := []int16{0, 0, s.Scores[0], s.Scores[1]}; !slices.Equal(observation, want) || info != (env.Info{Legal: env.RollOnly}) {
			t.Fatalf("Reset(%d) = %v, %+v, want %v, legal roll only", seed, observation, info, want)
		}
		for _, a := range []env.Action{env.Hold, 2} {
			if _, _, _, _, _, err := solo.Step(a); !errors.Is(err, env.ErrIllegal) {
				t.Fatalf("Step(%v) after a lost start: error %v, want %v", a, err, env.ErrIllegal)
			}
		}
		skipped := solo.Clone()
		step := stepSolo(t, solo, env.Roll)
		if !slices.Equal(step.observation, observation) || step.reward != -0.5 || !step.terminated || step.truncated || step.info != (env.Info{Steps: 1}) {
			t.Fatalf("Step(roll) after a lost start = %+v, want the same observation, reward -0.5, terminated", step)
		}
		if _, _, _, _, _, err := solo.Step(env.Roll); err != env.ErrNoEpisode {
			t.Fatalf("Step(roll) after the formal step: error %v, want %v", err, env.ErrNoEpisode)
		}
		for range 5 { // the formal step rolled no dice
			solo.ResetNext()
			skipped.ResetNext()
			if solo.State() != skipped.State() {
				t.Fatalf("after the formal step the next episode begins in %+v, want %+v", solo.State(), skipped.State())
			}
		}
	}
	// Both others bust in 1 of 36 starts.
	envtest.CheckFrequencies(t, "starts that are lost", []int{lost, 600 - lost}, []int{35, 1})
}

func TestNewSoloErrors(t *testing.T) {
	p := holdAt(20)
	for _, test := range []struct {
		players int
		options env.SoloOptions
		is      error
		text    string
	}{
		{2, env.SoloOptions{}, env.ErrOpponents, "env: bad opponents: 0 for 1 other seats; give one for each, or one for all"},
		{2, env.SoloOptions{Opponents: alike(2, p)}, env.ErrOpponents, "env: bad opponents: 2 for 1 other seats; give one for each, or one for all"},
		{4, env.SoloOptions{Opponents: alike(2, p)}, env.ErrOpponents, "env: bad opponents: 2 for 3 other seats; give one for each, or one for all"},
		{4, env.SoloOptions{Opponents: alike(4, p)}, env.ErrOpponents, "env: bad opponents: 4 for 3 other seats; give one for each, or one for all"},
		{2, env.SoloOptions{Opponents: []env.Player{nil}}, env.ErrOpponents, "env: bad opponents: number 0 is nil"},
		{3, env.SoloOptions{Opponents: []env.Player{p, nil}}, env.ErrOpponents, "env: bad opponents: number 1 is nil"},
		{2, env.SoloOptions{Seat: -1, Opponents: alike(1, p)}, nil, "env: seat -1 is not in [0, 2)"},
		{2, env.SoloOptions{Seat: 2, Opponents: alike(1, p)}, nil, "env: seat 2 is not in [0, 2)"},
		{2, env.SoloOptions{StepLimit: -1, Opponents: alike(1, p)}, nil, "env: step limit -1 or first 0 is out of range"},
	} {
		solo, err := env.NewSolo(pigGame(test.players, 100), test.options)
		if err == nil || err.Error() != test.text || test.is != nil && !errors.Is(err, test.is) || solo != nil {
			t.Errorf("NewSolo(%d players, %+v) = %v, %v, want error %s", test.players, test.options, solo, err, test.text)
		}
	}
}

// TestChoose checks how often a player rolls, and that only a chance between
// 0 and 1 draws from the generator.
func TestChoose(t *testing.T) {
	underWay := env.State{TurnTotal: 5}
	for _, test := range []struct {
		p     coin
		s     env.State
		rolls int // of 10
		draws bool
	}{
		{0, underWay, 0, false},
		{1, underWay, 10, false},
		{0.3, underWay, 3, true},
		{0.9, underWay, 9, true},
		{0, env.State{}, 10, false}, // a turn begins with a roll
		{0.3, env.State{}, 10, false},
	} {
		t.Run(fmt.Sprintf("chance %v at %d", test.p, test.s.TurnTotal), func(t *testing.T) {
			const n = 10_000
			r := env.NewRand(1)
			untouched := r
			counts := make([]int, env.NumActions)
			for range n {
				counts[env.Choose(test.p, test.s, &r)]++
			}
			switch test.rolls {
			case 0, 10:
				if want := n * test.rolls / 10; counts[env.Roll] != want {
					t.Errorf("rolled %d times of %d, want %d", counts[env.Roll], n, want)
				}
			default:
				envtest.CheckFrequencies(t, "holds and rolls", counts, []int{10 - test.rolls, test.rolls})
			}
			if drew := r != untouched; drew != test.draws {
				t.Errorf("drew from the generator: %t, want %t", drew, test.draws)
			}
		})
	}
}
