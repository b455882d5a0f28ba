package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// newSession returns a session that serves hold-20.
func newSession(t testing.TB) *session {
	t.Helper()
	g, players, err := addGameFlags(newFlags("serve")).players(t.Context(), "hold-20")
	if err != nil {
		t.Fatal(err)
	}
	return &session{game: g, policy: players[0], maxFrame: 1 << 20}
}

// FuzzAnswer answers any bytes with one line of JSON in UTF-8 that is an error
// or holds what its op adds, and repeats a request's ID.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"op":"hello"}`, `{"id":"a","op":"act","observation":[0,20,0]}`, `{"op":"quit"}`, `{"id":{"deep":[1]}}`,
		`{"id":1,"id":2,"op":"act"}`, `{"id":"` + "\xff" + `"}`, `{"op":"act","observation":[null,1e400,-1]}`, `[`, `{"op":"\ud800"}`, "",
	} {
		f.Add([]byte(seed))
	}
	s := newSession(f)
	f.Fuzz(func(t *testing.T, frame []byte) {
		r, quit := s.answer(frame)
		if r.ID == nil {
			r.ID = []byte("null")
		}
		var out bytes.Buffer
		if err := printJSON(&out, r); err != nil {
			t.Fatalf("answer(%q) = %+v, which is no JSON: %v", frame, r, err)
		}
		if !utf8.Valid(out.Bytes()) || strings.Count(out.String(), "\n") != 1 || out.Len() > len(frame)*6+4096 {
			t.Errorf("answer(%q) is %q", frame, out.String())
		}
		if r.OK == (r.Error != nil) || quit && !r.OK {
			t.Errorf("answer(%q) = %+v, quit %t", frame, r, quit)
		}
		var request struct{ ID json.RawMessage }
		if r.OK && json.Unmarshal(frame, &request) != nil {
			t.Errorf("answer(%q) takes what is no object", frame)
		}
	})
}

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
	s := streams{in: strings.NewReader(`{"op":"hello"}` + "\n"), out: w}
	if err := serve(ctx, s, newSession(t)); !errors.Is(err, errInterrupted) {
		t.Errorf("serve = %v, want %v", err, errInterrupted)
	}
}

// TestPrintable escapes what a terminal would not show as it is.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain – ü":         "plain – ü",
		"two\nlines\ttab":   `two\nlines\ttab`,
		"\x1b[31mred":       `\x1b[31mred`,
		"broken \xff\u2028": `broken \ufffd\u2028`,
	} {
		if got := printable(text); got != want {
			t.Errorf("printable(%q) = %q, want %q", text, got, want)
		}
	}
}
