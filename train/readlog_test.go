package train_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pigpen/train"
)

// TestReadLog reads what a log writes, in both formats, and compares every field.
func TestReadLog(t *testing.T) {
	from := map[string]string{"variant": "cochon", "players": "2", "target": "10", "states": "full", "agent": "qlearning", "seed": "18446744073709551615", "program": "1.2.3"}
	options := map[string]string{"aces_with_body": "true", "spill_to_tail": "true"}
	for ending, lines := range lines {
		path := filepath.Join(t.TempDir(), "log"+ending)
		writeFile(t, path, begin(ending)+strings.Join(lines, ""))
		got, err := train.ReadLog(path)
		if err != nil || len(got) != len(rows) {
			t.Fatalf("%s: %d rows and error %v, want %d rows", ending, len(got), err, len(rows))
		}
		for i, r := range got {
			want := rows[i]
			numbers := [][2]float64{{r.Steps, float64(want.Steps)}, {r.Scheduled, float64(want.Scheduled)}, {r.Seconds, want.Seconds}, {r.WinMean, want.WinMean}, {r.Exploitability, want.Exploitability}}
			for _, n := range numbers {
				if n[0] != n[1] && !(math.IsNaN(n[0]) && math.IsNaN(n[1])) {
					t.Errorf("%s, row %d: numbers, read and written, are %v", ending, i, numbers)
				}
			}
			if !maps.Equal(r.From, from) || !maps.Equal(r.Settings, provenance.Settings) || !maps.Equal(r.Options, options) {
				t.Errorf("%s, row %d is from %v, %v, %v", ending, i, r.From, r.Settings, r.Options)
			}
		}
	}
}

// TestReadLogRefused checks what is no log.
func TestReadLogRefused(t *testing.T) {
	folder := t.TempDir()
	for i, c := range []struct{ name, content, says string }{
		{"a.txt", "steps,win_mean\n1,0.5\n", "must end in"},
		{"a.csv", "", "empty"},
		{"a.csv", "steps,win_mean\n", "no rows"},
		{"a.csv", "steps,wins\n1,0.5\n", "no column win_mean"},
		{"a.csv", "steps,win_mean\n1,0.5,3\n", "wrong number of fields"},
		{"a.csv", "steps,win_mean\n1,0.5\n,0.5\n", "line 3: steps is missing"},
		{"a.csv", "steps,win_mean\n-1,0.5\n", "steps is missing or negative"},
		{"a.csv", "steps,win_mean\n1,Inf\n", `win_mean is "Inf"`},
		{"a.jsonl", "{\"steps\":1,\"win_mean\":0.5}\n[]\n", "line 2 is no JSON object"},
		{"a.jsonl", "{\"steps\":{}}\n", `steps is "map[]"`},
		{"a.jsonl", "{\"steps\":\"" + strings.Repeat("1", 1<<17) + "\"}\n", "too long"},
	} {
		path := filepath.Join(folder, fmt.Sprint(i)+c.name)
		writeFile(t, path, c.content)
		if rows, err := train.ReadLog(path); !errors.Is(err, train.ErrLog) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v and error %v, want one that says %s", c.content[:min(60, len(c.content))], rows, err, c.says)
		}
	}
	if _, err := train.ReadLog(filepath.Join(folder, "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
}
