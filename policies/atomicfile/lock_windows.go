package atomicfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// renamesOpenFiles tells whether a file can be renamed while it is open.
const renamesOpenFiles = false

// Lock locks an open file against other calls of Lock, in this process and
// others, until it is closed. The error wraps [ErrLocked] if somebody else
// holds the lock.
func Lock(f *os.File) error {
	// The locked byte lies past the end of any file: locks are mandatory here,
	// and the bytes of the file are to be read.
	at := windows.Overlapped{Offset: 1<<32 - 2, OffsetHigh: 1<<31 - 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if err == windows.ERROR_LOCK_VIOLATION {
		return ErrLocked
	}
	return err
}

// replaceable returns nil: what cannot be replaced is noticed when it is tried.
func replaceable(string) error { return nil }

// lockFolder locks nothing: folders have no locks here.
func lockFolder(string) (unlock func()) { return func() {} }
