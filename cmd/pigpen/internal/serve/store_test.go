package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// storePolicy writes a policy for two players of pig that rolls in so many states.
func storePolicy(t testing.TB, path string, target, rolls int) {
	t.Helper()
	index, err := policies.NewStateIndex(env.Must(env.New(env.Config{Target: target})), policies.FullAbstraction)
	must(err)
	table := policies.NewTable(index)
	for i := range rolls {
		table.Set(i, true)
	}
	must(policies.Save(path, policies.File{Table: table}))
}

// opponentsOf returns the policies of an environment.
func (c *client) opponentsOf(number any) []*heldPolicy {
	return c.environments[int64(number.(float64))].opponents
}

// TestPoliciesShared makes environments of the same opponents: each is loaded
// once, whatever its path, and dropped with the last environment.
func TestPoliciesShared(t *testing.T) {
	c := newClient(t, "jsonl", "")
	folder := t.TempDir()
	path := filepath.Join(folder, "a.msgpack")
	storePolicy(t, path, 20, 0)
	link := filepath.Join(folder, "link")
	must(os.Symlink(path, link))
	make1 := func(names ...string) any {
		return c.ask("make", field{"target", 20}, field{"players", 1 + len(names)}, field{"opponents", names})["env"]
	}
	for _, test := range []struct{ first, second string }{
		{path, path}, {path, link}, {"optimal", "optimal"}, {"hold-5", "hold-5"},
	} {
		a, b := make1(test.first), make1(test.second)
		one, two := c.opponentsOf(a)[0], c.opponentsOf(b)[0]
		if one != two || len(c.policies.held) != 1 || c.policies.bytes != one.bytes {
			t.Errorf("%s and %s: %d policies of %d bytes are held", test.first, test.second, len(c.policies.held), c.policies.bytes)
		}
		if wants := test.first != "hold-5"; wants != (one.bytes > 0) {
			t.Errorf("%s is said to take %d bytes", test.first, one.bytes)
		}
		c.ask("close", field{"env", a})
		if len(c.policies.held) != 1 {
			t.Errorf("%s is dropped while an environment uses it", test.first)
		}
		c.ask("close", field{"env", b})
		if len(c.policies.held) != 0 || c.policies.bytes != 0 {
			t.Errorf("%s: %d policies of %d bytes are held for nobody", test.first, len(c.policies.held), c.policies.bytes)
		}
	}

	a := make1(path)
	storePolicy(t, path, 20, 50) // replaces the file
	b := make1(path)
	if one, two := c.opponentsOf(a)[0], c.opponentsOf(b)[0]; one == two || two.policy.RollChance(env.State{}) != 1 || one.policy.RollChance(env.State{}) != 0 {
		t.Error("a file that has changed is not read again")
	}
	// What fails holds nothing.
	before := len(c.policies.held)
	c.refused(CodeBadPolicy, "make", field{"target", 20}, field{"players", 3}, field{"opponents", []string{"hold-7", "nobody"}})
	c.refused(CodeBadPolicy, "make", field{"target", 21}, field{"opponents", []string{path}})
	c.refused(CodeBadPolicy, "make", field{"target", 20}, field{"opponents", []string{"hold-7", "hold-8"}})
	if len(c.policies.held) != before {
		t.Errorf("%d policies are held after makes that failed, %d before", len(c.policies.held), before)
	}
	three := make1("hold-5", "hold-6")
	if list := c.opponentsOf(three); len(list) != 2 || list[0] == list[1] {
		t.Errorf("two policies are held as %v", list)
	}
}

// TestServedIsShared plays against the policy that is served, which is neither
// loaded nor counted again.
func TestServedIsShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.msgpack")
	storePolicy(t, path, 20, 0)
	for _, name := range []string{"optimal", path} {
		c := newClient(t, "jsonl", name)
		a := c.ask("make", field{"opponents", []string{name}})["env"]
		if h := c.opponentsOf(a)[0]; h.policy != c.Policy.Policy || c.policies.bytes != 0 {
			t.Errorf("%s is served, and held again in %d bytes", name, c.policies.bytes)
		}
		c.ask("close", field{"env", a})
		if len(c.policies.held) != 1 {
			t.Errorf("%s is served and was dropped with an environment", name)
		}
	}
}

// TestPolicyLimit fills a session with policies.
func TestPolicyLimit(t *testing.T) {
	c := newClient(t, "msgpack", "")
	folder := t.TempDir()
	paths := []string{filepath.Join(folder, "a"), filepath.Join(folder, "b"), filepath.Join(folder, "c")}
	for i, path := range paths {
		storePolicy(t, path, 20, i)
	}
	file, err := os.Stat(paths[0])
	must(err)
	c.policies.limit = 2 * file.Size()
	against := func(name string) field { return field{"opponents", []string{name}} }
	c.ask("make", field{"target", 20}, against(paths[0]))
	second := c.ask("make", field{"target", 20}, against(paths[1]))["env"]
	for _, name := range []string{paths[2], "optimal"} {
		if message := c.refused(CodeLimit, "make", field{"target", 20}, against(name)); !strings.Contains(message, "a session holds at most") {
			t.Errorf("%s: %q", name, message)
		}
	}
	c.ask("make", field{"target", 20}, against(paths[0])) // it is there
	c.ask("close", field{"env", int(second.(float64))})
	c.ask("make", field{"target", 20}, against(paths[2]))
}

