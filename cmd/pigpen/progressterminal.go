package main

import (
	"os"
	"runtime"
)

// rewritable reports whether f is a terminal on which a line can be rewritten.
func rewritable(f *os.File) bool {
	kind, known := os.LookupEnv("TERM")
	if kind == "dumb" || !known && runtime.GOOS != "windows" {
		return false
	}
	return isTerminal(f) && heedsSequences(f)
}

// Control sequences of ECMA-48 and DEC's terminals.
const (
	eraseToEndOfLine   = "\x1b[K"
	eraseToEndOfScreen = "\x1b[J"
	wrapOff, wrapOn    = "\x1b[?7l", "\x1b[?7h"
)

// draw rewrites the terminal's line. The cursor is left at its beginning: where
// a terminal that has been made narrower breaks the line into several, the cursor
// stays on the first of them, and all can be erased. Wrapping is off meanwhile,
// for the width may change before the line arrives.
func (p *progress) draw(v view) {
	columns := p.width()
	text := v.fit(columns - 1) // in the last column some terminals wrap
	if text == p.drawn && columns == p.columns {
		return
	}
	before := "\r"
	if columns != p.columns && p.drawn != "" {
		before += eraseToEndOfScreen
	}
	p.write(before + wrapOff + text + eraseToEndOfLine + wrapOn + "\r")
	p.drawn, p.columns = text, columns
}

// erase removes the terminal's line.
func (p *progress) erase() {
	if p.drawn != "" {
		p.write("\r" + eraseToEndOfScreen)
		p.drawn = ""
	}
}
