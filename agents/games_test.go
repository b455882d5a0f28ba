package agents

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

var long = flag.Bool("long", false, "run the tests that take minutes")

// sized returns how much a test does: quick, or the whole with -long.
func sized[T any](quick, whole T) T {
	if *long {
		return whole
	}
	return quick
}

// indexOf returns a numbering of g's states.
func indexOf(g env.Game, abstraction policies.Abstraction) policies.StateIndex {
	index, err := policies.NewStateIndex(g, abstraction)
	if err != nil {
		panic(err)
	}
	return index
}

func game(variant string, players, target int) env.Game {
	return env.Must(env.New(env.Config{Variant: variant, Players: players, Target: target}))
}

// pigIndex numbers every state of the one-die game.
func pigIndex(players, target int) policies.StateIndex {
	return indexOf(game("pig", players, target), policies.FullAbstraction)
}

// smallTarget returns a target of a variant, about 5, at which games are short.
func smallTarget(v *env.Variant) int { return min(max(5, v.Target.Min), v.Target.Max) }

// forEachSmallGame runs a test for every variant with one to three players, a
// target of about 5, and each numbering of the states that stays small.
func forEachSmallGame(t *testing.T, test func(t *testing.T, index policies.StateIndex)) {
	for _, v := range env.Variants() {
		for players := v.MinPlayers; players <= min(3, v.MaxPlayers); players++ {
			g := game(v.ID, players, smallTarget(v))
			for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
				index := indexOf(g, abstraction)
				if players <= 2 && abstraction == policies.SummaryAbstraction || index.Size() > 1<<20 {
					continue // the same as the full ones; slow to compare
				}
				t.Run(fmt.Sprintf("%v, %s states", g, abstraction), func(t *testing.T) { test(t, index) })
			}
		}
	}
}

// gamesOfTwo returns every variant's games of one and two players, with every
// option also switched, to the targets that the variant has; if it has none of
// them, to its least.
func gamesOfTwo(targets ...int) (games []env.Game) {
	for _, v := range env.Variants() {
		has := slices.DeleteFunc(slices.Clone(targets), func(x int) bool { return x < v.Target.Min || x > v.Target.Max })
		if len(has) == 0 {
			has = []int{v.Target.Min}
		}
		options := []map[string]bool{nil}
		for _, o := range v.Options {
			options = append(options, map[string]bool{o.Name: !o.Default})
		}
		for players := v.MinPlayers; players <= 2; players++ {
			for _, target := range has {
				for _, o := range options {
					games = append(games, env.Must(env.New(env.Config{Variant: v.ID, Players: players, Target: target, Options: o})))
				}
			}
		}
	}
	return games
}

// forEachRecipe runs a test for every recipe of every kind.
func forEachRecipe(t *testing.T, test func(t *testing.T, r Recipe)) {
	for _, k := range Kinds() {
		for _, r := range k.Recipes {
			t.Run(k.Name+"/"+r.Name, func(t *testing.T) { test(t, r) })
		}
	}
}

// textbooks returns, by the names of their kinds, the textbook recipes whose
// agents estimate both actions in a table of values, which the tests read.
func textbooks() map[string]Recipe {
	all := make(map[string]Recipe)
	for _, k := range Kinds() {
		r := k.Recipes[len(k.Recipes)-1]
		if _, ok := newAgent(r, Config{Index: pigIndex(2, 2)}).(*textbook); ok {
			all[k.Name] = r
		}
	}
	return all
}

// A tuning is a typed form of the settings of the recipes here.
type tuning struct {
	Expected        bool // updates
	StepSize        StepSize
	Epsilon         Epsilon
	ExploringStarts bool
}

// of returns those settings that r has.
func (s tuning) of(r Recipe) Settings {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	word := func(on bool, yes, no string) string {
		if on {
			return yes
		}
		return no
	}
	all := Settings{
		"update":    word(s.Expected, "expected", "sample"),
		"step-size": s.StepSize.String(), "step-size-floor": number(s.StepSize.Floor),
		"epsilon": number(s.Epsilon.Start), "epsilon-floor": number(s.Epsilon.Floor), "epsilon-halving": fmt.Sprint(s.Epsilon.Halving),
		"starts": word(s.ExploringStarts, "exploring", "game"), "smoothing": "off",
	}
	maps.DeleteFunc(all, func(name, _ string) bool { _, ok := r.Setting(name); return !ok })
	resolved, err := r.Resolve(game("pig", 2, 10), all)
	if err != nil {
		panic(err)
	}
	return resolved
}

// newAgent returns a new agent that follows r.
func newAgent(r Recipe, c Config) Agent {
	a, err := r.New(c)
	if err != nil {
		panic(err)
	}
	return a
}

// newTextbookOf returns an agent that follows a textbook recipe.
func newTextbookOf(r Recipe, index policies.StateIndex, s tuning, seed uint64, stepLimit int) *textbook {
	return newAgent(r, Config{Index: index, Settings: s.of(r), Seed: seed, StepLimit: stepLimit}).(*textbook)
}

// valuesOf returns what an agent that follows a textbook recipe has learned.
func valuesOf(a Agent) *values { return a.(*textbook).values }

// savedState returns an agent's state.
func savedState(t testing.TB, a Agent) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := a.WriteState(&b); err != nil {
		t.Fatalf("WriteState: %v", err)
	}
	return b.Bytes()
}

// perfectPlay solves a game of one or two players.
func perfectPlay(t testing.TB, g env.Game) *exact.Solution {
	t.Helper()
	s, err := exact.Solve(t.Context(), g, exact.Options{Workers: 1})
	if err != nil {
		t.Fatalf("Solve(%v): %v", g, err)
	}
	return s
}

// compare plays p against perfect play, exactly.
func compare(t testing.TB, p policies.Policy, perfect *exact.Solution) exact.Comparison {
	t.Helper()
	c, err := exact.Compare(t.Context(), perfect.Game(), p, perfect, exact.Options{Workers: 1})
	if err != nil {
		t.Fatalf("Compare: %v", err)
	}
	return c
}

// A view is what the mover in a game of one or two sees of a state, as far as a
// index tells it apart.
type view struct{ own, turnTotal, other, seatsAfter int }

// highestScore returns the highest score that an index tells from all others.
func highestScore(g env.Game) int {
	if g.Variant().Ending == env.AfterRound {
		return g.Target() + policies.BeyondTarget - 1
	}
	return g.Target() - 1
}

func see(g env.Game, s env.State) view {
	v := view{own: int(s.Scores[s.Seat])}
	v.turnTotal = min(int(s.TurnTotal), highestScore(g)-v.own)
	if g.Players() == 2 {
		v.other = min(int(s.Scores[1-s.Seat]), highestScore(g))
		if g.Variant().Ending == env.AfterRound && s.Seat == s.First {
			v.seatsAfter = 1
		}
	}
	return v
}
