package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pigpen/policies"
)

// process starts pigpen with pipes for its streams. It is killed at the end
// of a test that hangs.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout, stderr *bufio.Reader) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, "pigpen", args...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	chatter, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewReader(out), bufio.NewReader(chatter)
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("the process ended early: %q, %v", line, err)
	}
	return line
}

// exitStatus waits for cmd once everything that it prints has been read.
func exitStatus(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestTrainInterrupted sends an interrupt to a training without end.
func TestTrainInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.msgpack")
	cmd, _, stdout, stderr := process(t, "train", "--target", "10", "--steps", "1000G", "--eval-every", "1M", "--out", file)
	for !strings.Contains(readLine(t, stderr), "wins") {
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(stderr)
	result, _ := io.ReadAll(stdout)
	if status := exitStatus(t, cmd); status != statusInterrupted {
		t.Errorf("exit status %d, want %d", status, statusInterrupted)
	}
	if want := "pigpen: train: interrupted; the policy so far is saved in " + file + "\n"; !strings.HasSuffix(string(rest), want) {
		t.Errorf("stderr ends with %q, want %q", rest, want)
	}
	if want := file + " against optimal"; !strings.Contains(string(result), want) {
		t.Errorf("stdout is %q, want a score with %q", result, want)
	}
	f, err := policies.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if f.Made.Steps < 1_000_000 {
		t.Errorf("the file says %d steps, want at least those before the first evaluation", f.Made.Steps)
	}
}

// TestServeEnds checks each way in which a session ends.
func TestServeEnds(t *testing.T) {
	for _, test := range []struct {
		name   string
		end    func(cmd *exec.Cmd, stdin io.WriteCloser) error
		status int
	}{
		{"end of input", func(_ *exec.Cmd, stdin io.WriteCloser) error { return stdin.Close() }, statusDone},
		{"quit", func(_ *exec.Cmd, stdin io.WriteCloser) error {
			_, err := io.WriteString(stdin, `{"op":"quit"}`+"\n")
			return err
		}, statusDone},
		{"terminate", func(cmd *exec.Cmd, _ io.WriteCloser) error { return cmd.Process.Signal(syscall.SIGTERM) }, statusInterrupted},
		{"interrupt", func(cmd *exec.Cmd, _ io.WriteCloser) error { return cmd.Process.Signal(syscall.SIGINT) }, statusInterrupted},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd, stdin, stdout, stderr := process(t, "serve", "hold-20")
			if _, err := io.WriteString(stdin, `{"id":7,"op":"act","observation":[0,20,0]}`+"\n"); err != nil {
				t.Fatal(err)
			}
			// The reply arrives while the input is open: it was not held back.
			if got, want := readLine(t, stdout), `{"id":7,"ok":true,"action":0,"action_name":"hold","roll_chance":0,"legal":[0,1]}`+"\n"; got != want {
				t.Errorf("reply %s, want %s", got, want)
			}
			if err := test.end(cmd, stdin); err != nil {
				t.Fatal(err)
			}
			chatter, _ := io.ReadAll(stderr)
			io.Copy(io.Discard, stdout)
			if status := exitStatus(t, cmd); status != test.status || len(chatter) > 0 {
				t.Errorf("exit status %d, stderr %q; want %d and nothing", status, chatter, test.status)
			}
		})
	}
}

// TestServeBoundedFrames sends a frame that is far over the limit and never
// ends in a line break until much later.
func TestServeBoundedFrames(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 100_000)
	var out bytes.Buffer
	in := io.MultiReader(bytes.NewReader(long), strings.NewReader("\n"+`{"id":1,"op":"quit"}`+"\n"))
	if status := run(t.Context(), []string{"serve", "--max-frame", "1000"}, in, &out, io.Discard); status != statusDone {
		t.Errorf("exit status %d, want %d", status, statusDone)
	}
	want := `{"id":null,"ok":false,"error":{"code":"frame_too_large","message":"frame too large: at most 1000 bytes are allowed"}}
{"id":1,"ok":true}
`
	if out.String() != want {
		t.Errorf("replies\n%swant\n%s", out.String(), want)
	}
	lines := newJSONLines(bytes.NewReader(long), 1000)
	if _, err := lines.next(); !errors.Is(err, errFrameTooLarge) {
		t.Errorf("next() = %v, want %v", err, errFrameTooLarge)
	}
	if cap(lines.frame) > 2000 {
		t.Errorf("a reader with a limit of 1000 bytes holds %d", cap(lines.frame))
	}
}
