package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
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

// TestPrintJSONControls checks that no name in a result reaches a terminal as a
// control sequence, and that it reads back as it was.
func TestPrintJSONControls(t *testing.T) {
	want := "a\x1b[31m\x7f\u009b31m\u202e\u2028\U000e0001é目\n<&"
	var b strings.Builder
	must(printJSON(&b, want))
	if got := b.String(); got != `"a\u001b[31m\u007f\u009b31m\u202e\u2028\udb40\udc01é目\n<&"`+"\n" {
		t.Errorf("printJSON(%q) prints %s", want, got)
	}
	var got string
	if must(json.Unmarshal([]byte(b.String()), &got)); got != want {
		t.Errorf("printed and read, %q is %q", want, got)
	}
}
