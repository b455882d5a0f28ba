package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// pack encodes anything as msgpack.
func pack(value any) []byte {
	b, err := msgpack.Marshal(value)
	must(err)
	return b
}

// littleEndian returns the bytes of numbers.
func littleEndian(numbers []int16) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, numbers)
	must(err)
	return b
}

// TestImport hands over every decision of a policy, in both formats, and gets
// its table.
func TestImport(t *testing.T) {
	for _, format := range wire.Formats() {
		for _, config := range []env.Config{{Variant: "pig", Players: 2, Target: 15}, {Variant: "pig-last-round", Players: 2, Target: 4}, {Variant: "cochon", Players: 2, Target: 10}} {
			g := env.Must(env.New(config))
			index, err := policies.NewStateIndex(g, policies.FullAbstraction)
			must(err)
			race, err := policies.Named(t.Context(), "race", g, exact.Options{})
			must(err)
			var all []int16
			var actions []uint8
			var lines strings.Builder
			for _, s := range index.All() {
				if g.Validate(s) != nil {
					continue
				}
				action := env.Roll
				if s.TurnTotal > 0 {
					action = env.Action(race.RollChance(s)) // 0 or 1
				}
				from := len(all)
				all = g.Observe(all, s, int(s.Seat))
				actions = append(actions, uint8(action))
				observation, err := json.Marshal(all[from:])
				must(err)
				fmt.Fprintf(&lines, "{\"observation\":%s,\"action\":%d}\n", observation, action)
			}
			in := []byte(lines.String())
			if format == "msgpack" {
				in = pack(map[string]any{"observations": littleEndian(all), "actions": actions})
			}
			path := filepath.Join(t.TempDir(), "p.msgpack")
			args := []string{"import", "--format", format, "--variant", config.Variant, "--players", fmt.Sprint(config.Players), "--target", fmt.Sprint(config.Target), "--out", path}
			var out, stderr bytes.Buffer
			if status := run(t.Context(), args, bytes.NewReader(in), &out, &stderr); status != statusDone {
				t.Fatalf("%v: status %d, %s", args, status, stderr.String())
			}
			f, err := policies.Load(path)
			must(err)
			for i, s := range index.All() {
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
		{withChances(good, 1.5), "row 0: roll_chance 1.5; a chance of rolling is in [0, 1]"},
		{withChances(good, math.NaN()), "row 0: roll_chance NaN; a chance of rolling is in [0, 1]"},
		{withChances(good), "0 chances of rolling for 1 decisions"},
		{withChances(good, 0.5, 0.5), "2 chances of rolling for 1 decisions"},
		{withChances(map[string]any{"observations": good["observations"]}, 0.5), `"actions" is missing`},
		{withChances(map[string]any{"observations": [][]int{{0, 5, 0}, {0, 5, 0}}, "actions": []int{1, 1}}, 0.5, 0.6), "row 1: the state [0 5 0], or one that the table (full states) does not tell from it, has come before with another chance of rolling"},
		{withChances(map[string]any{"observations": [][]int{{5, 0, 0}}, "actions": []int{1}}, 0.5), "row 0: it holds before the first roll of the turn"},
		{pack(map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{1}, "roll_chance": []int{1}}), `the field "roll_chance" is not bytes, of 64-bit floats`},
		{pack(map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{1}, "roll_chance": []byte{1}}), `the field "roll_chance" is not bytes, of 64-bit floats`},
	} {
		var stderr bytes.Buffer
		path := filepath.Join(t.TempDir(), "p.msgpack")
		status := run(t.Context(), []string{"import", "--format", "msgpack", "--out", path}, bytes.NewReader(test.in), io.Discard, &stderr)
		if status != statusFailed || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("import of %x: status %d, %q, want %q", test.in, status, stderr.String(), test.says)
		}
	}
}

// withChances packs a map with one more column, of chances of rolling.
func withChances(columns map[string]any, chances ...float64) []byte {
	b := []byte{}
	for _, c := range chances {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c))
	}
	columns = maps.Clone(columns)
	columns["roll_chance"] = b
	return pack(columns)
}

