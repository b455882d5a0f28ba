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
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pigpen/cmd/pigpen/internal/serve"
	"pigpen/cmd/pigpen/internal/wire"
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

// afterRow waits until a training has told of an evaluation after its first
// decisions.
func afterRow(t *testing.T, stderr *bufio.Reader) {
	t.Helper()
	for line := ""; !strings.Contains(line, " wins ") || strings.HasPrefix(line, "0 decisions"); line = readLine(t, stderr) {
	}
}

// TestTrainInterrupted sends each signal that ends a training without end. A signal that
// the tests were started to ignore, as nohup does with SIGHUP, pigpen ignores, too.
func TestTrainInterrupted(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sent) {
			continue
		}
		file := filepath.Join(t.TempDir(), "q.msgpack")
		must(os.WriteFile(file, []byte("something dear"), 0o600))
		cmd, _, stdout, stderr := process(t, "train", "--target", "10", "--steps", "1000G", "--eval-every", "1M", "--out", file)
		afterRow(t, stderr)
		must(cmd.Process.Signal(sent))
		rest, _ := io.ReadAll(stderr)
		result, _ := io.ReadAll(stdout)
		if status := exitStatus(t, cmd); status != statusInterrupted {
			t.Errorf("%v: exit status %d, want %d", sent, status, statusInterrupted)
		}
		kept := strings.Replace(file, "q.", "q.1.", 1)
		if want := " decisions is saved in " + file + "; what was there before is now in " + kept + "; a second interrupt skips its score\n"; !strings.Contains(string(rest), want) {
			t.Errorf("%v: stderr is %q, want %q in it", sent, rest, want)
		}
		if want := file + " against optimal"; !strings.Contains(string(result), want) {
			t.Errorf("%v: stdout is %q, want a score with %q", sent, result, want)
		}
		f, err := policies.Load(file)
		must(err)
		if f.Provenance.Steps < 1_000_000 {
			t.Errorf("%v: the file says %d steps, want at least those before the first evaluation", sent, f.Provenance.Steps)
		}
		if text, err := os.ReadFile(kept); err != nil || string(text) != "something dear" {
			t.Errorf("%v: %s holds %q, error %v", sent, kept, text, err)
		}
	}
}

// TestTrainInterruptedTwice interrupts a training, and then its evaluation, which
// takes long: the policy is saved before the second interrupt.
func TestTrainInterruptedTwice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.msgpack")
	cmd, _, stdout, stderr := process(t, "train", "--variant", "pig-snake-eyes", "--target", "60", "--against", "hold-20", "--steps", "1000G", "--eval-every", "100k", "--out", file)
	afterRow(t, stderr)
	must(cmd.Process.Signal(syscall.SIGINT))
	var rest []byte
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rest, _ = io.ReadAll(stderr)
	}()
	// The file tells when it is saved; then the evaluation is under way.
	for saved := false; !saved; {
		select {
		case <-ended:
			saved = true
		default:
			_, err := os.Stat(file)
			saved = err == nil
			runtime.Gosched()
		}
	}
	cmd.Process.Signal(syscall.SIGINT)
	result, _ := io.ReadAll(stdout)
	<-ended
	if status := exitStatus(t, cmd); status != statusInterrupted || !strings.Contains(string(rest), " is saved in "+file+"; a second interrupt skips its score\n") {
		t.Errorf("exit status %d, stdout %q, stderr %q, want %d, and %s in it", status, result, rest, statusInterrupted, file)
	}
	if _, err := policies.Load(file); err != nil {
		t.Error(err)
	}
}

// TestTrainWithoutReaders closes the pipes that a training writes to: it saves
// its policy all the same.
func TestTrainWithoutReaders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.msgpack")
	reader, writer, err := os.Pipe()
	must(err, reader.Close())
	cmd := exec.CommandContext(t.Context(), "pigpen", "train", "--target", "10", "--steps", "1M", "--eval-every", "20k", "--out", file)
	cmd.Stderr, cmd.Stdout = writer, writer
	must(cmd.Start(), writer.Close())
	if status := exitStatus(t, cmd); status != statusFailed {
		t.Errorf("exit status %d, want %d: the result could not be printed", status, statusFailed)
	}
	if f, err := policies.Load(file); err != nil || f.Provenance.Steps < 1_000_000 {
		t.Errorf("the policy is of %d decisions, error %v", f.Provenance.Steps, err)
	}
}

