package envtest

import (
	"math"
	"testing"
)

// CheckFrequencies fails the test if counts, which are how often each case was
// drawn, are not what draws in proportion to weights make likely. It is
// Pearson's chi-squared test at a level of 1e-9, so each case should be
// expected at least five times. The draws must come from a fixed seed: then it
// passes or fails forever, and the level is only the risk that a seed chosen once
// was an unlucky one.
func CheckFrequencies(t testing.TB, what string, counts, weights []int) {
	t.Helper()
	if len(counts) != len(weights) {
		t.Fatalf("%s: %d counts for %d weights", what, len(counts), len(weights))
	}
	draws, total := 0, 0
	for i := range counts {
		draws += counts[i]
		total += weights[i]
	}
	statistic := 0.0
	for i := range counts {
		expected := float64(draws) * float64(weights[i]) / float64(total)
		if expected < 5 {
			t.Fatalf("%s: case %d is expected %.2f times in %d draws, want at least 5", what, i, expected, draws)
		}
		d := float64(counts[i]) - expected
		statistic += d * d / expected
	}
	if limit := criticalValue(len(counts) - 1); statistic > limit {
		t.Errorf("%s: counts %v for weights %v: chi-squared is %.1f, want at most %.1f", what, counts, weights, statistic, limit)
	}
}

// criticalValue is what a chi-squared variable of so many degrees of freedom
// exceeds with a chance of about 1e-9, by the cube-root approximation: E.
// Wilson, M. Hilferty, "The Distribution of Chi-Square", PNAS 17(12), 1931. It
// errs on the high side: by 26% for one degree, 10% for four, 4% for ten.
func criticalValue(degrees int) float64 {
	if degrees == 0 {
		return 0
	}
	const z = 5.997807 // what a normal variable exceeds with a chance of 1e-9
	v := 2 / (9 * float64(degrees))
	return float64(degrees) * math.Pow(1-v+z*math.Sqrt(v), 3)
}
