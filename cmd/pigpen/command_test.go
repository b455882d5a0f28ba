package main

import (
	"bytes"
	"os"
	"testing"
)

// TestReaderGone writes a result to a pipe that nobody reads.
func TestReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	var stderr bytes.Buffer
	if status := run(t.Context(), []string{"variants"}, nil, w, &stderr); status != statusFailed || stderr.Len() > 0 {
		t.Errorf("pigpen variants, unread: exit status %d, stderr %q; want %d and nothing", status, stderr.String(), statusFailed)
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
