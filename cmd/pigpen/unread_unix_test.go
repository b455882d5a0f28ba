//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHungUp closes the other end of what replies are written to.
func TestHungUp(t *testing.T) {
	pipe := func() (ours, theirs *os.File) {
		r, w, err := os.Pipe()
		must(err)
		return w, r
	}
	socket := func() (ours, theirs *os.File) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		must(err)
		return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	}
	for name, open := range map[string]func() (ours, theirs *os.File){"pipe": pipe, "socket": socket} {
		ours, theirs := open()
		unread := unreadable(ours)
		if unread() {
			t.Errorf("%s: it is said to be closed while it is open", name)
		}
		fd := int(ours.Fd())
		must(unix.SetNonblock(fd, true))
		for { // a full pipe is no closed one
			if _, err := unix.Write(fd, make([]byte, 1<<12)); err != nil {
				break
			}
		}
		if unread() {
			t.Errorf("%s: it is said to be closed when it is full", name)
		}
		must(theirs.Close())
		if !unread() {
			t.Errorf("%s: it is said to be open when it is closed", name)
		}
		must(ours.Close())
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	must(err)
	defer file.Close()
	if unreadable(file)() {
		t.Error("a file is said to be closed")
	}
}

// TestWhileRead ends work by each of its ends.
func TestWhileRead(t *testing.T) {
	work, stop := whileRead(t.Context(), func() bool { return true })
	<-work.Done()
	if err := context.Cause(work); !errors.Is(err, errUnread) {
		t.Errorf("unread: %v, want %v", err, errUnread)
	}
	stop()
	for _, unread := range []func() bool{nil, func() bool { return false }} {
		ctx, cancel := context.WithCancel(t.Context())
		work, stop := whileRead(ctx, unread)
		if work.Err() != nil {
			t.Errorf("work ends at once: %v", work.Err())
		}
		cancel()
		<-work.Done()
		if err := context.Cause(work); !errors.Is(err, context.Canceled) || errors.Is(err, errUnread) {
			t.Errorf("canceled: %v, want %v", err, context.Canceled)
		}
		stop()
	}
}
