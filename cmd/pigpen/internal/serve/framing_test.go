package serve

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/env/envtest/racedetector"
)

// drawRequest draws a request, right or nearly so, to a session with so many
// columns and these environments.
func drawRequest(r *env.Rand, columns int, open ...int64) []field {
	names := func() string {
		list := []string{"hello", "act", "act", "make", "reset", "reset", "step", "step", "step", "state", "restore", "views", "states", "close", "dance"}
		return list[r.Below(uint32(len(list)))]
	}
	small := func() int { return int(r.Below(4)) - 1 }
	int16s := func(n int) []int16 {
		list := make([]int16, n)
		for i := range list {
			list[i] = int16(r.Below(14))
		}
		return list
	}
	bytes := func(n int) []uint8 {
		list := make([]uint8, n)
		for i := range list {
			list[i] = uint8(r.Below(2))
		}
		return list
	}
	values := map[string]func() any{
		"observation":  func() any { return list(int16s(columns + small()/2)) },
		"observations": func() any { return rows(int16s(columns*int(r.Below(4))), columns) },
		"values":       func() any { return r.Below(2) == 0 },
		"sample":       func() any { return r.Below(2) == 0 },
		"variant":      func() any { return []string{"pig", "piglet", "poker", "pig-last-round"}[r.Below(4)] },
		"players":      func() any { return 1 + small() },
		"target":       func() any { return 9 + small() },
		"options":      func() any { return map[string]bool{} },
		"num_envs":     func() any { return r.Below(3) },
		"opponents":    func() any { return []string{[]string{"hold-5", "random", "hold-0"}[r.Below(3)]} },
		"seat":         func() any { return []any{0, 1, 2, "rotate", "none", nil}[r.Below(6)] },
		"first":        func() any { return []string{"random", "seat0", ""}[r.Below(3)] },
		"step_limit":   func() any { return small() },
		"autoreset":    func() any { return append(slices.Clone(autoresetWords), "now")[r.Below(4)] },
		"illegal":      func() any { return []string{"error", "noop", "noop", "ignore"}[r.Below(4)] },
		"views":        func() any { return r.Below(2) == 0 },
		"every_seat":   func() any { return r.Below(2) == 0 },
		"events":       func() any { return r.Below(2) == 0 },
		"start":        func() any { return 100 * small() },
		"limit":        func() any { return small() },
		"env":          func() any { return append(open, 0)[r.Below(uint32(len(open)+1))] },
		"seed":         func() any { return []any{r.Uint64(), 7, -1, 1.5}[r.Below(4)] },
		"seeds":        func() any { return list([]uint64{r.Uint64(), 5}[:r.Below(3)]) },
		"mask":         func() any { return list(bytes(int(r.Below(3)))) },
		"actions":      func() any { return list(bytes(1 + int(r.Below(2)))) },
		"states":       func() any { return wire.Blob(fmt.Sprint(small())) },
	}
	name := names()
	fields := []field{{"id", []any{1, "one", nil, map[string]any{"a": []int{1}}}[r.Below(4)]}, {"op", name}}
	for _, o := range ops() {
		if o.name != name {
			continue
		}
		for _, p := range o.request {
			if p.required && r.Below(20) > 0 || !p.required && r.Below(6) == 0 || p.name == "limit" { // without a limit a page is long
				fields = append(fields, field{p.name, values[p.name]()})
			}
		}
	}
	if r.Below(30) == 0 {
		fields = append(fields, fields[r.Below(uint32(len(fields)))])
	}
	return fields
}

