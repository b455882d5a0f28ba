package main

import (
	"errors"
	"runtime"
	"strconv"

	"github.com/spf13/pflag"
)

// mostWorkers is how many workers are used at most: more than there are
// processors gain nothing, and no result depends on their number. It is more
// than few processors so that this can be tried on any machine.
func mostWorkers() int { return max(64, runtime.GOMAXPROCS(0)) }

// A workerCount is a flag for a number of workers, at least 1; those beyond
// [mostWorkers] are left out.
type workerCount struct{ value *int }

// addWorkers adds the flag --workers, and returns where its value will be.
func addWorkers(fs *pflag.FlagSet, value *int, what string) {
	*value = runtime.GOMAXPROCS(0)
	fs.Var(workerCount{value}, "workers", "processors to use, "+strconv.Itoa(mostWorkers())+" at most; does not change "+what)
}

// Set implements pflag.Value.
func (w workerCount) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0:
	case err != nil:
		return errors.New("write a whole number of processors, at least 1")
	case n < 1:
		return errors.New("at least one is needed")
	}
	*w.value = int(min(n, int64(mostWorkers())))
	return nil
}

// String implements pflag.Value.
func (w workerCount) String() string {
	if w.value == nil {
		return "0"
	}
	return strconv.Itoa(*w.value)
}

// Type implements pflag.Value; pflag shows it in the help.
func (w workerCount) Type() string { return "int" }
