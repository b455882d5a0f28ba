package main

import (
	"path/filepath"
	"strings"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
)

// shortNames returns what to call policies in a table: a file by its last
// element without .msgpack or, where that is the name of another, by as many
// elements of its path as tell it from all others; every other policy by its
// name. What a terminal would not show is escaped.
func shortNames(names []string) []string {
	forms := make([][]string, len(names)) // of each name, shortest first
	for i, name := range names {
		forms[i] = formsOf(name)
	}
	at := make([]int, len(names))
	for again := true; again; {
		again = false
		count := make(map[string]int)
		for i := range names {
			count[forms[i][at[i]]]++
		}
		for i := range names {
			short := forms[i][at[i]]
			if (count[short] > 1 || isReserved(short)) && at[i]+1 < len(forms[i]) {
				at[i]++
				again = true
			}
		}
	}
	short := make([]string, len(names))
	for i := range names {
		short[i] = plaintext.Escape(forms[i][at[i]])
	}
	return short
}

// formsOf returns what a policy may be called, shortest first; the last one is
// its name.
func formsOf(name string) (forms []string) {
	if isReserved(name) {
		return []string{name}
	}
	slashes := filepath.ToSlash(name)
	for i := len(slashes) - 1; i > 0; i-- {
		if slashes[i-1] == '/' {
			forms = append(forms, strings.TrimSuffix(name[i:], ".msgpack"))
		}
	}
	return append(forms, strings.TrimSuffix(name, ".msgpack"), name)
}

// isReserved reports whether a name stands for something else than the file of
// that name.
func isReserved(name string) bool {
	return name == everyRule || policies.OriginOf(name) != policies.FromFile
}
