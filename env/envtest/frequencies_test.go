package envtest

import "testing"

// TestCriticalValue compares with exact values, from the closed form of the
// distribution for an even number of degrees of freedom.
func TestCriticalValue(t *testing.T) {
	for _, test := range []struct {
		degrees int
		exact   float64
	}{{2, 41.4465}, {4, 47.8795}, {10, 62.9455}} {
		if got := criticalValue(test.degrees); got < test.exact || got > 1.17*test.exact {
			t.Errorf("criticalValue(%d) = %.4f, want %.4f or up to 17%% more", test.degrees, got, test.exact)
		}
	}
}
