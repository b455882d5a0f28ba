package main

import (
	"strings"

	"github.com/rivo/uniseg"
)

// helpWidth is the number of columns that the help takes at most.
const helpWidth = 80

// wrap breaks text at spaces into lines that each begin with the indent and take
// at most so many columns of a terminal, the indent included. A word that is wider
// than that has a line of its own.
func wrap(text, indent string, columns int) string {
	return wrapWords(strings.Split(text, " "), indent, columns)
}

// wrapWords is [wrap] for words that may have spaces in them, at which no line is
// broken.
func wrapWords(words []string, indent string, columns int) string {
	var b strings.Builder
	room := 0 // columns that are left in the line
	for i, word := range words {
		width := uniseg.StringWidth(word)
		if i > 0 && 1+width <= room {
			b.WriteByte(' ')
			room -= 1 + width
		} else {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(indent)
			room = columns - uniseg.StringWidth(indent) - width
		}
		b.WriteString(word)
	}
	return b.String()
}

// wrapLines breaks the lines of text that are wider than so many columns of a terminal
// at spaces. What follows a break has the indent of the line.
func wrapLines(text string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if uniseg.StringWidth(strings.TrimSuffix(line, "\n")) <= columns {
			b.WriteString(line)
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		used, empty := 0, true // of the line that is written
		for rest := line; rest != ""; {
			word := strings.TrimLeft(rest, " ")
			space := rest[:len(rest)-len(word)]
			if end := strings.IndexByte(word, ' '); end >= 0 {
				word, rest = word[:end], word[end:]
			} else {
				rest = ""
			}
			width := len(space) + uniseg.StringWidth(strings.TrimSuffix(word, "\n"))
			if !empty && used+width > columns {
				b.WriteString("\n" + indent)
				used, width, space = len(indent), width-len(space), ""
			}
			b.WriteString(space + word)
			used, empty = used+width, false
		}
	}
	return b.String()
}
