package agents

// metrics returns the mean step size and the coverage of estimates. Estimate i has
// counts[i] samples, and the last of n samples has the weight weight(n).
func metrics[N uint16 | float32](counts []N, weight func(n N) float64) Metrics {
	var g Metrics
	tried := 0
	for _, n := range counts {
		if n > 0 {
			tried++
			g.StepSize += weight(n)
		}
	}
	if tried > 0 {
		g.StepSize /= float64(tried)
	}
	g.Coverage = float64(tried) / float64(len(counts))
	return g
}
