package main

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// A quantity is a flag for a whole number with a unit, as in 200M or 4GiB.
type quantity struct {
	value *int64
	units []unit // the first of a size is the one to show
	kind  string // what pflag shows as the type
}

type unit struct {
	suffix string
	size   int64
}

var (
	counts = []unit{{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}
	sizes  = []unit{
		{"B", 1},
		{"kB", 1e3}, {"KB", 1e3}, {"k", 1e3}, {"K", 1e3}, {"KiB", 1 << 10},
		{"MB", 1e6}, {"M", 1e6}, {"MiB", 1 << 20},
		{"GB", 1e9}, {"G", 1e9}, {"GiB", 1 << 30},
		{"TB", 1e12}, {"T", 1e12}, {"TiB", 1 << 40},
	}
)

// count returns a flag value for numbers like 200M.
func count(value *int64) pflag.Value { return quantity{value, counts, "count"} }

// size returns a flag value for sizes in bytes like 4GiB.
func size(value *int64) pflag.Value { return quantity{value, sizes, "size"} }

func (q quantity) Type() string { return q.kind }

// numeral matches digits, grouped by underscores or not, with a fraction and a
// power of ten or without. It is short: 1e999999999 would fill the memory.
var numeral = regexp.MustCompile(`^[0-9]+(_[0-9]+)*(\.[0-9]+)?([eE]\+?[0-9]{1,2})?$`)

// Set implements pflag.Value.
func (q quantity) Set(text string) error {
	digits, scale := text, int64(1)
	var suffixes []string
	for _, u := range q.units {
		// The longest suffix is the unit: 1KiB ends in B, too.
		if d, ok := strings.CutSuffix(text, u.suffix); ok && len(d) < len(digits) {
			digits, scale = d, u.size
		}
		suffixes = append(suffixes, u.suffix)
	}
	if len(digits) < 40 && numeral.MatchString(digits) {
		whole, ok := new(big.Rat).SetString(strings.ReplaceAll(digits, "_", ""))
		if ok && whole.Mul(whole, big.NewRat(scale, 1)).IsInt() && whole.Num().IsInt64() {
			*q.value = whole.Num().Int64()
			return nil
		}
	}
	return fmt.Errorf("write a whole number below 2^63, such as 1500000, 1_500_000, 1.5e6 or 1.5M; units are %s", strings.Join(suffixes, ", "))
}

// String implements pflag.Value; it returns the shortest form.
func (q quantity) String() string {
	if q.value == nil {
		return "0"
	}
	best := strconv.FormatInt(*q.value, 10)
	last := int64(1)
	for _, u := range q.units {
		if *q.value != 0 && u.size != last && *q.value%u.size == 0 {
			if text := strconv.FormatInt(*q.value/u.size, 10) + u.suffix; len(text) < len(best) {
				best = text
			}
		}
		last = u.size
	}
	return best
}
