package policyfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/internal/policytest"
	"pigpen/policies/policyfile"
)

var update = flag.Bool("update", false, "write the golden policy file where there is none")

func game(variant string, players, target int) env.Game {
	return env.Must(env.New(env.Config{Variant: variant, Players: players, Target: target}))
}

func pig(players, target int) env.Game { return game("pig", players, target) }

// checkRead reads a file and compares it, and what it writes back.
func checkRead(t *testing.T, what string, b []byte, want policies.File) {
	t.Helper()
	got, err := policies.Read(bytes.NewReader(b))
	if err != nil {
		t.Errorf("%s: Read: %v", what, err)
		return
	}
	if diff := policytest.Difference(got, want); diff != "" {
		t.Errorf("%s: Read: %s", what, diff)
	}
	if !bytes.Equal(policytest.Bytes(t, got), b) {
		t.Errorf("%s: what was read writes other bytes", what)
	}
}

func texts(n int) map[string]string {
	m := make(map[string]string)
	for i := range n {
		m[fmt.Sprintf("%0256d", i)] = strings.Repeat("v", 256)
	}
	return m
}

func TestRoundTrip(t *testing.T) {
	for _, g := range policytest.SmallGames() {
		for _, abstraction := range []policies.Abstraction{policies.FullAbstraction, policies.SummaryAbstraction} {
			f := policies.File{Table: policytest.Patterned(policytest.Index(t, g, abstraction)), Provenance: policies.Provenance{Agent: "qlearning", Steps: 1, Program: "v1"}}
			checkRead(t, fmt.Sprintf("%v, %s", g, abstraction), policytest.Bytes(t, f), f)
			f.Table = policytest.Mixed(f.Table.Index())
			checkRead(t, fmt.Sprintf("%v, %s, mixed", g, abstraction), policytest.Bytes(t, f), f)
			f.Values = policytest.Valued(f.Table.Index())
			checkRead(t, fmt.Sprintf("%v, %s, mixed with values", g, abstraction), policytest.Bytes(t, f), f)
			f.Table = policytest.Patterned(f.Table.Index())
			checkRead(t, fmt.Sprintf("%v, %s, with values", g, abstraction), policytest.Bytes(t, f), f)
		}
	}
	table := policytest.Patterned(policytest.Index(t, pig(2, 5), policies.FullAbstraction))
	for name, made := range map[string]policies.Provenance{
		"nothing":       {},
		"no settings":   {Settings: map[string]string{}},
		"largest":       {Agent: strings.Repeat("a", 256), Program: strings.Repeat("p", 256), Settings: texts(64), Seed: math.MaxUint64, Steps: math.MaxInt64, Episodes: math.MaxInt64},
		"smallest":      {},
		"any bytes":     {Agent: "\x00\xff", Program: "é", Settings: map[string]string{"": "", "\xc1": "\n"}},
		"short lengths": {Agent: strings.Repeat("a", 31), Program: strings.Repeat("p", 32), Seed: 127, Steps: 128, Episodes: 255},
		"long lengths":  {Agent: strings.Repeat("a", 255), Program: strings.Repeat("p", 256), Seed: 256, Steps: 65535, Episodes: 65536},
	} {
		f := policies.File{Table: table, Provenance: made}
		checkRead(t, name, policytest.Bytes(t, f), f)
	}
}

// TestWriteIsDeterministic writes settings in the order of their names, not
// of the map.
func TestWriteIsDeterministic(t *testing.T) {
	table := policytest.Patterned(policytest.Index(t, pig(2, 5), policies.FullAbstraction))
	want := policytest.Bytes(t, policies.File{Table: table, Provenance: policies.Provenance{Settings: texts(64)}})
	for range 20 {
		if !bytes.Equal(policytest.Bytes(t, policies.File{Table: table, Provenance: policies.Provenance{Settings: texts(64)}}), want) {
			t.Fatal("Write of the same policy gives other bytes")
		}
	}
	if other := policytest.Bytes(t, policies.File{Table: table, Provenance: policies.Provenance{Settings: texts(64), Seed: 1}}); bytes.Equal(other, want) {
		t.Error("Write of another seed gives the same bytes")
	}
}

// goldens are the policies in testdata, by version of the format.
func goldens(t testing.TB) []struct {
	path string
	file policies.File
} {
	made := policies.Provenance{
		Agent:    "qlearning",
		Settings: map[string]string{"learning_rate": "0.1", "exploration": "0.2 to 0.01 over 1M steps"},
		Seed:     1<<63 + 5,
		Steps:    1_000_000,
		Episodes: 23_456,
		Program:  "v0.1.0",
	}
	index := policytest.Index(t, pig(3, 5), policies.FullAbstraction)
	mixed := policytest.Patterned(index)
	for i, chance := range map[int]float64{3: 1e-9, 7: 0.5, 8: 0.25, 200: 0.999} {
		mixed.SetChance(i, chance)
	}
	return []struct {
		path string
		file policies.File
	}{
		{"testdata/v1.msgpack", policies.File{Table: policytest.Patterned(index), Provenance: made}},
		{"testdata/v2.msgpack", policies.File{Table: mixed, Provenance: made}},
		{"testdata/v3.msgpack", policies.File{Table: mixed, Values: policytest.Valued(index), Provenance: made}},
	}
}

// golden is the policy of version 1.
func golden(t testing.TB) policies.File { return goldens(t)[0].file }

