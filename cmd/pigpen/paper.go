package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A paper is where a game is shown: lines that are no wider than the terminal, with
// colours where it has some.
type paper struct {
	w      io.Writer
	colour bool
	err    error // of the first write that failed
}

func newPaper(w io.Writer) paper { return paper{w: w, colour: hasColour(w)} }

// hasColour reports whether a stream is a terminal on which colours are wanted; see
// https://no-color.org.
func hasColour(stream any) bool {
	return isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// line prints a line, which is broken between words.
func (p *paper) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	p.write(wrap(text[len(indent):], indent, widthOf(p.w)) + "\n")
}

// words prints a head and a list, which is broken between its elements.
func (p *paper) words(head string, list []string) {
	words := make([]string, len(list))
	for i, word := range list {
		words[i] = word
		if i < len(list)-1 {
			words[i] += ","
		}
	}
	if len(words) > 0 {
		words[0] = head + words[0]
	}
	p.write(wrapWords(words, "", widthOf(p.w)) + "\n")
}

// prompt prints what a key is wanted for.
func (p *paper) prompt(text string) {
	p.write(p.bold(strings.TrimRight(wrap(text, "", widthOf(p.w)-2), " ")) + " ")
}

func (p *paper) write(text string) {
	if p.err == nil {
		p.err = print(p.w, text)
	}
}

func (p *paper) paint(code, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *paper) bold(text string) string  { return p.paint("1", text) }
func (p *paper) red(text string) string   { return p.paint("31", text) }
func (p *paper) green(text string) string { return p.paint("32", text) }
