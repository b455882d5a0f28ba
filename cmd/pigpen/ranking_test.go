package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

func TestShortNames(t *testing.T) {
	for _, test := range []struct{ names, want []string }{
		{[]string{"optimal", "hold-20", "trained/pig-qlearning"}, []string{"optimal", "hold-20", "trained/pig-qlearning"}},
		{[]string{"runs/1/q.msgpack", "race"}, []string{"q", "race"}},
		{[]string{"runs/1/q.msgpack", "runs/2/q.msgpack", "m.msgpack"}, []string{"1/q", "2/q", "m"}},
		{[]string{"a/1/q.msgpack", "b/1/q.msgpack"}, []string{"a/1/q", "b/1/q"}},
		{[]string{"q", "q.msgpack"}, []string{"q", "q.msgpack"}},
		{[]string{"./optimal", "optimal"}, []string{"./optimal", "optimal"}},
		{[]string{"runs/race.msgpack"}, []string{"runs/race"}}, // "race" is another policy
		{[]string{"runs/a\x1b[31m.msgpack"}, []string{`a\x1b[31m`}},
	} {
		if got := shortNames(test.names); !slices.Equal(got, test.want) {
			t.Errorf("shortNames(%q) = %q, want %q", test.names, got, test.want)
		}
	}
}

// TestTournamentFits lays out tournaments of all sizes for terminals of all
// widths: no line is wider, every policy has a row, the best first.
func TestTournamentFits(t *testing.T) {
	for _, n := range []int{2, 3, 10, 30, 100} {
		var r tournamentResult
		for i := range n {
			name := fmt.Sprintf("hold-%d", i+1)
			if i == 1 {
				name = "runs/豚-" + strings.Repeat("long", 20) + ".msgpack"
			}
			row := make([]float64, n)
			for j := range row {
				row[j] = 0.5 + float64(i-j)/300
			}
			r.Policies, r.Win, r.Mean = append(r.Policies, name), append(r.Win, row), append(r.Mean, 0.4+float64(i)/500)
		}
		for _, width := range []int{24, 40, 80, 120, 400} {
			text := r.table(width)
			for line := range strings.Lines(text) {
				if got := uniseg.StringWidth(strings.TrimSuffix(line, "\n")); got > max(width, 38) {
					t.Errorf("%d policies at %d columns have a line of %d: %q", n, width, got, line)
				}
			}
			lines := strings.Split(text, "\n")
			if best := strings.Fields(lines[1]); best[0] != "1" || n > 2 && best[1] != fmt.Sprintf("hold-%d", n) {
				t.Errorf("%d policies at %d columns: the first row is %q", n, width, lines[1])
			}
			if last := strings.Fields(lines[n]); last[0] != fmt.Sprint(n) || last[1] != "hold-1" {
				t.Errorf("%d policies at %d columns: the last row is %q", n, width, lines[n])
			}
			crossed := strings.Contains(text, "50.00") && !strings.Contains(text, "hardest")
			if want := n <= 3 && width >= 40 || n == 10 && width >= 80 || n == 30 && width == 400; crossed != want && width >= 40 {
				t.Errorf("%d policies at %d columns: all pairs are shown: %t, want %t:\n%s", n, width, crossed, want, text)
			}
		}
	}
}