// TestFormatsAgree asks the same in both formats and compares the answers.
func TestFormatsAgree(t *testing.T) {
	racedetector.Skip(t)
	lines, packs := newClient(t, "jsonl", "random"), newClient(t, "msgpack", "random")
	r := env.NewRand(1)
	good := make(map[any]int)
	codes := make(map[any]bool)
	for range 6_000 {
		fields := drawRequest(&r, lines.Game.NumColumns(), slices.Sorted(maps.Keys(lines.environments))...)
		a, b := lines.answers(lines.send(lines.written(fields...))), packs.answers(packs.send(packs.written(fields...)))
		if len(a) != 1 || len(b) != 1 {
			t.Fatalf("%v: %d and %d replies", fields, len(a), len(b))
		}
		for _, x := range []answer{a[0], b[0]} {
			delete(x, "format")
			for name, value := range x {
				if list, ok := value.([]float64); ok {
					for i := range list {
						list[i] = float64(float32(list[i])) // JSON writes as few digits as tell them apart
					}
					x[name] = fmt.Sprint(list) // in which NaN is NaN
				}
			}
		}
		if !reflect.DeepEqual(a[0], b[0]) {
			t.Fatalf("%v:\n%v in JSON,\n%v in msgpack", fields, a[0], b[0])
		}
		if wrong, ok := a[0]["error"].(map[string]any); ok {
			codes[wrong["code"]] = true
		} else {
			good[fields[1].value]++
		}
	}
	for _, op := range []string{"hello", "act", "make", "reset", "step", "state", "views", "states", "close"} {
		if good[op] < 20 {
			t.Errorf("%d good requests for %s", good[op], op)
		}
	}
	if len(codes) < 8 {
		t.Errorf("only these errors: %v", codes)
	}
}

// TestArrays writes lists of numbers as lists where msgpack would pack them.
func TestArrays(t *testing.T) {
	c := newClient(t, "msgpack", "hold-20")
	a := c.ask("act", field{"observations", [][]int16{{1, 20, 3}, {1, 19, 30}}})
	if !alike(a["actions"], []float64{0, 1}) {
		t.Errorf("observations in lists: %v", a)
	}
	c.ask("make", field{"num_envs", 2})
	handle := field{"env", 1}
	c.ask("reset", handle)
	c.ask("step", handle, field{"actions", []int{1, 1}})
	c.ask("reset", handle, field{"mask", []int{1, 0}})
	c.ask("reset", handle, field{"mask", []bool{true, false}})
}

// pack encodes anything as msgpack.
func pack(value any) []byte {
	b, err := msgpack.Marshal(value)
	must(err)
	return b
}

// TestFrames feeds frames that are no requests between ones that are.
func TestFrames(t *testing.T) {
	const limit = 1000
	nested := bytes.Repeat([]byte{0x91}, 100_000) // lists in lists
	for _, test := range []struct {
		format, name string
		frame        []byte
		code         string // "" for none at all
		lost         bool
	}{
		{"jsonl", "blank", []byte(" \r\n"), "", false},
		{"jsonl", "cut short", []byte(`{"op":` + "\n"), CodeBadFrame, false},
		{"jsonl", "two", []byte(`{"op":"hello"}{}` + "\n"), CodeBadFrame, false},
		{"jsonl", "a list", []byte("[1]\n"), CodeBadFrame, false},
		{"jsonl", "no UTF-8", []byte("{\"op\":\"\xff\"}\n"), CodeBadFrame, false},
		{"jsonl", "long", append(bytes.Repeat([]byte("x"), 100_000), '\n'), CodeFrameTooLarge, false},
		{"jsonl", "deep", append(bytes.Repeat([]byte("["), limit), '\n'), CodeBadFrame, false},
		{"jsonl", "many fields", []byte("{" + strings.Repeat(`"a":0,`, 100) + `"op":"hello"}` + "\n"), CodeBadRequest, false},
		{"msgpack", "a number", pack(7), CodeBadFrame, false},
		{"msgpack", "a list", pack([]int{1, 2}), CodeBadFrame, false},
		{"msgpack", "an extension", []byte{0xc7, 2, 9, 0xc1, 0xc1}, CodeBadFrame, false},
		{"msgpack", "a time", pack(map[string]any{"op": msgpack.RawMessage{0xd6, 0xff, 0, 0, 0, 0}}), CodeBadRequest, false},
		{"msgpack", "a name of bytes", []byte{0x81, 0xc4, 2, 'o', 'p', 0xa4, 'q', 'u', 'i', 't'}, CodeBadRequest, false},
		{"msgpack", "a number for a name", []byte{0x81, 1, 2}, CodeBadRequest, false},
		{"msgpack", "long", pack(map[string]any{"op": strings.Repeat("x", 100_000)}), CodeFrameTooLarge, false},
		{"msgpack", "long list", pack(map[string]any{"op": make([]float64, 10_000)}), CodeFrameTooLarge, false},
		{"msgpack", "deep", append(nested, 0x90), CodeFrameTooLarge, false},
		{"msgpack", "many fields", pack(map[string]any{"a": 1, "b": 1}), CodeBadRequest, false},
		{"msgpack", "a byte that is never used", []byte{0x82, 0xa2, 'o', 'p', 0xc1}, CodeBadFrame, true},
		{"msgpack", "no byte but the first", []byte{0xdf, 0xff}, CodeBadFrame, true},
		{"msgpack", "bytes that never come", []byte{0xc6, 0xff, 0xff, 0xff, 0xff, 1, 2, 3}, CodeBadFrame, true},
		{"msgpack", "values that never come", bytes.Repeat([]byte{0xdf, 0xff, 0xff, 0xff, 0xff}, 10_000), CodeBadFrame, true},
	} {
		t.Run(test.format+"/"+test.name, func(t *testing.T) {
			c := newClient(t, test.format, "")
			c.MaxFrame = limit
			good := c.written(field{"op", "close"}, field{"env", 7}, field{"id", 5})
			in := slices.Concat(good, test.frame)
			if !test.lost {
				in = append(in, good...)
			}
			var out bytes.Buffer
			err := c.run(bytes.NewReader(in), &out)
			if errors.Is(err, wire.ErrFramingLost) != test.lost || !test.lost && err != nil {
				t.Fatalf("run: %v, want the framing lost: %t", err, test.lost)
			}
			want := []string{CodeUnknownEnv}
			if test.code != "" {
				want = append(want, test.code)
			}
			if !test.lost {
				want = append(want, CodeUnknownEnv)
			}
			var got []string
			for _, a := range c.answers(out.Bytes()) {
				got = append(got, a["error"].(map[string]any)["code"].(string))
			}
			if !slices.Equal(got, want) {
				t.Errorf("errors %v, want %v", got, want)
			}
		})
	}
}

