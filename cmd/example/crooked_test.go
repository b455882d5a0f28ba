package crooked_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crooked"

	"pigpen/cmd/pigpen/server"
	"pigpen/env"
	"pigpen/env/envtest"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// TestGame runs the suite that every variant of Pigpen must pass.
func TestGame(t *testing.T) {
	for _, players := range []int{2, 4} {
		envtest.TestGame(t, game(t, env.Config{Players: players, Target: 20}))
	}
}

func game(t *testing.T, c env.Config) env.Game {
	t.Helper()
	c.Variant = crooked.Game.ID
	g, err := env.New(c, crooked.Game)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestCrooked trains the learner on the game, saves and loads its policy, evaluates it
// exactly, and serves it.
func TestCrooked(t *testing.T) {
	ctx, g := context.Background(), game(t, env.Config{})
	folder := t.TempDir()
	checkpoint, path := filepath.Join(folder, "crooked.checkpoint"), filepath.Join(folder, "crooked.msgpack")
	c := train.Config{Game: g, Agent: crooked.Learner, Seed: 1, Length: train.Length{Episodes: 40_000}}
	whole, err := train.Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}

	// Half of the training, and the rest from a checkpoint, learn the same.
	half := c
	half.Length.Episodes, half.Checkpoint = 20_000, checkpoint
	if _, err := train.Run(ctx, half); err != nil {
		t.Fatal(err)
	}
	k, err := train.LoadCheckpoint(ctx, checkpoint, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if got, err := k.Game(crooked.Game); err != nil || got != g {
		t.Fatalf("the checkpoint is of %v, %v, want %v", got, err, g)
	}
	c.Resume = k
	resumed, err := train.Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	for file, result := range map[*bytes.Buffer]train.Result{&want: whole, &got: resumed} {
		if err := policies.Write(file, result.File); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Error("resuming changes the policy")
	}

	if err := policies.Save(path, whole.File); err != nil {
		t.Fatal(err)
	}
	if _, err := policies.Load(path); err == nil {
		t.Error("a program without the variant loads its policy")
	}
	file, err := policies.Load(path, crooked.Game)
	if err != nil {
		t.Fatal(err)
	}
	if file.Provenance.Agent != "bandit" || file.Provenance.Settings["arms"] != "30" {
		t.Errorf("the file is of %+v, want agent bandit with 30 arms", file.Provenance)
	}

	optimal, err := exact.Solve(ctx, g, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	score, err := exact.Compare(ctx, g, file.Table, optimal, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if wins := score.WinMean(); wins < 0.47 || wins > 0.5 {
		t.Errorf("the learned policy wins %.4f against perfect play, want 0.47 to 0.5", wins)
	}

	var replies bytes.Buffer
	requests := `{"id":1,"op":"act","observation":[0,1,0]}
{"id":2,"op":"make","opponents":["optimal"]}
{"id":3,"op":"make","variant":"pig","opponents":["hold-20"]}
{"id":4,"op":"act","observation":[0,40,0]}
`
	err = server.Serve(ctx, server.Options{Game: g, Policy: file.Table, Name: path}, strings.NewReader(requests), &replies)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(replies.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d replies to 4 requests: %s", len(lines), replies.String())
	}
	actions := []any{1.0, nil, nil, 0.0} // it rolls at 1 and holds at 40, above all its arms
	for i, variant := range []any{nil, "crooked-pig", "pig", nil} {
		var reply map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &reply); err != nil {
			t.Fatal(err)
		}
		if reply["ok"] != true || reply["variant"] != variant || reply["action"] != actions[i] {
			t.Errorf("reply %d is %s, want ok of variant %v, action %v", i+1, lines[i], variant, actions[i])
		}
	}
}

// TestDefaults learns the game with the default agent, recipe and settings.
func TestDefaults(t *testing.T) {
	ctx, g := context.Background(), game(t, env.Config{Target: 20})
	result, err := train.Run(ctx, train.Config{Game: g, Seed: 1, Length: train.Length{Steps: 1_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	optimal, err := exact.Solve(ctx, g, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	score, err := exact.Compare(ctx, g, result.File.Table, optimal, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if wins := score.WinMean(); math.Abs(wins-0.5) > 0.01 || result.File.Provenance.Agent != "qlearning" {
		t.Errorf("%s wins %.4f against perfect play, want qlearning within 0.01 of 0.5", result.File.Provenance.Agent, wins)
	}
}
