package trained_test

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/trained"
)

var long = flag.Bool("long", false, "run the tests that take minutes")

// load reads a policy of the list.
func load(name string) (policies.File, error) {
	data, _ := trained.Data(name)
	return policies.Read(bytes.NewReader(data))
}

// wipes reports whether a roll of g can cost the banked score.
func wipes(g env.Game) bool {
	return slices.ContainsFunc(g.Outcomes(g.Start(0)), func(c env.Chance) bool { return c.Effect == env.Wipe })
}

// TestScores computes what every policy is said to be worth. Without -long it
// leaves out best responses in games that wipe scores, which take many sweeps.
func TestScores(t *testing.T) {
	racedetector.Skip(t)
	solved := make(map[env.Game]func() (policies.Policy, error)) // once for all policies of a game
	for _, p := range trained.List() {
		t.Run(p.Name, func(t *testing.T) {
			f, err := load(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			index := f.Table.Index()
			g := index.Game()
			if solved[g] == nil {
				solved[g] = sync.OnceValues(func() (policies.Policy, error) {
					return policies.Named(context.Background(), "optimal", g, exact.Options{})
				})
			}
			optimal := solved[g]
			t.Parallel()
			perfect, err := optimal()
			if err != nil {
				t.Fatal(err)
			}
			c, err := exact.Compare(t.Context(), g, f.Table, perfect, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.WinMean(); math.Abs(got-p.WinMean) > 1e-12 {
				t.Errorf("it wins %.15f against optimal, and the list says %.15f", got, p.WinMean)
			}
			if p.Seconds <= 0 {
				t.Errorf("it took %v s", p.Seconds)
			}
			if wipes(g) && !*long {
				return
			}
			best, err := exact.BestResponse(t.Context(), g, f.Table, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := best.Exploitability(); math.Abs(got-p.Exploitability) > 1e-12 {
				t.Errorf("its exploitability is %.15f, and the list says %.15f", got, p.Exploitability)
			}
		})
	}
}

// TestList checks that the policies on the list are those in the folder, each
// for its variant as it is by default, and that each is named after the variant
// and the agent that its file and its command name.
func TestList(t *testing.T) {
	var listed []string
	for _, p := range trained.List() {
		if slices.Contains(listed, p.Name) {
			t.Errorf("List() has %s twice", p.Name)
		}
		listed = append(listed, p.Name)
		f, err := load(p.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		index, agent := f.Table.Index(), f.Provenance.Agent
		g := index.Game()
		id := g.Variant().ID
		if p.Name != id+"-"+agent || g != env.Must(env.New(env.Config{Variant: id})) || f.Provenance.Seed != 1 || f.Provenance.Steps == 0 {
			t.Errorf("%s is for %v, made by %s from seed %d in %d decisions", p.Name, g, agent, f.Provenance.Seed, f.Provenance.Steps)
		}
		if want := "pigpen train --variant " + id + " --agent " + agent + " "; !strings.HasPrefix(p.Command, want) || !strings.HasSuffix(p.Command, " --out "+p.Name+".msgpack") {
			t.Errorf("the command of %s is %q", p.Name, p.Command)
		}
	}
	if len(listed) == 0 {
		t.Error("List() is empty")
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".msgpack"); ok && !slices.Contains(listed, name) {
			t.Errorf("%s is not on the list", entry.Name())
		}
	}
}

// TestData asks for names that are not on the list.
func TestData(t *testing.T) {
	for _, name := range []string{"", "pig", "pig-qlerning", "pig-qlearning.msgpack", "../trained/pig-qlearning"} {
		if data, ok := trained.Data(name); ok || data != nil {
			t.Errorf("Data(%q) = %d bytes, %t", name, len(data), ok)
		}
	}
}
