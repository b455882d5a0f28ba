package plaintext

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pigpen/env"
	"pigpen/policies"
)

// root is the module's folder.
const root = "../../../.."

func TestError(t *testing.T) {
	sentinel := fmt.Errorf("%w: pig is for 1 to 10 players", env.ErrConfig)
	for _, test := range []struct {
		err  error
		want string
	}{
		{sentinel, "pig is for 1 to 10 players"},
		{fmt.Errorf("env: x: %w", sentinel), "env: x: pig is for 1 to 10 players"},
		{fmt.Errorf("%w; see the help", sentinel), "pig is for 1 to 10 players; see the help"},
		{fmt.Errorf("env: bad configuration: is a file"), "env: bad configuration: is a file"},
		{fmt.Errorf("%w %q; it is none", policies.ErrUnknown, "policies: "), `unknown policy "policies: "; it is none`},
		{fmt.Errorf("%s: %w: %w", "exact: y", policies.ErrGame, sentinel), "exact: y: a policy for another game: pig is for 1 to 10 players"},
		{&os.PathError{Op: "open", Path: "train: z", Err: fs.ErrNotExist}, "open train: z: file does not exist"},
		{fmt.Errorf("%w, and more", &env.UnknownNameError{Err: policies.ErrUnknown, Name: "raze", Known: []string{"random", "race"}, List: "there are two"}),
			`unknown policy "raze"; did you mean "race"? there are two, and more`},
		{errors.New("a\nb\x1b"), `a\nb\x1b`},
	} {
		if got := Error(test.err); got != test.want {
			t.Errorf("Error(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}

// TestSentinels finds every exported error whose text begins with the name of its
// package, and demands that sentinels knows it.
func TestSentinels(t *testing.T) {
	texts := make(map[string]bool)
	for err := range sentinels() {
		texts[err.Error()] = true
	}
	found := 0
	for _, folder := range []string{"env", "policies", "policies/exact", "policies/policyfile", "policies/trained", "agents", "train"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok || !spec.Names[0].IsExported() || len(spec.Values) != 1 {
					return true
				}
				call, ok := spec.Values[0].(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				literal, ok := call.Args[0].(*ast.BasicLit)
				if !ok {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err == nil && strings.HasPrefix(text, file.Name.Name+": ") {
					found++
					if !texts[text] {
						t.Errorf("%s: sentinels lacks %s, %q", name, spec.Names[0], text)
					}
				}
				return true
			})
		}
	}
	if found < 10 {
		t.Errorf("%d sentinels found, want at least 10", found)
	}
}

// TestEscape escapes what a terminal would not show as it is.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain – ü":         "plain – ü",
		"two\nlines\ttab":   `two\nlines\ttab`,
		"\x1b[31mred":       `\x1b[31mred`,
		"broken \xff\u2028": `broken \ufffd\u2028`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("Escape(%q) = %q, want %q", text, got, want)
		}
	}
}
