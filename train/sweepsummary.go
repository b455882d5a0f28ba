package train

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A PointSummary sums up the trainings of one point of a sweep that have ended. Figures
// that are not known are NaN.
type PointSummary struct {
	Ended int // trainings
	// Wins is of the win probability, and Turns of the expected number of turns.
	Wins, Turns Spread
	// Exploitability is the mean.
	Exploitability float64
	// Best is the index in SweepResult.Trained of the best of these trainings, or -1.
	Best int
}

// A Spread describes values of which each is of another seed.
type Spread struct {
	Mean float64
	SD   float64 // standard deviation, with n-1; NaN of fewer than two values
	// Low and High are the ends of the 95% confidence interval of the mean by Student's
	// t, which takes the values to be normally distributed; NaN of fewer than two values.
	Low, High float64
}

// SpreadOf returns the spread of values. It is NaN if one of them is, or if there is none.
func SpreadOf(values []float64) Spread {
	const confidence = 0.95
	unknown := math.NaN()
	switch len(values) {
	case 0:
		return Spread{unknown, unknown, unknown, unknown}
	case 1:
		return Spread{values[0], unknown, unknown, unknown}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
	half := t * stat.StdErr(sd, n)
	return Spread{mean, sd, mean - half, mean + half}
}

// Summaries returns a summary of each point of the sweep s, of which r is the result, in
// the order of s.Points.
func (s Sweep) Summaries(r SweepResult) []PointSummary {
	list := make([]PointSummary, len(s.Points))
	for i := range list {
		var wins, turns, exploitable []float64
		best := -1
		for j, t := range r.Trained {
			if t.Index/len(s.Seeds) != i {
				continue
			}
			wins, turns, exploitable = append(wins, t.Score.WinMean), append(turns, t.Score.Turns), append(exploitable, t.Score.Exploitability)
			if best < 0 || better(t.Score, r.Trained[best].Score) {
				best = j
			}
		}
		list[i] = PointSummary{Ended: len(wins), Wins: SpreadOf(wins), Turns: SpreadOf(turns), Exploitability: SpreadOf(exploitable).Mean, Best: best}
	}
	return list
}
