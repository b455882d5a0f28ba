//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"pigpen/env/envtest/racedetector"
)

// A terminalRun is pigpen run in a terminal.
type terminalRun struct {
	cmd      *exec.Cmd
	keyboard *os.File
	screen   terminal
}

// onTerminal runs pigpen with stderr on a terminal that it can be interrupted
// from. Each time that it has written something, seen is called. It returns when
// everything has been written, with all of it.
func onTerminal(t *testing.T, columns int, kind string, seen func(*terminalRun), args ...string) (r *terminalRun, written string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r = &terminalRun{cmd: exec.CommandContext(ctx, "pigpen", args...), screen: newTerminal(columns)}
	r.cmd.Env = append(os.Environ(), "TERM="+kind)
	r.cmd.Stdout = io.Discard
	keyboard, stderr, err := pty.Open()
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	defer keyboard.Close()
	r.keyboard = keyboard
	r.resize(columns)
	r.cmd.Stdin, r.cmd.Stderr = stderr, stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr.Close()
	var all strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := keyboard.Read(buffer)
		all.Write(buffer[:n])
		r.screen.Write(buffer[:n])
		if n > 0 {
			seen(r)
		}
		if err != nil { // on Linux it is EIO when the program has ended
			break
		}
	}
	if err := r.cmd.Wait(); r.cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return r, all.String()
}

// resize changes the size of the terminal.
func (r *terminalRun) resize(columns int) {
	must(pty.Setsize(r.keyboard, &pty.Winsize{Rows: 24, Cols: uint16(columns)}))
	r.screen.Resize(columns, 24)
}

// TestTerminalTraining trains at each width, with a change of the width on the
// way. Below what stays, which is broken between words, one line is alive, and at
// the end none.
func TestTerminalTraining(t *testing.T) {
	steps, every := "8M", "500k" // for more than a moment
	if racedetector.On {
		steps, every = "2M", "100k"
	}
	for _, columns := range columnsTested {
		drawn := 0
		alive := func(line string) bool {
			return strings.HasPrefix(line, "training") && !strings.HasPrefix(line, "trainings") && strings.Contains(line, "%")
		}
		file := filepath.Join(t.TempDir(), "q.msgpack")
		r, _ := onTerminal(t, columns, "xterm-256color", func(r *terminalRun) {
			lines := r.screen.lines()
			first := slices.IndexFunc(lines, alive)
			if first < 0 {
				return
			}
			drawn++
			if stays := strings.Join(lines[:first], " "); drawn == 1 && !strings.HasPrefix(stays, "qlearning on pig, 2 players, target 20: curriculum, full states, 4200 entries") {
				t.Errorf("%d columns: the terminal shows %q, want lines that end with whole words", columns, lines)
			}
			if drawn == 3 {
				r.resize(columns - 5)
			}
			if first != len(lines)-1 {
				t.Errorf("%d columns: the terminal shows %q, want one line of progress, the last", columns, lines)
			}
		}, "train", "--target", "20", "--steps", steps, "--eval-every", every, "--workers", "1", "--out", file)
		if lines := r.screen.lines(); drawn == 0 || slices.ContainsFunc(lines, alive) || !strings.Contains(strings.Join(lines, ""), "decisio") {
			t.Errorf("%d columns: the progress was seen %d times, and in the end the terminal shows %q; want the lines that stay and no progress", columns, drawn, lines)
		}
		if status := r.cmd.ProcessState.ExitCode(); status != statusDone {
			t.Errorf("%d columns: exit status %d, want %d", columns, status, statusDone)
		}
	}
}

// TestTerminalInterrupted presses Ctrl-C as soon as long work shows itself: one
// line tells that it has ended, and nothing else is left.
func TestTerminalInterrupted(t *testing.T) {
	pressed := false
	r, _ := onTerminal(t, 80, "xterm-256color", func(r *terminalRun) {
		lines := r.screen.lines()
		if len(lines) > 1 {
			t.Errorf("the terminal shows %q, want one line", lines)
		}
		if len(lines) == 1 && strings.HasPrefix(lines[0], "solving: pig, target 1000") && !pressed {
			pressed = true
			r.keyboard.WriteString("\x03")
		}
	}, "solve", "--target", "1000")
	if lines, want := r.screen.lines(), []string{"pigpen: solve: interrupted"}; !pressed || !slices.Equal(lines, want) {
		t.Errorf("in the end the terminal shows %q, want %q", lines, want)
	}
	if status := r.cmd.ProcessState.ExitCode(); status != statusInterrupted {
		t.Errorf("exit status %d, want %d", status, statusInterrupted)
	}
}

// TestTerminalDumb trains on a terminal that heeds no control sequences: it gets
// a line for each evaluation.
func TestTerminalDumb(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.msgpack")
	r, written := onTerminal(t, 40, "dumb", func(*terminalRun) {},
		"train", "--target", "20", "--steps", "2M", "--eval-every", "500k", "--out", file)
	written = strings.ReplaceAll(written, "\r\n", "\n")
	if strings.ContainsFunc(written, func(c rune) bool { return c < ' ' && c != '\n' }) {
		t.Errorf("the terminal was sent control characters: %q", written)
	}
	if got := strings.Count(written, "wins "); got < 3 {
		t.Errorf("%d evaluations in %q, want 3 or more", got, written)
	}
	if status := r.cmd.ProcessState.ExitCode(); status != statusDone {
		t.Errorf("exit status %d, want %d", status, statusDone)
	}
}

// TestStderrGone lets the reader of the progress go away, which must not end the
// work: the policy is written all the same.
func TestStderrGone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.msgpack")
	reader, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	cmd := exec.CommandContext(t.Context(), "pigpen", "train", "--target", "10", "--steps", "1M", "--eval-every", "200k", "--out", file)
	cmd.Stderr = stderr
	result, err := cmd.Output()
	stderr.Close()
	if _, missing := os.Stat(file); err != nil || missing != nil || !strings.Contains(string(result), "its policy is in "+file) {
		t.Errorf("with stderr closed train ends with %v, and the policy file with %v; stdout is %q", err, missing, result)
	}
}
