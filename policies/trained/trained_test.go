package trained_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/trained"
)

// TestScores computes what every policy is said to be worth.
func TestScores(t *testing.T) {
	for _, p := range trained.List() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			f, err := trained.Load(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			l := f.Table.Layout()
			g := l.Game()
			perfect, err := policies.Named(t.Context(), "optimal", g, exact.Options{})
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
			best, err := exact.BestResponse(t.Context(), g, f.Table, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := best.Exploitability(); math.Abs(got-p.Exploitability) > 1e-12 {
				t.Errorf("its exploitability is %.15f, and the list says %.15f", got, p.Exploitability)
			}
			if p.Seconds <= 0 {
				t.Errorf("it took %v s", p.Seconds)
			}
		})
	}
}

// TestList holds that there is one policy for each variant, as it is by
// default, and each agent, that its command says so, and that the folder has
// nothing else.
func TestList(t *testing.T) {
	var want, got []string
	for _, v := range env.Variants() {
		g := env.Must(env.New(env.Config{Variant: v.ID}))
		for _, agent := range []string{"qlearning", "montecarlo"} {
			want = append(want, v.ID+"-"+agent)
			f, err := trained.Load(v.ID + "-" + agent)
			if err != nil {
				t.Error(err)
				continue
			}
			if l := f.Table.Layout(); l.Game() != g || f.Made.Agent != agent || f.Made.Seed != 1 || f.Made.Steps == 0 {
				t.Errorf("%s-%s is for %v, made by %s from seed %d in %d decisions", v.ID, agent, l.Game(), f.Made.Agent, f.Made.Seed, f.Made.Steps)
			}
		}
	}
	for _, p := range trained.List() {
		got = append(got, p.Name)
		variant, agent := p.Name[:strings.LastIndex(p.Name, "-")], p.Name[strings.LastIndex(p.Name, "-")+1:]
		if want := "pigpen train --variant " + variant + " --agent " + agent + " "; !strings.HasPrefix(p.Command, want) || !strings.HasSuffix(p.Command, " --out "+p.Name+".msgpack") {
			t.Errorf("the command of %s is %q", p.Name, p.Command)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("List() has %v, want %v", got, want)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".msgpack"); ok && !slices.Contains(want, name) {
			t.Errorf("%s is not on the list", entry.Name())
		}
	}
}

func TestUnknown(t *testing.T) {
	_, err := trained.Load("pig-qlerning")
	if !errors.Is(err, trained.ErrUnknown) || !strings.HasPrefix(err.Error(), `trained: unknown policy "pig-qlerning"; did you mean "pig-qlearning"? they are pig-qlearning, pig-montecarlo, `) {
		t.Errorf("Load(pig-qlerning): %v", err)
	}
}