// TestImportChances reads maps of msgpack with chances, the columns in every order. A
// chance strictly between 0 and 1 is kept; else the action counts.
func TestImportChances(t *testing.T) {
	index, err := policies.NewStateIndex(env.Must(env.New(env.Config{Target: 10})), policies.FullAbstraction)
	must(err)
	observations := [][]int16{{3, 2, 1}, {0, 5, 0}, {3, 3, 1}, {3, 4, 1}, {3, 2, 1}}
	var chances []byte
	for _, c := range []float64{0.75, 0.25, 1, 0, 0.75} {
		chances = binary.LittleEndian.AppendUint64(chances, math.Float64bits(c))
	}
	want := []float64{0.75, 0.25, 0, 1}
	columns := [][]byte{
		slices.Concat(pack("observations"), pack(observations)),
		slices.Concat(pack("actions"), pack([]byte{0, 1, 0, 1, 1})),
		slices.Concat(pack("roll_chance"), pack(chances)),
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		in := []byte{0x83}
		for _, i := range order {
			in = append(in, columns[i]...)
		}
		table := newImportedTable(index)
		if err := table.readMap(bytes.NewReader(in), maxImport); err != nil || table.count != len(want) {
			t.Fatalf("columns %v: %d decisions, %v, want %d", order, table.count, err, len(want))
		}
		table.finish()
		for i, chance := range want {
			s, err := index.Game().StateOf(observations[i])
			must(err)
			if got := table.table.RollChance(s); got != chance {
				t.Errorf("columns %v: the chance at %v is %v, want %v", order, observations[i], got, chance)
			}
		}
		if got := table.table.Mixed(); got != 2 {
			t.Errorf("columns %v: %d mixed decisions, want 2", order, got)
		}
	}
}

// An endless input repeats a pattern behind a beginning, and counts what is read.
type endless struct {
	begin, pattern []byte
	read           int64
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.begin)
	e.begin = e.begin[n:]
	for n < len(b) {
		n += copy(b[n:], e.pattern[(e.read+int64(n))%int64(len(e.pattern)):])
	}
	e.read += int64(n)
	return n, nil
}

// TestImportBounded feeds inputs without end: each is refused at the limit at
// the latest, and at once where it says how long it will be.
func TestImportBounded(t *testing.T) {
	const limit = 1 << 20
	index, err := policies.NewStateIndex(env.Must(env.New(env.Config{Target: 10})), policies.FullAbstraction)
	must(err)
	text := func(s string) []byte { return pack(s) }
	observations, actions := slices.Concat([]byte{0x82}, text("observations")), slices.Concat([]byte{0x82}, text("actions"))
	for _, test := range []struct {
		name           string
		begin, pattern []byte
		most           int64 // bytes that may be read
	}{
		{"observations that say so", append(observations, 0xc6, 0x40, 0, 0, 1), []byte{0}, wire.BufferSize},
		{"actions that say so", append(actions, 0xc6, 0xff, 0xff, 0xff, 0xff), []byte{1}, wire.BufferSize},
		{"a list that says so", append(observations, 0xdd, 0xff, 0xff, 0xff, 0xff), []byte{0x93, 0, 5, 0}, wire.BufferSize},
		{"a map that says so", []byte{0xdf, 0xff, 0xff, 0xff, 0xff}, []byte{0xa1, 'x'}, wire.BufferSize},
		{"two columns of the limit each", slices.Concat(actions, []byte{0xc6, 0, 0x0f, 0xff, 0xff}), []byte{1}, limit + wire.BufferSize},
		{"rows in lists", append(observations, 0xdd, 0, 0x0f, 0xff, 0xff), []byte{0x93, 0, 5, 0}, limit + wire.BufferSize},
		{"a name", []byte{0x81, 0xdb, 0, 0x0f, 0xff, 0xff}, []byte{'x'}, wire.BufferSize},
	} {
		in := &endless{begin: test.begin, pattern: test.pattern}
		if err := newImportedTable(index).readMap(in, limit); err == nil || in.read > test.most+1 {
			t.Errorf("%s: %v after %d bytes, want an error after %d at most", test.name, err, in.read, test.most)
		}
	}
	in := &endless{pattern: []byte("x")}
	if err := newImportedTable(index).readLines(in); err == nil || in.read > maxLine+wire.BufferSize {
		t.Errorf("a line without end: %v after %d bytes", err, in.read)
	}
}

// TestImportMemory reads a map of many rows, each column first, and compares what
// is allocated for it with its bytes.
func TestImportMemory(t *testing.T) {
	index, err := policies.NewStateIndex(env.Must(env.New(env.Config{Target: 10})), policies.FullAbstraction)
	must(err)
	const rows = 2 << 20
	column := func(name string, b []byte) []byte {
		return slices.Concat(pack(name), []byte{0xc6}, binary.BigEndian.AppendUint32(nil, uint32(len(b))), b)
	}
	observations, actions := column("observations", bytes.Repeat([]byte{0, 0, 5, 0, 0, 0}, rows)), column("actions", bytes.Repeat([]byte{1}, rows))
	for _, in := range [][]byte{slices.Concat([]byte{0x82}, observations, actions), slices.Concat([]byte{0x82}, actions, observations)} {
		table := newImportedTable(index)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := table.readMap(bytes.NewReader(in), maxImport); err != nil || table.count != 1 {
			t.Errorf("%d decisions, %v, want 1", table.count, err)
		}
		runtime.ReadMemStats(&after)
		// Whatever is allocated, freed or not, is no more than the data.
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(in)) {
			t.Errorf("%d bytes are allocated to read %d", took, len(in))
		}
	}
}