// TestFrameMemory feeds what would take much memory if it were believed, or
// kept, and counts all that is allocated on the way.
func TestFrameMemory(t *testing.T) {
	racedetector.Skip(t)
	const limit, allowed = 1 << 20, 24 << 20
	fill := func(head string, part string) []byte {
		return []byte(head + strings.Repeat(part, (limit-len(head))/len(part)-8))
	}
	lines := func(head, part, tail string) []byte { return append(fill(head, part), (tail + "\n")...) }
	// A list of as many values as follow it, in 32 bits.
	list := func(head []byte, c byte, n int, value ...byte) []byte {
		return slices.Concat(head, []byte{c}, binary.BigEndian.AppendUint32(nil, uint32(n)), bytes.Repeat(value, n))
	}
	op := func(name, field string) []byte {
		return slices.Concat([]byte{0x82, 0xa2, 'o', 'p'}, pack(name), pack(field))
	}
	for _, test := range []struct {
		format, name string
		in           []byte
	}{
		{"jsonl", "empty rows", lines(`{"op":"act","observations":[[]`, ",[]", "]}")},
		{"jsonl", "rows", lines(`{"op":"act","observations":[[0,0,0]`, ",[0,0,0]", "]}")},
		{"jsonl", "opponents", lines(`{"op":"make","opponents":[""`, `,""`, "]}")},
		{"jsonl", "options", lines(`{"op":"make","options":{"":true`, `,"":true`, "}}")},
		{"jsonl", "fields", lines(`{"op":"hello"`, `,"a":0`, "}")},
		{"jsonl", "an ID", lines(`{"op":"hello","id":[0`, `,0`, "]}")},
		{"jsonl", "actions", lines(`{"op":"step","env":1,"actions":[0`, `,0`, "]}")},
		{"jsonl", "depth", lines(`{"op":"step","env":1,"actions":`, `[`, "")},
		{"jsonl", "a long line", bytes.Repeat([]byte("x"), 50*limit)},
		{"msgpack", "rows", list(op("act", "observations"), 0xdd, limit/4-9, 0x93, 0, 0, 0)},
		{"msgpack", "empty rows", list(op("act", "observations"), 0xdd, limit/2, 0x90)},
		{"msgpack", "opponents", list(op("make", "opponents"), 0xdd, limit/2, 0xa0)},
		{"msgpack", "fields", list(nil, 0xdf, limit/4, 0xa1, 'a', 0)},
		{"msgpack", "actions", list(op("step", "actions"), 0xdd, limit/2, 0)},
		{"msgpack", "a long value", list(op("step", "actions"), 0xc6, 50*limit, 0)},
		{"msgpack", "long values", list(op("step", "actions"), 0xdd, 10*limit, 0xa1, 0xff)},
		{"msgpack", "bytes that never come", list(nil, 0xc6, 1<<31-1)[:5]},
		{"msgpack", "values that never come", list(nil, 0xdf, 1<<31-1)[:5]},
	} {
		t.Run(test.format+"/"+test.name, func(t *testing.T) {
			c := newClient(t, test.format, "random")
			c.MaxFrame = limit
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.run(bytes.NewReader(test.in), io.Discard)
			runtime.ReadMemStats(&after)
			if err != nil && !errors.Is(err, wire.ErrFramingLost) {
				t.Fatal(err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > allowed {
				t.Errorf("%d bytes are allocated for %d, with frames of %d", n, len(test.in), limit)
			}
		})
	}
}

// A doler hands out bytes one at a time, and has a client that reads every
// reply before it sends what comes after the request.
type doler struct {
	t     *testing.T
	frame []byte
	sent  int
	out   *bytes.Buffer
}

func (d *doler) Read(p []byte) (int, error) {
	whole := d.sent / len(d.frame)
	if whole == 5 {
		return 0, io.EOF
	}
	if n := bytes.Count(d.out.Bytes(), []byte("bad_request")); n != whole {
		d.t.Errorf("%d requests are sent and %d replies there when more is read", whole, n)
	}
	p[0] = d.frame[d.sent%len(d.frame)]
	d.sent++
	return 1, nil
}

// TestFlushed checks that replies are sent before more is read, and in one
// piece where requests come at once.
func TestFlushed(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "hold-20")
		frame := c.written(field{"op", "act"})
		var out bytes.Buffer
		if err := c.run(&doler{t: t, frame: frame, out: &out}, &out); err != nil {
			t.Error(err)
		}
		w := new(writes)
		if err := c.run(bytes.NewReader(bytes.Repeat(frame, 100)), w); err != nil {
			t.Error(err)
		}
		if w.n != 1 || bytes.Count(w.Bytes(), []byte("bad_request")) != 100 {
			t.Errorf("%s: 100 requests are answered in %d pieces: %q", format, w.n, w.String())
		}
	}
}

