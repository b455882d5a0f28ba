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
