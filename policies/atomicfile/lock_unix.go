//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// renamesOpenFiles tells whether a file can be renamed while it is open.
const renamesOpenFiles = true

// Lock locks an open file against other calls of Lock, in this process and
// others, until it is closed. The error wraps [ErrLocked] if somebody else
// holds the lock. It locks nothing where the system has no such locks.
func Lock(f *os.File) error {
	var err error
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			break
		}
	}
	if err == unix.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

// replaceable returns why the file at path, which exists, cannot be replaced:
// it is immutable, somebody else's in a folder with the sticky bit, or a mount
// point. Renaming a folder to the name of a file fails in any case, but with
// ENOTDIR only if the file could be replaced. It is nil if nothing is at path.
func replaceable(path string) error {
	if isMountPoint(path) {
		return &os.PathError{Op: "save", Path: path, Err: errors.New("it is mounted, and cannot be replaced; name a file in the mounted folder")}
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".pigpen-*.dir")
	if err != nil {
		return err
	}
	defer os.Remove(folder)
	err = os.Rename(folder, path)
	if err == nil { // path was removed in the meantime
		return unix.Rmdir(path)
	}
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EBUSY) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// lockFolder waits until nobody else holds the lock of a folder, and takes it.
// It returns what gives it back.
func lockFolder(path string) (unlock func()) {
	folder, err := os.Open(path)
	if err != nil {
		return func() {}
	}
	for unix.Flock(int(folder.Fd()), unix.LOCK_EX) == unix.EINTR {
	}
	return func() { folder.Close() }
}
