package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// TestTrainLogThreePlayers resumes trainings of three players whose evaluations on the way
// are exact and simulated.
func TestTrainLogThreePlayers(t *testing.T) {
	for _, c := range []struct {
		target, every string
		exact         bool // on the way
	}{
		{"--target=30", "--eval-every=200k", true},
		{"--target=36", "--eval-every=200k", false}, // 863,136 decision points
	} {
		folder := t.TempDir()
		in := func(name string) string { return filepath.Join(folder, name) }
		train := func(args ...string) {
			t.Helper()
			var out, errs bytes.Buffer
			args = append([]string{"train", "--quiet"}, args...)
			if status := run(t.Context(), args, strings.NewReader(""), &out, &errs); status != statusDone {
				t.Fatalf("%v: status %d: %s", args, status, errs.String())
			}
		}
		flags := []string{"--players=3", "--recipe=textbook", "--eval-games=3k", c.target, c.every}
		train(append(flags, "--steps=600k", "--out="+in("a"), "--log="+in("a.csv"))...)
		train(append(flags, "--steps=300k", "--out="+in("b"), "--log="+in("b.csv"), "--checkpoint="+in("c"))...)
		train("--resume="+in("c"), "--steps=600k", "--out="+in("b"), "--log="+in("b.csv"), "--workers=1")
		whole, parts := rowsOf(t, in("a.csv")), rowsOf(t, in("b.csv"))
		if !slices.Equal(parts, whole) || len(whole) != 4 {
			t.Errorf("%v: resumed the log has\n%s\nwant\n%s", c, strings.Join(parts, "\n"), strings.Join(whole, "\n"))
		}
		for i, row := range whole {
			if exact := c.exact || i == len(whole)-1; exact != !strings.Contains(row, " NaN ") {
				t.Errorf("%v: row %d is %s", c, i, row)
			}
		}
	}
}

// rowsOf returns what the rows of a log say of scores.
func rowsOf(t *testing.T, path string) (rows []string) {
	t.Helper()
	list, err := train.ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		rows = append(rows, fmt.Sprint(r.Steps, " ", r.Exploitability, " ", r.WinMean))
	}
	return rows
}

// TestUnsettledRival trains where no equilibrium is found: against hold-20 unless optimal is
// asked for.
func TestUnsettledRival(t *testing.T) {
	for _, args := range [][]string{{"--players=3"}, {"--players=3", "--against=optimal"}} {
		fs := newFlags("train")
		f := addTrainFlags(fs)
		if err := fs.Parse(args); err != nil {
			t.Fatal(err)
		}
		p, err := f.newPlan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.Notes[againstFlag] != policies.Optimal {
			t.Errorf("%v: before anything is solved the checkpoint notes --against %s", args, p.Notes[againstFlag])
		}
		p.opponent = func(context.Context, exact.Options) (player, error) { return player{}, exact.ErrUnsettled }
		noted := ""
		rival, err := f.makeRival(t.Context(), &p, nil, func(format string, args ...any) { noted += fmt.Sprintf(format, args...) })
		if len(args) > 1 {
			if !errors.Is(err, exact.ErrUnsettled) {
				t.Errorf("%v: the error is %v", args, err)
			}
			continue
		}
		if err != nil || rival.name != commonRule || rival.policy == nil || p.Notes[againstFlag] != commonRule ||
			noted != "pigpen: train: no equilibrium of pig, 3 players, target 100 is found, so that scores are against hold-20" {
			t.Errorf("%v: the rival is %+v, %v; it notes %q and --against %s", args, rival, err, noted, p.Notes[againstFlag])
		}
	}
}

// TestExactOnTheWay checks which evaluations on the way are exact.
func TestExactOnTheWay(t *testing.T) {
	for _, c := range []struct {
		config env.Config
		every  int64
		want   bool
	}{
		{env.Config{Variant: "pig", Players: 2, Target: 1000}, 1, true},
		{env.Config{Variant: "pig", Players: 3, Target: 31}, 0, true},        // 476,656 decision points
		{env.Config{Variant: "pig", Players: 3, Target: 32}, 0, false},       // 540,672
		{env.Config{Variant: "pig", Players: 3, Target: 32}, 540_671, false}, // times 1
		{env.Config{Variant: "pig", Players: 3, Target: 32}, 540_672, true},
		{env.Config{Variant: "pig-snake-eyes", Players: 3, Target: 32}, 540_672, false},
		{env.Config{Variant: "pig-snake-eyes", Players: 3, Target: 32}, 50 * 540_672, true},
		{env.Config{Variant: "pig", Players: 5, Target: 100}, 1 << 60, false}, // which takes hours
	} {
		g, err := env.New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := exactOnTheWay(train.Config{Game: g, EvalEvery: c.every}); got != c.want {
			t.Errorf("exactOnTheWay(%v every %d) = %v, want %v", g, c.every, got, c.want)
		}
	}
}
