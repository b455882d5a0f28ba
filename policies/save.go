package policies

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Load reads the policy file at path; the error names it. See [LoadFrom].
func Load(path string) (File, error) { return LoadFrom(Disk{}, path) }

// Save writes f to path; see [Replace].
func Save(path string, f File) error {
	return Replace(path, func(w io.Writer) error { return Write(w, f) })
}

// Replace writes a file to path so that at any moment, whatever happens, path
// holds either what it held before or all that write has written: it writes a
// temporary file in the same folder, syncs it and renames it. A file that is
// replaced keeps its permissions. A process that is killed meanwhile leaves the
// temporary file, whose name begins with .pigpen-.
func Replace(path string, write func(w io.Writer) error) (err error) {
	path, mode, err := destination(path)
	if err != nil {
		return err
	}
	out, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			out.Close()
			os.Remove(out.Name())
			err = named(err, path)
		}
	}()
	w := bufio.NewWriter(out)
	if err := write(w); err != nil {
		return err
	}
	for _, step := range []func() error{
		w.Flush,
		func() error {
			if mode == 0 {
				return nil
			}
			return out.Chmod(mode)
		},
		out.Sync,
		out.Close,
		func() error { return os.Rename(out.Name(), path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	// The file is whole and in place; syncing its folder, which not every file
	// system can, only makes the new name survive a power cut.
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		folder.Sync()
		folder.Close()
	}
	return nil
}

// Writable returns the error that [Replace] would meet before it writes: a
// missing folder, one that may not be written to, a path that names something
// else than a file. It leaves no trace.
func Writable(path string) error {
	path, _, err := destination(path)
	if err != nil {
		return err
	}
	out, err := create(path)
	if err != nil {
		return err
	}
	out.Close()
	return os.Remove(out.Name())
}

// destination returns where a file for path goes, with symbolic links
// resolved, and the permissions of the file that is there, 0 if there is none.
func destination(path string) (string, os.FileMode, error) {
	if path == "" {
		return "", 0, &os.PathError{Op: "save", Path: path, Err: errors.New("the name is empty")}
	}
	if _, err := os.Lstat(path); err != nil {
		return path, 0, nil // creating the file will tell what is wrong
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", 0, &os.PathError{Op: "save", Path: path, Err: errors.New("it is a symbolic link that leads nowhere")}
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, &os.PathError{Op: "save", Path: path, Err: errors.New("it exists and is not a regular file")}
	}
	return target, info.Mode().Perm(), nil
}

// create makes a temporary file beside path.
func create(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".pigpen-%016x", rand.Uint64()))
		out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return out, named(err, path)
		}
	}
}

// named returns err with path in the place of a temporary name, which says
// nothing to a user.
func named(err error, path string) error {
	var of *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &of):
		return &os.PathError{Op: "save", Path: path, Err: of.Err}
	case errors.As(err, &link):
		return &os.PathError{Op: "save", Path: path, Err: link.Err}
	}
	return err
}
