package policies_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/policies/internal/policytest"
	"pigpen/policies/policyfile"
)

// TestOriginOf asks what names stand for, whatever files there are.
func TestOriginOf(t *testing.T) {
	for name, want := range map[string]policies.Origin{
		"optimal": policies.FromRule, "hold-20": policies.FromRule, "hold-0": policies.FromFile, "hold-N": policies.FromFile,
		"trained/pig-qlearning": policies.FromTrained, "trained/pig": policies.FromFile, "pig-qlearning": policies.FromFile,
		"./optimal": policies.FromFile, "./trained/pig-qlearning": policies.FromFile, "trained/": policies.FromFile, "": policies.FromFile,
	} {
		if got := policies.OriginOf(name); got != want {
			t.Errorf("OriginOf(%q) = %v, want %v", name, got, want)
		}
	}
}

// TestFind finds policies of every origin in a folder whose files have the names of
// other policies.
func TestFind(t *testing.T) {
	g := pig(2, 100)
	d := newFolder(t)
	table := policytest.Patterned(policytest.Index(t, g, policies.FullAbstraction))
	for _, name := range []string{"race", "mine"} {
		d.save(d.join(name), policies.File{Table: table})
	}
	d.save(d.join("small"), policies.File{Table: policytest.Patterned(policytest.Index(t, pig(2, 5), policies.FullAbstraction))})
	d.writeFile("text", "hello")
	root, err := os.OpenRoot(d.path)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	inFolder, noFiles := &policies.Resolver{Files: root}, &policies.Resolver{}

	patternedAt := func(p policies.Policy) bool {
		return p.RollChance(env.State{TurnTotal: 49}) == table.RollChance(env.State{TurnTotal: 49})
	}
	if patternedAt(named(t, "race", g)) {
		t.Fatal("the table does not differ from race")
	}
	for _, test := range []struct {
		name      string
		resolver  *policies.Resolver
		patterned bool
		want      []error // nil if there is such a policy
	}{
		{"race", inFolder, false, nil}, {"./race", inFolder, true, nil}, {"mine", inFolder, true, nil},
		{"race", noFiles, false, nil}, {"trained/pig-qlearning", noFiles, false, nil},
		{"mine", noFiles, false, []error{policies.ErrUnknown}},
		{"hold-0", inFolder, false, []error{policies.ErrUnknown, policies.ErrNoFile}},
		{"trained/pig", inFolder, false, []error{policies.ErrUnknown, policies.ErrNoFile}},
		{"small", inFolder, false, []error{policies.ErrGame}},
		{"trained/piglet-qlearning", noFiles, false, []error{policies.ErrGame}},
		{"text", inFolder, false, []error{policyfile.ErrForeign}},
	} {
		p, err := test.resolver.Find(t.Context(), test.name, g, exact.Options{})
		for _, want := range []error{policies.ErrUnknown, policies.ErrNoFile, policies.ErrGame, policyfile.ErrForeign} {
			if is := errors.Is(err, want); is != slices.Contains(test.want, want) {
				t.Errorf("Find(%q): errors.Is(%v, %v) = %t", test.name, err, want, is)
			}
		}
		if (err == nil) != (test.want == nil) || err == nil && patternedAt(p) != test.patterned {
			t.Errorf("Find(%q) = %T, %v; want the table of the file: %t", test.name, p, err, test.patterned)
		}
	}
}

// TestUnknownNames checks which names an error knows.
func TestUnknownNames(t *testing.T) {
	for name, known := range map[string]string{"hold20": "hold-20", "hold": "hold-N", "trained/pig": "pig-qlearning"} {
		_, err := (&policies.Resolver{}).Resolve(name)
		if unknown := (*env.UnknownNameError)(nil); !errors.As(err, &unknown) || !slices.Contains(unknown.Known, known) {
			t.Errorf("Resolve(%q): %v, want an error that knows %s", name, err, known)
		}
	}
}

// TestSame compares what names stand for.
func TestSame(t *testing.T) {
	d := newFolder(t)
	d.writeFile("a", "text")
	d.writeFile("b", "text")
	if err := os.Symlink("a", d.join("link")); err != nil {
		t.Fatal(err)
	}
	r := policies.Resolver{Files: policies.Disk{}}
	ref := func(name string) policies.Ref {
		t.Helper()
		if policies.OriginOf(name) == policies.FromFile {
			name = d.join(name)
		}
		ref, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	old := ref("a")
	for _, test := range []struct {
		a, b policies.Ref
		want bool
	}{
		{ref("race"), ref("race"), true}, {ref("race"), ref("hold-20"), false},
		{ref("a"), ref("a"), true}, {ref("a"), ref("link"), true}, {ref("a"), ref("b"), false}, {ref("a"), ref("race"), false},
		{policies.Ref{Name: "a"}, policies.Ref{Name: "a"}, false},
	} {
		if got := test.a.Same(test.b); got != test.want {
			t.Errorf("%s and %s: Same = %t, want %t", test.a.Name, test.b.Name, got, test.want)
		}
	}
	d.writeFile("a", "longer text")
	if old.Same(ref("a")) {
		t.Error("a file that has changed is the same as before")
	}
}

// TestLoadRef loads what has been found, or refuses.
func TestLoadRef(t *testing.T) {
	r := policies.Resolver{Files: policies.Disk{}}
	if _, err := r.Load(policies.Ref{Name: "race", Origin: policies.FromRule}); !errors.Is(err, policies.ErrFixed) {
		t.Errorf("Load of a fixed policy: %v, want %v", err, policies.ErrFixed)
	}
	if f, err := r.Load(policies.Ref{Name: "trained/pig-qlearning", Origin: policies.FromTrained}); err != nil || f.Provenance.Agent != "qlearning" {
		t.Errorf("Load of a trained policy: made by %q, error %v", f.Provenance.Agent, err)
	}
	if _, err := r.Load(policies.Ref{Name: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a file that is gone: %v, want %v", err, fs.ErrNotExist)
	}
}

// TestReference pins of which games perfect play is the reference.
func TestReference(t *testing.T) {
	for _, c := range []struct {
		game env.Game
		want string
	}{
		{pig(1, 1000), policies.Optimal},
		{game("pig-snake-eyes", 2, 1000), policies.Optimal}, // which takes a minute
		{pig(3, 100), policies.Optimal},
		{pig(4, 50), policies.Optimal},
		{pig(4, 100), "hold-20"},
		{pig(5, 20), policies.Optimal},
		{pig(5, 40), "hold-20"},
		{game("pig-last-round", 3, 100), policies.Optimal}, // although policies are not evaluated
		{game("pig-snake-eyes", 3, 60), policies.Optimal},  // although no equilibrium is found
		{game("pig-snake-eyes", 3, 100), "hold-20"},
		{game("double-trouble", 3, 100), "hold-20"},
	} {
		if got := policies.Reference(c.game); got != c.want {
			t.Errorf("Reference(%v) = %q, want %q", c.game, got, c.want)
		}
	}
}
