// Package atomicfile writes files that are whole or absent, and never loses
// what a file held before.
//
// A file is written to a temporary name in the folder of its final name, synced
// and renamed. The temporary name is locked while its writer lives, so that a
// later writer can tell leftovers of killed processes and remove them.
//
// Start with [Write] and [WriteKeeping].
package atomicfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// ErrLocked is returned by [Lock] for a file that somebody else has locked.
var ErrLocked = errors.New("another process uses it")

// Write writes a file to path so that path holds, at any moment, either what it
// held before or all that write has written. A file that is replaced keeps its
// permissions; a new one has 0666 less the process's mask. If path is a symbolic
// link, the file that it leads to is replaced. The error names path.
func Write(path string, write func(w io.Writer) error) error {
	_, err := replace(path, write, false)
	return err
}

// WriteKeeping is Write, but a file of other content that path names is not
// lost: it stays in the same folder under a numbered name (see [Numbered]),
// which WriteKeeping returns. kept is empty if there was no file, or one of the
// same content. If the old file cannot be kept, it is not replaced.
func WriteKeeping(path string, write func(w io.Writer) error) (kept string, err error) {
	return replace(path, write, true)
}

// WriteElsewhere writes a file that could not be written to path to the first
// place that takes it, and returns its name: a numbered name in the folder of
// path, in the current folder, or in the folder for temporary files. It replaces
// nothing. The error is that of the first place.
func WriteElsewhere(path string, write func(w io.Writer) error) (name string, err error) {
	base := filepath.Base(path)
	for _, folder := range []string{filepath.Dir(path), ".", os.TempDir()} {
		var out *os.File
		out, e := create(filepath.Join(folder, base), 0o666)
		if e == nil {
			if e = fill(out, write, 0); e == nil {
				name, e = linkNumbered(out.Name(), filepath.Join(folder, base))
			}
			os.Remove(out.Name())
			out.Close()
		}
		if e == nil {
			syncFolder(folder)
			return name, nil
		}
		if err == nil {
			err = named(e, filepath.Join(folder, base))
		}
	}
	return "", err
}

// Check returns the error that [Write] would meet at path, as far as that can
// be told without writing: a missing folder, one that may not be written to, a
// name that is too long or names no regular file, a file that may not be
// replaced. It leaves no trace.
func Check(path string) error {
	target, mode, err := destination(path)
	if err != nil {
		return err
	}
	out, err := create(target, 0o600)
	if err != nil {
		return named(err, path)
	}
	out.Close()
	// Another writer may have removed it as abandoned, since its lock ended with Close.
	if err := os.Remove(out.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(err, path)
	}
	if mode == nil {
		return nil
	}
	return named(replaceable(target), path)
}

// Numbered returns the i-th name beside path, i from 1: q.1.msgpack for
// q.msgpack, q.1 for q. A long name is cut so that the number fits in 255 bytes.
func Numbered(path string, i int) string {
	folder, base := filepath.Split(path)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	if stem == "" { // a name such as .pigpen
		stem, ext = base, ""
	}
	number := "." + strconv.Itoa(i)
	if over := len(stem) + len(number) + len(ext) - 255; over > 0 {
		if over >= len(stem) {
			stem, ext, over = base, "", len(base)+len(number)-255
		}
		stem = strings.ToValidUTF8(stem[:len(stem)-over], "")
	}
	return folder + stem + number + ext
}

// replace is Write and, if keep is set, WriteKeeping.
func replace(path string, write func(w io.Writer) error, keep bool) (kept string, err error) {
	target, mode, err := destination(path)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = named(err, path)
		}
	}()
	perm := fs.FileMode(0o666)
	if mode != nil {
		perm = 0o600 // nobody may read on the way what only some may read in the end
	}
	out, err := create(target, perm)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.Remove(out.Name())
		}
		out.Close()
	}()
	chmod := fs.FileMode(0)
	if mode != nil {
		chmod = *mode
	}
	if err := fill(out, write, chmod); err != nil {
		return "", err
	}
	if keep {
		// What is compared must be what is replaced.
		defer lockFolder(filepath.Dir(target))()
		if _, err := os.Lstat(target); err == nil && mode == nil {
			perm := fs.FileMode(0) // it has come since
			mode = &perm
		}
	}
	if keep && mode != nil {
		same, err := sameContent(out.Name(), target)
		if err != nil {
			return "", err
		}
		if !same {
			if kept, err = linkNumbered(target, target); err != nil {
				return "", fmt.Errorf("the file that is there could not be kept under another name: %w", err)
			}
		}
	}
	if err := os.Rename(out.Name(), target); err != nil {
		if kept != "" {
			os.Remove(kept)
		}
		return "", err
	}
	syncFolder(filepath.Dir(target))
	return kept, nil
}

