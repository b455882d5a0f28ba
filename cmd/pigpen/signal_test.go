package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// TestImportInterrupted sends an interrupt to an import whose input goes on.
func TestImportInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.msgpack")
	cmd, stdin, stdout, stderr := process(t, "import", "--out", file)
	// The pipe holds less than this: it is being read when the write returns.
	if _, err := io.WriteString(stdin, strings.Repeat("{\"observation\":[0,20,0],\"action\":0}\n", 5000)); err != nil {
		t.Fatal(err)
	}
	must(cmd.Process.Signal(syscall.SIGINT))
	chatter, _ := io.ReadAll(stderr)
	io.Copy(io.Discard, stdout)
	if status, want := exitStatus(t, cmd), "pigpen: import: interrupted\n"; status != statusInterrupted || !strings.HasSuffix(string(chatter), want) {
		t.Errorf("exit status %d, stderr %q, want %d and %q", status, chatter, statusInterrupted, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Errorf("%s has been written", file)
	}
}

// TestServeEnds checks each way in which a session ends, in both formats.
func TestServeEnds(t *testing.T) {
	for _, format := range formats {
		c := newClient(t, format, "hold-20")
		for _, test := range []struct {
			name   string
			end    func(cmd *exec.Cmd, stdin io.WriteCloser) error
			status int
		}{
			{"end of input", func(_ *exec.Cmd, stdin io.WriteCloser) error { return stdin.Close() }, statusDone},
			{"quit", func(_ *exec.Cmd, stdin io.WriteCloser) error {
				_, err := stdin.Write(c.written(field{"op", "quit"}))
				return err
			}, statusDone},
			{"terminate", func(cmd *exec.Cmd, _ io.WriteCloser) error { return cmd.Process.Signal(syscall.SIGTERM) }, statusInterrupted},
			{"interrupt", func(cmd *exec.Cmd, _ io.WriteCloser) error { return cmd.Process.Signal(syscall.SIGINT) }, statusInterrupted},
		} {
			t.Run(format+"/"+test.name, func(t *testing.T) {
				cmd, stdin, stdout, stderr := process(t, "serve", "hold-20", "--format", format)
				request := c.written(field{"id", 7}, field{"op", "act"}, field{"observation", []int{0, 20, 0}})
				want := c.send(request)
				if _, err := stdin.Write(request); err != nil {
					t.Fatal(err)
				}
				// The reply arrives while the input is open: it was not held back.
				got := make([]byte, len(want))
				if _, err := io.ReadFull(stdout, got); err != nil || !bytes.Equal(got, want) {
					t.Errorf("reply %q, %v, want %q", got, err, want)
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
}

// TestServeUnread sends more requests than a pipe holds replies, reads none of
// them, and then interrupts the process or closes its output.
func TestServeUnread(t *testing.T) {
	for _, closes := range []bool{false, true} {
		reader, writer, err := os.Pipe()
		must(err)
		defer reader.Close()
		cmd := exec.CommandContext(t.Context(), "pigpen", "serve")
		cmd.Stdout = writer
		stdin, err := cmd.StdinPipe()
		must(err)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		must(cmd.Start(), writer.Close())
		go io.WriteString(stdin, strings.Repeat(`{"op":"hello"}`+"\n", 100_000))
		// Once something can be read it is writing, and soon stuck.
		if _, err := reader.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		want, says := statusInterrupted, ""
		if closes {
			must(reader.Close())
			want, says = statusFailed, "writing replies"
		} else {
			must(cmd.Process.Signal(syscall.SIGTERM))
		}
		if status := exitStatus(t, cmd); status != want || !strings.Contains(stderr.String(), says) {
			t.Errorf("output closed: %t: exit status %d, want %d; stderr %q, want %q in it", closes, status, want, stderr.String(), says)
		}
	}
}

// TestServeClientGone closes the output of a server in the middle of work that
// takes hours: solving a game before the session or for one of its environments.
// The server gives up.
func TestServeClientGone(t *testing.T) {
	for _, test := range []struct {
		name, says string
		args       []string
		request    string
	}{
		{"make", "writing replies", nil, `{"op":"make","variant":"pig-snake-eyes","target":1000,"opponents":["optimal"]}` + "\n"},
		{"load", "nobody reads the replies", []string{"optimal", "--variant", "pig-snake-eyes", "--target", "1000"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			reader, writer, err := os.Pipe()
			must(err)
			cmd := exec.CommandContext(ctx, "pigpen", append([]string{"serve"}, test.args...)...)
			cmd.Stdout = writer
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe() // stays open: its end would tell nothing
			must(err, cmd.Start(), writer.Close())
			defer stdin.Close()
			if test.request != "" {
				_, err = io.WriteString(stdin, `{"op":"hello"}`+"\n"+test.request)
				must(err)
				if _, err := reader.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			}
			must(reader.Close())
			if status := exitStatus(t, cmd); status != statusFailed || !strings.Contains(stderr.String(), test.says) {
				t.Errorf("exit status %d, stderr %q; want %d and %q", status, stderr.String(), statusFailed, test.says)
			}
		})
	}
}

// TestServeInputEnds writes all requests and closes the input before the server
// begins with work that takes a while: everything is answered.
func TestServeInputEnds(t *testing.T) {
	cmd, stdin, stdout, _ := process(t, "serve", "hold-20")
	var all strings.Builder
	const n = 20
	for k := range n {
		fmt.Fprintf(&all, `{"id":%d,"op":"make","target":%d,"opponents":["optimal"]}`+"\n", k, 100+k)
	}
	_, err := io.WriteString(stdin, all.String())
	must(err, stdin.Close())
	for k := range n {
		if line, want := readLine(t, stdout), fmt.Sprintf(`{"id":%d,"ok":true,`, k); !strings.HasPrefix(line, want) {
			t.Errorf("reply %.60q, want %s", line, want)
		}
	}
	if status := exitStatus(t, cmd); status != statusDone {
		t.Errorf("exit status %d, want %d", status, statusDone)
	}
}

// TestServeFramingLost sends what cannot be msgpack.
func TestServeFramingLost(t *testing.T) {
	var out, stderr bytes.Buffer
	if status := run(t.Context(), []string{"serve", "--format", "msgpack"}, strings.NewReader("\xc1"), &out, &stderr); status != statusFailed {
		t.Errorf("exit status %d, want %d", status, statusFailed)
	}
	if want := "pigpen: serve: framing lost: a byte 0xc1, with which no msgpack value begins\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
	if !strings.Contains(out.String(), codeBadFrame) {
		t.Errorf("the reply is %q, want %s", out.String(), codeBadFrame)
	}
}
