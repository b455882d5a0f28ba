package main

import (
	"fmt"
	"io"
	"os"
)

// A limitedReader reads at most so many bytes; whoever wants more gets its error.
type limitedReader struct {
	r    io.Reader
	left int64
	err  error
}

// Read implements [io.Reader].
func (l *limitedReader) Read(b []byte) (int, error) {
	if l.left == 0 && len(b) > 0 {
		n, err := l.r.Read(b[:1])
		if n > 0 {
			err = l.err
		}
		return 0, err
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

// openInput opens a file of decisions, which must not be the one to be written,
// and returns its size. What is not a regular file, or states no size, might keep
// its reader waiting for ever.
func openInput(path, out string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: it is not a regular file; what comes from elsewhere is read from stdin", path)
	case info.Size() == 0:
		return nil, 0, fmt.Errorf("%s: it has no decisions; its size is 0", path)
	}
	if written, err := os.Stat(out); err == nil && os.SameFile(info, written) {
		return nil, 0, usagef("--out %s is the input; write to another file", out)
	}
	file, err = os.Open(path)
	return file, info.Size(), err
}
