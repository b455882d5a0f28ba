package main

import (
	"fmt"
	"os"
	"path/filepath"

	"pigpen/env"
	"pigpen/policies/atomicfile"
)

// checkFiles refuses files that could not be written, and files with two roles.
func (f *trainFlags) checkFiles() error {
	if err := mayWrite(f.out); err != nil {
		return err
	}
	roles := []struct{ flag, path string }{{"out", f.out}, {"checkpoint", f.checkpoint}, {"log", f.log}, {"resume", f.resume}}
	for i, a := range roles {
		for _, b := range roles[:i] {
			// Without --checkpoint, checkpoints go where the one that is resumed is.
			if a.flag == "resume" && b.flag == "checkpoint" && !f.flags.Changed("checkpoint") {
				continue
			}
			if a.path != "" && b.path != "" && samePlace(a.path, b.path) {
				return usagef("--%s and --%s are both %s; each needs a file of its own", b.flag, a.flag, a.path)
			}
		}
	}
	if f.checkpoint != "" {
		if err := atomicfile.Check(f.checkpoint); err != nil {
			return fmt.Errorf("the checkpoint could not be written: %w", err)
		}
	}
	if f.log != "" {
		if err := atomicfile.Check(f.log); err != nil {
			return fmt.Errorf("the log could not be written: %w", err)
		}
	}
	return nil
}

// samePlace reports whether two paths name one file, there or not.
func samePlace(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	place := func(path string) string {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			folder = filepath.Dir(path)
		}
		if whole, err := filepath.Abs(filepath.Join(folder, filepath.Base(path))); err == nil {
			return whole
		}
		return filepath.Clean(path)
	}
	return place(a) == place(b)
}

// defaultName returns the name of the policy file of a training that is given
// none. It tells games and agents apart.
func defaultName(g env.Game, agent string) string {
	name := fmt.Sprintf("%s-%dp-%d", g.Variant().ID, g.Players(), g.Target())
	for _, o := range g.Variant().Options {
		if on := g.Config().Options[o.Name]; on != o.Default {
			name += fmt.Sprintf("-%s=%t", o.Name, on)
		}
	}
	return name + "-" + agent + ".msgpack"
}
