//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package atomicfile

import (
	"errors"
	"os"
)

// renamesOpenFiles tells whether a file can be renamed while it is open.
const renamesOpenFiles = false

// Lock locks nothing: the system has no such locks.
func Lock(*os.File) error { return errors.ErrUnsupported }

// replaceable returns nil: what cannot be replaced is noticed when it is tried.
func replaceable(string) error { return nil }

// lockFolder locks nothing: folders have no locks here.
func lockFolder(string) (unlock func()) { return func() {} }