// TestGolden reads a file of each version, which every later program must read.
// With -update those are written first of which there is none.
func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		if _, err := os.Stat(g.path); *update && errors.Is(err, os.ErrNotExist) {
			if err := policies.Save(g.path, g.file); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(g.path)
		if err != nil {
			t.Fatal(err)
		}
		checkRead(t, g.path, b, g.file)
	}
}

// A field is one entry of a msgpack map; raw is bytes that stand as they are.
type (
	field struct {
		key   string
		value any
	}
	raw []byte
)

// pack appends v in msgpack's shortest form: a second writer of the format,
// which also writes what the first would not. Source: the msgpack
// specification, https://github.com/msgpack/msgpack/blob/master/spec.md.
func pack(b []byte, v any) []byte {
	switch v := v.(type) {
	case raw:
		return append(b, v...)
	case bool:
		if v {
			return append(b, 0xc3)
		}
		return append(b, 0xc2)
	case int:
		switch {
		case v < 0x80:
			return append(b, byte(v))
		case v < 1<<8:
			return append(b, 0xcc, byte(v))
		case v < 1<<16:
			return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(v))
		case v < 1<<32:
			return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(v))
		}
		return binary.BigEndian.AppendUint64(append(b, 0xcf), uint64(v))
	case string:
		switch {
		case len(v) < 32:
			b = append(b, 0xa0|byte(len(v)))
		case len(v) < 1<<8:
			b = append(b, 0xd9, byte(len(v)))
		default:
			b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(len(v)))
		}
		return append(b, v...)
	case []byte:
		return append(append(b, 0xc4, byte(len(v))), v...)
	case []field:
		if len(v) < 16 {
			b = append(b, 0x80|byte(len(v)))
		} else {
			b = binary.BigEndian.AppendUint16(append(b, 0xde), uint16(len(v)))
		}
		for _, f := range v {
			b = pack(pack(b, f.key), f.value)
		}
		return b
	}
	panic(fmt.Sprintf("pack(%T)", v))
}

// A document is a policy file as its fields, without the checksum.
type document []field

// valid returns the document of a small policy: 18 entries in 3 bytes.
func valid() document {
	return document{
		{"format", "pigpen-policy"},
		{"version", 1},
		{"variant", "pig"},
		{"players", 2},
		{"target", 3},
		{"options", []field{}},
		{"fingerprint", pig(2, 3).Fingerprint()},
		{"agent", "qlearning"},
		{"settings", []field{{"a", "1"}, {"b", "2"}}},
		{"seed", 7},
		{"steps", 1000},
		{"episodes", 70},
		{"program", "v1"},
		{"states", "full"},
		{"entries", 18},
		{"table", []byte{0x92, 0x24, 0x02}},
	}
}

// chances returns the bytes of mixed entries.
func chances(list ...policyfile.Mixed) (b []byte) {
	for _, m := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(m.Entry))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.Chance))
	}
	return b
}

// validMixed returns the document of the policy of valid with chances in entries 3 and 4.
func validMixed() document {
	d := valid().with("version", 2)
	entries := len(d) - 1
	return append(slices.Clone(d[:entries]), field{"mixed", 2}, d[entries], field{"chances", chances(policyfile.Mixed{Entry: 3, Chance: 0.25}, policyfile.Mixed{Entry: 4, Chance: 0.5})})
}

// unknown is a value that is not known, as files have it.
var unknown = float32(math.NaN())

// values returns the bytes of values.
func values(list ...float32) (b []byte) {
	for _, v := range list {
		bits := math.Float32bits(v)
		if v != v {
			bits = 0x7fc00000
		}
		b = binary.LittleEndian.AppendUint32(b, bits)
	}
	return b
}

// validValues are the values of the policy of valid, two for each of 18 entries: those of
// holding are -0.5, 0.5, …, and those of rolling 0.25, 1.25, …; the first and the last are
// not known.
func validValues() []float32 {
	var list []float32
	for i := range 18 {
		list = append(list, float32(i)-0.5, float32(i)+0.25)
	}
	list[0], list[35] = unknown, unknown
	return list
}

// validValued returns the document of the policy of validMixed or, without mixed entries, of
// valid, with values.
func validValued(mixed bool) document {
	d := valid()
	if mixed {
		d = validMixed()
	} else {
		last := len(d) - 1
		d = append(slices.Clone(d[:last]), field{"mixed", 0}, d[last], field{"chances", []byte{}})
	}
	return append(d.with("version", 3), field{"values", values(validValues()...)})
}

// with returns a copy of d in which a field has another value.
func (d document) with(key string, value any) document {
	d = slices.Clone(d)
	for i := range d {
		if d[i].key == key {
			d[i].value = value
			return d
		}
	}
	panic("no field " + key)
}

// and returns a copy of d with more fields.
func (d document) and(more ...field) document { return append(slices.Clone(d), more...) }

// bytes returns the file of d, with the checksum that belongs to it.
func (d document) bytes() []byte {
	return d.ending(pack(nil, "checksum"), nil)
}

// ending returns the file of d with the given key before the checksum and
// bytes after it.
func (d document) ending(key, after []byte) []byte {
	b := pack(nil, append([]field(d), field{"checksum", raw{}}))
	b = append(bytes.TrimSuffix(b, pack(nil, "checksum")), key...)
	b = append(b, 0xc4, sha256.Size)
	sum := sha256.Sum256(b)
	return append(append(b, sum[:]...), after...)
}

