package main

import (
	"io"
	"os"
	"runtime"
	"time"
)

// An eagerReader looks for input for a moment before it waits for it. Who steps
// one game sends a request for each reply, within microseconds, and a processor
// that has nothing to do until then may take longer to wake up than all the rest.
//
// Where the moment is too short, for a client that takes its time or because it
// wants the same processor, looking is in vain: after each such time the reader
// leaves out more waits than before, until once input comes in time.
type eagerReader struct {
	io.Reader
	look    func() bool // looks for a moment, and reports whether there was input
	skipped int         // waits since it last looked
	skips   int         // waits to leave out
}

const (
	// moment is how long an eagerReader looks.
	moment = 50 * time.Microsecond
	// maxSkips bounds the waits that an eagerReader leaves out.
	maxSkips = 63
)

// newEagerReader returns r itself where looking is of no use.
func newEagerReader(r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok || runtime.GOMAXPROCS(0) == 1 {
		return r
	}
	arrived := lookout(f)
	if arrived == nil {
		return r
	}
	return &eagerReader{Reader: r, look: func() bool {
		for began := time.Now(); !arrived(); {
			if time.Since(began) > moment {
				return false
			}
		}
		return true
	}}
}

// Read implements [io.Reader].
func (r *eagerReader) Read(b []byte) (int, error) {
	switch {
	case r.skipped < r.skips:
		r.skipped++
	case r.look():
		r.skipped, r.skips = 0, 0
	default:
		r.skipped, r.skips = 0, min(2*r.skips+1, maxSkips)
	}
	return r.Reader.Read(b)
}
