package wire

import (
	"io"
	"os"
)

// HungUp returns a function that reports, without blocking, whether nobody can
// read what is written to out any more. It returns nil if only a write tells.
func HungUp(out io.Writer) func() bool {
	if f, ok := out.(*os.File); ok {
		return hungUp(f)
	}
	return nil
}