// TestFormat compares Write with the second writer.
func TestFormat(t *testing.T) {
	table := policies.NewTable(policytest.Index(t, pig(2, 3), policies.FullAbstraction))
	for _, i := range []int{1, 4, 7, 10, 13, 17} {
		table.Set(i, true)
	}
	f := policies.File{Table: table, Provenance: policies.Provenance{
		Agent: "qlearning", Settings: map[string]string{"b": "2", "a": "1"}, Seed: 7, Steps: 1000, Episodes: 70, Program: "v1",
	}}
	if got, want := policytest.Bytes(t, f), valid().bytes(); !bytes.Equal(got, want) {
		t.Errorf("Write = %q, want %q", got, want)
	}
	checkRead(t, "the second writer's file", valid().bytes(), f)
	table.SetChance(4, 0.5)
	table.SetChance(3, 0.25)
	if got, want := policytest.Bytes(t, f), validMixed().bytes(); !bytes.Equal(got, want) {
		t.Errorf("Write of mixed decisions = %q, want %q", got, want)
	}
	checkRead(t, "the second writer's mixed file", validMixed().bytes(), f)
	estimates := policies.NewValues(table.Index())
	for i, list := 0, validValues(); i < len(list); i += 2 {
		if i == 0 {
			list[0] = math.Float32frombits(0xffc00001) // a NaN of other bits, which Write must not copy
		}
		estimates.Set(i/2, list[i], list[i+1])
	}
	f.Values = estimates
	if got, want := policytest.Bytes(t, f), validValued(true).bytes(); !bytes.Equal(got, want) {
		t.Errorf("Write of values and mixed decisions = %q, want %q", got, want)
	}
	checkRead(t, "the second writer's mixed file with values", validValued(true).bytes(), f)
	pure := f
	pure.Table = table.Clone()
	pure.Table.Set(3, false)
	pure.Table.SetChance(4, 1)
	if got, want := policytest.Bytes(t, pure), validValued(false).bytes(); !bytes.Equal(got, want) {
		t.Errorf("Write of values = %q, want %q", got, want)
	}
	checkRead(t, "the second writer's file with values", validValued(false).bytes(), pure)
	f.Values = nil
	table.Set(3, false)
	table.SetChance(4, 1)
	if got, want := policytest.Bytes(t, f), valid().bytes(); !bytes.Equal(got, want) {
		t.Errorf("Write of a policy that is no longer mixed = %q, want %q", got, want)
	}
}

// A hostile file is one that Read must refuse for the given reason.
type hostile struct {
	name  string
	bytes []byte
	class error
	text  string // of the error, after the class
}

var huge32 = []byte{0xff, 0xff, 0xff, 0xff}