// fill writes a temporary file and syncs it. mode is its permissions, 0 to leave
// them. The file stays open, and with it locked, unless it could not be renamed
// then.
func fill(out *os.File, write func(w io.Writer) error, mode fs.FileMode) (err error) {
	w := bufio.NewWriterSize(out, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if mode != 0 {
		if err := out.Chmod(mode); err != nil {
			return err
		}
	}
	if err := out.Sync(); err != nil || renamesOpenFiles {
		return err
	}
	return out.Close()
}

// syncFolder makes new names in a folder survive a power cut, on file systems
// that can. The files are whole and in place without it.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		folder.Sync()
		folder.Close()
	}
}

// destination returns where a file for path goes, with symbolic links
// resolved, and the permissions of the file that is there, nil if there is none.
func destination(path string) (target string, mode *fs.FileMode, err error) {
	if path == "" {
		return "", nil, &os.PathError{Op: "save", Path: path, Err: errors.New("the name is empty")}
	}
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return path, nil, nil // creating the file will tell if its folder is missing
	} else if err != nil {
		return "", nil, named(err, path)
	}
	target, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", nil, &os.PathError{Op: "save", Path: path, Err: errors.New("it is a symbolic link that leads nowhere")}
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", nil, named(err, path)
	}
	if !info.Mode().IsRegular() {
		return "", nil, &os.PathError{Op: "save", Path: path, Err: errors.New("it exists and is not a regular file")}
	}
	perm := info.Mode().Perm()
	return target, &perm, nil
}

// temporary matches the names that create gives.
var temporary = regexp.MustCompile(`^\.pigpen-[0-9a-f]{16}\.tmp$`)

// create makes a locked temporary file in the folder of path, after removing
// those there whose writers are gone.
func create(path string, perm fs.FileMode) (*os.File, error) {
	folder := filepath.Dir(path)
	removeAbandoned(folder)
	for {
		name := filepath.Join(folder, fmt.Sprintf(".pigpen-%016x.tmp", rand.Uint64()))
		out, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Between the two calls another process may have taken the new file for
		// an abandoned one: then it holds the lock, or the name is gone.
		if err := Lock(out); err == nil && isAt(out, name) {
			return out, nil
		} else if err != nil && !errors.Is(err, ErrLocked) {
			return out, nil // a file system without locks, where nobody removes it
		}
		out.Close()
	}
}

// isAt reports whether an open file still has a name.
func isAt(f *os.File, name string) bool {
	open, err1 := f.Stat()
	there, err2 := os.Lstat(name)
	return err1 == nil && err2 == nil && os.SameFile(open, there)
}

// removeAbandoned removes the temporary files in a folder that nobody writes
// any more. What cannot be removed stays.
func removeAbandoned(folder string) {
	if !renamesOpenFiles {
		return // a file that is whole but not yet renamed is not locked
	}
	dir, err := os.Open(folder)
	if err != nil {
		return
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			if temporary.MatchString(name) {
				removeIfAbandoned(filepath.Join(folder, name))
			}
		}
		if err != nil {
			return
		}
	}
}

func removeIfAbandoned(name string) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if Lock(f) == nil && isAt(f, name) {
		os.Remove(name)
	}
}

// linkNumbered gives the file at from the first numbered name beside path that
// is free, as a second name or, where file systems have no hard links, as a copy.
func linkNumbered(from, path string) (string, error) {
	for i := 1; ; i++ {
		name := Numbered(path, i)
		err := os.Link(from, name)
		if err != nil && !errors.Is(err, os.ErrExist) {
			err = copyNew(from, name)
		}
		if !errors.Is(err, os.ErrExist) {
			return name, err
		}
	}
}

// copyNew copies a file, with its permissions, to a name that is free.
func copyNew(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			os.Remove(to)
		}
	}()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

// sameContent reports whether two files hold the same bytes.
func sameContent(a, b string) (bool, error) {
	var files [2]*os.File
	var sizes [2]int64
	for i, name := range []string{a, b} {
		f, err := os.Open(name)
		if err != nil {
			return false, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return false, err
		}
		files[i], sizes[i] = f, info.Size()
	}
	if sizes[0] != sizes[1] {
		return false, nil
	}
	x, y := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(files[0], x)
		m, _ := io.ReadFull(files[1], y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return true, nil
		default:
			return false, err
		}
	}
}

// named returns err with path in the place of another name, which says nothing
// to a user.
func named(err error, path string) error {
	var of *os.PathError
	var link *os.LinkError
	var cause error
	switch {
	case errors.As(err, &of):
		cause = of.Err
	case errors.As(err, &link):
		cause = link.Err
	default:
		return err
	}
	if errors.Is(cause, syscall.EXDEV) {
		cause = errors.New("it is on another file system than its folder")
	}
	return &os.PathError{Op: "save", Path: path, Err: cause}
}
