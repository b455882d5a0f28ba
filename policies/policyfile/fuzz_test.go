package policyfile_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/internal/policytest"
)

// FuzzRead reads any bytes. What is taken must be what Write would write, and
// nothing may take memory beyond what it holds.
func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	f.Add(valid().bytes())
	f.Add(validMixed().bytes())
	f.Add(validValued(true).bytes())
	f.Add(validValued(false).bytes())
	for _, g := range goldens(f) {
		f.Add(policytest.Bytes(f, g.file))
	}
	for _, g := range policytest.SmallGames() {
		if index := policytest.Index(f, g, policies.DefaultAbstraction(g)); index.Size() < 10_000 {
			f.Add(policytest.Bytes(f, policies.File{Table: policytest.Patterned(index)}))
			f.Add(policytest.Bytes(f, policies.File{Table: policytest.Mixed(index)}))
		}
	}
	for _, h := range hostiles() {
		f.Add(h.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var file policies.File
		var err error
		// The reader's buffer, the rules' tables, and a table that grows.
		if memory, limit := allocated(func() { file, err = policies.Read(bytes.NewReader(b)) }), uint64(1<<20+8*len(b)); memory > limit {
			t.Errorf("Read of %d bytes allocates %d, want at most %d", len(b), memory, limit)
		}
		if err == nil && !bytes.Equal(policytest.Bytes(t, file), b) {
			t.Errorf("what was read writes other bytes")
		}
	})
}

// FuzzRoundTrip writes any policy of small games; one of version 2 if there are more
// than two bytes for its table, and of version 3 if their number is odd. Read must give it back, or Write must refuse it for the
// length of a text.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(0), false, "qlearning", "v1", "learning_rate", "0.1", "exploration", "0", uint64(1), int64(1000), int64(70), []byte{0x92, 0x24})
	f.Add(uint8(9), true, "", "", "", "", "", "\xff", uint64(1<<63), int64(-1), int64(1<<62), []byte{})
	f.Add(uint8(30), true, "é", string(make([]byte, 256)), "a", string(make([]byte, 257)), "b", "", uint64(0), int64(0), int64(0), []byte{0xff})
	games := policytest.SmallGames()
	f.Fuzz(func(t *testing.T, number uint8, summary bool, agent, program, name1, value1, name2, value2 string, seed uint64, steps, episodes int64, bits []byte) {
		g := games[int(number)%len(games)]
		abstraction := policies.FullAbstraction
		if summary || g.Variant().Ending == env.AfterRound {
			abstraction = policies.SummaryAbstraction
		}
		want := policies.File{Table: policies.NewTable(policytest.Index(t, g, abstraction)), Provenance: policies.Provenance{
			Agent: agent, Program: program, Settings: map[string]string{name1: value1, name2: value2},
			Seed: seed, Steps: steps, Episodes: episodes,
		}}
		index := want.Table.Index()
		for i := range min(index.Size(), 8*len(bits)) {
			want.Table.Set(i, bits[i/8]>>(i%8)&1 == 1)
		}
		fits := len(agent) <= 256 && len(program) <= 256 && steps >= 0 && episodes >= 0
		for name, value := range want.Provenance.Settings {
			fits = fits && len(name) <= 256 && len(value) <= 256
		}
		for i, c := range bits[min(2, len(bits)):] {
			want.Table.SetChance((7*i+int(c))%index.Size(), float64(c)/255)
		}
		if len(bits)%2 == 1 {
			want.Values = policies.NewValues(index)
			for i := 0; i+3 < len(bits); i++ {
				if v := math.Float32frombits(binary.LittleEndian.Uint32(bits[i:])); !math.IsInf(float64(v), 0) {
					want.Values.Set(5*i%index.Size(), v, -v)
				}
			}
		}
		var b bytes.Buffer
		if err := policies.Write(&b, want); (err == nil) != fits {
			t.Fatalf("Write: %v, want an error %t", err, !fits)
		}
		if fits {
			checkRead(t, g.String(), b.Bytes(), want)
		}
	})
}
