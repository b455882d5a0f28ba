package train_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
	"pigpen/train"
)

// rows are those of a log: of two players, of one, and of extremes.
var rows = []train.Row{
	{Steps: 1000, Episodes: 50, Seconds: 0.5, Score: train.Score{WinMean: 0.25, Exploitability: 0.125, Turns: 20.5}, Epsilon: 0.2, StepSize: 0.01, Coverage: 0.75, Scheduled: 900, ValueError: &policies.ValueError{Mean: 0.015625, Max: 0.25}},
	{Steps: 2000, Episodes: 100, Seconds: 1, Score: train.Score{WinMean: math.NaN(), Exploitability: math.NaN(), Turns: 12.545}, Coverage: 1, Scheduled: 2000},
	{Steps: 123_456_789_012, Episodes: 7_000_000_000, Seconds: 1e6, Score: train.Score{WinMean: 1.0 / 3, Exploitability: 1e-9, Turns: math.Inf(1)}, Epsilon: 1e-7, StepSize: 1, Coverage: 0.5, Scheduled: 123e9, ValueError: &policies.ValueError{Mean: math.Inf(1), Max: math.Inf(1)}},
}

// provenance is what made them.
var provenance = train.LogSource{
	Game: env.Must(env.New(env.Config{Variant: "cochon", Options: map[string]bool{"spill_to_tail": true}})), Abstraction: "full",
	Agent: "qlearning", Seed: math.MaxUint64, Settings: map[string]string{"step-size": "n^-0.75", "recipe": "curriculum"}, Program: "1.2.3",
}

const (
	heading    = "steps,episodes,seconds,win_mean,exploitability,expected_turns,epsilon,step_size,coverage,scheduled,variant,players,target,options,states,agent,seed,settings,program,value_error_mean,value_error_max\n"
	oldHeading = "steps,episodes,seconds,win_mean,exploitability,expected_turns,epsilon,step_size,coverage\n"
	madeCSV    = ",cochon,2,10,aces_with_body=true spill_to_tail=true,full,qlearning,18446744073709551615,recipe=curriculum step-size=n^-0.75,1.2.3,"
	madeJSON   = `,"variant":"cochon","players":2,"target":10,"options":{"aces_with_body":true,"spill_to_tail":true},"states":"full","agent":"qlearning","seed":18446744073709551615,"settings":{"recipe":"curriculum","step-size":"n^-0.75"},"program":"1.2.3","value_error_mean":`
)

// lines are the rows as they are written, by the ending of the name.
var lines = map[string][]string{
	".csv": {
		"1000,50,0.5,0.25,0.125,20.5,0.2,0.01,0.75,900" + madeCSV + "0.015625,0.25\n",
		"2000,100,1,,,12.545,0,0,1,2000" + madeCSV + ",\n",
		"123456789012,7000000000,1e+06,0.3333333333333333,1e-09,,1e-07,1,0.5,123000000000" + madeCSV + ",\n",
	},
	".jsonl": {
		`{"steps":1000,"episodes":50,"seconds":0.5,"win_mean":0.25,"exploitability":0.125,"expected_turns":20.5,"epsilon":0.2,"step_size":0.01,"coverage":0.75,"scheduled":900` + madeJSON + `0.015625,"value_error_max":0.25}` + "\n",
		`{"steps":2000,"episodes":100,"seconds":1,"win_mean":null,"exploitability":null,"expected_turns":12.545,"epsilon":0,"step_size":0,"coverage":1,"scheduled":2000` + madeJSON + `null,"value_error_max":null}` + "\n",
		`{"steps":123456789012,"episodes":7000000000,"seconds":1e+06,"win_mean":0.3333333333333333,"exploitability":1e-09,"expected_turns":null,"epsilon":1e-07,"step_size":1,"coverage":0.5,"scheduled":123000000000` + madeJSON + `null,"value_error_max":null}` + "\n",
	},
}

// after returns a checkpoint of a training that was evaluated last after so many
// steps; nil if it was not resumed.
func after(steps int64) *train.Checkpoint {
	k := new(train.Checkpoint)
	k.Evaluated = steps
	return k
}

