package main

import "github.com/KimMachineGun/automemlimit/memlimit"

// quarterOfMemory returns a quarter of the memory in bytes that this process may
// use: of the machine's or, in a container, of what the container may use (cgroup
// v1 and v2). It is 1 GiB where that cannot be told.
func quarterOfMemory() int64 {
	return quarterOf(memlimit.FromSystem, memlimit.FromCgroup)
}

// quarterOf returns a quarter of the least of some limits.
func quarterOf(limits ...memlimit.Provider) int64 {
	least := uint64(4 << 30)
	known := false
	for _, limit := range limits {
		if bytes, err := limit(); err == nil && (!known || bytes < least) {
			least, known = bytes, true
		}
	}
	return int64(least / 4)
}
