package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// chain is the order of the top folders: a package imports only what stands to
// its left, or its own folder. Of policies, policies/exact stands on env alone.
var chain = []string{"env", "policies", "agents", "train", "cmd"}

// others are the modules that a folder may import, tests apart.
var others = map[string][]string{
	"env":      {"golang.org/x/sys/cpu"},
	"policies": {"github.com/vmihailenco/msgpack/v5", "golang.org/x/sys/unix", "golang.org/x/sys/windows"},
	"agents":   {},
	"train":    {"github.com/vmihailenco/msgpack/v5", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/stat/distuv"},
	"cmd":      {"github.com/KimMachineGun/automemlimit/memlimit", "github.com/spf13/pflag", "github.com/vmihailenco/msgpack/v5", "github.com/schollz/progressbar/v3", "golang.org/x/sys/unix", "golang.org/x/sys/windows", "golang.org/x/term", "github.com/rivo/uniseg", "golang.org/x/image/font", "gonum.org/v1/plot", "gonum.org/v1/plot/font", "gonum.org/v1/plot/palette/brewer", "gonum.org/v1/plot/plotter", "gonum.org/v1/plot/text", "gonum.org/v1/plot/vg", "gonum.org/v1/plot/vg/draw", "gonum.org/v1/plot/vg/vgimg", "gonum.org/v1/plot/vg/vgsvg"},
}

// rooms are the folders of which the command line is made. A package of one imports
// from this module only what stands here, tests apart; so charts and wire know no game, and
// serve and wire know nothing of the command line.
var rooms = map[string][]string{
	"cmd/pigpen/internal/charts": {},
	"cmd/pigpen/internal/wire":   {},
	"cmd/pigpen/internal/serve":  {"pigpen/cmd/pigpen/internal/wire", "pigpen/env", "pigpen/policies", "pigpen/policies/exact", "pigpen/policies/trained"},
}

// roomOthers are the modules that no room may import, tests apart.
var roomOthers = []string{"github.com/spf13/pflag", "golang.org/x/term", "github.com/schollz/progressbar/v3"}

const root = "../.."

// TestChain checks every import of every Go file.
func TestChain(t *testing.T) {
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		folder := topFolder(filepath.ToSlash(rel))
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			test := strings.HasSuffix(path, "_test.go")
			wrong := breaksChain(folder, name, test)
			if wrong == "" && !test {
				wrong = breaksRoom(filepath.ToSlash(filepath.Dir(rel)), name)
			}
			if wrong != "" {
				t.Errorf("%s imports %q: %s", rel, name, wrong)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range rooms {
		if _, err := os.Stat(filepath.Join(root, room)); err != nil {
			t.Error(err)
		}
	}
	if files < 20 {
		t.Errorf("only %d files seen", files)
	}
}

// breaksChain says what is wrong with an import by a file of a top folder.
func breaksChain(folder, name string, test bool) string {
	at := slices.Index(chain, folder)
	if at < 0 {
		return "folder " + folder + " is not in the chain"
	}
	if inside, ok := strings.CutPrefix(name, "pigpen/"); ok {
		if to := slices.Index(chain, topFolder(inside)); to < 0 || to > at {
			return "it does not stand to the left of " + folder
		}
		return ""
	}
	if first := topFolder(name); !strings.Contains(first, ".") || test {
		return "" // the standard library
	}
	if !slices.Contains(others[folder], name) {
		return "no package of " + folder + " needs it"
	}
	return ""
}

// breaksRoom says what is wrong with an import by a file, no test, of a folder.
func breaksRoom(folder, name string) string {
	may, isRoom := rooms[folder]
	switch {
	case !isRoom:
		return ""
	case strings.HasPrefix(name, "pigpen/") && !slices.Contains(may, name):
		return "it is none of the packages that " + folder + " stands on"
	case slices.Contains(roomOthers, name):
		return "it belongs to the command line"
	}
	return ""
}

func topFolder(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

func TestBreaksChain(t *testing.T) {
	for _, test := range []struct {
		folder, name string
		breaks       bool
	}{
		{"env", "pigpen/policies", true},
		{"agents", "pigpen/train", true},
		{"train", "pigpen/cmd/pigpen", true},
		{"train", "pigpen/env", false},
		{"env", "pigpen/env/envtest", false},
		{"env", "math/bits", false},
		{"env", "github.com/spf13/pflag", true},
		{"cmd", "github.com/spf13/pflag", false},
		{"cmd", "pigpen/utils", true},
		{"utils", "fmt", true},
	} {
		if got := breaksChain(test.folder, test.name, false); (got != "") != test.breaks {
			t.Errorf("breaksChain(%q, %q) = %q, want a complaint: %t", test.folder, test.name, got, test.breaks)
		}
	}
}

func TestBreaksRoom(t *testing.T) {
	for _, test := range []struct {
		folder, name string
		breaks       bool
	}{
		{"cmd/pigpen/internal/wire", "pigpen/cmd/pigpen/internal/serve", true},
		{"cmd/pigpen/internal/wire", "pigpen/env", true},
		{"cmd/pigpen/internal/wire", "github.com/vmihailenco/msgpack/v5", false},
		{"cmd/pigpen/internal/serve", "pigpen/cmd/pigpen/internal/wire", false},
		{"cmd/pigpen/internal/serve", "pigpen/cmd/pigpen", true},
		{"cmd/pigpen/internal/serve", "pigpen/train", true},
		{"cmd/pigpen/internal/serve", "github.com/spf13/pflag", true},
		{"cmd/pigpen", "pigpen/cmd/pigpen/internal/serve", false},
	} {
		if got := breaksRoom(test.folder, test.name); (got != "") != test.breaks {
			t.Errorf("breaksRoom(%q, %q) = %q, want a complaint: %t", test.folder, test.name, got, test.breaks)
		}
	}
}

// TestTopLevel checks that the root holds what its readers expect, and
// nothing else.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"go.mod", "go.sum", "README.md"}, chain...)
	for _, entry := range entries {
		name := entry.Name()
		// Policies that somebody trained here are not part of the tree.
		if !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".msgpack") && !slices.Contains(want, name) {
			t.Errorf("%s stands at the top level; there belong %v", name, want)
		}
	}
}
