package server_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pigpen/cmd/pigpen/server"
	"pigpen/env"
)

// toss is a variant that is not one of package env.
var toss = &env.Variant{
	ID: "toss", MinPlayers: 2, MaxPlayers: 2, Target: env.Range{Min: 1, Max: 9, Default: 3}, Dice: 1, Faces: 2,
	Roll: func(dice []int, _ int, _ env.Options) env.Outcome {
		if dice[0] == 1 {
			return env.Outcome{Effect: env.Bust}
		}
		return env.Outcome{Effect: env.Gain, Points: 1}
	},
}

// TestServeOwn serves a variant of Own beside that of the game, and names both in hello.
func TestServeOwn(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader(`{"op":"hello"}
{"op":"make","variant":"toss","opponents":["hold-2"]}
{"op":"make","variant":"flip"}
`)
	o := server.Options{Game: env.Must(env.New(env.Config{})), Own: []*env.Variant{toss}, Program: "tosser 2"}
	if err := server.Serve(t.Context(), o, in, &out); err != nil {
		t.Fatal(err)
	}
	var hello struct {
		Program  string
		Variants []struct{ Variant string }
		Format   string
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d replies, want 3:\n%s", len(lines), out.String())
	}
	if err := json.Unmarshal([]byte(lines[0]), &hello); err != nil {
		t.Fatal(err)
	}
	if n := len(env.Variants()); len(hello.Variants) != n+1 || hello.Variants[n].Variant != "toss" || hello.Program != "tosser 2" || hello.Format != "jsonl" {
		t.Errorf("hello says %+v, want toss behind %d variants, of tosser 2 in jsonl", hello, n)
	}
	if !strings.Contains(lines[1], `"ok":true`) || !strings.Contains(lines[1], `"target":3`) {
		t.Errorf("make of toss: %s", lines[1])
	}
	if !strings.Contains(lines[2], `"ok":false`) || !strings.Contains(lines[2], "toss, pig,") {
		t.Errorf("make of flip: %s, want an error that lists toss before the others", lines[2])
	}
}

// TestServeErrors serves with one option that is wrong.
func TestServeErrors(t *testing.T) {
	pig := env.Must(env.New(env.Config{}))
	for text, o := range map[string]server.Options{
		"no game":             {},
		`format "xml"`:        {Game: pig, Format: "xml"},
		"-1 workers":          {Game: pig, Workers: -1},
		"request of 63 bytes": {Game: pig, MaxFrame: 63},
		"bad variant":         {Game: pig, Own: []*env.Variant{{ID: "x"}}},
	} {
		if err := server.Serve(t.Context(), o, strings.NewReader(""), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("Serve(%+v) = %v, want an error with %q", o, err, text)
		}
	}
}
