package policies

import (
	"errors"
	"fmt"
	"os"

	"pigpen/env"
	"pigpen/policies/policyfile"
)

// A Source opens files by name: [Disk], or an [os.Root].
type Source interface {
	Stat(name string) (os.FileInfo, error)
	Open(name string) (*os.File, error)
}

// Disk is the [Source] of all files of this machine, by path.
type Disk struct{}

// Stat is [os.Stat].
func (Disk) Stat(path string) (os.FileInfo, error) { return os.Stat(path) }

// Open is [os.Open].
func (Disk) Open(path string) (*os.File, error) { return os.Open(path) }

// LoadFrom reads the policy file of a name; the error names it. See [Read]. A
// file that is not regular is refused without being opened, and so is one of size
// 0: reading a pipe, a device or a file of /proc, which states no size, might
// never end.
func LoadFrom(from Source, name string, own ...*env.Variant) (File, error) {
	info, err := from.Stat(name)
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return File{}, &os.PathError{Op: "open", Path: name, Err: failed.Err}
	} else if err != nil {
		return File{}, err
	}
	switch {
	case !info.Mode().IsRegular():
		return File{}, fmt.Errorf("%s: %w: it is not a regular file", name, policyfile.ErrForeign)
	case info.Size() == 0:
		return File{}, fmt.Errorf("%s: %w: its size is 0", name, policyfile.ErrForeign)
	}
	in, err := from.Open(name)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	f, err := read(in, info.Size(), own)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}
