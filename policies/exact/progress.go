package exact

import "math"

// Part returns the options for a part of the work: what it reports as done from
// 0 to 1 is reported to o.Progress as from the one fraction to the other.
func (o Options) Part(from, to float64) Options {
	if report := o.Progress; report != nil {
		o.Progress = func(done float64) { report(min(to, from+done*(to-from))) }
	}
	return o
}

// An estimate tells which part of an unknown number of sweeps is done. In the
// end each sweep shrinks the change of the values by about the same factor, so
// that the logarithm of the change tells how many are to come.
type estimate struct {
	sweeps  float64   // how many there may be in all
	changes []float64 // of the sweeps that are done
	told    float64   // the largest part that was told
}

// sweep notes the change that one more sweep has made.
func (e *estimate) sweep(change float64) {
	e.changes = append(e.changes, change)
	n := len(e.changes)
	if n < 4 {
		return // the first changes do not tell the factor
	}
	since := (n - 1) / 2
	perSweep := math.Log(e.changes[since]/change) / float64(n-1-since)
	if left := math.Log(change/stands) / perSweep; left > 0 && !math.IsInf(left, 1) {
		e.sweeps = float64(n) + left
	}
}

// done returns the part of all sweeps that is done when so much of the next
// one is. It never falls.
func (e *estimate) done(ofNext float64) float64 {
	n := float64(len(e.changes))
	e.told = max(e.told, (n+ofNext)/max(e.sweeps, n+1))
	return e.told
}
