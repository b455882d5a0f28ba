package main

import (
	"strings"

	"github.com/rivo/uniseg"
)

func widest(texts []string) (width int) {
	for _, text := range texts {
		width = max(width, uniseg.StringWidth(text))
	}
	return width
}

// padded returns text with spaces before or, adjusted to the left, behind it.
func padded(text string, width int, left bool) string {
	space := strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
	if left {
		return text + space
	}
	return space + text
}

// shortened returns text with its middle cut out if it is wider than so many
// columns.
func shortened(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	head, tail := len(runes)/2, len(runes)/2
	cut := func() string { return string(runes[:head]) + "…" + string(runes[tail:]) }
	for uniseg.StringWidth(cut()) > width && (head > 0 || tail < len(runes)) {
		if head > len(runes)-tail || tail == len(runes) {
			head--
		} else {
			tail++
		}
	}
	return cut()
}
