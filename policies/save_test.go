package policies_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pigpen/policies"
	"pigpen/policies/atomicfile"
	"pigpen/policies/internal/policytest"
	"pigpen/policies/policyfile"
)

var long = flag.Bool("long", false, "run the tests that take minutes")

// A folder is where files are saved, with what must be in it.
type folder struct {
	t    *testing.T
	path string
}

func newFolder(t *testing.T) folder { return folder{t, t.TempDir()} }

func (d folder) join(name string) string { return filepath.Join(d.path, name) }

// check demands that the folder holds these names and no others.
func (d folder) check(names ...string) {
	d.t.Helper()
	entries, err := os.ReadDir(d.path)
	if err != nil {
		d.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		d.t.Errorf("the folder holds %q, want %q", got, names)
	}
}

// save saves f and loads it again through the same path.
func (d folder) save(path string, f policies.File) {
	d.t.Helper()
	if err := policies.Save(path, f); err != nil {
		d.t.Fatalf("Save(%q): %v", path, err)
	}
	got, err := policies.Load(path)
	if err != nil {
		d.t.Fatalf("Load(%q): %v", path, err)
	}
	if diff := policytest.Difference(got, f); diff != "" {
		d.t.Errorf("Load(%q): %s", path, diff)
	}
}

// writeFile writes what is no policy.
func (d folder) writeFile(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.join(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// twoFiles returns two policies of different sizes.
func twoFiles(t *testing.T) (a, b policies.File) {
	return policies.File{Table: policytest.Patterned(policytest.Index(t, pig(3, 5), policies.FullAbstraction)), Provenance: policies.Provenance{
		Agent: "qlearning", Settings: map[string]string{"a": "1", "b": "2"}, Seed: 1<<63 + 5, Steps: 1_000_000, Episodes: 23_456, Program: "v0.1.0",
	}}, policies.File{Table: policytest.Patterned(policytest.Index(t, pig(2, 30), policies.FullAbstraction)), Provenance: policies.Provenance{Agent: "montecarlo"}}
}

func TestSave(t *testing.T) {
	d := newFolder(t)
	a, b := twoFiles(t)
	d.save(d.join("p.msgpack"), a)
	d.save(d.join("p.msgpack"), b)
	d.save(d.join("p.msgpack"), a)
	d.check("p.msgpack")
	if got, err := os.ReadFile(d.join("p.msgpack")); err != nil || !bytes.Equal(got, policytest.Bytes(t, a)) {
		t.Errorf("Save writes other bytes than Write (error %v)", err)
	}
	d.writeFile("other", "no policy")
	d.save(d.join("other"), b)
	d.check("other", "p.msgpack")
}

// TestSaveIsAtomic loads while another saves: each load must find one of the
// policies, whole.
func TestSaveIsAtomic(t *testing.T) {
	d := newFolder(t)
	a, b := twoFiles(t)
	path := d.join("p.msgpack")
	d.save(path, a)
	done := make(chan error)
	go func() {
		for i := range 20 {
			if err := policies.Save(path, []policies.File{b, a}[i%2]); err != nil {
				done <- err
				return
			}
		}
		close(done)
	}()
	for saving := true; saving; {
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Save: %v", err)
			}
			saving = false
		default:
		}
		f, err := policies.Load(path)
		if err != nil {
			t.Fatalf("Load while another saves: %v", err)
		}
		if policytest.Difference(f, a) != "" && policytest.Difference(f, b) != "" {
			t.Fatal("Load while another saves finds neither policy")
		}
	}
	d.check("p.msgpack")
}

// TestSaveFails refuses in the middle of a save, which must leave the old
// file, and nothing else.
func TestSaveFails(t *testing.T) {
	d := newFolder(t)
	a, b := twoFiles(t)
	d.save(d.join("p.msgpack"), a)
	for _, test := range []struct {
		name       string
		provenance policies.Provenance
		want       string
	}{
		{"agent", policies.Provenance{Agent: strings.Repeat("x", 257)}, "policyfile: outside the format's limits: a text of 257 bytes is longer than a policy file holds, 256: " + fmt.Sprintf("%.40q…", strings.Repeat("x", 257))},
		{"steps", policies.Provenance{Steps: -1}, "policyfile: outside the format's limits: -1 steps and 0 episodes; neither may be negative"},
	} {
		for _, name := range []string{"p.msgpack", "new.msgpack"} {
			if err := policies.Save(d.join(name), policies.File{Table: b.Table, Provenance: test.provenance}); err == nil || err.Error() != test.want {
				t.Errorf("%s: Save(%q): %v, want %s", test.name, name, err, test.want)
			}
		}
	}
	d.check("p.msgpack")
	if f, err := policies.Load(d.join("p.msgpack")); err != nil || policytest.Difference(f, a) != "" {
		t.Errorf("Load after a save that failed: error %v, %s", err, policytest.Difference(f, a))
	}
}

