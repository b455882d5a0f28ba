package serve

import (
	"slices"
	"testing"
)

// TestStates reads the states of a game in pages of every size, in both formats.
func TestStates(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "")
		var want []float64
		for own := range 4 {
			for total := 1; own+total < 4; total++ {
				for other := range 4 {
					want = append(want, float64(own), float64(total), float64(other))
				}
			}
		}
		n := len(want) / 3
		for limit := 1; limit <= n+1; limit++ {
			var got []float64
			for start := 0; start < n; start += limit {
				a := c.ask("states", field{"target", 4}, field{"start", start}, field{"limit", limit})
				if a["total"] != float64(n) {
					t.Fatalf("%s: there are %v states, want %d", format, a["total"], n)
				}
				got = append(got, a["observations"].([]float64)...)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: in pages of %d the states are\n%v, want\n%v", format, limit, got, want)
			}
		}
		if a := c.ask("states", field{"target", 4}, field{"start", n}); !alike(a["observations"], []float64{}) {
			t.Errorf("%s: after the last state come %v", format, a["observations"])
		}
		if format != "msgpack" {
			continue // in which large pages take long
		}
		if format == "jsonl" {
			continue // the rest is long
		}
		// Without a game they are those of the session's, at most a page of them.
		if a := c.ask("states"); a["total"] != 495_000.0 || len(a["observations"].([]float64)) != 3*495_000 {
			t.Errorf("%s: pig has %v states, %d numbers in a page", format, a["total"], len(a["observations"].([]float64)))
		}
		if a := c.ask("states", field{"players", 3}, field{"start", 1}); len(a["observations"].([]float64)) != 4*maxStates {
			t.Errorf("%s: a page has %d numbers", format, len(a["observations"].([]float64)))
		}
	}
}
