package train

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pigpen/policies"
)

// A Row is what a log tells of a training at an evaluation. The columns are
// always the same; what a game does not have is empty in CSV and null in JSON.
type Row struct {
	Steps    int64   // decisions since the start of the training
	Episodes int64   // episodes since then
	Seconds  float64 // of learning, evaluations apart
	Score
	Epsilon  float64 // chance of exploring where the agent would not
	StepSize float64 // mean weight of the last sample in its estimate
	Coverage float64 // part of the table's entries that have samples
}

// A Score tells how good a policy is. What is not known is NaN.
type Score struct {
	// WinMean is the win probability, the mean of all seats: exact against
	// perfect play with two players, or against whom the caller chose; by
	// simulation with more.
	WinMean float64
	// Exploitability is the best response's win probability less one half,
	// with two players.
	Exploitability float64
	// Turns is the expected number of turns of a game, all seats together.
	Turns float64
}

// columns are the names of a row's fields, in order.
var columns = []string{"steps", "episodes", "seconds", "win_mean", "exploitability", "expected_turns", "epsilon", "step_size", "coverage"}

// numbers returns the row's fields in the order of columns.
func (r Row) numbers() []float64 {
	return []float64{float64(r.Steps), float64(r.Episodes), r.Seconds, r.WinMean, r.Exploitability, r.Turns, r.Epsilon, r.StepSize, r.Coverage}
}

// A Log is a file of rows: CSV with a heading, or JSON lines.
type Log struct {
	file *os.File
	json bool
}

// ErrLog is wrapped by [OpenLog] for a file that it cannot go on with.
var ErrLog = errors.New("train: bad log")

// OpenLog begins the log at path, or goes on with the one of a training that
// is resumed after so many steps: then rows past those are dropped. The name
// ends in .csv, .jsonl or .ndjson.
func OpenLog(path string, resumed bool, steps int64) (*Log, error) {
	l := &Log{}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
	case ".jsonl", ".ndjson":
		l.json = true
	default:
		return nil, fmt.Errorf("%w: %s; its name ends in .csv, .jsonl or .ndjson", ErrLog, path)
	}
	var kept []string
	if resumed {
		var err error
		if kept, err = l.read(path, steps); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if len(kept) == 0 && !l.json {
		kept = []string{strings.Join(columns, ",") + "\n"}
	}
	err := policies.Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(kept, ""))
		return err
	})
	if err != nil {
		return nil, err
	}
	l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return l, err
}

// read returns the lines of the log at path up to so many steps.
func (l *Log) read(path string, steps int64) (kept []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrLog, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, whole := strings.CutSuffix(line, "\n")
		switch {
		case !whole && n > 1:
			return kept, nil // the training was killed as it wrote its last row
		case !l.json && n == 1:
			if line != strings.Join(columns, ",") {
				return nil, fmt.Errorf("%w: %s does not begin with the line %s", ErrLog, path, strings.Join(columns, ","))
			}
		default:
			at, err := l.steps(line)
			if err != nil {
				return nil, fmt.Errorf("%w: line %d of %s is no row of a log", ErrLog, n, path)
			}
			if at > steps {
				return kept, nil
			}
		}
		kept = append(kept, line+"\n")
	}
	return kept, nil
}

// steps returns the first field of a line.
func (l *Log) steps(line string) (int64, error) {
	if l.json {
		var row struct {
			Steps *int64 `json:"steps"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Steps == nil {
			return 0, ErrLog
		}
		return *row.Steps, nil
	}
	first, _, _ := strings.Cut(line, ",")
	return strconv.ParseInt(first, 10, 64)
}

// Write appends a row, in one piece.
func (l *Log) Write(r Row) error {
	var b strings.Builder
	var cells []string
	for i, x := range r.numbers() {
		cell := strconv.FormatFloat(x, 'g', -1, 64)
		switch {
		case i < 2:
			cell = strconv.FormatFloat(x, 'f', 0, 64)
		case math.IsNaN(x) || math.IsInf(x, 0):
			cell = ""
		}
		if l.json {
			if cell == "" {
				cell = "null"
			}
			cell = strconv.Quote(columns[i]) + ":" + cell
		}
		cells = append(cells, cell)
	}
	if l.json {
		b.WriteString("{" + strings.Join(cells, ",") + "}\n")
	} else {
		w := csv.NewWriter(&b)
		w.Write(cells)
		w.Flush()
	}
	_, err := l.file.WriteString(b.String())
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
