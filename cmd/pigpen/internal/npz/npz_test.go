package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func raw(b ...byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

// TestWrite compares the bytes of an array with those that numpy.save writes.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, Array{"a", "<i2", []int{1, 2}, raw(0xff, 0xff, 3, 0)}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("a.npy")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<i2', 'fortran_order': False, 'shape': (1,2,), }" + strings.Repeat(" ", 58) + "\n\xff\xff\x03\x00"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		dtype string
		bytes []byte
		want  []int64
	}{
		{"|u1", []byte{255, 1}, []int64{255, 1}},
		{"|i1", []byte{255, 1}, []int64{-1, 1}},
		{"|b1", []byte{1, 0}, []int64{1, 0}},
		{"<i2", []byte{0xfe, 0xff, 0, 1}, []int64{-2, 256}},
		{"<i8", append(bytes.Repeat([]byte{255}, 8), 7, 0, 0, 0, 0, 0, 0, 0), []int64{-1, 7}},
	} {
		a := open(t, c.dtype, c.bytes)
		var got []int64
		for range a.Shape[0] {
			x, err := a.Next()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, x)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.dtype, got, c.want)
		}
	}
	if _, err := open(t, "<i2", []byte{1}).Next(); err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Errorf("half an element: %v", err)
	}
	for _, dtype := range []string{"<f8", ">i2", "|O"} {
		if _, err := file(t, dtype, nil).Integers("a"); err == nil || !strings.Contains(err.Error(), "little-endian integers") {
			t.Errorf("%s: %v", dtype, err)
		}
	}
	if !file(t, "<i2", nil).Has("a") || file(t, "<i2", nil).Has("b") {
		t.Error("Has: the file has the array a alone")
	}
	if _, err := file(t, "<i2", nil).Integers("b"); err == nil || err.Error() != `the array "b" is missing` {
		t.Error(err)
	}
	if _, err := Open(strings.NewReader("text"), 4); err == nil {
		t.Error("a text is opened")
	}
}

// TestFloats reads an array of floats, and refuses those of other types.
func TestFloats(t *testing.T) {
	want := []float64{1.0 / 3, math.Inf(-1)}
	var b []byte
	for _, x := range want {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	a, err := file(t, "<f8", b).Floats("a")
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range want {
		if got, err := a.Next(); got != x || err != nil {
			t.Errorf("element %d: %v, %v, want %v", i, got, err, x)
		}
	}
	if _, err := a.Next(); err == nil || !strings.Contains(err.Error(), "shorter") {
		t.Errorf("a third element: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	for _, dtype := range []string{"<f4", ">f8", "<i8"} {
		if _, err := file(t, dtype, nil).Floats("a"); err == nil || !strings.Contains(err.Error(), "little-endian 64-bit floats") {
			t.Errorf("%s: %v", dtype, err)
		}
	}
}

// file returns a file with an array a of two elements.
func file(t *testing.T, dtype string, elements []byte) *File {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, Array{"a", dtype, []int{2}, raw(elements...)}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func open(t *testing.T, dtype string, elements []byte) *Integers {
	t.Helper()
	a, err := file(t, dtype, elements).Integers("a")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}
