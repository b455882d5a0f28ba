package env_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest"
	"pigpen/env/envtest/racedetector"
)

var update = flag.Bool("update", false, "rewrite the golden playthroughs")

// smallTarget returns the default target of a variant or, where the variant
// has it, a smaller one at which a game is over soon.
func smallTarget(v *env.Variant) int {
	return max(v.Target.Min, min(v.Target.Default, 25))
}

// gamesOf returns games of a variant: the fewest players, three and the most,
// with the least target, a small one and the default, and each option changed.
// Without -long three players play to the small target alone, and the most to
// the least.
func gamesOf(v *env.Variant) []env.Game {
	var games []env.Game
	seen := make(map[env.Game]bool)
	add := func(c env.Config) {
		if g := env.Must(env.New(c)); !seen[g] {
			seen[g] = true
			games = append(games, g)
		}
	}
	for _, target := range []int{v.Target.Min, smallTarget(v), v.Target.Default} {
		for _, players := range []int{v.MinPlayers, env.DefaultPlayers, 3, v.MaxPlayers} {
			if !*env.Long && (players == 3 && target != smallTarget(v) || players == v.MaxPlayers && players > 3 && target != v.Target.Min) {
				continue
			}
			add(env.Config{Variant: v.ID, Players: players, Target: target})
		}
	}
	for _, o := range v.Options {
		add(env.Config{Variant: v.ID, Options: map[string]bool{o.Name: !o.Default}})
	}
	return games
}

// forEachGame runs a subtest on games of every variant.
func forEachGame(t *testing.T, test func(t *testing.T, g env.Game)) {
	for _, v := range env.Variants() {
		for _, g := range gamesOf(v) {
			t.Run(g.String(), func(t *testing.T) {
				t.Parallel()
				test(t, g)
			})
		}
	}
}

func TestGames(t *testing.T) {
	racedetector.Skip(t)
	forEachGame(t, envtest.TestGame)
}

// matchEnv adapts a Match for the conformance suite.
type matchEnv struct{ *env.Match }

func (e matchEnv) view(terminated, truncated bool) envtest.View {
	v := envtest.View{
		State: e.State(), Seat: int(e.State().Seat), Observation: e.Observe(nil), Legal: e.Legal(),
		Rewards: make(map[int]float64), Terminated: terminated, Truncated: truncated,
	}
	for seat := range e.Game().Players() {
		v.Rewards[seat] = e.Reward(seat)
	}
	return v
}

func (e matchEnv) Reset(seed uint64) envtest.View {
	e.Match.Reset(seed)
	return e.view(false, false)
}

func (e matchEnv) ResetNext() envtest.View {
	e.Match.ResetNext()
	return e.view(false, false)
}

func (e matchEnv) Step(a env.Action) (envtest.View, error) {
	terminated, truncated, err := e.Match.Step(a)
	return e.view(terminated, truncated), err
}

func (e matchEnv) Clone() envtest.Environment { return matchEnv{e.Match.Clone()} }

// soloEnv adapts a Solo for the conformance suite.
type soloEnv struct {
	*env.Solo
	seat int
}

func (e soloEnv) view(observation []int16, info env.Info) envtest.View {
	return envtest.View{State: e.State(), Seat: e.seat, Observation: observation, Legal: info.Legal}
}

func (e soloEnv) Reset(seed uint64) envtest.View { return e.view(e.Solo.Reset(seed)) }
func (e soloEnv) ResetNext() envtest.View        { return e.view(e.Solo.ResetNext()) }

func (e soloEnv) Step(a env.Action) (envtest.View, error) {
	observation, reward, terminated, truncated, info, err := e.Solo.Step(a)
	v := e.view(observation, info)
	v.Rewards = map[int]float64{e.seat: reward}
	v.Terminated, v.Truncated = terminated, truncated
	return v, err
}

func (e soloEnv) Clone() envtest.Environment { return soloEnv{e.Solo.Clone(), e.seat} }

// newSolo returns a Solo, which must be possible.
func newSolo(t testing.TB, g env.Game, o env.SoloOptions) *env.Solo {
	t.Helper()
	s, err := env.NewSolo(g, o)
	if err != nil {
		t.Fatalf("NewSolo(%v, %+v): %v", g, o, err)
	}
	return s
}

func TestEnvironments(t *testing.T) {
	forEachGame(t, func(t *testing.T, g env.Game) {
		if g.Target() > smallTarget(g.Variant()) {
			t.Skip("its episodes are long, and the rules are tested elsewhere")
		}
		last := g.Players() - 1
		for _, test := range []struct {
			first env.First
			seat  int // the learner's
		}{{env.FirstSeat0, 0}, {env.FirstSeat0, last}, {env.FirstRandom, last}} {
			t.Run(fmt.Sprintf("solo in seat %d, first %d", test.seat, test.first), func(t *testing.T) {
				envtest.TestEnvironment(t, func(limit int) envtest.Environment {
					o := env.SoloOptions{Seat: test.seat, Opponents: alike(last, coin(0.7)), StepLimit: limit, First: test.first}
					return soloEnv{newSolo(t, g, o), test.seat}
				})
			})
		}
		for _, first := range []env.First{env.FirstSeat0, env.FirstRandom} {
			t.Run(fmt.Sprintf("match, first %d", first), func(t *testing.T) {
				envtest.TestEnvironment(t, func(limit int) envtest.Environment {
					return matchEnv{env.NewMatch(g, env.MatchOptions{StepLimit: limit, First: first})}
				})
			})
		}
	})
}

// TestPlaythroughs compares an episode of every variant with the text in
// testdata/playthroughs; "go test ./env -run Playthroughs -update" rewrites it.
func TestPlaythroughs(t *testing.T) {
	const folder, maxSteps = "testdata/playthroughs", 60
	known := make(map[string]bool)
	for _, v := range env.Variants() {
		known[v.ID+".txt"] = true
		t.Run(v.ID, func(t *testing.T) {
			g := env.Must(env.New(env.Config{Variant: v.ID, Target: smallTarget(v)}))
			seed, err := envtest.PlaythroughSeed(g, maxSteps)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := envtest.Playthrough(&got, g, seed); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, v.ID+".txt")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; -update writes it", err)
			}
			gotLines, wantLines := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
			for i := range max(len(gotLines), len(wantLines)) {
				if i >= len(gotLines) || i >= len(wantLines) || !bytes.Equal(gotLines[i], wantLines[i]) {
					t.Fatalf("the playthrough differs from %s from line %d on; got\n%s", file, i+1, bytes.Join(gotLines[min(i, len(gotLines)):], []byte("\n")))
				}
			}
		})
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("%s/%s belongs to no variant", folder, e.Name())
		}
	}
}

// TestReachable pins the number of states that play can reach, counted by a
// separate program.
func TestReachable(t *testing.T) {
	for _, test := range []struct{ players, target, states, ends int }{
		{2, 2, 12, 10},
		{2, 10, 792, 108},
		{3, 6, 1350, 450},
		{2, 20, 6802, 228},
	} {
		states, all := envtest.Reachable(pigGame(test.players, test.target), 10_000)
		ends := 0
		for _, s := range states {
			if s.Over {
				ends++
			}
		}
		if !all || len(states) != test.states || ends != test.ends {
			t.Errorf("Reachable(%v) = %d states (all: %t), %d of them ends, want %d and %d",
				pigGame(test.players, test.target), len(states), all, ends, test.states, test.ends)
		}
	}
}
