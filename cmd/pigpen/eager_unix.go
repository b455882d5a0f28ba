//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// lookout returns a function that reports at once whether a read of f would not
// wait, or nil where it cannot be told.
func lookout(f *os.File) (arrived func() bool) {
	c, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	fds := []unix.PollFd{{Events: unix.POLLIN}}
	if c.Control(func(fd uintptr) { fds[0].Fd = int32(fd) }) != nil {
		return nil
	}
	return func() bool {
		n, err := unix.Poll(fds, 0)
		return n != 0 || err != nil // of whatever is wrong the read will tell
	}
}
