//go:build unix

package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputReady returns a function that reports whether a read of f would not block,
// or nil if f cannot be polled. The function does not block.
func inputReady(f *os.File) (ready func() bool) {
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
		return n != 0 || err != nil // the read reports any error
	}
}
