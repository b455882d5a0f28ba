package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// TestImport hands over every decision of a policy, in both formats, and gets
// its table.
func TestImport(t *testing.T) {
	for _, format := range formats {
		for _, config := range []env.Config{{Variant: "pig", Players: 2, Target: 15}, {Variant: "pig-last-round", Players: 2, Target: 4}, {Variant: "cochon", Players: 2, Target: 10}} {
			g := env.Must(env.New(config))
			layout, err := policies.NewLayout(g, policies.FullStates)
			must(err)
			race, err := policies.Named(t.Context(), "race", g, exact.Options{})
			must(err)
			var all []int16
			var actions []uint8
			var lines strings.Builder
			for _, s := range layout.All() {
				if g.Validate(s) != nil {
					continue
				}
				action := env.Roll
				if s.TurnTotal > 0 {
					action = likelier(race.RollChance(s))
				}
				from := len(all)
				all = g.Observe(all, s, int(s.Seat))
				actions = append(actions, uint8(action))
				fmt.Fprintf(&lines, "{\"observation\":%s,\"action\":%d}\n", column{all[from:], 0}.appendJSON(nil), action)
			}
			in := []byte(lines.String())
			if format == "msgpack" {
				in = pack(map[string]any{"observations": column{all, 0}.packed(), "actions": actions})
			}
			path := filepath.Join(t.TempDir(), "p.msgpack")
			args := []string{"import", "--format", format, "--variant", config.Variant, "--players", fmt.Sprint(config.Players), "--target", fmt.Sprint(config.Target), "--out", path}
			var out, stderr bytes.Buffer
			if status := run(t.Context(), args, bytes.NewReader(in), &out, &stderr); status != statusDone {
				t.Fatalf("%v: status %d, %s", args, status, stderr.String())
			}
			f, err := policies.Load(path)
			must(err)
			for i, s := range layout.All() {
				want := s.TurnTotal == 0 || g.Validate(s) == nil && race.RollChance(s) == 1
				if f.Table.Rolls(i) != want {
					t.Fatalf("%v: rolls in %+v: %t, want %t", args, s, f.Table.Rolls(i), want)
				}
			}
		}
	}
}

// TestImportMap feeds maps of msgpack that are wrong.
func TestImportMap(t *testing.T) {
	good := map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{1}}
	for _, test := range []struct {
		in   []byte
		says string
	}{
		{nil, "it is empty; it should be one map"},
		{pack(7), "the input is one map"},
		{append(pack(good), 0), "something follows it"},
		{pack(good)[:10], "ends inside a value"},
		{pack(map[string]any{"observations": [][]int{{0, 0, 0}}}), `"actions" is missing`},
		{pack(map[string]any{"observations": [][]int{{0, 0, 0}}, "actions": []int{1, 1}}), "2 actions and 3 numbers of observations"},
		{pack(map[string]any{"observations": [][]int{{0, 5, 0}, {0, 5, 0}}, "actions": []int{1, 0}}), "row 1: the state [0 5 0]"},
		{pack(map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{2}}), "row 0: action 2; an action is 0 (hold) or 1 (roll)"},
	} {
		var stderr bytes.Buffer
		path := filepath.Join(t.TempDir(), "p.msgpack")
		status := run(t.Context(), []string{"import", "--format", "msgpack", "--out", path}, bytes.NewReader(test.in), io.Discard, &stderr)
		if status != statusFailed || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("import of %x: status %d, %q, want %q", test.in, status, stderr.String(), test.says)
		}
	}
}

// FuzzImport reads any bytes as decisions, in both formats. What is taken makes a
// policy that rolls where it must.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"observation":[0,5,0],"action":0}` + "\n" + `{"action":1,"observation":[3,0,9]}`))
	f.Add([]byte(`{"observation":[],"action":2}`))
	f.Add(pack(map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{1}}))
	f.Add(pack(map[string]any{"observations": column{[]int16{0, 5, 0, 1, 0, 9}, 0}.packed(), "actions": []byte{1, 1}}))
	layout, err := policies.NewLayout(env.Must(env.New(env.Config{Target: 10})), policies.FullStates)
	must(err)
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, msgpack := range []bool{false, true} {
			table := newImportedTable(layout)
			read := table.readLines
			if msgpack {
				read = table.readMap
			}
			if read(bytes.NewReader(in)) != nil {
				continue
			}
			for i, s := range layout.All() {
				if s.TurnTotal == 0 && !table.table.Rolls(i) {
					t.Errorf("%q: the policy holds in %+v", in, s)
				}
			}
			if table.count > len(in) {
				t.Errorf("%q: %d decisions", in, table.count)
			}
		}
	})
}