// TestSolutionBytes compares what a solution is said to take with what it does.
func TestSolutionBytes(t *testing.T) {
	racedetector.Skip(t)
	for _, config := range []env.Config{{Target: 200}, {Variant: "pig-last-round", Target: 200}, {Variant: "pig-snake-eyes", Target: 60}, {Players: 1, Target: 1000}} {
		g := env.Must(env.New(config))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, err := exact.Solve(t.Context(), g, exact.Options{})
		must(err)
		s.RollChance(g.Start(0))
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		if bound := solutionBytes(g); took > bound || config.Players != 1 && took < bound/20 {
			t.Errorf("%v takes %d bytes, and is bounded by %d", g, took, bound)
		}
		runtime.KeepAlive(s)
	}
}

// TestFileAccess names files that a client may use and files that it may not.
// What is outside the folder is refused in the same words whether it exists or
// not.
func TestFileAccess(t *testing.T) {
	outside := t.TempDir()
	folder := filepath.Join(outside, "shared")
	must(os.Mkdir(folder, 0o777), os.Mkdir(filepath.Join(folder, "sub"), 0o777))
	for _, path := range []string{filepath.Join(outside, "secret"), filepath.Join(folder, "a"), filepath.Join(folder, "sub", "b")} {
		storePolicy(t, path, 100, 0)
	}
	must(
		os.Symlink("../secret", filepath.Join(folder, "out")), os.Symlink("../nothing", filepath.Join(folder, "nowhere")),
		os.Symlink("sub/b", filepath.Join(folder, "in")), os.Symlink("..", filepath.Join(folder, "up")),
		os.WriteFile(filepath.Join(folder, "empty"), nil, 0o666),
	)
	root, err := os.OpenRoot(folder)
	must(err)
	defer root.Close()
	c := newClient(t, "jsonl", "")
	c.policies.files, c.policies.folder = root, true
	try := func(name string) string {
		t.Helper()
		a := c.try("make", field{"opponents", []string{name}})
		if a["ok"] == true {
			return ""
		}
		wrong := a["error"].(map[string]any)
		if wrong["code"] != CodeBadPolicy {
			t.Errorf("%s: %v", name, wrong)
		}
		return strings.ReplaceAll(wrong["message"].(string), name, "NAME")
	}
	for _, name := range []string{"a", "sub/b", "sub/../a", "in", "optimal", "trained/pig-qlearning"} {
		if message := try(name); message != "" {
			t.Errorf("%s is refused: %s", name, message)
		}
	}
	for _, names := range [][2]string{
		{"../secret", "../nothing"}, {filepath.Join(outside, "secret"), filepath.Join(outside, "nothing")}, {filepath.Join(folder, "a"), filepath.Join(folder, "z")},
		{"out", "nowhere"}, {"up/secret", "up/nothing"}, {"sub/../../secret", "sub/../../nothing"},
	} {
		there, missing := try(names[0]), try(names[1])
		if there == "" || there != missing {
			t.Errorf("%v: %q and %q", names, there, missing)
		}
	}
	if message := try("empty"); !strings.Contains(message, "its size is 0") {
		t.Errorf("an empty file: %q", message)
	}

	c.policies.files, c.policies.folder = nil, false
	for _, name := range []string{"optimal", "hold-3", "trained/pig-qlearning"} {
		if message := try(name); message != "" {
			t.Errorf("without files, %s is refused: %s", name, message)
		}
	}
	there, missing := try("store.go"), try("stone.go")
	if there != missing || !strings.Contains(there, errNoFiles.Error()) {
		t.Errorf("without files: %q and %q", there, missing)
	}
	if there, missing := try("trained/x"), try("trained/y"); there != strings.ReplaceAll(missing, `"y"`, `"x"`) || !strings.Contains(there, errNoFiles.Error()) {
		t.Errorf("without files: %q and %q", there, missing)
	}
}

// heap returns the bytes of what is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSessionMemory opens, plays, snapshots, restores and closes environments
// again and again: a file is in memory once however many environments play against
// it, a game takes a few hundred bytes, and what is closed takes nothing.
func TestSessionMemory(t *testing.T) {
	racedetector.Skip(t)
	path := filepath.Join(t.TempDir(), "a.msgpack")
	storePolicy(t, path, 150, 0)
	file, err := os.Stat(path)
	must(err)
	const games = 1 << 12
	c := newClient(t, "msgpack", "")
	roll := list(bytes.Repeat([]byte{1}, games))
	play := func(fields ...field) {
		t.Helper()
		handle := field{"env", int(c.ask("make", append(fields, field{"num_envs", games}, field{"autoreset", "same_step"})...)["env"].(float64))}
		c.ask("reset", handle, field{"seed", 1})
		saved := wire.Blob(c.ask("state", handle)["states"].([]byte))
		c.ask("step", handle, field{"actions", roll})
		c.ask("restore", handle, field{"states", saved})
		broken := slices.Clone(saved)
		broken[0]++
		c.refused(CodeBadState, "restore", handle, field{"states", broken})
	}
	cycle := func() {
		for range 2 {
			play(field{"target", 150}, field{"opponents", []string{path}})
			play(field{"variant", "pig-last-round"}, field{"players", 6})
			play(field{"target", 50}, field{"opponents", []string{"optimal"}})
		}
		for range 100 {
			c.ask("make", field{"target", 150}, field{"opponents", []string{path}})
		}
	}
	close1 := func() {
		for number := range c.environments {
			c.ask("close", field{"env", number})
		}
	}
	cycle()
	close1()
	empty := heap()
	for range 2 {
		cycle()
		most := file.Size() + solutionBytes(env.Must(env.New(env.Config{Target: 50}))) + 6*games*200 + 100*5000
		if took := heap() - empty; took > most {
			t.Errorf("%d environments take %d bytes, want %d at most", len(c.environments), took, most)
		}
		close1()
	}
	if took := heap() - empty; took > 1<<20 || len(c.policies.held) > 0 || c.games != 0 {
		t.Errorf("%d bytes, %d policies and %d games are left of environments that are closed", took, len(c.policies.held), c.games)
	}
}
