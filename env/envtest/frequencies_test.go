package envtest

import "testing"

// TestCriticalValue compares with exact values, from the closed form of the
// distribution for an even number of degrees of freedom.
func TestCriticalValue(t *testing.T) {
	for _, test := range []struct {
		degrees int
		exact   float64
	}{{2, 27.6310}, {4, 33.3768}, {10, 46.8630}} {
		if got := criticalValue(test.degrees); got < test.exact || got > 1.1*test.exact {
			t.Errorf("criticalValue(%d) = %.4f, want %.4f or up to 10%% more", test.degrees, got, test.exact)
		}
	}
}
