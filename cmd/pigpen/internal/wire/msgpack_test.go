package wire

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// must panics if there is an error.
func must(errs ...error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}

// TestIntegers reads an integer in each form that msgpack has for it.
func TestIntegers(t *testing.T) {
	for _, test := range []struct {
		bytes   []byte
		integer int64
		ok      bool
	}{
		{[]byte{0x00}, 0, true}, {[]byte{0x7f}, 127, true}, {[]byte{0xff}, -1, true}, {[]byte{0xe0}, -32, true},
		{[]byte{0xcc, 200}, 200, true}, {[]byte{0xcd, 0x80, 0}, 0x8000, true}, {[]byte{0xce, 0xff, 0xff, 0xff, 0xff}, 1<<32 - 1, true},
		{[]byte{0xcf, 0, 0, 0, 0, 0, 0, 1, 0}, 256, true}, {[]byte{0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0}, 0, false},
		{[]byte{0xd0, 0x80}, -128, true}, {[]byte{0xd1, 0xff, 0xfe}, -2, true}, {[]byte{0xd2, 0x80, 0, 0, 0}, -1 << 31, true},
		{[]byte{0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0}, -1 << 63, true}, {[]byte{0xd3, 0, 0, 0, 0, 0, 0, 0, 9}, 9, true},
		{[]byte{0xca, 0, 0, 0, 0}, 0, false}, {[]byte{0xa1, '1'}, 0, false}, {[]byte{0xc0}, 0, false}, {[]byte{0xc3}, 0, false}, {[]byte{0xd4, 1, 1}, 0, false},
	} {
		var n msgpackNotation
		got, ok := n.Int(test.bytes)
		if ok != test.ok || ok && got != test.integer {
			t.Errorf("integer(%x) = %d, %t, want %d, %t", test.bytes, got, ok, test.integer, test.ok)
		}
		natural, ok := n.Uint(test.bytes)
		if want := test.ok && test.integer >= 0 || test.bytes[0] == 0xcf; ok != want || ok && test.ok && natural != uint64(test.integer) {
			t.Errorf("natural(%x) = %d, %t, want %t", test.bytes, natural, ok, want)
		}
	}
}

// TestPacked compares the bytes of columns with those of encoding/binary.
func TestPacked(t *testing.T) {
	for _, values := range []any{
		[]bool{true, false, true}, []uint8{0, 1, 255}, []int8{-1, 5}, []int16{-2, 300, 7}, []int64{-2, 1 << 40}, []float32{-1, 0.5, 1e9}, []float64{1. / 3, -0}, []int16{},
	} {
		want, err := binary.Append([]byte{}, binary.LittleEndian, values)
		must(err)
		if got := (Column{Values: values}).packed(); !bytes.Equal(got, want) || got == nil {
			t.Errorf("packed(%v) = %x, want %x", values, got, want)
		}
	}
}
