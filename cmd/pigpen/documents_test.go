package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A shown command is one that a document prints, with its output.
type shown struct {
	command string // after the prompt, "$ "
	output  string // stdout
}

// console matches a block of a terminal session in Markdown.
var console = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// commandsIn returns the commands of every console block of a document.
func commandsIn(text string) []shown {
	var list []shown
	for _, block := range console.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				list = append(list, shown{command: strings.TrimSpace(command)})
			} else if len(list) > 0 {
				list[len(list)-1].output += line
			}
		}
	}
	return list
}

// TestREADME runs every command of the README, in order and in one folder,
// and compares what it prints with what the README shows. "go test" is run
// already; .ci/run must call it in the same words.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile(filepath.Join(root, ".ci/run"))
	if err != nil {
		t.Fatal(err)
	}
	list := commandsIn(string(text))
	tests := 0
	folder := t.TempDir()
	for _, s := range list {
		if strings.HasPrefix(s.command, "go test ") {
			tests++
			if !strings.Contains(string(ci), "\n"+s.command+"\n") {
				t.Errorf(".ci/run does not call %q, which the README shows", s.command)
			}
			continue
		}
		if !strings.Contains(s.command, "go run ./cmd/pigpen ") {
			t.Errorf("%q is neither a test nor pigpen", s.command)
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(s.command, "go run ./cmd/pigpen ", "pigpen "))
		cmd.Dir = folder
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		output, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v: %s", s.command, err, stderr.String())
		}
		if string(output) != s.output {
			t.Errorf("%s prints\n%s\nand the README shows\n%s", s.command, output, s.output)
		}
	}
	if tests == 0 || len(list)-tests < 4 {
		t.Errorf("the README shows %d commands, %d of them tests", len(list), tests)
	}
}

// TestProtocolTranscript replays the sessions that PROTOCOL.md prints: lines
// that begin with "> " are sent, and those with "< " come back.
func TestProtocolTranscript(t *testing.T) {
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	var in, want strings.Builder
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "$ pigpen "); ok {
			args = strings.Fields(command)
		} else if sent, ok := strings.CutPrefix(line, "> "); ok {
			in.WriteString(sent)
		} else if reply, ok := strings.CutPrefix(line, "< "); ok {
			want.WriteString(reply)
		}
	}
	if args == nil || in.Len() == 0 || want.Len() == 0 {
		t.Fatal("PROTOCOL.md shows no session")
	}
	var out, stderr bytes.Buffer
	if status := run(t.Context(), args, strings.NewReader(in.String()), &out, &stderr); status != statusDone || stderr.Len() > 0 {
		t.Errorf("exit status %d, stderr %q", status, stderr.String())
	}
	if out.String() != want.String() {
		t.Errorf("the session prints\n%s\nand PROTOCOL.md shows\n%s", out.String(), want.String())
	}
}