func hostiles() []hostile {
	v := valid()
	_, unknown := env.Lookup("poker")
	_, crowd := env.New(env.Config{Players: 11})
	_, noOption := env.New(env.Config{Options: map[string]bool{strings.Repeat("0", 256): true}})
	const notCanonical = ": its header is not in the form that this format has"
	const later = ": version %d, and this program reads up to 3; a newer pigpen will read it"
	long := strings.Repeat("x", 257)
	tenPlayers := v.with("players", 10).with("target", 1000).with("fingerprint", pig(10, 1000).Fingerprint())
	large := v.with("target", 1000).with("fingerprint", pig(2, 1000).Fingerprint()).with("entries", 500_500_000)
	var settings, largest []field
	for i := range 65 {
		settings = append(settings, field{fmt.Sprintf("%02d", i), ""})
	}
	for i := range 64 {
		largest = append(largest, field{fmt.Sprintf("%0256d", i), strings.Repeat("x", 256)})
	}
	cochon := v.with("variant", "cochon").with("target", 10).with("fingerprint", game("cochon", 2, 10).Fingerprint())
	list := []hostile{
		{"text", []byte("hello\n"), policyfile.ErrForeign, ""},
		{"PNG", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), policyfile.ErrForeign, ""},
		{"JSON", []byte(`{"format":"pigpen-policy","version":1}`), policyfile.ErrForeign, ""},
		{"zeros", make([]byte, 1000), policyfile.ErrForeign, ""},
		{"array", append([]byte{0x91}, pack(nil, "format")...), policyfile.ErrForeign, ""},
		{"another map", pack(nil, []field{{"format", "policy"}, {"version", 1}}), policyfile.ErrForeign, ""},
		{"another first key", pack(nil, []field{{"version", 1}, {"format", "pigpen-policy"}}), policyfile.ErrForeign, ""},
		{"a long map", append([]byte{0xdf, 0, 0, 0, 17}, v.bytes()[3:]...), policyfile.ErrForeign, ""},

		{"version 4", v.with("version", 4).bytes(), policyfile.ErrVersion, fmt.Sprintf(later, 4)},
		{"version 4 with more keys", append(v.with("version", 4), field{"more", 1}).bytes(), policyfile.ErrVersion, fmt.Sprintf(later, 4)},
		{"version 2 with the keys of 1", v.with("version", 2).bytes(), policyfile.ErrCorrupt, ": 17 keys, not 19"},
		{"version 3 with the keys of 1", v.with("version", 3).bytes(), policyfile.ErrCorrupt, ": 17 keys, not 20"},
		{"version 3 with the keys of 2", validMixed().with("version", 3).bytes(), policyfile.ErrCorrupt, ": 19 keys, not 20"},
		{"version 2 with the keys of 3", validValued(true).with("version", 2).bytes(), policyfile.ErrCorrupt, ": 20 keys, not 19"},
		{"version 1 with the keys of 2", validMixed().with("version", 1).bytes(), policyfile.ErrCorrupt, ": 19 keys, not 17"},
		{"version 4 with few keys", v.with("version", 4)[:2].bytes(), policyfile.ErrVersion, fmt.Sprintf(later, 4)},
		{"version 1000", v.with("version", 1000).bytes(), policyfile.ErrVersion, fmt.Sprintf(later, 1000)},
		{"version 0", v.with("version", 0).bytes(), policyfile.ErrCorrupt, ": version 0"},
		{"version in words", v.with("version", "one").bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=a3 decoding uint64"},

		{"unknown variant", v.with("variant", "poker").bytes(), policies.ErrGame, ": " + unknown.Error()},
		{"too many players", v.with("players", 11).bytes(), policies.ErrGame, ": " + crowd.Error()},
		{"negative target", v.with("target", raw{0xff}).bytes(), policyfile.ErrCorrupt, ": target is negative: -1"},
		{"unknown option", v.with("options", []field{{"fast", true}}).bytes(), policies.ErrGame, `: env: bad configuration: pig has no option "fast"; it has no options`},
		{"other rules", v.with("fingerprint", "0123456789abcdef").bytes(), policies.ErrGame,
			fmt.Sprintf(`: pig, 2 players, target 3 with other rules (fingerprint "0123456789abcdef") than this program's (%q)`, pig(2, 3).Fingerprint())},
		{"no fingerprint", v.with("fingerprint", "").bytes(), policies.ErrGame,
			fmt.Sprintf(`: pig, 2 players, target 3 with other rules (fingerprint "") than this program's (%q)`, pig(2, 3).Fingerprint())},
		{"default variant", v.with("variant", "").bytes(), policyfile.ErrCorrupt, ": it does not spell out its game, pig, 2 players, target 3"},
		{"default players", v.with("players", 0).bytes(), policyfile.ErrCorrupt, ": it does not spell out its game, pig, 2 players, target 3"},
		{"default target", v.with("target", 0).bytes(), policyfile.ErrCorrupt, ": it does not spell out its game, pig, 2 players, target 100"},

		{"default options", cochon.bytes(), policyfile.ErrCorrupt, ": it does not spell out its game, cochon, 2 players, target 10"},
		{"an option short", cochon.with("options", []field{{"aces_with_body", true}}).bytes(), policyfile.ErrCorrupt, ": it does not spell out its game, cochon, 2 players, target 10"},
		{"options out of order", cochon.with("options", []field{{"spill_to_tail", false}, {"aces_with_body", true}}).with("entries", 550).with("table", make([]byte, 69)).bytes(), policyfile.ErrCorrupt, notCanonical},

		{"unknown states", v.with("states", "all").bytes(), policyfile.ErrCorrupt, `: policies: no such table: states "all"; they are full or summary`},
		{"states without number", tenPlayers.bytes(), policyfile.ErrCorrupt, ": policies: no such table: pig, 10 players, target 1000 has more full states than can be numbered; use summary states"},
		{"an entry too many", v.with("entries", 19).bytes(), policyfile.ErrCorrupt, ": 19 entries in 3 bytes, where pig, 2 players, target 3 with full states has 18 in 3"},
		{"negative entries", v.with("entries", raw{0xff}).bytes(), policyfile.ErrCorrupt, ": entries is negative: -1"},
		{"a byte too few", v.with("table", []byte{0, 0}).bytes(), policyfile.ErrCorrupt, ": 18 entries in 2 bytes, where pig, 2 players, target 3 with full states has 18 in 3"},
		{"a byte too many", v.with("table", []byte{0, 0, 0, 0}).bytes(), policyfile.ErrCorrupt, ": 18 entries in 4 bytes, where pig, 2 players, target 3 with full states has 18 in 3"},
		{"no table", v.with("table", raw{0xc0}).bytes(), policyfile.ErrCorrupt, ": 18 entries in -1 bytes, where pig, 2 players, target 3 with full states has 18 in 3"},
		{"first spare bit", v.with("table", []byte{0, 0, 0x04}).bytes(), policyfile.ErrCorrupt, ": bits follow its last entry"},
		{"last spare bit", v.with("table", []byte{0, 0, 0x80}).bytes(), policyfile.ErrCorrupt, ": bits follow its last entry"},

		{"a key too few", slices.Delete(slices.Clone(v), 12, 13).bytes(), policyfile.ErrCorrupt, ": 16 keys, not 17"},
		{"a key too many", append(slices.Clone(v), field{"more", 1}).bytes(), policyfile.ErrCorrupt, ": 18 keys, not 17"},
		{"keys in another order", append(append(slices.Clone(v[:3]), v[4], v[3]), v[5:]...).bytes(), policyfile.ErrCorrupt, `: key "target" where "players" belongs`},
		{"a number for a text", v.with("agent", 5).bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=5 decoding string/bytes length"},
		{"a text for a number", v.with("steps", "5").bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=a1 decoding int64"},
		{"a text for a seed", v.with("seed", "5").bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=a1 decoding uint64"},
		{"a text for a map", v.with("settings", "5").bytes(), policyfile.ErrCorrupt, ": msgpack: unexpected code=a1 decoding map length"},
		{"a number for an option", v.with("options", []field{{"fast", 1}}).bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=1 decoding bool"},
		{"nothing for a text", v.with("agent", raw{0xc0}).bytes(), policyfile.ErrCorrupt, ": -1 bytes of text, and at most 256 are allowed"},
		{"too long a text", v.with("agent", long).bytes(), policyfile.ErrCorrupt, ": 257 bytes of text, and at most 256 are allowed"},
		{"too long a setting", v.with("settings", []field{{"a", long}}).bytes(), policyfile.ErrCorrupt, ": 257 bytes of text, and at most 256 are allowed"},
		{"too many settings", v.with("settings", settings).bytes(), policyfile.ErrCorrupt, ": 65 settings, and at most 64 are allowed"},
		{"too many options", v.with("options", settings).bytes(), policyfile.ErrCorrupt, ": 65 options, and at most 64 are allowed"},

		{"the longest header", v.with("options", optionsOf(largest)).with("settings", largest).with("agent", long[:256]).bytes(), policies.ErrGame, ": " + noOption.Error()},

		// Other ways to say the same, which would make one policy two files.
		{"a wide number", v.with("players", raw{0xcd, 0, 2}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a wide version", v.with("version", raw{0xcc, 1}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a signed number", v.with("steps", raw{0xd1, 3, 0xe8}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a wide seed", v.with("seed", raw{0xcf, 0, 0, 0, 0, 0, 0, 0, 7}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a fraction", v.with("entries", raw{0xca, 0x41, 0x90, 0, 0}).bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=ca decoding int64"},
		{"an overflow", v.with("steps", raw{0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}).bytes(), policyfile.ErrCorrupt, ": steps is negative: -1"},
		{"nothing for a number", v.with("steps", raw{0xc0}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"bytes for a text", v.with("program", []byte("v1")).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a wide text", v.with("agent", raw("\xd9\x01q")).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a wide map", v.with("settings", raw{0xde, 0, 0}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a wide table", v.with("table", raw{0xc5, 0, 3, 0, 0, 0}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a text for a table", v.with("table", raw("\xa3\x00\x00\x00")).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"settings out of order", v.with("settings", []field{{"b", "2"}, {"a", "1"}}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"a setting twice", v.with("settings", []field{{"a", "1"}, {"a", "1"}}).bytes(), policyfile.ErrCorrupt, notCanonical},

		{"bytes after the end", v.ending(pack(nil, "checksum"), []byte{0}), policyfile.ErrCorrupt, ": bytes follow its checksum"},
		{"two files", append(v.bytes(), v.bytes()...), policyfile.ErrCorrupt, ": bytes follow its checksum"},
		{"another last key", v.ending(pack(nil, "checksun"), nil), policyfile.ErrCorrupt, ": no checksum follows its table"},
		{"a wrong checksum", append(v.bytes()[:len(v.bytes())-1], 0), policyfile.ErrCorrupt, ": its checksum does not match"},
		{"a table of another policy", append(v.with("table", []byte{0, 0, 0}).bytes()[:len(v.bytes())-sha256.Size], v.bytes()[len(v.bytes())-sha256.Size:]...), policyfile.ErrCorrupt, ": its checksum does not match"},

		// Lengths that would fill the memory.
		{"huge text", v.with("agent", raw(append([]byte{0xdb}, huge32...))).bytes(), policyfile.ErrCorrupt, ": 4294967295 bytes of text, and at most 256 are allowed"},
		{"huge settings", v.with("settings", raw(append([]byte{0xdf}, huge32...))).bytes(), policyfile.ErrCorrupt, ": 4294967295 settings, and at most 64 are allowed"},
		{"huge options", v.with("options", raw(append([]byte{0xdf}, huge32...))).bytes(), policyfile.ErrCorrupt, ": 4294967295 options, and at most 64 are allowed"},
		{"huge table", v.with("table", raw(append([]byte{0xc6}, huge32...))).bytes(), policyfile.ErrCorrupt, ": 18 entries in 4294967295 bytes, where pig, 2 players, target 3 with full states has 18 in 3"},
		{"huge game and table", large.with("table", raw(append([]byte{0xc6}, huge32...))).bytes(), policyfile.ErrCorrupt, ": 500500000 entries in 4294967295 bytes, where pig, 2 players, target 1000 with full states has 500500000 in 62562500"},
		{"huge game with little data", large.with("table", raw(binary.BigEndian.AppendUint32([]byte{0xc6}, 62_562_500))).bytes(), policyfile.ErrTruncated, ": it ends inside its table of 62562500 bytes"},
		{"a bad header before much data", append(v.with("agent", long).bytes(), make([]byte, 1<<17)...), policyfile.ErrCorrupt, ": 257 bytes of text, and at most 256 are allowed"},
	}
	m := validMixed()
	with := func(entry int64, chance float64) []byte {
		return m.with("chances", chances(policyfile.Mixed{Entry: 3, Chance: 0.25}, policyfile.Mixed{Entry: entry, Chance: chance})).bytes()
	}
	list = append(list, []hostile{
		{"no mixed entries", m.with("mixed", 0).with("chances", []byte{}).bytes(), policyfile.ErrCorrupt, ": it has no mixed entries, and version 2 is for policies that do"},
		{"negative mixed entries", m.with("mixed", raw{0xff}).bytes(), policyfile.ErrCorrupt, ": mixed is negative: -1"},
		{"more mixed entries than there are", m.with("mixed", 19).bytes(), policyfile.ErrCorrupt, ": 19 mixed entries of 18"},
		{"more mixed entries than chances", m.with("mixed", 3).bytes(), policyfile.ErrCorrupt, ": no 48 bytes of chances follow its table"},
		{"fewer mixed entries than chances", m.with("mixed", 1).bytes(), policyfile.ErrCorrupt, ": no 16 bytes of chances follow its table"},
		{"another key for the chances", append(slices.Clone(m[:len(m)-1]), field{"chance", m[len(m)-1].value}).bytes(), policyfile.ErrCorrupt, ": no 32 bytes of chances follow its table"},
		{"mixed in a wide number", m.with("mixed", raw{0xcc, 2}).bytes(), policyfile.ErrCorrupt, notCanonical},
		{"mixed in words", m.with("mixed", "two").bytes(), policyfile.ErrCorrupt, ": msgpack: invalid code=a3 decoding int64"},
		{"chances in wide bytes", m.with("chances", raw(append([]byte{0xc5, 0, 32}, m[len(m)-1].value.([]byte)...))).bytes(), policyfile.ErrCorrupt, ": no 32 bytes of chances follow its table"},
		{"an entry twice", with(3, 0.25), policyfile.ErrCorrupt, ": a chance for entry 3 follows that for entry 3"},
		{"entries out of order", with(2, 0.25), policyfile.ErrCorrupt, ": a chance for entry 2 follows that for entry 3"},
		{"an entry too far", with(18, 0.25), policyfile.ErrCorrupt, ": a chance for entry 18 of 18"},
		{"an entry in a spare bit", with(23, 0.25), policyfile.ErrCorrupt, ": a chance for entry 23 of 18"},
		{"a negative entry", with(-1, 0.25), policyfile.ErrCorrupt, ": a chance for entry 18446744073709551615 of 18"},
		{"chance 0", with(5, 0), policyfile.ErrCorrupt, ": the chance 0 in entry 5 is not between 0 and 1"},
		{"chance -0", with(5, math.Copysign(0, -1)), policyfile.ErrCorrupt, ": the chance -0 in entry 5 is not between 0 and 1"},
		{"chance 1", with(4, 1), policyfile.ErrCorrupt, ": the chance 1 in entry 4 is not between 0 and 1"},
		{"a negative chance", with(5, -0.5), policyfile.ErrCorrupt, ": the chance -0.5 in entry 5 is not between 0 and 1"},
		{"a chance of more than 1", with(4, 1.5), policyfile.ErrCorrupt, ": the chance 1.5 in entry 4 is not between 0 and 1"},
		{"no number for a chance", with(4, math.NaN()), policyfile.ErrCorrupt, ": the chance NaN in entry 4 is not between 0 and 1"},
		{"an infinite chance", with(4, math.Inf(1)), policyfile.ErrCorrupt, ": the chance +Inf in entry 4 is not between 0 and 1"},
		{"a likely roll where the table holds", with(5, 0.75), policyfile.ErrCorrupt, ": the chance 0.75 in entry 5 contradicts its table"},
		{"a likely hold where the table rolls", with(4, 0.25), policyfile.ErrCorrupt, ": the chance 0.25 in entry 4 contradicts its table"},
		{"wrong chances and a wrong checksum", append(with(3, 2)[:len(m.bytes())-1], 0), policyfile.ErrCorrupt, ": its checksum does not match"},
		{"many mixed entries with little data", v.with("target", 100).with("fingerprint", pig(2, 100).Fingerprint()).with("entries", 505_000).
			mixing(500_000, make([]byte, 63_125), raw(binary.BigEndian.AppendUint32([]byte{0xc6}, 8_000_000))), policyfile.ErrTruncated, ": it ends inside its 500000 chances"},
		{"too many mixed entries", large.mixing(1<<26+1, nil, nil), policyfile.ErrCorrupt, ": 67108865 mixed entries of 500500000"},
	}...)
	y := validValued(true)
	valued := func(k int, bits uint32) []byte {
		b := values(validValues()...)
		binary.LittleEndian.PutUint32(b[4*k:], bits)
		return y.with("values", b).bytes()
	}
	inf := math.Float32bits(float32(math.Inf(1)))
	list = append(list, []hostile{
		{"an infinite value of rolling", valued(7, inf), policyfile.ErrCorrupt, ": the value of action roll in entry 3 is +Inf; it is finite or NaN"},
		{"an infinite value of holding", valued(34, inf|1<<31), policyfile.ErrCorrupt, ": the value of action hold in entry 17 is -Inf; it is finite or NaN"},
		{"a negative NaN", valued(2, 0xffc00000), policyfile.ErrCorrupt, ": the value of action hold in entry 1 is a NaN of bits 0xffc00000, not 0x7fc00000"},
		{"a signalling NaN", valued(2, 0x7f800001), policyfile.ErrCorrupt, ": the value of action hold in entry 1 is a NaN of bits 0x7f800001, not 0x7fc00000"},
		{"an infinite value and a wrong checksum", append(valued(7, inf)[:len(y.bytes())-1], 0), policyfile.ErrCorrupt, ": its checksum does not match"},
		{"a wrong chance before a wrong value", validValued(true).with("chances", chances(policyfile.Mixed{Entry: 3, Chance: 2}, policyfile.Mixed{Entry: 4, Chance: 0.5})).with("values", values(append([]float32{float32(math.Inf(1))}, validValues()[1:]...)...)).bytes(),
			policyfile.ErrCorrupt, ": the chance 2 in entry 3 is not between 0 and 1"},
		{"a value too few", y.with("values", values(validValues()[1:]...)).bytes(), policyfile.ErrCorrupt, ": no 144 bytes of values follow its table"},
		{"an entry of values too many", y.with("values", values(append(validValues(), 0, 0)...)).bytes(), policyfile.ErrCorrupt, ": no 144 bytes of values follow its table"},
		{"values in wide bytes", y.with("values", raw(append([]byte{0xc5, 0, 144}, values(validValues()...)...))).bytes(), policyfile.ErrCorrupt, ": no 144 bytes of values follow its table"},
		{"another key for the values", append(slices.Clone(y[:len(y)-1]), field{"value", y[len(y)-1].value}).bytes(), policyfile.ErrCorrupt, ": no 144 bytes of values follow its table"},
		{"values for chances", validValued(false).with("mixed", 2).bytes(), policyfile.ErrCorrupt, ": no 32 bytes of chances follow its table"},
		{"values of too many entries", large.with("version", 3)[:len(large)-1].and(field{"mixed", 0}, field{"table", []byte{}}, field{"chances", []byte{}}, field{"values", []byte{}}).
			with("table", raw(binary.BigEndian.AppendUint32([]byte{0xc6}, 62_562_500))).bytes(), policyfile.ErrCorrupt, ": values of 500500000 entries, and at most 134217728 are allowed"},
		{"many values with little data", v.with("target", 100).with("fingerprint", pig(2, 100).Fingerprint()).with("entries", 505_000).with("version", 3)[:len(v)-1].
			and(field{"mixed", 0}, field{"table", raw(append([]byte{0xc5, 0xf6, 0x95}, make([]byte, 63_125)...))}, field{"chances", []byte{}}, field{"values", raw(binary.BigEndian.AppendUint32([]byte{0xc6}, 4_040_000))}).bytes(),
			policyfile.ErrTruncated, ": it ends inside the values of its 505000 entries"},
	}...)
	for _, variant := range env.Variants() {
		for _, alias := range variant.Aliases {
			g := env.Must(env.New(env.Config{Variant: alias}))
			list = append(list, hostile{"alias " + alias,
				v.with("variant", alias).with("target", g.Target()).bytes(), policyfile.ErrCorrupt, fmt.Sprintf(": it does not spell out its game, %v", g)})
		}
	}
	return list
}

// mixing returns the beginning of a file of version 2 with a table of fewer than 2^16 bytes,
// up to what stands for its chances; without a table, that of d.
func (d document) mixing(mixed int, table []byte, chances raw) []byte {
	last := len(d) - 1
	end := d[last]
	if table != nil {
		end.value = raw(append(binary.BigEndian.AppendUint16([]byte{0xc5}, uint16(len(table))), table...))
	} else {
		end.value = raw(binary.BigEndian.AppendUint32([]byte{0xc6}, 62_562_500))
	}
	d = append(slices.Clone(d.with("version", 2)[:last]), field{"mixed", mixed}, end, field{"chances", chances})
	b := d.bytes()
	if chances != nil {
		return b[:len(b)-len("\xa8checksum")-2-sha256.Size]
	}
	return b
}

// optionsOf returns options of the same names.
func optionsOf(settings []field) (options []field) {
	for _, s := range settings {
		options = append(options, field{s.key, true})
	}
	return options
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestHostileFiles(t *testing.T) {
	classes := []error{policyfile.ErrForeign, policyfile.ErrVersion, policyfile.ErrTruncated, policyfile.ErrCorrupt, policies.ErrGame}
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			var err error
			memory := allocated(func() { _, err = policies.Read(bytes.NewReader(h.bytes)) })
			if want := h.class.Error() + h.text; err == nil || err.Error() != want {
				t.Errorf("Read: %v, want %s", err, want)
			}
			for _, class := range classes {
				if is := errors.Is(err, class); is != (class == h.class) {
					t.Errorf("Read: errors.Is(%v, %v) = %t", err, class, is)
				}
			}
			if memory > 1<<20 {
				t.Errorf("Read allocates %d bytes", memory)
			}
		})
	}
	if _, err := policies.Read(bytes.NewReader(valid().with("variant", "poker").bytes())); !errors.Is(err, env.ErrUnknownVariant) {
		t.Errorf("Read of an unknown variant: %v, want %v in it", err, env.ErrUnknownVariant)
	}
}

func TestTruncatedFiles(t *testing.T) {
	// The third is long enough for its table to begin in the reader's buffer
	// and end outside.
	for name, f := range map[string][]byte{
		"small":  valid().bytes(),
		"mixed":  validMixed().bytes(),
		"valued": validValued(true).bytes(),
		"golden": policytest.Bytes(t, golden(t)),
		"long":   policytest.Bytes(t, policies.File{Table: policytest.Patterned(policytest.Index(t, pig(3, 40), policies.FullAbstraction))}),
	} {
		step := 1
		if len(f) > 1<<16 {
			step = 977
		}
		for n := 0; n < len(f); n += step {
			if _, err := policies.Read(bytes.NewReader(f[:n])); !errors.Is(err, policyfile.ErrTruncated) {
				t.Fatalf("%s: Read of the first %d bytes of %d: %v, want %v", name, n, len(f), err, policyfile.ErrTruncated)
			}
		}
	}
	f := valid().bytes()
	for n, want := range map[int]string{
		0:               "it ends inside its header",
		1:               "it ends inside its header",
		20:              "it ends inside its header",
		len(f) - 47:     "it ends inside its header", // before the table's length
		len(f) - 46:     "it ends inside its table of 3 bytes",
		len(f) - 43:     "it ends inside its checksum", // after the table
		len(f) - 32 - 1: "it ends inside its checksum",
		len(f) - 32:     "it ends inside its checksum",
		len(f) - 1:      "it ends inside its checksum",
	} {
		want = "a policy file cut short: " + want
		if _, err := policies.Read(bytes.NewReader(f[:n])); err == nil || err.Error() != want {
			t.Errorf("Read of the first %d bytes of %d: %v, want %s", n, len(f), err, want)
		}
	}
}

func TestFlippedBits(t *testing.T) {
	for name, f := range map[string][]byte{"small": valid().bytes(), "mixed": validMixed().bytes(), "valued": validValued(true).bytes(), "golden": policytest.Bytes(t, golden(t))} {
		for bit := range 8 * len(f) {
			flipped := bytes.Clone(f)
			flipped[bit/8] ^= 1 << (bit % 8)
			if _, err := policies.Read(bytes.NewReader(flipped)); err == nil {
				t.Errorf("%s: Read takes the file with bit %d of byte %d flipped", name, bit%8, bit/8)
			}
		}
	}
}

// TestReaders reads through readers that give little at a time, or fail.
func TestReaders(t *testing.T) {
	f := policies.File{Table: policytest.Patterned(policytest.Index(t, pig(3, 40), policies.FullAbstraction))}
	b := policytest.Bytes(t, f)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"half": iotest.HalfReader, "one byte": iotest.OneByteReader, "data with EOF": iotest.DataErrReader,
	} {
		got, err := policies.Read(wrap(bytes.NewReader(b)))
		if err != nil {
			t.Errorf("%s: Read: %v", name, err)
		} else if diff := policytest.Difference(got, f); diff != "" {
			t.Errorf("%s: Read: %s", name, diff)
		}
	}
	broken := errors.New("broken pipe")
	for _, n := range []int{0, 1, 100, 1 << 16, 1<<16 + 1, len(b) - 40, len(b) - 32, len(b) - 1, len(b)} {
		if _, err := policies.Read(io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(broken))); err != broken {
			t.Errorf("Read of %d bytes and an error: %v, want %v", n, err, broken)
		}
	}
}

// limited takes so many bytes and then fails.
type limited int

var errFull = errors.New("disk full")

func (l *limited) Write(b []byte) (int, error) {
	if len(b) > int(*l) {
		return int(*l), errFull
	}
	*l -= limited(len(b))
	return len(b), nil
}

func TestWriters(t *testing.T) {
	for n := range len(validValued(true).bytes()) {
		l := limited(n)
		f, err := policies.Read(bytes.NewReader(validValued(true).bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := policies.Write(&l, f); err != errFull {
			t.Errorf("Write where %d bytes fit: %v, want %v", n, err, errFull)
		}
	}
}

// tooLarge are the histories that no file holds, each with why.
var tooLarge = []struct {
	name       string
	provenance policies.Provenance
	want       string
}{
	{"settings", policies.Provenance{Settings: texts(65)}, "policyfile: outside the format's limits: 65 settings are more than a policy file holds, 64"},
	{"agent", policies.Provenance{Agent: strings.Repeat("x", 257)}, longText("x", 257)},
	{"program", policies.Provenance{Program: strings.Repeat("y", 300)}, longText("y", 300)},
	{"setting's name", policies.Provenance{Settings: map[string]string{strings.Repeat("n", 257): ""}}, longText("n", 257)},
	{"setting's value", policies.Provenance{Settings: map[string]string{"v": strings.Repeat("v", 1000)}}, longText("v", 1000)},
}

func longText(letter string, n int) string {
	return fmt.Sprintf("policyfile: outside the format's limits: a text of %d bytes is longer than a policy file holds, 256: %q…", n, strings.Repeat(letter, 40))
}

func TestWriteRefuses(t *testing.T) {
	table := policytest.Patterned(policytest.Index(t, pig(2, 5), policies.FullAbstraction))
	for _, test := range tooLarge {
		var b bytes.Buffer
		if err := policies.Write(&b, policies.File{Table: table, Provenance: test.provenance}); err == nil || err.Error() != test.want {
			t.Errorf("%s: Write: %v, want %s", test.name, err, test.want)
		}
		if b.Len() != 0 {
			t.Errorf("%s: Write leaves %d bytes", test.name, b.Len())
		}
	}
}

// TestWriteRefusesInfiniteValues writes nothing of a policy with a value that Read would
// refuse.
func TestWriteRefusesInfiniteValues(t *testing.T) {
	var b bytes.Buffer
	list := validValues()
	list[7] = float32(math.Inf(-1))
	err := policyfile.Write(&b, policyfile.Header{Size: 18, TableBytes: 3}, policyfile.Table{Bits: make([]byte, 3), Values: list})
	const want = "policyfile: outside the format's limits: the value of action roll in entry 3 is -Inf; it is finite or NaN"
	if !errors.Is(err, policyfile.ErrLimit) || err.Error() != want || b.Len() != 0 {
		t.Errorf("Write: %v and %d bytes, want %s and none", err, b.Len(), want)
	}
	err = policyfile.Write(&b, policyfile.Header{Size: policyfile.MaxValued + 1}, policyfile.Table{Values: []float32{}})
	if want := "policyfile: outside the format's limits: values of 134217729 entries are more than a policy file holds, 134217728"; err == nil || err.Error() != want {
		t.Errorf("Write: %v, want %s", err, want)
	}
}

// TestDamagedName flips a bit in the variant's name, which the checksum tells
// from a game that this program does not know.
func TestDamagedName(t *testing.T) {
	f := valid().bytes()
	i := bytes.Index(f, []byte("\xa3pig")) + 1
	f[i] ^= 1
	if _, err := policies.Read(bytes.NewReader(f)); !errors.Is(err, policyfile.ErrCorrupt) || errors.Is(err, policies.ErrGame) {
		t.Errorf("Read of a file for %q: %v, want %v", f[i:i+3], err, policyfile.ErrCorrupt)
	}
}
