package main

import "fmt"

// humanCount writes a count to three digits, as in 41.2M.
func humanCount(x float64) string {
	for _, u := range []struct {
		size   float64
		suffix string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= u.size {
			return fmt.Sprintf("%.3g%s", x/u.size, u.suffix)
		}
	}
	return fmt.Sprintf("%.3g", x)
}

// humanBytes writes a size to three digits, as in 4.02 MB.
func humanBytes(x float64) string {
	text := humanCount(x)
	if last := text[len(text)-1]; last > '9' {
		return text[:len(text)-1] + " " + string(last) + "B"
	}
	return text + " B"
}
