package exact

import (
	"math"
	"slices"
)

// A mixer accelerates sweeps in games in which a roll can cost the banked score. The
// values at a banked score of 0, x, determine all others, and a sweep computes new ones,
// g(x); the fixed point is the solution. With f(x) = g(x) - x, the next x is not g(x) but
//
//	g(x) - Σ_i γ_i·Δg_i, where γ minimizes |f(x) - Σ_i γ_i·Δf_i|
//
// and Δf_i, Δg_i are differences between earlier sweeps (D. Anderson, "Iterative procedures
// for nonlinear integral equations", 1965). For given policies g is linear; then the method
// is equivalent to GMRES (Y. Saad, M. Schultz, 1986; H. Walker, P. Ni, "Anderson
// acceleration for fixed-point iterations", 2011).
//
// The values have one or more components: win probabilities by player, turns, decisions.
// With more than one, g is linear and has the same matrix for each component, so all
// components share the differences, as in a block Krylov method.
type mixer struct {
	each wipedValues
	x    [][]float64 // the values that the last sweep began with, by component
	f, g [][]float64 // of the sweep before, or nil
	// directions are the differences, combined so that those of f are orthonormal.
	directions []direction
	// least is the smallest change of any sweep, and best its g.
	least    float64
	best     [][]float64
	mixed    bool // x was mixed
	failures int  // mixed values that did not reduce the change
}

// wipedValues calls visit for each value at a banked score of 0 in a table, always in the
// same order. If relative is true, the change of a value is measured relative to it.
type wipedValues func(visit func(component int, value *float64, relative bool))

// A direction is a linear combination of differences between sweeps.
type direction struct {
	f, g []float64
}

const (
	// maxDirections bounds the memory of a mixer: each new direction replaces the oldest.
	maxDirections = 32
	// leastPart is the smallest part of a difference that must remain after its projection
	// on the other directions is subtracted. A smaller part is mostly rounding error.
	leastPart = 1e-3
	// mixFrom is the change below which values are mixed. Earlier sweeps are far from linear
	// where players optimize.
	mixFrom = 0.3
	// maxFailures is the number of failures after which all sweeps are plain.
	maxFailures = 3
)

// newMixer returns a mixer for the values of a table before the first sweep, or nil in games
// that need a single sweep.
func (r *rules) newMixer(each wipedValues) *mixer {
	if !r.wipes {
		return nil
	}
	m := &mixer{each: each, least: math.Inf(1)}
	each(func(component int, value *float64, _ bool) {
		for len(m.x) <= component {
			m.x = append(m.x, nil)
		}
		m.x[component] = append(m.x[component], *value)
	})
	return m
}

// zerosLike returns zeros in the shape of values.
func zerosLike(values [][]float64) [][]float64 {
	zeros := make([][]float64, len(values))
	for c := range values {
		zeros[c] = make([]float64, len(values[c]))
	}
	return zeros
}

// mixerBytes returns the most memory that a mixer takes for each value of a component, if
// it has the given number of components.
func mixerBytes(components int) float64 {
	return 8 * float64(2*maxDirections+6*components) // 6: x, f, g, those before and best
}

// visit calls f for each value at a banked score of 0, with its index in its component.
func (m *mixer) visit(f func(c, i int, value *float64, relative bool)) {
	next := make([]int, len(m.x))
	m.each(func(c int, value *float64, relative bool) {
		f(c, next[c], value, relative)
		next[c]++
	})
}

// change returns the largest change of a value in the last sweep.
func (m *mixer) change() (change float64) {
	m.visit(func(c, i int, value *float64, relative bool) {
		if was := m.x[c][i]; *value != was { // which infinite values may not be
			d := math.Abs(*value - was)
			if relative {
				d /= math.Abs(*value)
			}
			change = max(change, d)
		}
	})
	return change
}

// next sets the values for the next sweep; change is that of the last. Mixed values that
// do not reduce the change are a failure: plain sweeps go on from the best values.
func (m *mixer) next(change float64) {
	f, g := zerosLike(m.x), zerosLike(m.x)
	m.visit(func(c, i int, value *float64, _ bool) {
		f[c][i], g[c][i] = *value-m.x[c][i], *value
	})
	if m.mixed && change >= m.least {
		m.failures++
		m.directions, m.f, m.g = nil, nil, nil
		m.begin(m.best, false)
		return
	}
	if change < m.least {
		m.least, m.best = change, g
	}
	if m.failures == maxFailures || m.f == nil && change > mixFrom {
		m.begin(g, false)
		return
	}
	if m.f != nil {
		for c := range f {
			m.addDirection(difference(f[c], m.f[c]), difference(g[c], m.g[c]))
		}
	}
	m.f, m.g = f, g
	x := zerosLike(m.x)
	for c := range x {
		copy(x[c], g[c])
		for _, d := range m.directions {
			subtract(x[c], dot(f[c], d.f), d.g)
		}
		if sum := dot(x[c], x[c]); math.IsNaN(sum) || math.IsInf(sum, 0) {
			m.begin(g, false)
			return
		}
	}
	m.begin(x, len(m.directions) > 0)
}

// begin sets the values that the next sweep begins with.
func (m *mixer) begin(x [][]float64, mixed bool) {
	m.x, m.mixed = x, mixed
	m.visit(func(c, i int, value *float64, _ bool) { *value = x[c][i] })
}

// addDirection adds a difference to the directions, unless it depends on them.
func (m *mixer) addDirection(f, g []float64) {
	size := math.Sqrt(dot(f, f))
	// Subtracting the projections a second time removes the rounding error of the first.
	for range 2 {
		for _, d := range m.directions {
			c := dot(f, d.f)
			subtract(f, c, d.f)
			subtract(g, c, d.g)
		}
	}
	rest := math.Sqrt(dot(f, f))
	if !(rest > leastPart*size) || math.IsInf(rest, 1) {
		return
	}
	for i := range f {
		f[i] /= rest
		g[i] /= rest
	}
	if len(m.directions) == maxDirections {
		m.directions = slices.Delete(m.directions, 0, 1)
	}
	m.directions = append(m.directions, direction{f, g})
}

// difference returns a - b.
func difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// subtract subtracts c·b from a.
func subtract(a []float64, c float64, b []float64) {
	for i := range a {
		a[i] -= float64(c * b[i])
	}
}

// dot returns the inner product of a and b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
