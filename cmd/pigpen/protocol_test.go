package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// newSession returns a session of a format that serves a policy, "" for none.
func newSession(t testing.TB, format, policy string) *session {
	t.Helper()
	var names []string
	if policy != "" {
		names = append(names, policy)
	}
	g, players, err := addGameFlags(newFlags("serve")).players(t.Context(), nil, 1, names...)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{
		ctx: t.Context(), game: g, seed: 1, rand: env.NewRand(1), workers: 2,
		format: format, maxFrame: 64 << 20, environments: make(map[int64]*environment),
		policies: policyStore{files: policies.Disk{}, limit: defaultPolicyBytes},
	}
	if policy != "" {
		s.policy = &players[0]
		s.policies.serves(players[0], g, nil)
	}
	return s
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
	if err := serve(ctx, s, newSession(t, "jsonl", "")); !errors.Is(err, errInterrupted) {
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
