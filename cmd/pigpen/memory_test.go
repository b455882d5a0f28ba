package main

import (
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// TestQuarterOfMemory checks that the least of the limits that are known counts.
func TestQuarterOfMemory(t *testing.T) {
	none := func() (uint64, error) { return 0, memlimit.ErrNoLimit }
	for _, test := range []struct {
		limits []memlimit.Provider
		want   int64
	}{
		{[]memlimit.Provider{memlimit.Limit(64 << 30), none}, 16 << 30},
		{[]memlimit.Provider{memlimit.Limit(64 << 30), memlimit.Limit(2 << 30)}, 512 << 20},
		{[]memlimit.Provider{none, memlimit.Limit(2 << 30)}, 512 << 20},
		{[]memlimit.Provider{memlimit.Limit(1 << 30), memlimit.Limit(2 << 30)}, 256 << 20},
		{[]memlimit.Provider{none, none}, 1 << 30},
	} {
		if got := quarterOf(test.limits...); got != test.want {
			t.Errorf("quarterOf = %d, want %d", got, test.want)
		}
	}
}
