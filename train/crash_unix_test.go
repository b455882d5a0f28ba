//go:build unix

package train_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/train"
)

// The test binary does one of these instead of its tests if the variable says
// so; the checkpoint is its argument.
const (
	crashVariable = "PIGPEN_TRAIN_TEST"
	crashTrain    = "train" // on and on, with as many checkpoints as possible
	crashFull     = "full"  // save once, and then with a limit on files
)

func TestMain(m *testing.M) {
	switch os.Getenv(crashVariable) {
	case crashTrain:
		keepTraining(os.Args[1])
	case crashFull:
		saveOnFullDisk(os.Args[1])
	default:
		os.Exit(m.Run())
	}
}

// crashConfig is a training whose checkpoints take longer than what it learns
// between them.
func crashConfig() train.Config {
	k := agents.Kinds()[0]
	r := k.Recipes[0]
	c := config(k, r)
	c.Game = env.Must(env.New(env.Config{Target: 50}))
	return c
}

// keepTraining goes on from the checkpoint at path, if there is one, and tells
// of its progress, until it is killed.
func keepTraining(path string) {
	c := crashConfig()
	c.Length = train.Length{Steps: 1e15}
	c.Checkpoint, c.CheckpointEvery = path, 1
	c.ReportEvery = 1
	c.Report = func(p train.Progress) { fmt.Println(p.Steps) }
	if k, err := train.LoadCheckpoint(context.Background(), path, roomy); err == nil {
		c.Resume = k
	} else if !errors.Is(err, os.ErrNotExist) {
		fmt.Println(err)
		os.Exit(1)
	}
	_, err := train.Run(context.Background(), c)
	fmt.Println("the training ended:", err)
}

// saveOnFullDisk saves a checkpoint, and again where files may not grow to its
// size.
func saveOnFullDisk(path string) {
	c := crashConfig()
	c.Checkpoint = path
	signal.Ignore(syscall.SIGXFSZ)
	if _, err := train.Run(context.Background(), c); err != nil {
		fmt.Println("Run:", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	limit := syscall.Rlimit{Cur: 1000, Max: 1000}
	for _, size := range []int64{info.Size() - 1, info.Size() / 2, 5000, 10, 0} {
		setLimit(&limit, size)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println("Setrlimit:", err)
			return
		}
		other := c
		other.Seed++
		other.Checkpointed = func(_, _ string, err error) {
			if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), path) {
				fmt.Println("Checkpointed:", err)
			}
		}
		if r, err := train.Run(context.Background(), other); err != nil || !errors.Is(r.CheckpointErr, syscall.EFBIG) {
			fmt.Println("Run:", r.CheckpointErr, err)
		}
	}
	fmt.Println("done")
}

// setLimit sets both limits, whose types differ from system to system.
func setLimit(l *syscall.Rlimit, size int64) {
	l.Cur, l.Max = uint64(size), uint64(size)
}

// child returns a process that does what a word says with a checkpoint.
func child(t *testing.T, what, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, path)
	cmd.Env = append(os.Environ(), crashVariable+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilled kills a training, again and again, at whatever moment: there is
// always a whole checkpoint, from which it goes on, and in the end it comes to
// what it would have come to in one go.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	last, steps := int64(0), int64(0)
	for kill := range 40 {
		cmd := child(t, crashTrain, path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		checkpoints := 0
		for seen := 0; seen <= kill%7 || checkpoints == 0; seen++ {
			if !lines.Scan() {
				t.Fatalf("kill %d: the process ended by itself", kill)
			}
			if _, err := fmt.Sscan(lines.Text(), &steps); err != nil {
				t.Fatalf("kill %d: it says %q", kill, lines.Text())
			}
			if _, err := os.Stat(path); err == nil {
				checkpoints++
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // for its end, which is that it was killed
		k, err := train.LoadCheckpoint(context.Background(), path, roomy)
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		k.Close()
		if k.Steps < last {
			t.Errorf("kill %d: the checkpoint is of %d steps, and there was one of %d", kill, k.Steps, last)
		}
		last = k.Steps
	}
	k := load(t, path)
	whole := crashConfig()
	whole.Length = train.Length{Steps: k.Steps + 100_000}
	resumed := whole
	resumed.Resume = k
	if !bytes.Equal(fileBytes(t, run(t, t.Context(), whole).File), fileBytes(t, run(t, t.Context(), resumed).File)) {
		t.Errorf("killed and resumed, a training comes to another file than in one go, after %d steps", whole.Length.Steps)
	}
}

// TestFullDisk checks that a checkpoint that cannot be written leaves the one
// before it, and nothing else.
func TestFullDisk(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "checkpoint")
	out, err := child(t, crashFull, path).Output()
	if err != nil || string(out) != "done\n" {
		t.Fatalf("the process: error %v, says %q, want done", err, out)
	}
	if k := load(t, path); k.Seed != crashConfig().Seed {
		t.Errorf("the checkpoint that failed is the one that is there")
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want the checkpoint alone (error %v)", entries, err)
	}
}
