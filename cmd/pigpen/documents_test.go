package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pigpen/env"
	"pigpen/env/envtest/racedetector"
	"pigpen/policies/exact"
	"pigpen/policies/trained"
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

// steps matches how long a command of the README trains.
var steps = regexp.MustCompile(`--steps \d+M`)

// form returns the words of a text in the order of the alphabet, with every
// number replaced by a #, so that texts with other numbers, in columns of other
// widths and in rows of another ranking, are the same.
func form(text string) string {
	words := strings.Fields(regexp.MustCompile(`\d+(\.\d+)?`).ReplaceAllString(text, "#"))
	slices.Sort(words)
	return strings.Join(words, " ")
}

// TestREADMECommands runs every command of the README, in order and in one
// folder, and compares what it prints with what the README shows. "go test" is
// run already; .ci/run must call it in the same words. Without -long trainings
// are short, and what depends on them is compared but for its numbers.
func TestREADMECommands(t *testing.T) {
	racedetector.Skip(t)
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
		command, same := s.command, func(text string) string { return text }
		if !*long && strings.Contains(command, "q.msgpack") {
			command, same = steps.ReplaceAllString(command, "--steps 1M"), form
		}
		if output := runShown(t, folder, command); same(output) != same(s.output) {
			t.Errorf("%s prints\n%s\nand the README shows\n%s", command, output, s.output)
		}
	}
	checkPictures(t, text, folder)
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

// picture matches a picture of the README, made by a command that it shows.
var picture = regexp.MustCompile(`!\[[^\]]+\]\((cmd/pigpen/testdata/pictures/[^)]+)\)`)

// checkPictures compares the pictures of the README with those that its commands made in
// a folder. With -update it puts the latter in the place of the former.
func checkPictures(t *testing.T, text, folder string) {
	t.Helper()
	list := picture.FindAllStringSubmatch(text, -1)
	if len(list) < 2 {
		t.Errorf("the README has %d pictures, want 2 or more", len(list))
	}
	for _, m := range list {
		path := filepath.Join(root, m[1])
		made, err := os.ReadFile(filepath.Join(folder, filepath.Base(path)))
		if err != nil {
			t.Errorf("no command of the README makes its picture: %v", err)
			continue
		}
		if *update {
			must(os.WriteFile(path, made, 0o666))
		}
		if shown, err := os.ReadFile(path); err != nil || !bytes.Equal(made, shown) {
			t.Errorf("%s is not the picture that the README's command makes (%v); -update renews it, and then look at it", m[1], err)
		}
	}
}

// TestREADMELearningTable checks the README's table of what learners come to: the last
// column, which takes long, by the policies that are built in, and with -long that of 100M
// decisions by training.
func TestREADMELearningTable(t *testing.T) {
	racedetector.Skip(t)
	row := regexp.MustCompile("(?m)^\\| `(--[^`]*)` \\| (.*) \\|$")
	rows := row.FindAllStringSubmatch(readme(t), -1)
	head := regexp.MustCompile(`(?m)^\| decisions \| (.*) \|$`).FindStringSubmatch(readme(t))
	if len(rows) != 6 || head == nil {
		t.Fatalf("the README's table of learners has %d rows, want a head and 6", len(rows))
	}
	column := slices.Index(strings.Split(head[1], " | "), "100M")
	builtIn := 0
	for _, p := range trained.List() {
		for _, m := range rows {
			if p.Command != "pigpen train --variant pig "+m[1]+" --steps 2.5G --out "+p.Name+".msgpack" {
				continue
			}
			builtIn++
			shown := strings.Split(m[2], " | ")
			if want := fmt.Sprintf("%.3f%%", 100*p.WinMean); shown[len(shown)-1] != want {
				t.Errorf("after 2.5G decisions %s wins %s by the README, and %s wins %s", m[1], shown[len(shown)-1], p.Name, want)
			}
		}
	}
	if builtIn == 0 {
		t.Error("no built-in policy is of the README's table of learners")
	}
	if !*long {
		return
	}
	folder := t.TempDir()
	for _, m := range rows {
		if strings.Split(m[2], " | ")[column] == "–" {
			continue
		}
		t.Run(m[1], func(t *testing.T) {
			t.Parallel()
			checkRow(t, folder, m[1], strings.Split(m[2], " | ")[column])
		})
	}
}