// writes counts how often it is written to.
type writes struct {
	bytes.Buffer
	n int
}

func (w *writes) Write(b []byte) (int, error) {
	w.n++
	return w.Buffer.Write(b)
}

// TestPipelined sends all requests before it reads, of which some fail, and
// checks the order of the replies.
func TestPipelined(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "hold-20")
		in := slices.Concat(
			c.written(field{"id", 0}, field{"op", "make"}, field{"num_envs", 300}),
			c.written(field{"id", 1}, field{"op", "reset"}, field{"env", 1}),
		)
		const n = 500
		for i := 2; i < n; i++ {
			action := env.Roll
			if i%5 == 0 {
				action = 9
			}
			in = append(in, c.written(field{"id", i}, field{"op", "step"}, field{"env", 1}, field{"actions", list(bytes.Repeat([]byte{byte(action)}, 300))})...)
		}
		list := c.answers(c.send(in))
		if len(list) != n {
			t.Fatalf("%s: %d replies, want %d", format, len(list), n)
		}
		for i, a := range list {
			if a["id"] != float64(i) || (a["ok"] == true) != (i < 2 || i%5 != 0) {
				t.Fatalf("%s: reply %d is %v", format, i, a)
			}
		}
	}
}

// fuzz answers any bytes. No input may end a session but by quitting, losing
// the framing, or its own end; each reply is well-formed; a frame of the other
// kind that follows is answered too.
func fuzz(f *testing.F, format string) {
	c := newClient(f, format, "optimal")
	c.Game = env.Must(env.New(env.Config{Target: 10}))
	r := env.NewRand(3)
	for range 60 {
		fields := drawRequest(&r, 3)
		f.Add(c.written(fields...))
	}
	f.Add([]byte(`{"id":{"deep":[1]},"op":"\ud800"}`))
	f.Add([]byte{0xdd, 0xff, 0xff, 0xff, 0xff, 0x91, 0x91})
	f.Add([]byte{0x82, 0xa2, 'i', 'd', 0xd6, 0xff, 1, 2, 3, 4, 0xa2, 'o', 'p', 0xa5, 'h', 'e', 'l', 'l', 'o'})
	const limit = 1 << 12
	f.Fuzz(func(t *testing.T, in []byte) {
		c := newClient(t, format, "")
		c.MaxFrame = limit
		c.Policy, c.Game = &Policy{Name: "hold-5", Policy: holdFive{}}, env.Must(env.New(env.Config{Target: 10}))
		c.ask("make", field{"num_envs", 2}, field{"opponents", []string{"random"}})
		c.ask("reset", field{"env", 1})
		var out bytes.Buffer
		err := c.run(bytes.NewReader(in), &out)
		if err != nil && !errors.Is(err, wire.ErrFramingLost) {
			t.Fatalf("run(%q) = %v", in, err)
		}
		checkReplies(t, format, in, out.Bytes())
		if len(c.environments) > 1+len(in)/10 || c.games > maxGames {
			t.Errorf("%q opens %d environments with %d games", in, len(c.environments), c.games)
		}
		// The session goes on, with what it had.
		if a := c.try("hello"); a["ok"] != true {
			t.Errorf("after %q: hello is answered with %v", in, a)
		}
	})
}

