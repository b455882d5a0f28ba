package main

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// TestHello checks what a session says of itself, with a policy and without.
func TestHello(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "race")
		a := c.ask("hello")
		for name, want := range map[string]any{
			"protocol": protocolVersion, "program": "pigpen " + version, "format": format, "policy": "race", "variant": "pig", "players": 2.0,
			"target": 100.0, "options": map[string]any{}, "fingerprint": c.game.Fingerprint(), "sample": false, "seed": 1.0,
			"actions": []any{"hold", "roll"},
			"limits":  map[string]any{"max_frame": 64.0 * 1024 * 1024, "max_envs": float64(maxEnvs), "max_games": float64(maxGames), "max_policy_bytes": float64(defaultPolicyBytes)},
			"files":   "any",
		} {
			if !reflect.DeepEqual(a[name], want) {
				t.Errorf("%s: hello says that %s is %v, want %v", format, name, a[name], want)
			}
		}
		if n := len(a["policies"].([]any)); n != len(policies.FixedPolicies()) {
			t.Errorf("%s: %d policies", format, n)
		}
		var variants, columns []string
		for _, v := range a["variants"].([]any) {
			variants = append(variants, v.(map[string]any)["variant"].(string))
		}
		for _, v := range a["observation"].([]any) {
			columns = append(columns, v.(map[string]any)["name"].(string))
		}
		var want []string
		for _, v := range env.Variants() {
			want = append(want, v.ID)
		}
		if !slices.Equal(variants, want) || !slices.Equal(columns, []string{"own_score", "turn_total", "score_1"}) {
			t.Errorf("%s: variants %v, columns %v", format, variants, columns)
		}
		c.policy = nil
		if a := c.ask("hello"); a["policy"] != nil {
			t.Errorf("%s: without a policy, hello says %v", format, a["policy"])
		}
	}
}

// TestBytesRepeat checks that a session that is repeated writes the same bytes.
func TestBytesRepeat(t *testing.T) {
	for _, format := range formats {
		var first []byte
		for range 20 {
			c := newClient(t, format, "race")
			out := c.send(slices.Concat(
				c.written(field{"op", "hello"}), c.written(field{"op", "make"}, field{"variant", "cochon"}), c.written(field{"op", "reset"}, field{"env", 1}),
			))
			if first == nil {
				first = out
			} else if !bytes.Equal(out, first) {
				t.Fatalf("%s: the session writes\n%q, and\n%q before", format, out, first)
			}
		}
	}
}

// TestDTypes checks that every column of a reply is of the type that hello
// names, and that every name is one of a field.
func TestDTypes(t *testing.T) {
	c := newClient(t, "msgpack", "optimal")
	names := map[string]bool{}
	see := func(fields []field, wrong *replyError) {
		t.Helper()
		if wrong != nil {
			t.Fatal(wrong)
		}
		for _, f := range fields {
			if col, ok := f.value.(column); ok {
				names[f.name] = true
				want := map[reflect.Kind]string{
					reflect.Bool: "|b1", reflect.Uint8: "|u1", reflect.Int8: "|i1", reflect.Int16: "<i2", reflect.Float32: "<f4", reflect.Float64: "<f8",
				}[reflect.TypeOf(col.values).Elem().Kind()]
				if dtypes[f.name] != want {
					t.Errorf("%s is %s, and hello says %q", f.name, want, dtypes[f.name])
				}
			}
		}
	}
	see(c.act(&request{given: []string{"observations"}, observations: rows{values: []int16{0, 5, 0}}, values: true}))
	see(c.makeEnvironment(&request{autoreset: env.AutoresetSameStep, ignoreIllegal: true, stepLimit: 1}))
	e := c.environments[1]
	see(e.reset(&request{}))
	see(e.step(&request{actions: []env.Action{env.Hold}}))
	for _, o := range ops {
		for _, f := range slices.Concat(o.required, o.optional) {
			if kinds[f].read == nil {
				t.Errorf("nothing reads the field %q of %s", f, o.name)
			}
			names[f] = true
		}
	}
	for name := range maps.Keys(dtypes) {
		if !names[name] {
			t.Errorf("hello names the type of %q, which no request or reply has", name)
		}
	}
}
