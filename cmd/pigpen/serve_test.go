package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A stuck writer never returns from a write, as a pipe that nobody reads.
type stuck struct{ writing chan struct{} }

func (w stuck) Write([]byte) (int, error) {
	close(w.writing)
	select {}
}

// TestServeStuck ends a session whose client does not read.
func TestServeStuck(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := stuck{make(chan struct{})}
	go func() {
		<-w.writing
		cancel()
	}()
	if status := run(ctx, []string{"serve"}, strings.NewReader(`{"op":"hello"}`+"\n"), w, io.Discard); status != statusInterrupted {
		t.Errorf("serve: exit status %d, want %d", status, statusInterrupted)
	}
}
