package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pigpen/policies/atomicfile"
)

// text returns what writes a text.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// holds compares the files of a folder, and what they hold, with what they should.
func holds(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(b)
	}
	if len(got) != len(want) {
		t.Errorf("the folder holds %.200q, want %.200q", got, want)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s holds %.40q, want %.40q", name, got[name], text)
		}
	}
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// TestWriteIsWhole writes files of several sizes, and fails at several places:
// then the file is as it was, or not there, and there is nothing else.
func TestWriteIsWhole(t *testing.T) {
	errWrite := errors.New("no more")
	for _, before := range []string{"", "what was there before"} {
		folder := t.TempDir()
		path := filepath.Join(folder, "file")
		want := map[string]string{}
		if before != "" {
			put(t, path, before, 0o644)
			want["file"] = before
		}
		for _, size := range []int{0, 1, 5000, 1 << 20} {
			err := atomicfile.Write(path, func(w io.Writer) error {
				if err := text(strings.Repeat("x", size))(w); err != nil {
					t.Errorf("the writer: %v", err)
				}
				return errWrite
			})
			if !errors.Is(err, errWrite) {
				t.Errorf("Write, failing after %d bytes: %v, want %v", size, err, errWrite)
			}
			holds(t, folder, want)
		}
		for _, size := range []int{1 << 20, 5000, 0} {
			whole := strings.Repeat("y", size)
			err := atomicfile.Write(path, func(w io.Writer) error {
				for part := range strings.SplitSeq(whole, "") {
					if err := text(part)(w); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("Write of %d bytes: %v", size, err)
			}
			holds(t, folder, map[string]string{"file": whole})
		}
	}
}

// TestWriteKeeping checks that other content stays under the next free number,
// that equal content is replaced, and that a write that fails keeps nothing.
func TestWriteKeeping(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "q.msgpack")
	for _, step := range []struct {
		text, kept string
		want       map[string]string
	}{
		{"one", "", map[string]string{"q.msgpack": "one"}},
		{"one", "", map[string]string{"q.msgpack": "one"}},
		{"two", "q.1.msgpack", map[string]string{"q.msgpack": "two", "q.1.msgpack": "one"}},
		{"two", "", map[string]string{"q.msgpack": "two", "q.1.msgpack": "one"}},
		{"twO", "q.2.msgpack", map[string]string{"q.msgpack": "twO", "q.1.msgpack": "one", "q.2.msgpack": "two"}},
		{"", "q.3.msgpack", map[string]string{"q.msgpack": "", "q.1.msgpack": "one", "q.2.msgpack": "two", "q.3.msgpack": "twO"}},
	} {
		kept, err := atomicfile.WriteKeeping(path, text(step.text))
		if kept != "" {
			kept = filepath.Base(kept)
		}
		if kept != step.kept || err != nil {
			t.Errorf("WriteKeeping of %q keeps %q, error %v, want %q", step.text, kept, err, step.kept)
		}
		holds(t, folder, step.want)
		if _, err := atomicfile.WriteKeeping(path, func(io.Writer) error { return io.ErrShortWrite }); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("WriteKeeping, failing: %v, want %v", err, io.ErrShortWrite)
		}
		holds(t, folder, step.want)
	}
}

// TestKeptThroughLink keeps the file that a symbolic link leads to beside that
// file.
func TestKeptThroughLink(t *testing.T) {
	folder, far := t.TempDir(), t.TempDir()
	put(t, filepath.Join(far, "q"), "one", 0o600)
	link := filepath.Join(folder, "link")
	if err := os.Symlink(filepath.Join(far, "q"), link); err != nil {
		t.Skip(err)
	}
	real, err := filepath.EvalSymlinks(far)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := atomicfile.WriteKeeping(link, text("two")); kept != filepath.Join(real, "q.1") || err != nil {
		t.Errorf("WriteKeeping keeps %q, error %v, want %q", kept, err, filepath.Join(real, "q.1"))
	}
	holds(t, far, map[string]string{"q": "two", "q.1": "one"})
	holds(t, folder, map[string]string{"link": "two"})
}

// TestPermissions checks that a file keeps its permissions, and that its new
// content is never readable by others on the way.
func TestPermissions(t *testing.T) {
	folder := t.TempDir()
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644} {
		path := filepath.Join(folder, "file")
		put(t, path, "secret", mode)
		err := atomicfile.Write(path, func(w io.Writer) error {
			entries, err := os.ReadDir(folder)
			for _, e := range entries {
				if info, err := e.Info(); err != nil || info.Mode().Perm()&^mode != 0 {
					t.Errorf("over a file of mode %o, %s has mode %o on the way (error %v)", mode, e.Name(), info.Mode().Perm(), err)
				}
			}
			return err
		})
		if info, e := os.Stat(path); err != nil || e != nil || info.Mode().Perm() != mode {
			t.Errorf("Write over a file of mode %o leaves mode %o (error %v, %v)", mode, info.Mode().Perm(), err, e)
		}
	}
}

// TestNumbered checks numbered names, also where they would be too long.
func TestNumbered(t *testing.T) {
	long := strings.Repeat("x", 255)
	for _, test := range []struct {
		path string
		i    int
		want string
	}{
		{"q.msgpack", 1, "q.1.msgpack"},
		{"a/b.c/q", 12, "a/b.c/q.12"},
		{"a/.hidden", 3, "a/.hidden.3"},
		{"q.tar.gz", 2, "q.tar.2.gz"},
		{"a/" + long, 1, "a/" + long[:253] + ".1"},
		{long[:247] + ".msgpack", 10, long[:244] + ".10.msgpack"},
		{strings.Repeat("é", 127) + "x", 1, strings.Repeat("é", 126) + ".1"},
	} {
		if got := atomicfile.Numbered(test.path, test.i); got != test.want {
			t.Errorf("Numbered(%q, %d) = %q, want %q", test.path, test.i, got, test.want)
		}
	}
}

