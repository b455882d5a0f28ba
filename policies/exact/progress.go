package exact

import "math"

// Part returns the options for a part of a computation: progress from 0 to 1 in it is
// reported to o.Progress as progress from the fraction from to the fraction to.
func (o Options) Part(from, to float64) Options {
	if report := o.Progress; report != nil {
		o.Progress = func(done float64) { report(min(to, from+done*(to-from))) }
	}
	return o
}

// A sweepEstimate estimates the number of sweeps until convergence. In the end each
// sweep reduces the change of the values by about the same factor, so the logarithm of
// the change gives the number of sweeps that are left.
type sweepEstimate struct {
	sweeps  float64   // how many there may be in all
	changes []float64 // of the sweeps that are done
	told    float64   // the largest part that was told
}

// addSweep records the change of one more sweep.
func (e *sweepEstimate) addSweep(change float64) {
	e.changes = append(e.changes, change)
	n := len(e.changes)
	if n < 4 {
		return // the first changes do not tell the factor
	}
	since := (n - 1) / 2
	perSweep := math.Log(e.changes[since]/change) / float64(n-1-since)
	if left := math.Log(change/sweepTolerance) / perSweep; left > 0 && !math.IsInf(left, 1) {
		e.sweeps = float64(n) + left
	}
}

// done returns the fraction of all sweeps that is done, given the fraction of the next
// sweep. It never falls.
func (e *sweepEstimate) done(ofNext float64) float64 {
	n := float64(len(e.changes))
	e.told = max(e.told, (n+ofNext)/max(e.sweeps, n+1))
	return e.told
}