// checkReplies reads replies with the framing's own reader, since an ID may be
// more than other readers can hold.
func checkReplies(t *testing.T, format string, in, out []byte) {
	f := wire.NewFormat(format, bytes.NewReader(out), len(out))
	for {
		frame, err := f.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%q is answered with %q: %v", in, out, err)
		}
		o, err := f.Object(frame)
		if err != nil {
			t.Fatalf("%q is answered with %q: %v", in, frame, err)
		}
		id, wrong := o.Take("id"), o.Take("error")
		ok, isBool := o.Notation.Bool(o.Take("ok"))
		if id == nil || !isBool || ok == (wrong != nil) {
			t.Errorf("%q is answered with %q", in, frame)
		}
	}
}

// holdFive is a policy.
type holdFive struct{}

func (holdFive) RollChance(s env.State) float64 {
	if s.TurnTotal < 5 {
		return 1
	}
	return 0
}

func FuzzAnswerJSON(f *testing.F)    { fuzz(f, "jsonl") }
func FuzzAnswerMsgpack(f *testing.F) { fuzz(f, "msgpack") }

// TestByteOrderMark writes a mark before the first line, which is skipped, and
// before the second, which makes it no request.
func TestByteOrderMark(t *testing.T) {
	c := newClient(t, "jsonl", "hold-20")
	const mark, request = "\uFEFF", `{"op":"act","observation":[0,20,0]}` + "\n"
	for _, test := range []struct {
		in    string
		codes []any
	}{
		{mark + request, []any{nil}}, {mark + "\n" + request, []any{nil}}, {mark, nil}, {mark + mark + request, []any{CodeBadFrame}},
		{request + mark + request, []any{nil, CodeBadFrame}}, {"\n" + mark + request, []any{CodeBadFrame}},
	} {
		var codes []any
		for _, a := range c.answers(c.send([]byte(test.in))) {
			wrong, _ := a["error"].(map[string]any)
			codes = append(codes, wrong["code"])
		}
		if !slices.Equal(codes, test.codes) {
			t.Errorf("%q: errors %v, want %v", test.in, codes, test.codes)
		}
	}
}

// TestManyGames gives lists of as many numbers as a session can hold games, and
// of one more, which is refused before it is compared with the environment.
func TestManyGames(t *testing.T) {
	racedetector.Skip(t)
	for _, format := range formats {
		c := newClient(t, format, "")
		c.ask("make")
		handle := field{"env", 1}
		c.ask("reset", handle)
		for _, n := range []int{maxGames, maxGames + 1} {
			says := fmt.Sprintf("has %d elements, not 1", maxGames)
			if n > maxGames {
				says = fmt.Sprintf("at most %d", maxGames)
			}
			for _, request := range []struct {
				op   string
				list field
			}{
				{"step", field{"actions", list(make([]uint8, n))}}, {"step", field{"actions", make([]int, n)}},
				{"reset", field{"mask", list(make([]bool, n))}}, {"reset", field{"mask", make([]int, n)}},
				{"reset", field{"seeds", list(make([]uint64, n))}}, {"reset", field{"seeds", make([]int, n)}},
			} {
				if message := c.refused(CodeBadRequest, request.op, handle, request.list); !strings.Contains(message, says) {
					t.Errorf("%s: %d %s: %q, want %q in it", format, n, request.list.name, message, says)
				}
			}
		}
	}
}
