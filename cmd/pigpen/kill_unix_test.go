//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pigpen/policies"
)

// TestTrainKilled kills a training with a checkpoint and a log, again and again,
// at whatever moment, and starts it again from its checkpoint. In the end its
// policy and its log are those of a training that was never killed, and nothing
// of the killed ones is left.
func TestTrainKilled(t *testing.T) {
	kills := 12
	if *long {
		kills = 200
	}
	for _, recipe := range []string{"curriculum", "rounds", "textbook"} {
		t.Run(recipe, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			train := func(name string, more ...string) *exec.Cmd {
				agent := map[string]string{"curriculum": "qlearning", "rounds": "montecarlo", "textbook": "qlearning"}[recipe]
				args := []string{"train", "--target", "20", "--agent", agent, "--recipe", recipe, "--out", name + ".msgpack",
					"--log", name + ".csv", "--checkpoint-every", "1us", "--eval-every", "50k"}
				cmd := exec.CommandContext(t.Context(), "pigpen", append(args, more...)...)
				cmd.Dir = folder
				return cmd
			}
			checkpoint := filepath.Join(folder, "killed.checkpoint")
			for kill := range (kills + 2) / 3 {
				more := []string{"--checkpoint", "killed.checkpoint", "--steps", "1000G"}
				if _, err := os.Stat(checkpoint); err == nil {
					more = []string{"--resume", "killed.checkpoint", "--steps", "1000G"}
				}
				cmd := train("killed", more...)
				stderr, err := cmd.StderrPipe()
				must(err, cmd.Start())
				lines := bufio.NewReader(stderr)
				for range 3 + kill*5%11 {
					if line, err := lines.ReadString('\n'); err != nil {
						t.Fatalf("the training ends by itself: %q, %v", line, err)
					}
				}
				must(cmd.Process.Kill())
				io.Copy(io.Discard, lines)
				cmd.Wait() // for its end, which is that it was killed
			}
			steps := stepsOfCheckpoint(t, checkpoint) + 300_000
			length := []string{"--steps", strconv.FormatInt(steps, 10), "--quiet"}
			for _, cmd := range []*exec.Cmd{
				train("killed", append(length, "--resume", "killed.checkpoint")...),
				train("whole", append(length, "--checkpoint", "whole.checkpoint")...),
			} {
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v, %s", cmd.Args, err, out)
				}
			}
			for _, ending := range []string{".msgpack", ".csv"} {
				got, err1 := os.ReadFile(filepath.Join(folder, "killed"+ending))
				want, err2 := os.ReadFile(filepath.Join(folder, "whole"+ending))
				must(err1, err2)
				if !bytes.Equal(withoutSeconds(got), withoutSeconds(want)) {
					t.Errorf("killed and resumed, a training of %d decisions comes to another %s file", steps, ending)
				}
			}
			entries, err := os.ReadDir(folder)
			must(err)
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), ".") {
					t.Errorf("%s is left of a training that was killed", e.Name())
				}
			}
		})
	}
}

// withoutSeconds returns a log without the column that differs from run to run.
func withoutSeconds(log []byte) []byte {
	return regexp.MustCompile(`(?m)^(\d+,\d+),[^,]*`).ReplaceAll(log, []byte("$1"))
}

// stepsOfCheckpoint returns the decisions of a checkpoint's training.
func stepsOfCheckpoint(t *testing.T, path string) int64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "policy")
	cmd := exec.CommandContext(t.Context(), "pigpen", "train", "--resume", path, "--checkpoint", out+".checkpoint", "--steps", "1000G", "--time", "1000h", "--out", out, "--eval-every", "0")
	stderr, err := cmd.StderrPipe()
	must(err, cmd.Start())
	line, err := bufio.NewReader(stderr).ReadString('\n')
	must(err, cmd.Process.Kill())
	cmd.Wait()
	text := regexp.MustCompile(`resumed after (\d+) decisions`).FindStringSubmatch(line)
	if text == nil {
		t.Fatalf("the training begins with %q", line)
	}
	steps, err := strconv.ParseInt(text[1], 10, 64)
	must(err)
	return steps
}

// TestLeftovers checks that the next command which writes in a folder removes
// what a killed one left there.
func TestLeftovers(t *testing.T) {
	t.Chdir(t.TempDir())
	must(os.WriteFile(".pigpen-0123456789abcdef.tmp", []byte("a part of a policy"), 0o600))
	if out, err := exec.CommandContext(t.Context(), "pigpen", "solve", "--target", "5", "--out", "p").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	entries, err := os.ReadDir(".")
	must(err)
	if !slices.EqualFunc(entries, []string{"p"}, func(e os.DirEntry, name string) bool { return e.Name() == name }) {
		t.Errorf("the folder holds %v, want p alone", entries)
	}
}

// TestFileLimit trains where files may not grow to the size of a policy, which
// ends a process that does not heed the signal.
func TestFileLimit(t *testing.T) {
	t.Chdir(t.TempDir())
	must(os.WriteFile("q.msgpack", []byte("something dear"), 0o600))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f 1; TMPDIR=. exec pigpen train --target 40 --steps 1M --out q.msgpack --quiet --log l.csv --eval-every 20k --checkpoint c`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != statusFailed || cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("the training ends with %v, want status %d", err, statusFailed)
	}
	if !strings.Contains(string(out), "its policy could not be saved\n") || !strings.Contains(string(out), "in all     wins") {
		t.Errorf("stdout is %q, want a score, and that nothing is saved", out)
	}
	for _, want := range []string{
		"a row of the log could not be written, and will be tried again: write l.csv: file too large\n",
		"the checkpoint could not be written, and will be tried again: save c: file too large\n",
		"the policy could not be written: save q.msgpack: file too large, nor anywhere else\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr is %q, want %q in it", stderr.String(), want)
		}
	}
	if text, err := os.ReadFile("q.msgpack"); err != nil || string(text) != "something dear" {
		t.Errorf("the old policy is %q, error %v", text, err)
	}
	if _, err := policies.Load("q.1.msgpack"); err == nil {
		t.Errorf("a policy has been written in spite of the limit")
	}
}
