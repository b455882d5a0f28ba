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

// An estimate tells which part of an unknown number of sweeps is done. Each
// sweep shrinks the change of the values by about the same factor, so that the
// logarithm of the change tells how many are to come.
type estimate struct {
	sweeps      float64 // how many there may be in all
	swept       int
	first, last float64 // change of the first sweep, and the last
	told        float64 // the largest part that was told
}

// sweep notes the change that one more sweep has made.
func (e *estimate) sweep(change float64) {
	e.swept++
	e.last = change
	if e.swept == 1 {
		e.first = change
	}
	// The first sweeps do not yet tell the factor.
	if e.swept < 4 {
		return
	}
	perSweep := math.Log(e.first/e.last) / float64(e.swept-1)
	if left := math.Log(e.last/stands) / perSweep; left > 0 && !math.IsInf(left, 1) {
		e.sweeps = float64(e.swept) + left
	}
}

// done returns the part of all sweeps that is done when so much of the next
// one is. It never falls.
func (e *estimate) done(ofNext float64) float64 {
	e.told = max(e.told, (float64(e.swept)+ofNext)/max(e.sweeps, float64(e.swept)+1))
	return e.told
}