// checkRow trains with flags and compares with the win rate after 100M decisions that the
// README shows.
func checkRow(t *testing.T, folder, flags, shown string) {
	log := strings.ReplaceAll(strings.Trim(flags, "-"), " ", "")
	command := "train " + flags + " --log " + log + ".csv --eval-every 100M --steps 100M --out " + log + ".msgpack"
	runShown(t, folder, "go run ./cmd/pigpen "+command)
	rows, err := os.ReadFile(filepath.Join(folder, log+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got := winsAt(string(rows), 100e6); got != shown {
		t.Errorf("%s wins %s, and the README says %s", command, got, shown)
	}
}

// TestREADMEScores runs what the README gives a score of in its sentences.
func TestREADMEScores(t *testing.T) {
	racedetector.Skip(t)
	text, folder := readme(t), t.TempDir()
	percent := regexp.MustCompile(`in all +wins +(\d+\.\d+%)`)
	commands := []string{"eval hold-20"}
	if *long {
		commands = append(commands, "eval two-player --players 3", "train --target 30 --steps 100M", "train --agent montecarlo --target 30 --steps 100M", "train --update expected --target 30 --steps 100M")
	}
	for _, command := range commands {
		m := percent.FindStringSubmatch(runShown(t, folder, "go run ./cmd/pigpen "+command))
		if m == nil || !strings.Contains(text, m[1]) {
			t.Errorf("the README lacks what %s prints: %v", command, m)
		}
	}
}

// winsAt returns the win rate in the first row of a log from so many decisions
// on, as the README shows it.
func winsAt(log string, decisions int) string {
	for line := range strings.Lines(log) {
		cells := strings.Split(line, ",")
		steps, err := strconv.Atoi(cells[0])
		if err != nil || steps < decisions {
			continue
		}
		wins, err := strconv.ParseFloat(cells[3], 64)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%.3f%%", 100*wins)
	}
	return "–"
}

// A transcript is a session that a document shows.
type transcript struct {
	args []string
	sent []byte
	// replies is a regular expression.
	replies string
}

// transcripts returns the sessions of PROTOCOL.md: after the command that starts
// it, lines that begin with "> " are sent, and those with "< " come back, where
// an ellipsis stands for anything. Of msgpack they are in hexadecimal, and end at
// a #.
func transcripts(t *testing.T) []transcript {
	text, err := os.ReadFile("internal/serve/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []transcript
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "$ pigpen "); ok {
			list = append(list, transcript{args: strings.Fields(command)})
		}
		if len(list) == 0 {
			continue
		}
		s := &list[len(list)-1]
		isHex := slices.Contains(s.args, "msgpack")
		plain := func(text string) string {
			if isHex {
				text, _, _ = strings.Cut(text, "#")
				text = strings.Join(strings.Fields(text), "")
			}
			return text
		}
		if sent, ok := strings.CutPrefix(line, "> "); ok {
			b := []byte(plain(sent))
			if isHex {
				if b, err = hex.DecodeString(plain(sent)); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
			}
			s.sent = append(s.sent, b...)
		} else if reply, ok := strings.CutPrefix(line, "< "); ok {
			s.replies += strings.ReplaceAll(regexp.QuoteMeta(plain(reply)), "…", ".*")
		}
	}
	return list
}

// TestProtocolTranscripts replays the sessions that PROTOCOL.md shows.
func TestProtocolTranscripts(t *testing.T) {
	for _, s := range transcripts(t) {
		var out, stderr bytes.Buffer
		if status := run(t.Context(), s.args, bytes.NewReader(s.sent), &out, &stderr); status != statusDone || stderr.Len() > 0 {
			t.Errorf("pigpen %q: exit status %d, stderr %q", s.args, status, stderr.String())
		}
		got := out.String()
		if slices.Contains(s.args, "msgpack") {
			got = hex.EncodeToString(out.Bytes())
		}
		if !regexp.MustCompile("^" + s.replies + "$").MatchString(got) {
			t.Errorf("pigpen %q replies\n%s\nand PROTOCOL.md shows\n%s", s.args, got, s.replies)
		}
	}
}

// TestREADMESeatTable checks the README's table of what each seat wins where all play
// perfectly: with games of two and those that are solved at once, and with -long those
// that are solved in some seconds.
func TestREADMESeatTable(t *testing.T) {
	racedetector.Skip(t)
	most := 20 * time.Millisecond
	if *long {
		most = 2 * time.Second
	}
	text := readme(t)
	for _, v := range env.Variants() {
		row := regexp.MustCompile("(?m)^\\| `" + v.ID + "` \\| ([\\d. ]+) \\| ([\\d. –]+) \\| ([\\d. –]+) \\|$").FindStringSubmatch(text)
		if row == nil {
			t.Errorf("the README's table of seats has no row of %s", v.ID)
			continue
		}
		for players := 2; players <= 4; players++ {
			cell := row[players-1]
			g := env.Must(env.New(env.Config{Variant: v.ID, Players: players}))
			if cell == "–" || exact.NeedsOf(g, exact.Options{}).Time > most {
				continue
			}
			s, err := exact.Solve(t.Context(), g, exact.Options{})
			must(err)
			var wins []string
			for _, win := range s.WinBySeat() {
				wins = append(wins, fmt.Sprintf("%.3f", 100*win))
			}
			if want := strings.Join(wins, " "); cell != want {
				t.Errorf("the README says that the seats of %v win %s, want %s", g, cell, want)
			}
		}
	}
}
