package wire

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSpinningReader checks that a reader that polls in vain skips more and more
// polls, and none after a poll that succeeds.
func TestSpinningReader(t *testing.T) {
	read, polled := 0, []int(nil)
	r := &spinningReader{Reader: strings.NewReader(strings.Repeat("x", 1000)), poll: func() bool {
		polled = append(polled, read)
		return read == 14 || read == 15
	}}
	b := make([]byte, 1)
	for read = range 305 {
		if n, err := r.Read(b); n != 1 || err != nil {
			t.Fatalf("Read() = %d, %v, want 1 byte", n, err)
		}
	}
	// In vain at 0, so that 1, 3 and then 7 reads skip the poll; at 14 and 15 there is
	// input; then 1, 3, 7, 15, 31, and from then on 63 skip it.
	want := []int{0, 2, 6, 14, 15, 16, 18, 22, 30, 46, 78, 142, 206, 270}
	if !slices.Equal(polled, want) {
		t.Errorf("it polls at reads %v, want %v", polled, want)
	}
}

// TestInputReady checks that a pipe is ready when it has input, and when it has
// ended.
func TestInputReady(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ready := inputReady(in)
	if ready == nil {
		t.Skip("no poll on this system")
	}
	check := func(when string, want bool) {
		t.Helper()
		if got := ready(); got != want {
			t.Errorf("%s: ready() = %t, want %t", when, got, want)
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
