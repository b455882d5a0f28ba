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

// readme returns the text of the README.
func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runShown runs a command as documents write it, in a folder, and returns what
// it prints.
func runShown(t *testing.T, folder, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, "go run ./cmd/pigpen", "pigpen"))
	cmd.Dir = folder
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", command, err, stderr.String())
	}
	return string(output)
}

// inline matches a command in a sentence of Markdown, which may be broken into
// lines.
var inline = regexp.MustCompile("`go run\\s+(\\./cmd/pigpen [^`A-Z]*)`")

// TestREADME runs every command of the README, in order and in one folder,
// and compares what it prints with what the README shows. "go test" is run
// already; .ci/run must call it in the same words.
func TestREADME(t *testing.T) {
	text := readme(t)
	ci, err := os.ReadFile(filepath.Join(root, ".ci/run"))
	if err != nil {
		t.Fatal(err)
	}
	list := commandsIn(text)
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
		if output := runShown(t, folder, s.command); output != s.output {
			t.Errorf("%s prints\n%s\nand the README shows\n%s", s.command, output, s.output)
		}
	}
	sentences := inline.FindAllStringSubmatch(text, -1)
	for _, m := range sentences {
		if runShown(t, folder, "go run "+strings.Join(strings.Fields(m[1]), " ")) == "" {
			t.Errorf("%s prints nothing", m[0])
		}
	}
	if len(sentences) < 2 {
		t.Errorf("the README names %d commands in its sentences", len(sentences))
	}
	if tests == 0 || len(list)-tests < 4 {
		t.Errorf("the README shows %d commands, %d of them tests", len(list), tests)
	}
}

// TestREADMEFigures trains what the README reports in its table and around it,
// which takes minutes.
func TestREADMEFigures(t *testing.T) {
	if !*long {
		t.Skip("only with -long")
	}
	text := readme(t)
	percent := regexp.MustCompile(`in all +wins +(\d+\.\d+%)`)
	wins := func(command string) string {
		m := percent.FindStringSubmatch(runShown(t, t.TempDir(), "go run ./cmd/pigpen "+command))
		if m == nil {
			t.Fatalf("%s prints no win rate", command)
		}
		return m[1]
	}
	for _, agent := range []string{"qlearning", "montecarlo"} {
		row := "| `" + agent + "` |"
		for _, target := range []string{"30", "50", "100"} {
			row += " " + wins("train --agent "+agent+" --target "+target) + " |"
		}
		if !strings.Contains(text, row) {
			t.Errorf("the README lacks the row %s", row)
		}
	}
	if rate := wins("eval hold-20"); !strings.Contains(text, rate) {
		t.Errorf("the README lacks %s, which eval hold-20 prints", rate)
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
