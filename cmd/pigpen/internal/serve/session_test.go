package serve

import (
	"bytes"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// program is what hello says of the program in tests.
const program = "pigpen test"

// A variant is what hello says of a variant in tests.
type variant struct {
	Variant string `json:"variant"`
}

// newTestSession returns a session of a format that serves the policy called name,
// a fixed policy or a file; "" stands for none.
func newTestSession(t testing.TB, format, name string) *session {
	t.Helper()
	o := Options{
		Format: format, MaxFrame: 64 << 20, Game: env.Must(env.New(env.Config{})), Seed: 1, Workers: 2,
		Files: policies.Disk{}, MaxPolicyBytes: DefaultPolicyBytes, Program: program,
		Message: func(err error) string { return strings.NewReplacer("env: ", "", "policies: ", "").Replace(err.Error()) },
	}
	variants := []variant{}
	for _, v := range env.Variants() {
		variants = append(variants, variant{v.ID})
	}
	o.Variants = variants
	switch {
	case name == "":
	case policies.OriginOf(name) == policies.FromRule:
		p, err := policies.Named(t.Context(), name, o.Game, exact.Options{Workers: 1})
		must(err)
		o.Policy = &Policy{Name: name, Policy: p}
	default:
		f, err := policies.Load(name)
		must(err)
		file, err := os.Stat(name)
		must(err)
		index := f.Table.Index()
		o.Policy, o.Game = &Policy{Name: name, Policy: f.Policy(), File: file}, index.Game()
	}
	return newSession(t.Context(), o)
}

// TestHello checks what a session says of itself, with a policy and without.
func TestHello(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "race")
		a := c.ask("hello")
		for name, want := range map[string]any{
			"protocol": ProtocolVersion, "program": program, "format": format, "policy": "race", "values": nil, "variant": "pig", "players": 2.0,
			"target": 100.0, "options": map[string]any{}, "fingerprint": c.Game.Fingerprint(), "sample": false, "seed": 1.0,
			"actions": []any{"hold", "roll"}, "effects": []any{"none", "hold", "gain", "bust", "wipe", "stop", "again"},
			"limits": map[string]any{"max_frame": 64.0 * 1024 * 1024, "max_envs": float64(maxEnvs), "max_games": float64(maxGames), "max_policy_bytes": float64(DefaultPolicyBytes)},
			"files":  "any",
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
		c.Policy = nil
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

// checkDeclared checks that a reply has no fields but those that the op declares,
// in that order.
func checkDeclared(t *testing.T, name string, fields []wire.Field) {
	t.Helper()
	for _, o := range ops() {
		if o.name != name {
			continue
		}
		at := 0
		for _, f := range fields {
			i := slices.IndexFunc(o.reply[at:], func(r result) bool { return r.name == f.Name })
			if i < 0 {
				t.Errorf("%s replies with the field %q, which it does not declare here: %v", name, f.Name, o.reply)
				return
			}
			at += i + 1
			if _, isColumn := f.Value.(wire.Column); isColumn != (o.reply[at-1].dtype != "") && name != "act" {
				t.Errorf("%s declares %+v, and replies with %T", name, o.reply[at-1], f.Value)
			}
		}
	}
}

// TestDTypes checks that every column of a reply is of the type that hello
// names, and that every name is one of a field.
func TestDTypes(t *testing.T) {
	c := newClient(t, "msgpack", "optimal")
	names := map[string]bool{}
	check := func(op string, fields []wire.Field, wrong *Error) {
		t.Helper()
		if wrong != nil {
			t.Fatal(wrong)
		}
		for _, f := range fields {
			if col, ok := f.Value.(wire.Column); ok {
				names[f.Name] = true
				want := map[reflect.Kind]string{
					reflect.Bool: "|b1", reflect.Uint8: "|u1", reflect.Int8: "|i1", reflect.Int16: "<i2", reflect.Int64: "<i8", reflect.Float32: "<f4", reflect.Float64: "<f8",
				}[reflect.TypeOf(col.Values).Elem().Kind()]
				if columnTypes[f.Name] != want {
					t.Errorf("%s is %s, and hello says %q", f.Name, want, columnTypes[f.Name])
				}
			}
		}
		checkDeclared(t, op, fields)
	}
	see := func(op string) func(fields []wire.Field, wrong *Error) {
		return func(fields []wire.Field, wrong *Error) { t.Helper(); check(op, fields, wrong) }
	}
	see("hello")(c.hello(nil))
	see("act")(c.act(&actRequest{observation: []int16{0, 5, 0}, values: true}))
	see("act")(c.act(&actRequest{observations: wire.Rows{Values: []int16{0, 5, 0}}, values: true}))
	see("make")(c.make(&makeRequest{autoreset: env.AutoresetSameStep, illegal: illegalNoop, stepLimit: 1, views: true, events: true}))
	see("reset")(c.reset(&resetRequest{env: 1}))
	see("step")(c.step(&stepRequest{env: 1, actions: []env.Action{env.Hold}}))
	state, wrong := c.state(&stateRequest{env: 1})
	check("state", state, wrong)
	see("restore")(c.restore(&restoreRequest{1, state[0].Value.(wire.Blob)}))
	see("views")(c.showViews(&envRequest{1}))
	see("make")(c.make(&makeRequest{opponents: []string{"hold-20"}}))
	see("reset")(c.reset(&resetRequest{env: 2}))
	see("state")(c.state(&stateRequest{env: 2, everySeat: true}))
	see("states")(c.listStates(&statesRequest{start: 7}))
	for _, o := range ops() {
		for _, p := range o.request {
			names[p.name] = true
		}
	}
	for name := range maps.Keys(columnTypes) {
		if !names[name] {
			t.Errorf("hello names the type of %q, which no request or reply has", name)
		}
	}
}
