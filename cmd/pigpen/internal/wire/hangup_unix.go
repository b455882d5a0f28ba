//go:build unix

package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// hungUp returns a function that reports whether f is a pipe, a socket or a
// terminal whose other end is closed, or nil if f cannot be polled.
func hungUp(f *os.File) func() bool {
	c, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	return func() (closed bool) {
		err := c.Control(func(fd uintptr) {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
			n, err := unix.Poll(fds, 0)
			closed = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
		})
		return closed || err != nil
	}
}
