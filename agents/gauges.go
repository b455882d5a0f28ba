package agents

// gauges returns the step size and the coverage of estimates with so many
// samples each, of which the last has the given weight.
func gauges[N uint16 | float32](counts []N, weight func(n N) float64) Gauges {
	var g Gauges
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