// TestTrainFolderGone removes the folder of a training's files while it learns:
// each failure is told of, and the policy goes where it can.
func TestTrainFolderGone(t *testing.T) {
	here := t.TempDir()
	folder := filepath.Join(here, "folder")
	must(os.Mkdir(folder, 0o755))
	t.Chdir(here)
	cmd, _, stdout, stderr := process(t, "train", "--target", "10", "--steps", "1000G", "--eval-every", "1M",
		"--out", "folder/q.msgpack", "--checkpoint", "folder/c", "--checkpoint-every", "1ms", "--log", "folder/l.csv")
	afterRow(t, stderr)
	must(os.Rename(folder, folder+".away"))
	for !strings.Contains(readLine(t, stderr), "pigpen: train: the checkpoint could not be written, and will be tried again: save folder/c: no such file or directory") {
	}
	must(cmd.Process.Signal(syscall.SIGINT))
	rest, _ := io.ReadAll(stderr)
	result, _ := io.ReadAll(stdout)
	const want = "pigpen: train: the policy could not be written: save folder/q.msgpack: no such file or directory; it is in q.1.msgpack\n"
	if status := exitStatus(t, cmd); status != statusFailed || strings.Count(string(rest), want) != 2 || !strings.HasSuffix(string(rest), want) {
		t.Errorf("exit status %d, want %d; stderr %q, want it to say, as it happens and at the end, %q", status, statusFailed, rest, want)
	}
	if !strings.Contains(string(result), "its policy is in q.1.msgpack\n") {
		t.Errorf("stdout %q", result)
	}
	if f, err := policies.Load("q.1.msgpack"); err != nil || f.Provenance.Steps < 1_000_000 {
		t.Errorf("the policy is of %d decisions, error %v", f.Provenance.Steps, err)
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
	for _, format := range wire.Formats() {
		encode := func(fields ...wire.Field) []byte {
			var b bytes.Buffer
			wire.NewFormat(format, nil, 0).Encode(&b, fields)
			return b.Bytes()
		}
		request := encode(
			wire.Field{Name: "id", Value: 7}, wire.Field{Name: "op", Value: "act"}, wire.Field{Name: "observation", Value: []int{0, 20, 0}},
		)
		var reply bytes.Buffer
		args := []string{"serve", "hold-20", "--format", format}
		if status := run(t.Context(), args, bytes.NewReader(request), &reply, io.Discard); status != statusDone || reply.Len() == 0 {
			t.Fatalf("%q: exit status %d, reply %q", args, status, reply.Bytes())
		}
		want := reply.Bytes()
		for _, test := range []struct {
			name   string
			end    func(cmd *exec.Cmd, stdin io.WriteCloser) error
			status int
		}{
			{"end of input", func(_ *exec.Cmd, stdin io.WriteCloser) error { return stdin.Close() }, statusDone},
			{"quit", func(_ *exec.Cmd, stdin io.WriteCloser) error {
				_, err := stdin.Write(encode(wire.Field{Name: "op", Value: "quit"}))
				return err
			}, statusDone},
			{"terminate", func(cmd *exec.Cmd, _ io.WriteCloser) error { return cmd.Process.Signal(syscall.SIGTERM) }, statusInterrupted},
			{"interrupt", func(cmd *exec.Cmd, _ io.WriteCloser) error { return cmd.Process.Signal(syscall.SIGINT) }, statusInterrupted},
		} {
			t.Run(format+"/"+test.name, func(t *testing.T) {
				cmd, stdin, stdout, stderr := process(t, args...)
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
		fmt.Fprintf(&all, `{"id":%d,"op":"make","target":%d,"opponents":["optimal"]}`+"\n", k, 30+k)
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
	if !strings.Contains(out.String(), serve.CodeBadFrame) {
		t.Errorf("the reply is %q, want %s", out.String(), serve.CodeBadFrame)
	}
}
