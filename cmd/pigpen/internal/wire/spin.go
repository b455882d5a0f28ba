package wire

import (
	"io"
	"os"
	"runtime"
	"time"
)

// A spinningReader polls for input for a short time before it blocks. A client
// that steps one game replies within microseconds, faster than an idle processor
// wakes up.
//
// Polling is in vain if the client takes longer, or needs the same processor.
// After each poll in vain the reader blocks at once for more reads than before,
// up to maxSkips, until a poll succeeds.
type spinningReader struct {
	io.Reader
	poll    func() bool // polls for spinTime, and reports whether there is input
	skipped int         // reads since the last poll
	skips   int         // reads between two polls
}

const (
	// spinTime is how long a spinningReader polls.
	spinTime = 50 * time.Microsecond
	// maxSkips is the most reads between two polls.
	maxSkips = 63
)

// NewSpinningReader returns a reader of r that polls for input for a short time
// before it blocks. It returns r itself where polling is impossible or useless.
func NewSpinningReader(r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok || runtime.GOMAXPROCS(0) == 1 {
		return r
	}
	ready := inputReady(f)
	if ready == nil {
		return r
	}
	return &spinningReader{Reader: r, poll: func() bool {
		for began := time.Now(); !ready(); {
			if time.Since(began) > spinTime {
				return false
			}
		}
		return true
	}}
}

// Read implements [io.Reader].
func (r *spinningReader) Read(b []byte) (int, error) {
	switch {
	case r.skipped < r.skips:
		r.skipped++
	case r.poll():
		r.skipped, r.skips = 0, 0
	default:
		r.skipped, r.skips = 0, min(2*r.skips+1, maxSkips)
	}
	return r.Reader.Read(b)
}
