package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// jsonOf runs a command with --json and decodes what it prints.
func jsonOf[T any](t *testing.T, args ...string) (r T) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(t.Context(), append(args, "--json"), strings.NewReader(""), &out, &errs); status != statusDone {
		t.Fatalf("%v: status %d: %s", args, status, errs.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTrainThreePlayers compares the score of a training with that of eval, and its
// references with what all rules of thumb win.
func TestTrainThreePlayers(t *testing.T) {
	for _, c := range []struct {
		flags         []string
		against, best string // the rival, the best rule
	}{
		{[]string{"--players=3", "--target=45"}, policies.Optimal, "race"},
		{[]string{"--players=4", "--variant=piglet"}, policies.Optimal, "two-player"},
		{[]string{"--players=3", "--target=12", "--variant=pig-snake-eyes", "--against=hold-4"}, "hold-4", commonRule},
		{[]string{"--players=3", "--target=40", "--variant=pig-last-round"}, policies.Optimal, "two-player"},
	} {
		out := filepath.Join(t.TempDir(), "q.msgpack")
		trained := jsonOf[trainResult](t, append([]string{"train", "--steps=50k", "--eval-games=3k", "--quiet", "--out=" + out}, c.flags...)...)
		g := gameOf(t, trained.gameResult)
		eval := []string{"eval", out, "--against=" + c.against}
		if !exact.Evaluates(g) {
			eval = append(eval, "--games=3k")
		}
		if alone := jsonOf[policies.Report](t, eval...); !reflect.DeepEqual(trained.Score, alone) {
			t.Errorf("train %v scores %+v, and eval %+v", c.flags, trained.Score, alone)
		}
		got := make(map[string]float64)
		for _, r := range trained.References {
			got[r.Policy] = r.WinMean
			if r.Against != c.against || r.Method != trained.Score.Method || r.Simulated != nil && r.Simulated.Games != 3000 {
				t.Errorf("train %v has the reference %+v", c.flags, r)
			}
		}
		wins := make(map[string]float64)
		for _, name := range rules(g) {
			if name != policies.Optimal {
				wins[name] = winMean(t, g, name, c.against)
			}
		}
		want := map[string]float64{commonRule: wins[commonRule], c.best: wins[c.best]}
		if last := trained.References[len(trained.References)-1]; !maps.Equal(got, want) || last.Policy != c.best || wins[c.best] != slices.Max(slices.Collect(maps.Values(wins))) {
			t.Errorf("train %v has references %v; want %v of %v", c.flags, got, want, wins)
		}
	}
}

// winMean returns what a policy wins against another, in 3,000 games where it is not known
// exactly.
func winMean(t *testing.T, g env.Game, name, against string) float64 {
	t.Helper()
	var list [2]policies.Policy
	for i, name := range []string{name, against} {
		var err error
		if list[i], err = policies.Named(t.Context(), name, g, exact.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if exact.Evaluates(g) {
		c, err := exact.Compare(t.Context(), g, list[0], list[1], exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.WinMean()
	}
	tallies, err := policies.Simulate(t.Context(), g, list[0], list[1], policies.SimulateOptions{Games: 3000, Seed: 1, Workers: 1, StepLimit: policies.DefaultStepLimit})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, tally := range tallies {
		mean += tally.WinRate() / float64(len(tallies))
	}
	return mean
}

func gameOf(t *testing.T, r gameResult) env.Game {
	t.Helper()
	g, err := env.New(env.Config{Variant: r.Variant, Players: r.Players, Target: r.Target, Options: r.Options})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
