package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/cmd/pigpen/internal/wire"
)

// formats are the formats of a session.
var formats = wire.Formats()

// columnTypes are the dtypes of columns, by name.
var columnTypes = dtypes(ops())

// A field is a name and a value in a request.
type field struct {
	name  string
	value any
}

// A client talks to a session, in either format.
type client struct {
	t testing.TB
	*session
}

func newClient(t testing.TB, format, policy string) *client {
	t.Helper()
	return &client{t, newTestSession(t, format, policy)}
}

// written returns a request of the given fields as a frame. Lists of numbers
// are packed where the format does so.
func (c *client) written(fields ...field) []byte {
	c.t.Helper()
	var b bytes.Buffer
	if c.Format == "jsonl" {
		var list []wire.Field
		for _, f := range fields {
			value := f.value
			if column, ok := value.(wire.Column); ok {
				if seeds, ok := column.Values.([]uint64); ok {
					value = seeds
				}
			}
			list = append(list, named(f.name, value))
		}
		wire.NewJSONLines(nil, 0).Encode(&b, list)
		return b.Bytes()
	}
	e := msgpack.NewEncoder(&b)
	e.UseCompactInts(true)
	e.SetSortMapKeys(true)
	e.EncodeMapLen(len(fields))
	for _, f := range fields {
		e.EncodeString(f.name)
		switch value := f.value.(type) {
		case wire.Column:
			packed, err := binary.Append([]byte{}, binary.LittleEndian, value.Values)
			if err != nil {
				c.t.Fatal(err)
			}
			e.EncodeBytes(packed)
		case wire.Blob:
			e.EncodeBytes(value)
		default:
			if err := e.Encode(value); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	return b.Bytes()
}

// send lets the session answer bytes, and returns what it writes.
func (c *client) send(in []byte) []byte {
	c.t.Helper()
	var out bytes.Buffer
	if err := c.run(bytes.NewReader(in), &out); err != nil {
		c.t.Fatal(err)
	}
	return out.Bytes()
}

// An answer is a reply as a client sees it: numbers are float64, columns are
// []float64 whatever their width, NaN where JSON has null, bytes are []byte.
type answer map[string]any

// answers reads replies.
func (c *client) answers(out []byte) []answer {
	c.t.Helper()
	var list []answer
	if c.Format == "jsonl" {
		for line := range bytes.Lines(out) {
			var a answer
			if err := json.Unmarshal(line, &a); err != nil {
				c.t.Fatalf("reply %q: %v", line, err)
			}
			list = append(list, a)
		}
	} else {
		d := msgpack.NewDecoder(bytes.NewReader(out))
		for {
			var a answer
			if err := d.Decode(&a); err != nil {
				if len(list) == 0 && len(out) > 0 {
					c.t.Fatalf("reply %x: %v", out, err)
				}
				break
			}
			list = append(list, a)
		}
	}
	for _, a := range list {
		for name, value := range a {
			a[name] = plain(c.t, name, value)
		}
	}
	return list
}

// plain makes the values of both formats comparable.
func plain(t testing.TB, name string, value any) any {
	dtype := columnTypes[name]
	if list, ok := value.([]any); ok && len(list) > 0 {
		switch list[0].(type) {
		case string, map[string]any:
			dtype = "" // the actions and the observation of hello
		}
	}
	switch value := value.(type) {
	case []byte:
		if dtype == "" {
			return value
		}
		return unpacked(t, dtype, value)
	case string:
		if name == "states" {
			var b []byte
			if err := json.Unmarshal([]byte(`"`+value+`"`), &b); err != nil {
				t.Fatal(err)
			}
			return b
		}
	case []any:
		if dtype != "" {
			return flat([]float64{}, value)
		}
		list := slices.Clone(value)
		for i := range list {
			list[i] = plain(t, "", list[i])
		}
		return list
	case map[string]any:
		for key, v := range value {
			value[key] = plain(t, "", v)
		}
	case int8:
		return float64(value)
	case uint8:
		return float64(value)
	case int16:
		return float64(value)
	case uint16:
		return float64(value)
	case int32:
		return float64(value)
	case uint32:
		return float64(value)
	case int64:
		return float64(value)
	case uint64:
		return float64(value)
	}
	return value
}

// flat appends all numbers in a value of JSON.
func flat(list []float64, value any) []float64 {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			list = flat(list, v)
		}
	case nil:
		return append(list, math.NaN())
	case bool:
		if value {
			return append(list, 1)
		}
		return append(list, 0)
	case float64:
		return append(list, value)
	}
	return list
}

// unpacked reads little-endian numbers.
func unpacked(t testing.TB, dtype string, b []byte) []float64 {
	list := []float64{}
	for len(b) > 0 {
		n := int(dtype[2] - '0')
		if len(b) < n {
			t.Fatalf("%d bytes are left of a column of %s", len(b), dtype)
		}
		var x float64
		switch dtype {
		case "|b1", "|u1":
			x = float64(b[0])
		case "|i1":
			x = float64(int8(b[0]))
		case "<i2":
			x = float64(int16(binary.LittleEndian.Uint16(b)))
		case "<i8":
			x = float64(int64(binary.LittleEndian.Uint64(b)))
		case "<f4":
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		case "<f8":
			x = math.Float64frombits(binary.LittleEndian.Uint64(b))
		default:
			t.Fatalf("dtype %s", dtype)
		}
		list, b = append(list, x), b[n:]
	}
	return list
}

// try sends one request and returns the answer.
func (c *client) try(op string, fields ...field) answer {
	c.t.Helper()
	list := c.answers(c.send(c.written(append([]field{{"op", op}}, fields...)...)))
	if len(list) != 1 {
		c.t.Fatalf("%s has %d replies", op, len(list))
	}
	return list[0]
}

// ask sends one request that must succeed.
func (c *client) ask(op string, fields ...field) answer {
	c.t.Helper()
	a := c.try(op, fields...)
	if a["ok"] != true {
		c.t.Fatalf("%s %v: %v", op, fields, a["error"])
	}
	return a
}

// refused sends one request that must fail, and returns the message.
func (c *client) refused(code, op string, fields ...field) string {
	c.t.Helper()
	a := c.try(op, fields...)
	wrong, _ := a["error"].(map[string]any)
	if a["ok"] != false || wrong["code"] != code || len(a) != 3 {
		c.t.Errorf("%s %v: %v, want an error %s", op, fields, a, code)
	}
	message, _ := wrong["message"].(string)
	return message
}

// numbers returns a list of numbers as answers have them.
func numbers[T bool | uint8 | int8 | int16 | float32 | float64](list []T) []float64 {
	plain := []float64{}
	for _, x := range list {
		switch x := any(x).(type) {
		case bool:
			plain = flat(plain, x)
		case uint8:
			plain = append(plain, float64(x))
		case int8:
			plain = append(plain, float64(x))
		case int16:
			plain = append(plain, float64(x))
		case float32:
			plain = append(plain, float64(x))
		case float64:
			plain = append(plain, x)
		}
	}
	return plain
}

// alike compares lists, of which JSON writes float32 in fewer digits.
func alike(got any, want []float64) bool {
	list, ok := got.([]float64)
	return ok && slices.EqualFunc(list, want, func(a, b float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b) || float32(a) == float32(b)
	})
}
