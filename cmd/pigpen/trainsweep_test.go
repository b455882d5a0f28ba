package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// endsAt is a stderr that ends a context once a text has been written to it.
type endsAt struct {
	written bytes.Buffer
	text    string
	end     context.CancelFunc
}

// Write implements io.Writer.
func (w *endsAt) Write(b []byte) (int, error) {
	n, err := w.written.Write(b)
	if w.text != "" && strings.Contains(w.written.String(), w.text) {
		w.end()
	}
	return n, err
}

// TestSweepInterrupted interrupts a sweep as its fifth training ends, and resumes it.
func TestSweepInterrupted(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	command := func(text string, args ...string) (status int, stdout, stderr string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		errs := &endsAt{text: text, end: cancel}
		var out bytes.Buffer
		status = run(ctx, append([]string{"train"}, args...), strings.NewReader(""), &out, errs)
		return status, out.String(), errs.written.String()
	}
	grid := []string{"--target", "30", "--seeds", "1-8", "--step-size", "0.1,n^-0.75", "--recipe", "textbook", "--steps", "20k"}

	status, whole, errs := command("", append(grid, "--quiet", "--out", in("whole.msgpack"))...)
	if status != statusDone {
		t.Fatalf("status %d: %s", status, errs)
	}
	part := append(slices.Clone(grid), "--out", in("part.msgpack"), "--checkpoint", in("s.msgpack"), "--workers", "2")
	status, stdout, errs := command("5 of 16 trainings, ", part...)
	if status != statusInterrupted || !strings.Contains(errs, "to go on: pigpen train --resume "+in("s.msgpack")+"\n") {
		t.Fatalf("status %d: %s", status, errs)
	}
	if !strings.Contains(stdout, " of 16 trainings\n") || strings.Contains(stdout, "16 of 16") {
		t.Errorf("the interrupted sweep prints %s", stdout)
	}
	if _, err := os.Stat(in("part.msgpack")); err == nil {
		t.Error("the interrupted sweep has written its policy, which the checkpoint has")
	}
	status, stdout, errs = command("", "--resume", in("s.msgpack"))
	if want := strings.ReplaceAll(whole, in("whole.msgpack"), in("part.msgpack")); status != statusDone || stdout != want {
		t.Errorf("status %d, %s\nresumed it prints\n%s\nwant\n%s", status, errs, stdout, want)
	}
	if strings.Contains(errs, "\n5 of 16 trainings, ") || !strings.Contains(errs, "\n16 of 16 trainings, ") {
		t.Errorf("resumed it tells\n%s", errs)
	}
	if !bytes.Equal(fileContent(t, in("whole.msgpack")), fileContent(t, in("part.msgpack"))) {
		t.Error("the resumed sweep has another best policy")
	}

	// Without a checkpoint the best policy so far is not lost.
	status, _, errs = command("2 of 16 trainings, ", append(slices.Clone(grid), "--out", in("far.msgpack"), "--workers", "1")...)
	if status != statusInterrupted || !strings.Contains(errs, "with --checkpoint FILE a sweep can go on") {
		t.Errorf("status %d: %s", status, errs)
	}
	if len(fileContent(t, in("far.msgpack"))) == 0 {
		t.Error("the best policy so far is not written")
	}
}

// TestSeedList checks which seeds lists stand for, and how they are written.
func TestSeedList(t *testing.T) {
	for text, want := range map[string]struct {
		seeds   []uint64
		written string
	}{
		"1-8":                  {[]uint64{1, 2, 3, 4, 5, 6, 7, 8}, "1-8"},
		"1,3,5-7":              {[]uint64{1, 3, 5, 6, 7}, "1,3,5-7"},
		"7,6":                  {[]uint64{7, 6}, "7,6"},
		"4-4":                  {[]uint64{4}, "4"},
		"18446744073709551615": {[]uint64{1<<64 - 1}, "18446744073709551615"},
	} {
		var seeds []uint64
		l := seedList{&seeds}
		if err := l.Set(text); err != nil || !slices.Equal(seeds, want.seeds) || l.String() != want.written {
			t.Errorf("%s: %v, written %s, %v; want %v, written %s", text, seeds, l, err, want.seeds, want.written)
		}
	}
	for _, text := range []string{"", "a", "1-", "-1", "1--2", "1,", "2-1", "1-3,2", "1-2000", "1-600,601-1200", "18446744073709551616"} {
		seeds := []uint64{9}
		if err := (seedList{&seeds}).Set(text); err == nil || !slices.Equal(seeds, []uint64{9}) {
			t.Errorf("%q: %v, %v", text, seeds, err)
		}
	}
}

func fileContent(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
