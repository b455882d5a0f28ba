package serve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/env"
)

// packed encodes a request as msgpack.
func packed(t testing.TB, request map[string]any) []byte {
	t.Helper()
	b, err := msgpack.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A repeater repeats a request for as long as a benchmark lasts.
type repeater struct {
	b       *testing.B
	request []byte
	rest    []byte
}

func (r *repeater) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if !r.b.Loop() {
			return 0, fmt.Errorf("done")
		}
		r.rest = r.request
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// counted counts the bytes that are written to it.
type counted struct{ n int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// benchmark asks the same again and again, and reads and writes as a session
// does, but without pipes. Perhaps some requests go before.
func benchmark(b *testing.B, format, policy string, items int, request []byte, before ...[]byte) {
	s := newTestSession(b, format, policy)
	first := bytes.Join(before, nil)
	if err := s.run(bytes.NewReader(first), new(counted)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	out := new(counted)
	s.run(&repeater{b: b, request: request}, out)
	b.SetBytes(out.n / int64(b.N))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(items), "ns/item")
}

// BenchmarkServeStep steps games in which every action rolls.
func BenchmarkServeStep(b *testing.B) {
	for _, one := range []bool{false, true} {
		for _, n := range []int{1, 4096} {
			mode, make := "all", map[string]any{"op": "make", "num_envs": n, "autoreset": "same_step"}
			if one {
				mode, make["opponents"], make["seat"] = "one", []string{"hold-20"}, "rotate"
			}
			actions := bytes.Repeat([]byte{byte(env.Roll)}, n)
			b.Run(fmt.Sprintf("%s/msgpack/%d", mode, n), func(b *testing.B) {
				benchmark(b, "msgpack", "", n, packed(b, map[string]any{"id": 1, "op": "step", "env": 1, "actions": actions}),
					packed(b, make), packed(b, map[string]any{"op": "reset", "env": 1, "seed": 1}))
			})
			if n > 1 {
				continue
			}
			b.Run(fmt.Sprintf("%s/jsonl/%d", mode, n), func(b *testing.B) {
				opponents := ""
				if one {
					opponents = `,"opponents":["hold-20"]`
				}
				benchmark(b, "jsonl", "", n, []byte(`{"id":1,"op":"step","env":1,"actions":[1]}`+"\n"),
					[]byte(`{"op":"make","autoreset":"same_step"`+opponents+"}\n"), []byte(`{"op":"reset","env":1,"seed":1}`+"\n"))
			})
		}
	}
}

// BenchmarkServeAct decides in states of the beginning of a game.
func BenchmarkServeAct(b *testing.B) {
	const n = 4096
	r := env.NewRand(1)
	var states []byte
	for range n {
		for range 3 {
			states = binary.LittleEndian.AppendUint16(states, uint16(r.Below(50)))
		}
	}
	for _, policy := range []string{"hold-20", "optimal"} {
		b.Run(fmt.Sprintf("%s/msgpack/%d", policy, n), func(b *testing.B) {
			benchmark(b, "msgpack", policy, n, packed(b, map[string]any{"op": "act", "observations": states}))
		})
	}
}