// TestWriteElsewhere checks where a file goes that could not be written to its
// own place.
func TestWriteElsewhere(t *testing.T) {
	folder, here, temporary := t.TempDir(), t.TempDir(), t.TempDir()
	t.Chdir(here)
	t.Setenv("TMPDIR", temporary)
	put(t, filepath.Join(folder, "q.1"), "another", 0o644)
	if name, err := atomicfile.WriteElsewhere(filepath.Join(folder, "q"), text("one")); name != filepath.Join(folder, "q.2") || err != nil {
		t.Errorf("WriteElsewhere = %q, %v, want the next number beside it", name, err)
	}
	holds(t, folder, map[string]string{"q.1": "another", "q.2": "one"})
	gone := filepath.Join(folder, "gone", "q")
	if name, err := atomicfile.WriteElsewhere(gone, text("two")); name != "q.1" || err != nil {
		t.Errorf("WriteElsewhere(%q) = %q, %v, want one in the current folder", gone, name, err)
	}
	holds(t, here, map[string]string{"q.1": "two"})
	if err := os.Remove(filepath.Join(here, "q.1")); err != nil {
		t.Fatal(err)
	}
	failing := func(io.Writer) error { return io.ErrShortWrite }
	if name, err := atomicfile.WriteElsewhere(filepath.Join(folder, "q"), failing); name != "" || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("WriteElsewhere, failing = %q, %v, want %v", name, err, io.ErrShortWrite)
	}
	holds(t, here, nil)
	holds(t, temporary, nil)
}

// TestAbandoned checks that the next writer in a folder removes what killed
// ones left, and neither the file of one who is still writing nor any other.
func TestAbandoned(t *testing.T) {
	folder := t.TempDir()
	names := []string{".pigpen-0123456789abcdef.tmp", ".pigpen-fedcba9876543210.tmp"}
	others := []string{".pigpen-0123456789abcdef", ".pigpen-0123456789abcde.tmp", ".pigpen-0123456789abcdef.tmp.1", "pigpen-0123456789abcdef.tmp"}
	want := map[string]string{"file": "whole"}
	for _, name := range others {
		put(t, filepath.Join(folder, name), "other", 0o644)
		want[name] = "other"
	}
	for _, name := range names {
		put(t, filepath.Join(folder, name), "left", 0o644)
	}
	err := atomicfile.Write(filepath.Join(folder, "file"), func(w io.Writer) error {
		if err := atomicfile.Check(filepath.Join(folder, "file")); err != nil { // a second writer, meanwhile
			t.Errorf("Check: %v", err)
		}
		return text("whole")(w)
	})
	if err != nil {
		t.Errorf("Write: %v", err)
	}
	holds(t, folder, want)
}

// TestLock checks that one lock excludes another until it is closed.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	put(t, path, "", 0o600)
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := open(), open()
	defer b.Close()
	if err := atomicfile.Lock(a); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatalf("Lock: %v", err)
	}
	if err := atomicfile.Lock(b); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("Lock of a locked file: %v, want %v", err, atomicfile.ErrLocked)
	}
	a.Close()
	if err := atomicfile.Lock(b); err != nil {
		t.Errorf("Lock after the other was closed: %v", err)
	}
}

// TestCheckNames checks names that no file can have.
func TestCheckNames(t *testing.T) {
	folder := t.TempDir()
	long := filepath.Join(folder, strings.Repeat("x", 256))
	if err := atomicfile.Check(long); err == nil || !strings.Contains(err.Error(), long) {
		t.Errorf("Check of a name of 256 bytes: %v, want an error that names it", err)
	}
	path := filepath.Join(folder, strings.Repeat("x", 255))
	if err := atomicfile.Check(path); err != nil {
		t.Errorf("Check of a name of 255 bytes: %v", err)
	}
	put(t, path, "one", 0o644)
	if err := atomicfile.Check(path); err != nil {
		t.Errorf("Check of a file that is there: %v", err)
	}
	kept, err := atomicfile.WriteKeeping(path, text("two"))
	if err != nil {
		t.Errorf("WriteKeeping to a name of 255 bytes: %v", err)
	}
	holds(t, folder, map[string]string{filepath.Base(path): "two", filepath.Base(kept): "one"})
}

// TestConcurrentChecks checks and writes one file many times at once. Each call removes the
// abandoned files of the others, among them those of a Check that is not yet through.
func TestConcurrentChecks(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	const callers, calls = 8, 100
	done := make(chan error, 2*callers)
	for range callers {
		for _, call := range []func() error{
			func() error { return atomicfile.Check(path) },
			func() error { return atomicfile.Write(path, text("same")) },
		} {
			go func() {
				var err error
				for range calls {
					err = errors.Join(err, call())
				}
				done <- err
			}()
		}
	}
	for range 2 * callers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	holds(t, folder, map[string]string{"file": "same"})
}

// TestConcurrentKeeping has several writers replace one file: nothing that any
// of them has written is lost.
func TestConcurrentKeeping(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	const writers = 8
	done := make(chan error, writers)
	for i := range writers {
		go func() {
			_, err := atomicfile.WriteKeeping(path, text(strings.Repeat(string(rune('a'+i)), 1000)))
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Errorf("WriteKeeping: %v", err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil || len(b) != 1000 {
			t.Fatalf("%s has %d bytes, error %v", e.Name(), len(b), err)
		}
		first = append(first, string(b[:1]))
	}
	slices.Sort(first)
	if got := strings.Join(slices.Compact(first), ""); got != "abcdefgh" {
		t.Errorf("of the writers, %q are left", got)
	}
}
