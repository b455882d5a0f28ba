package main

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

func TestWrap(t *testing.T) {
	const text = "one two  three four"
	for _, c := range []struct {
		text, indent string
		columns      int
		want         string
	}{
		{text, "", 80, text},
		{text, "", 19, text},
		{text, "", 18, "one two  three\nfour"},
		{text, "  ", 9, "  one two\n   three\n  four"},
		{text, "> ", 7, "> one\n> two \n> three\n> four"},
		{"a/wide/name is whole", "", 5, "a/wide/name\nis\nwhole"},
		{"各各 各各", "", 8, "各各\n各各"},
		{"", "  ", 10, "  "},
	} {
		if got := wrap(c.text, c.indent, c.columns); got != c.want {
			t.Errorf("wrap(%q, %q, %d) = %q, want %q", c.text, c.indent, c.columns, got, c.want)
		}
	}
}

func TestWrapWords(t *testing.T) {
	words := []string{"--a 1", "--b 2", "--c 3"}
	for columns, want := range map[int]string{11: " --a 1\n --b 2\n --c 3", 12: " --a 1 --b 2\n --c 3"} {
		if got := wrapWords(words, " ", columns); got != want {
			t.Errorf("in %d columns: %q, want %q", columns, got, want)
		}
	}
}

// TestHelpWidth checks that every line of the help fits a terminal of 80 columns.
func TestHelpWidth(t *testing.T) {
	texts := map[string]string{"pigpen": usage()}
	for _, c := range commands() {
		texts[c.name] = c.help()
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if width := uniseg.StringWidth(line); width > helpWidth {
				t.Errorf("the help of %s has a line of %d columns: %q", name, width, line)
			}
			if trimmed := strings.TrimRight(line, " "); trimmed != line {
				t.Errorf("the help of %s has spaces at the end of %q", name, line)
			}
		}
	}
}

func TestWrapLines(t *testing.T) {
	const text = "short\n  in seat 0  wins  54.153169%\nits policy is in a/long/name\n"
	for columns, want := range map[int]string{
		80: text,
		30: text,
		20: "short\n  in seat 0  wins\n  54.153169%\nits policy is in\na/long/name\n",
		16: "short\n  in seat 0\n  wins\n  54.153169%\nits policy is in\na/long/name\n",
		5:  "short\n  in\n  seat\n  0\n  wins\n  54.153169%\nits\npolicy\nis in\na/long/name\n",
	} {
		if got := wrapLines(text, columns); got != want {
			t.Errorf("in %d columns: %q, want %q", columns, got, want)
		}
	}
}
