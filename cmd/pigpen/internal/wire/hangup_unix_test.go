//go:build unix

package wire

import (
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
		closed := HungUp(ours)
		if closed() {
			t.Errorf("%s: it is said to be closed while it is open", name)
		}
		fd := int(ours.Fd())
		must(unix.SetNonblock(fd, true))
		for { // a full pipe is no closed one
			if _, err := unix.Write(fd, make([]byte, 1<<12)); err != nil {
				break
			}
		}
		if closed() {
			t.Errorf("%s: it is said to be closed when it is full", name)
		}
		must(theirs.Close())
		if !closed() {
			t.Errorf("%s: it is said to be open when it is closed", name)
		}
		must(ours.Close())
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	must(err)
	defer file.Close()
	if HungUp(file)() {
		t.Error("a file is said to be closed")
	}
}