// TestSaveRefuses tries paths that no policy can have. Save and atomicfile.Check must
// say the same, and leave everything as it was. Save tries nothing outside the
// test's own folder: if it ever failed to refuse a device, it would replace it.
func TestSaveRefuses(t *testing.T) {
	d := newFolder(t)
	d.writeFile("file", "text")
	socket, err := net.Listen("unix", d.join("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, err := range []error{
		os.Mkdir(d.join("folder"), 0o755),
		os.Symlink("folder", d.join("link to folder")),
		os.Symlink("socket", d.join("link to socket")),
		os.Symlink("nothing", d.join("link to nothing")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"file", "folder", "link to folder", "link to nothing", "link to socket", "socket"}
	const irregular = "it exists and is not a regular file"
	a, _ := twoFiles(t)
	for _, test := range []struct{ path, want string }{
		{d.join("no/p.msgpack"), "save " + d.join("no/p.msgpack") + ": no such file or directory"},
		{d.join("file/p.msgpack"), "save " + d.join("file/p.msgpack") + ": not a directory"},
		{d.join("folder"), "save " + d.join("folder") + ": " + irregular},
		{d.join("folder") + "/", "save " + d.join("folder") + "/: " + irregular},
		{d.join("new") + "/", "save " + d.join("new") + "/: no such file or directory"},
		{d.join("link to folder"), "save " + d.join("link to folder") + ": " + irregular},
		{d.join("socket"), "save " + d.join("socket") + ": " + irregular},
		{d.join("link to socket"), "save " + d.join("link to socket") + ": " + irregular},
		{d.join("link to nothing"), "save " + d.join("link to nothing") + ": it is a symbolic link that leads nowhere"},
		{"", "save : the name is empty"},
	} {
		if err := policies.Save(test.path, a); err == nil || err.Error() != test.want {
			t.Errorf("Save(%q): %v, want %s", test.path, err, test.want)
		}
		if err := atomicfile.Check(test.path); err == nil || err.Error() != test.want {
			t.Errorf("Check(%q): %v, want %s", test.path, err, test.want)
		}
	}
	d.check(want...)
	folder{t, d.join("folder")}.check()
	if text, err := os.ReadFile(d.join("file")); err != nil || string(text) != "text" {
		t.Errorf("the file in the way holds %q (error %v), want its text", text, err)
	}
	if info, err := os.Lstat(d.join("socket")); err != nil || info.Mode()&os.ModeSocket == 0 {
		t.Errorf("the socket is none any more (error %v)", err)
	}
	// Check replaces nothing.
	if err, want := atomicfile.Check(os.DevNull), "save "+os.DevNull+": "+irregular; err == nil || err.Error() != want {
		t.Errorf("Check(%q): %v, want %s", os.DevNull, err, want)
	}
}

// TestSaveThroughLink replaces what a symbolic link points to, in its own
// folder, and keeps the link.
func TestSaveThroughLink(t *testing.T) {
	d, far := newFolder(t), newFolder(t)
	a, b := twoFiles(t)
	far.save(far.join("p.msgpack"), a)
	if err := os.Symlink(far.join("p.msgpack"), d.join("link")); err != nil {
		t.Fatal(err)
	}
	d.save(d.join("link"), b)
	d.check("link")
	far.check("p.msgpack")
	if to, err := os.Readlink(d.join("link")); err != nil || to != far.join("p.msgpack") {
		t.Errorf("the link points to %q (error %v), want %q", to, err, far.join("p.msgpack"))
	}
	if f, err := policies.Load(far.join("p.msgpack")); err != nil || policytest.Difference(f, b) != "" {
		t.Errorf("Load of the link's target: error %v, %s", err, policytest.Difference(f, b))
	}
}

func TestCheck(t *testing.T) {
	d := newFolder(t)
	d.writeFile("old", "text")
	for _, name := range []string{"old", "new"} {
		if err := atomicfile.Check(d.join(name)); err != nil {
			t.Errorf("Check(%q): %v", name, err)
		}
	}
	d.check("old")
	if text, err := os.ReadFile(d.join("old")); err != nil || string(text) != "text" {
		t.Errorf("after Check the file holds %q (error %v), want its text", text, err)
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	d := newFolder(t)
	d.writeFile("text", "hello")
	d.writeFile("empty", "")
	for _, test := range []struct {
		name, want string
		class      error
	}{
		{"text", d.join("text") + ": not a pigpen policy file", policyfile.ErrForeign},
		{".", d.join(".") + ": not a pigpen policy file: it is not a regular file", policyfile.ErrForeign},
		{"empty", d.join("empty") + ": not a pigpen policy file: its size is 0", policyfile.ErrForeign},
		{"none", "open " + d.join("none") + ": no such file or directory", os.ErrNotExist},
	} {
		if _, err := policies.Load(d.join(test.name)); !errors.Is(err, test.class) || err.Error() != test.want {
			t.Errorf("Load(%q): %v, want %s", test.name, err, test.want)
		}
	}
}

// TestSaveKeepsPermissions replaces a file that only its owner may read.
func TestSaveKeepsPermissions(t *testing.T) {
	d := newFolder(t)
	d.writeFile("p.msgpack", "text")
	if err := os.Chmod(d.join("p.msgpack"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := twoFiles(t)
	if err := policies.Save(d.join("p.msgpack"), a); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.join("p.msgpack"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("Save over a file of mode 600 leaves mode %o", mode)
	}
}
