package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pigpen/train"
)

// A seedList is a flag for seeds, as in 1-8 or 1,3,5-7.
type seedList struct{ seeds *[]uint64 }

// mostTrainings is the most trainings of a sweep.
const mostTrainings = 1000

// Set implements pflag.Value.
func (l seedList) Set(text string) error {
	const write = "write seeds from 0 to 2^64 - 1 as in 1-8 or 1,3,5-7"
	var seeds []uint64
	seen := make(map[uint64]bool)
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.ParseUint(from, 10, 64)
		last := first
		if err == nil && isRange {
			last, err = strconv.ParseUint(to, 10, 64)
		}
		switch {
		case err != nil:
			return errors.New(write)
		case last < first:
			return fmt.Errorf("the range %s goes down; write %d-%d", part, last, first)
		case last-first >= mostTrainings || len(seeds)+int(last-first) >= mostTrainings:
			return fmt.Errorf("these are more than %d seeds; write fewer", mostTrainings)
		}
		for n := range last - first + 1 {
			seed := first + n
			if seen[seed] {
				return fmt.Errorf("seed %d is given twice; write it once", seed)
			}
			seen[seed] = true
			seeds = append(seeds, seed)
		}
	}
	*l.seeds = seeds
	return nil
}

// String implements pflag.Value.
func (l seedList) String() string {
	if l.seeds == nil {
		return ""
	}
	return train.SeedText(*l.seeds)
}

// Type implements pflag.Value.
func (l seedList) Type() string { return "seeds" }
