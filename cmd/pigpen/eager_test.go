package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEagerReader holds that a reader that has looked in vain leaves out more and
// more waits, and none after it has looked with success.
func TestEagerReader(t *testing.T) {
	read, looked := 0, []int(nil)
	r := &eagerReader{Reader: strings.NewReader(strings.Repeat("x", 1000)), look: func() bool {
		looked = append(looked, read)
		return read == 14 || read == 15
	}}
	b := make([]byte, 1)
	for read = range 305 {
		if n, err := r.Read(b); n != 1 || err != nil {
			t.Fatalf("Read() = %d, %v, want 1 byte", n, err)
		}
	}
	// In vain at 0, so that 1, 3 and then 7 are left out; at 14 and 15 there is
	// input; then 1, 3, 7, 15, 31, and again and again 63 are left out.
	want := []int{0, 2, 6, 14, 15, 16, 18, 22, 30, 46, 78, 142, 206, 270}
	if !slices.Equal(looked, want) {
		t.Errorf("it looks at reads %v, want %v", looked, want)
	}
}

// TestLookout holds that a pipe is told to have input when it has, and when it
// has ended.
func TestLookout(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	arrived := lookout(in)
	if arrived == nil {
		t.Skip("not told on this system")
	}
	check := func(when string, want bool) {
		t.Helper()
		if got := arrived(); got != want {
			t.Errorf("%s: arrived() = %t, want %t", when, got, want)
		}
	}
	check("an empty pipe", false)
	if _, err := out.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	check("a byte", true)
	if _, err := in.Read(make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	check("no byte more", false)
	out.Close()
	check("the end", true)
	if _, err := in.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("Read() = %v, want EOF", err)
	}
}