// TestImportFiles names files that must not be read to their end, if they have
// one.
func TestImportFiles(t *testing.T) {
	folder := t.TempDir()
	empty, link := filepath.Join(folder, "empty"), filepath.Join(folder, "link")
	must(os.WriteFile(empty, nil, 0o666))
	files := map[string]string{empty: "its size is 0"}
	if _, err := os.Stat("/proc/self/pagemap"); err == nil {
		must(os.Symlink("/proc/self/pagemap", link))
		files["/proc/self/pagemap"], files[link], files["/proc/kmsg"] = "its size is 0", "its size is 0", "its size is 0"
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		files["/dev/zero"] = "not a regular file"
	}
	for path, says := range files {
		for _, format := range wire.Formats() {
			var stderr bytes.Buffer
			status := run(t.Context(), []string{"import", "--format", format, "--out", filepath.Join(folder, "p"), path}, nil, io.Discard, &stderr)
			if status != statusFailed || !strings.Contains(stderr.String(), path+": ") || !strings.Contains(stderr.String(), says) {
				t.Errorf("%s, %s: status %d, %q, want %q", path, format, status, stderr.String(), says)
			}
		}
	}
}

// TestLimitedReader reads up to the limit and past it.
func TestLimitedReader(t *testing.T) {
	grows := errors.New("it grows")
	for _, test := range []struct {
		text string
		err  error
	}{{"", nil}, {"abc", nil}, {"abcd", nil}, {"abcde", grows}} {
		b, err := io.ReadAll(&limitedReader{strings.NewReader(test.text), 4, grows})
		if want := test.text[:min(4, len(test.text))]; string(b) != want || err != test.err {
			t.Errorf("%q: %q, %v, want %q, %v", test.text, b, err, want, test.err)
		}
	}
}

// TestImportMark imports lines behind a byte order mark.
func TestImportMark(t *testing.T) {
	var stderr bytes.Buffer
	path := filepath.Join(t.TempDir(), "p.msgpack")
	in := strings.NewReader("\uFEFF" + `{"observation":[0,5,0],"action":1}` + "\n")
	if status := run(t.Context(), []string{"import", "--target", "10", "--out", path}, in, io.Discard, &stderr); status != statusDone {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

// FuzzImport reads any bytes as decisions, in every format. What is taken makes a
// policy that rolls where it must.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"observation":[0,5,0],"action":0}` + "\n" + `{"action":1,"observation":[3,0,9]}`))
	f.Add([]byte(`{"observation":[],"action":2}`))
	f.Add(pack(map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{1}}))
	f.Add(pack(map[string]any{"observations": littleEndian([]int16{0, 5, 0, 1, 0, 9}), "actions": []byte{1, 1}}))
	f.Add([]byte("own_score,turn_total,score_1,action,loss\n0,5,0,0,0.1\n3,1,9,1,0\n"))
	f.Add([]byte("own_score,turn_total,score_1,action,roll_chance\n0,5,0,0,0.1\n3,1,9,1,0\n"))
	f.Add([]byte(`{"observation":[0,5,0],"action":0,"roll_chance":0.3}` + "\n" + `{"action":1,"roll_chance":1,"observation":[3,0,9]}`))
	f.Add(withChances(map[string]any{"observations": [][]int{{0, 5, 0}}, "actions": []int{1}}, 0.5))
	index, err := policies.NewStateIndex(env.Must(env.New(env.Config{Target: 10})), policies.FullAbstraction)
	must(err)
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, format := range importFormats() {
			table := newImportedTable(index)
			if format.read(table, bytes.NewReader(in), int64(len(in))) != nil {
				continue
			}
			table.finish()
			for i, s := range index.All() {
				if s.TurnTotal == 0 && table.table.Chance(i) < 1 {
					t.Errorf("%q: the policy holds in %+v", in, s)
				}
			}
			if table.count > len(in) && format.name != "npz" { // which is compressed
				t.Errorf("%q: %d decisions", in, table.count)
			}
		}
	})
}
