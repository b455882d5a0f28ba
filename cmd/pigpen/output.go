package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"

	"golang.org/x/term"
)

// print writes text in one piece, with its lines broken between words where they are
// wider than the terminal that w is, and returns what went wrong.
func print(w io.Writer, text string) error {
	if isTerminal(w) {
		text = wrapLines(text, widthOf(w))
	}
	return write(w, text)
}

// write writes text in one piece and returns what went wrong.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	if errors.Is(err, syscall.EPIPE) {
		return errReaderGone
	}
	return err
}

// printJSON writes v as one JSON object on one line.
func printJSON(w io.Writer, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return write(w, escapeJSON(b.String()))
}

// escapeJSON escapes what JSON leaves as it is in strings but a terminal would obey:
// DEL, the control characters after it, and marks that change the order of text. The
// values stay the same.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x7f || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		units := [2]rune{r}
		n := 1
		if r > 0xffff {
			units[0], units[1] = utf16.EncodeRune(r)
			n = 2
		}
		for _, unit := range units[:n] {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// isTerminal reports whether a stream is a person's terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns the number of columns of a terminal, or 80 where a stream is
// none.
func widthOf(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}