// begin returns what a log begins with.
func begin(ending string) string {
	if ending == ".csv" {
		return heading
	}
	return ""
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeLog opens a log and writes rows to it.
func writeLog(t *testing.T, path string, resumed *train.Checkpoint, rows ...train.Row) {
	t.Helper()
	l, _, err := train.OpenLog(path, provenance, resumed)
	if err != nil {
		t.Fatalf("OpenLog: %v", err)
	}
	for _, r := range rows {
		if err := l.Write(r); err != nil {
			t.Fatalf("Write: %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// TestLog compares logs with what they must be, byte for byte, and checks that
// a row is in the file as soon as it is written.
func TestLog(t *testing.T) {
	for name, ending := range map[string]string{"log.csv": ".csv", "LOG.CSV": ".csv", "log.jsonl": ".jsonl", "log.ndjson": ".jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		writeFile(t, path, "what was there before\n")
		l, kept, err := train.OpenLog(path, provenance, nil)
		if err != nil {
			t.Fatalf("OpenLog(%s): %v", name, err)
		}
		if readFile(t, kept) != "what was there before\n" {
			t.Errorf("OpenLog(%s) keeps %q, which holds %q", name, kept, readFile(t, kept))
		}
		want := begin(ending)
		for i, r := range rows {
			if got := readFile(t, path); got != want {
				t.Errorf("%s after %d rows:\n%swant\n%s", name, i, got, want)
			}
			if err := l.Write(r); err != nil {
				t.Errorf("Write: %v", err)
			}
			want += lines[ending][i]
		}
		if got := readFile(t, path); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := l.Write(rows[0]); err == nil {
			t.Errorf("Write after Close: no error")
		}
	}
}

// TestLogResumed goes on with logs after so many steps: what is past them is
// dropped.
func TestLogResumed(t *testing.T) {
	for ending, lines := range lines {
		for _, test := range []struct {
			name   string
			before string
			steps  int64
			kept   int
		}{
			{"all", begin(ending) + strings.Join(lines, ""), 1 << 40, 3},
			{"up to the last step", begin(ending) + strings.Join(lines, ""), 2000, 2},
			{"a step less", begin(ending) + strings.Join(lines, ""), 1999, 1},
			{"none", begin(ending) + strings.Join(lines, ""), 999, 0},
			{"no rows", begin(ending), 5000, 0},
			{"nothing", "", 5000, 0},
			// Who is killed while writing a row does not end it.
			{"no end of the last line", strings.TrimSuffix(begin(ending)+lines[0]+lines[1], "\n"), 5000, 1},
			{"a torn last line", begin(ending) + lines[0] + lines[1][:9], 5000, 1},
			{"a torn first line", (begin(ending) + lines[0])[:9], 5000, 0},
			{"a torn first line of one byte", (begin(ending) + lines[0])[:1], 5000, 0},
		} {
			path := filepath.Join(t.TempDir(), "log"+ending)
			writeFile(t, path, test.before)
			writeLog(t, path, after(test.steps), rows[2])
			if got, want := readFile(t, path), begin(ending)+strings.Join(lines[:test.kept], "")+lines[2]; got != want {
				t.Errorf("%s, %s: resumed, the log is\n%swant\n%s", ending, test.name, got, want)
			}
		}
		path := filepath.Join(t.TempDir(), "new"+ending)
		writeLog(t, path, after(5000), rows[0])
		if got, want := readFile(t, path), begin(ending)+lines[0]; got != want {
			t.Errorf("%s: a resumed log that was not there is\n%swant\n%s", ending, got, want)
		}
	}
}

// TestLogOfFirstVersion goes on with a log that has fewer columns, with these.
func TestLogOfFirstVersion(t *testing.T) {
	old := oldHeading + "1000,50,0.5,0.25,0.125,20.5,0.2,0.01,0.75\n"
	path := filepath.Join(t.TempDir(), "log.csv")
	writeFile(t, path, old)
	writeLog(t, path, after(1000), rows[1])
	if got, want := readFile(t, path), old+"2000,100,1,,,12.545,0,0,1\n"; got != want {
		t.Errorf("resumed, the log is\n%swant\n%s", got, want)
	}
}

// TestLogRefused checks that a file that is no log is left as it was.
func TestLogRefused(t *testing.T) {
	first := "its first line is not " + strings.TrimSpace(heading)
	for _, test := range []struct{ name, before, text string }{
		{"log.csv", "a,b\n1,2\n", first},
		{"log.csv", "steps,episodes\n1,2\n", first},
		{"log.csv", "steps\n1\n", first},
		{"log.csv", "no end", "is no log"},
		{"log.csv", heading + lines[".csv"][0] + "some text\n", "line 3 of "},
		{"log.csv", heading + "\n", "line 2 of "},
		{"log.csv", lines[".jsonl"][0], first},
		{"log.jsonl", "some text\n", "line 1 of "},
		{"log.jsonl", "no end", "is no log"},
		{"log.jsonl", lines[".jsonl"][0] + `{"step":7}` + "\n", "line 2 of "},
		{"log.jsonl", `[1, 2]` + "\n", "line 1 of "},
		{"log.jsonl", lines[".jsonl"][0] + lines[".jsonl"][1][:50] + "\n", "line 2 of "},
		{"log.jsonl", heading, "line 1 of "},
		{"log.jsonl", lines[".jsonl"][0] + strings.Repeat("x", 1<<17) + "\n" + lines[".jsonl"][1], "line 2 of "},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		writeFile(t, path, test.before)
		_, _, err := train.OpenLog(path, provenance, after(1<<40))
		if !errors.Is(err, train.ErrLog) || !strings.Contains(err.Error(), test.text) || !strings.Contains(err.Error(), path) {
			t.Errorf("OpenLog of %.200q: error %v, want %v, %s", test.before, err, train.ErrLog, test.text)
		}
		if got := readFile(t, path); got != test.before {
			t.Errorf("OpenLog of %.200q, which it refuses, makes it %.200q", test.before, got)
		}
	}
	for _, name := range []string{"log.txt", "log", "log.json", "csv"} {
		path := filepath.Join(t.TempDir(), name)
		if _, _, err := train.OpenLog(path, provenance, nil); !errors.Is(err, train.ErrLog) {
			t.Errorf("OpenLog(%s): error %v, want %v", name, err, train.ErrLog)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("OpenLog(%s), which it refuses, makes the file", name)
		}
	}
	if _, _, err := train.OpenLog(filepath.Join(t.TempDir(), "no", "log.csv"), provenance, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenLog in a folder that is not there: error %v, want %v", err, os.ErrNotExist)
	}
}

// TestLogShared checks that a log which somebody has open is refused, and left
// as it is, whether it would be begun anew or gone on with.
func TestLogShared(t *testing.T) {
	for ending, lines := range lines {
		path := filepath.Join(t.TempDir(), "log"+ending)
		l, _, err := train.OpenLog(path, provenance, nil)
		if err != nil {
			t.Fatalf("OpenLog: %v", err)
		}
		if err := l.Write(rows[0]); err != nil {
			t.Errorf("Write: %v", err)
		}
		for _, k := range []*train.Checkpoint{nil, after(0)} {
			if _, _, err := train.OpenLog(path, provenance, k); !errors.Is(err, atomicfile.ErrLocked) || !strings.Contains(err.Error(), path) {
				t.Errorf("OpenLog of a log that is open: %v, want %v", err, atomicfile.ErrLocked)
			}
			if got, want := readFile(t, path), begin(ending)+lines[0]; got != want {
				t.Errorf("refused, OpenLog leaves\n%swant\n%s", got, want)
			}
		}
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		writeLog(t, path, after(1000), rows[1])
		if got, want := readFile(t, path), begin(ending)+lines[0]+lines[1]; got != want {
			t.Errorf("closed and resumed, the log is\n%swant\n%s", got, want)
		}
	}
}

// TestLogBegunAtOnce checks that of several trainings which begin a log at the
// same time, whether a file is there or not, one has it and the others are
// refused: none goes on with a file that another has replaced.
func TestLogBegunAtOnce(t *testing.T) {
	const trainings = 4
	for round := range 50 {
		path := filepath.Join(t.TempDir(), "log.csv")
		if round%2 == 1 {
			writeFile(t, path, "notes\n")
		}
		logs, refused := make(chan *train.Log, trainings), make(chan error, trainings)
		var all sync.WaitGroup
		for range trainings {
			all.Go(func() {
				l, _, err := train.OpenLog(path, provenance, nil)
				if err != nil {
					refused <- err
				} else {
					logs <- l
				}
			})
		}
		all.Wait()
		close(refused)
		if len(logs) != 1 {
			t.Fatalf("round %d: %d trainings have the log, want 1", round, len(logs))
		}
		for err := range refused {
			if !errors.Is(err, train.ErrLogInUse) {
				t.Errorf("round %d: OpenLog: %v, want %v", round, err, train.ErrLogInUse)
			}
		}
		l := <-logs
		if err := errors.Join(l.Write(rows[0]), l.Close()); err != nil {
			t.Errorf("round %d: Write and Close: %v", round, err)
		}
		if got, want := readFile(t, path), heading+lines[".csv"][0]; got != want {
			t.Errorf("round %d: the log is\n%swant\n%s", round, got, want)
		}
	}
}
