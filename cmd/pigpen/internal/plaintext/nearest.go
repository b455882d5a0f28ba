package plaintext

import (
	"fmt"
	"math"
	"strings"
)

// DidYouMean returns a question that suggests the [Nearest] name, followed by a
// space, or "" if no name is near.
func DidYouMean(word string, names []string) string {
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	return ""
}

// Nearest returns the name that takes the fewest edits (insert, delete,
// replace a letter, swap two neighbours) to reach from word, where they are at
// most half of the letters of the longer of the two; else the only name that
// begins with word, if that has two letters or more; else "".
func Nearest(word string, names []string) string {
	best, edits := "", math.MaxInt
	var begun []string
	for _, name := range names {
		if d := editDistance(word, name); d < edits && 2*d <= max(len(word), len(name)) {
			best, edits = name, d
		}
		if len(word) >= 2 && strings.HasPrefix(name, word) {
			begun = append(begun, name)
		}
	}
	if best == "" && len(begun) == 1 {
		return begun[0]
	}
	return best
}

// editDistance is the optimal string alignment distance of a and b, in bytes:
// the Levenshtein distance with swaps of neighbours, none of which is edited
// again.
func editDistance(a, b string) int {
	// row[j] is the distance of the first i letters of a and j of b; above and
	// beyond are the rows of i-1 and i-2.
	above, beyond := make([]int, len(b)+1), make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		beyond, above, row = above, row, beyond
		row[0] = i + 1
		for j := range len(b) {
			replace := above[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, row[j]+1, above[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], beyond[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
