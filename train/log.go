package train

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
)

// A Row is the row of a log for one evaluation of a training.
type Row struct {
	Steps    int64   `msgpack:"steps"`    // decisions since the start of the training
	Episodes int64   `msgpack:"episodes"` // episodes since then
	Seconds  float64 `msgpack:"seconds"`  // of learning, without evaluations
	Score    `msgpack:",inline"`
	Epsilon  float64 `msgpack:"epsilon"`   // probability of an exploring action
	StepSize float64 `msgpack:"step_size"` // mean weight of the last sample in its estimate
	Coverage float64 `msgpack:"coverage"`  // fraction of the table's entries that have samples
	// Scheduled is the number of decisions at which the evaluation was due, which is
	// the same for every seed. The evaluation takes place at the end of the call of
	// Learn that reaches that number.
	Scheduled int64 `msgpack:"scheduled"`
	// ValueError is the error of the agent's estimates: nil unless Config.Values is set, the
	// game has one or two players, and something has been learned.
	ValueError *policies.ValueError `msgpack:"value_error,omitempty"`
}

// A Score is the score of a policy. Unknown values are NaN.
type Score struct {
	// WinMean is the win probability, the mean over all seats, against the opponent
	// that Config.Evaluate chooses. It may be exact or estimated by simulation.
	WinMean float64 `msgpack:"win_mean"`
	// Exploitability is the win probability of a best response, the mean over all seats,
	// minus an even share. It is not known where scores are simulated.
	Exploitability float64 `msgpack:"exploitability"`
	// Turns is the expected number of turns of a game, summed over the seats.
	Turns float64 `msgpack:"expected_turns"`
}

// LogSource describes the training that a log is of. Every row repeats it, so that
// the rows of several logs can be compared.
type LogSource struct {
	Game        env.Game
	Abstraction string
	Agent       string
	Seed        uint64
	Settings    map[string]string // the recipe among them
	Program     string            // version
}

// Source returns the description of the training in each row of its log.
func (c Config) Source() LogSource {
	c = c.withDefaults()
	return LogSource{
		Game: c.Game, Abstraction: string(c.Abstraction), Agent: c.Agent.Name, Seed: c.Seed, Settings: c.describe(), Program: c.Program,
	}
}

// A column is a column of a log. value returns the JSON text of its value in a row.
type column struct {
	name  string
	value func(r *Row, from *LogSource) string
}

// columns are the columns of a log, in order. Logs of the first version have the first
// nine; a CSV log with fewer columns is continued with those that it has.
var columns = []column{
	{"steps", func(r *Row, _ *LogSource) string { return whole(r.Steps) }},
	{"episodes", func(r *Row, _ *LogSource) string { return whole(r.Episodes) }},
	{"seconds", func(r *Row, _ *LogSource) string { return number(r.Seconds) }},
	{"win_mean", func(r *Row, _ *LogSource) string { return number(r.WinMean) }},
	{"exploitability", func(r *Row, _ *LogSource) string { return number(r.Exploitability) }},
	{"expected_turns", func(r *Row, _ *LogSource) string { return number(r.Turns) }},
	{"epsilon", func(r *Row, _ *LogSource) string { return number(r.Epsilon) }},
	{"step_size", func(r *Row, _ *LogSource) string { return number(r.StepSize) }},
	{"coverage", func(r *Row, _ *LogSource) string { return number(r.Coverage) }},
	{"scheduled", func(r *Row, _ *LogSource) string { return whole(r.Scheduled) }},
	{"variant", func(_ *Row, from *LogSource) string { return quoted(from.Game.Config().Variant) }},
	{"players", func(_ *Row, from *LogSource) string { return whole(int64(from.Game.Players())) }},
	{"target", func(_ *Row, from *LogSource) string { return whole(int64(from.Game.Target())) }},
	{"options", func(_ *Row, from *LogSource) string { return pairs(from.Game.Config().Options) }},
	{"states", func(_ *Row, from *LogSource) string { return quoted(from.Abstraction) }},
	{"agent", func(_ *Row, from *LogSource) string { return quoted(from.Agent) }},
	{"seed", func(_ *Row, from *LogSource) string { return strconv.FormatUint(from.Seed, 10) }},
	{"settings", func(_ *Row, from *LogSource) string { return pairs(from.Settings) }},
	{"program", func(_ *Row, from *LogSource) string { return quoted(from.Program) }},
	{"value_error_mean", func(r *Row, _ *LogSource) string {
		return valueError(r, func(e *policies.ValueError) float64 { return e.Mean })
	}},
	{"value_error_max", func(r *Row, _ *LogSource) string {
		return valueError(r, func(e *policies.ValueError) float64 { return e.Max })
	}},
}

// valueError returns a figure of the error of the values of r, or null if r has none.
func valueError(r *Row, figure func(e *policies.ValueError) float64) string {
	if r.ValueError == nil {
		return "null"
	}
	return number(figure(r.ValueError))
}

// whole returns n as JSON.
func whole(n int64) string { return strconv.FormatInt(n, 10) }

// number returns x, or null if x is NaN or infinite.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "null"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// quoted returns text as JSON.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can be written
	}
	return string(b)
}

// pairs returns m as a JSON object with its names in increasing order.
func pairs[V any](m map[string]V) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := fmt.Sprint(m[name])
		if _, isText := any(m[name]).(string); isText {
			value = quoted(value)
		}
		list = append(list, quoted(name)+":"+value)
	}
	return "{" + strings.Join(list, ",") + "}"
}

// cell converts a JSON value to a CSV field: a string without quotes, null as an empty
// field, an object as name=value pairs separated by spaces, others unchanged.
func cell(value string) string {
	var x any
	switch json.Unmarshal([]byte(value), &x); x := x.(type) {
	case nil:
		return ""
	case string:
		return x
	case map[string]any:
		var list []string
		for _, name := range slices.Sorted(maps.Keys(x)) {
			list = append(list, fmt.Sprintf("%s=%v", name, x[name]))
		}
		return strings.Join(list, " ")
	}
	return value
}

// heading returns the first line of a CSV log with the first n columns.
func heading(n int) string {
	var names []string
	for _, c := range columns[:n] {
		names = append(names, c.name)
	}
	return strings.Join(names, ",") + "\n"
}

// firstColumns is the least number of columns of a log.
const firstColumns = 9

// A Log is a log file: CSV with a heading, or JSON lines. It is locked while it is open,
// so that no other process can open it as a log.
type Log struct {
	file      *os.File
	json      bool
	columns   int // of CSV
	source    LogSource
	end       int64  // offset of the end of the last row in the file
	unwritten []byte // rows whose writing failed
}

// ErrLog is wrapped by the errors of [OpenLog] about a file that is not a log.
var ErrLog = errors.New("train: bad log")

// ErrLogInUse is wrapped by the error of [OpenLog] if another training has the log open.
var ErrLogInUse = errors.New("train: the log of a training that is running")

// LogFormat returns an error that wraps [ErrLog] unless path ends in .csv, .jsonl or
// .ndjson, as the path of a log must.
func LogFormat(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".jsonl", ".ndjson":
		return nil
	}
	return fmt.Errorf("%w: %s: the name of a log must end in .csv, .jsonl or .ndjson", ErrLog, path)
}

// OpenLog creates a log at path. Other content of an existing file is kept in a file
// whose name is kept. If k is not nil, OpenLog continues an existing log from the
// checkpoint k instead: it removes the rows after the last evaluation before k. The
// error wraps
// [ErrLog], or [ErrLogInUse] and [atomicfile.ErrLocked], or is that of a file operation.
func OpenLog(path string, from LogSource, k *Checkpoint) (_ *Log, kept string, err error) {
	if err := LogFormat(path); err != nil {
		return nil, "", err
	}
	l := newLog(path)
	l.source = from
	defer func() {
		if err != nil && l.file != nil {
			l.file.Close()
		}
	}()
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("%w: %s is not a regular file", ErrLog, path) // opening it might block
	}
	size, err := l.open(path)
	if err != nil {
		return nil, "", err
	}
	begin := l.begin()
	switch {
	case size == 0:
	case k != nil:
		if l.end, err = l.scan(path, k.Evaluated); err != nil {
			return nil, "", err
		}
		if err := l.file.Truncate(l.end); err != nil {
			return nil, "", err
		}
	default:
		old := l.file // locked until the new one is in its place
		defer old.Close()
		if runtime.GOOS == "windows" {
			old.Close() // where an open file cannot be replaced
		}
		l.file = nil
		if kept, err = atomicfile.WriteKeeping(path, func(w io.Writer) error { _, err := io.WriteString(w, begin); return err }); err != nil {
			return nil, "", err
		}
		if _, err := l.open(path); err != nil {
			return nil, kept, err
		}
		l.end = int64(len(begin))
	}
	if l.end == 0 {
		l.unwritten = []byte(begin)
		if err := l.flush(); err != nil {
			return nil, kept, err
		}
	}
	return l, kept, nil
}

// newLog returns a log without a file, in the format that path names.
func newLog(path string) *Log {
	return &Log{json: strings.ToLower(filepath.Ext(path)) != ".csv", columns: len(columns)}
}

// begin returns what a new log begins with.
func (l *Log) begin() string {
	if l.json {
		return ""
	}
	return heading(len(columns))
}

// open opens and locks the file at path, and creates it if it does not exist. It returns
// the size of the file in bytes.
func (l *Log) open(path string) (size int64, err error) {
	for {
		if l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
			return 0, err
		}
		if err := atomicfile.Lock(l.file); errors.Is(err, atomicfile.ErrLocked) {
			return 0, fmt.Errorf("%w: %s: %w", ErrLogInUse, path, err)
		}
		info, err := l.file.Stat()
		if err != nil {
			return 0, err
		}
		// Another training may have replaced the file before it was locked.
		if there, err := os.Stat(path); err == nil && os.SameFile(info, there) {
			return info.Size(), nil
		}
		l.file.Close()
	}
}

// maxRow is an upper bound of the length of a row in bytes.
const maxRow = 1 << 16

// scan returns the offset of the end of the last row with at most the given steps, and
// sets l.columns.
func (l *Log) scan(path string, steps int64) (end int64, err error) {
	info, err := l.file.Stat()
	if err != nil {
		return 0, err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, 0, info.Size()), maxRow)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && (n > 1 || l.tornFirst(string(line))):
			return end, nil // the training was killed as it wrote its last row
		case err == io.EOF:
			return 0, fmt.Errorf("%w: %s is no log", ErrLog, path)
		case err == bufio.ErrBufferFull:
			return 0, fmt.Errorf("%w: line %d of %s is no row of a log", ErrLog, n, path)
		case err != nil:
			return 0, err
		}
		text := strings.TrimSuffix(string(line), "\n")
		if n == 1 && !l.json {
			l.columns = 1 + slices.IndexFunc(columns, func(c column) bool { return strings.HasSuffix(","+text, ","+c.name) })
			if l.columns < firstColumns || text+"\n" != heading(l.columns) {
				return 0, fmt.Errorf("%w: %s is no log: its first line is not %s", ErrLog, path, strings.TrimSpace(heading(len(columns))))
			}
		} else if at, err := l.stepsOf(text); err != nil {
			return 0, fmt.Errorf("%w: line %d of %s is no row of a log", ErrLog, n, path)
		} else if at > steps {
			return end, nil
		}
		end += int64(len(line))
	}
}

// tornFirst reports whether line, which is the whole file and has no newline, can be the
// start of a log whose first line was not written to its end.
func (l *Log) tornFirst(line string) bool {
	if l.json {
		begin := "{" + quoted(columns[0].name) + ":"
		n := min(len(begin), len(line))
		return line[:n] == begin[:n]
	}
	return strings.HasPrefix(heading(len(columns)), line)
}

// stepsOf returns the steps of a row.
func (l *Log) stepsOf(line string) (int64, error) {
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

// Write appends a row. If that fails, the file has no part of the row, and the next
// Write or Close tries again to write it.
func (l *Log) Write(r Row) error {
	l.unwritten = append(l.unwritten, l.encode(&r)...)
	return l.flush()
}

// encode returns the line of a row.
func (l *Log) encode(r *Row) string {
	var values []string
	if l.json {
		for _, c := range columns {
			values = append(values, quoted(c.name)+":"+c.value(r, &l.source))
		}
		return "{" + strings.Join(values, ",") + "}\n"
	}
	for _, c := range columns[:l.columns] {
		values = append(values, cell(c.value(r, &l.source)))
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(values)
	w.Flush()
	return b.String()
}

// flush writes all of l.unwritten to the file, or nothing if an error occurs.
func (l *Log) flush() error {
	if len(l.unwritten) == 0 {
		return nil
	}
	if _, err := l.file.WriteAt(l.unwritten, l.end); err != nil {
		l.file.Truncate(l.end) // remove a row that was written in part
		return err
	}
	l.end += int64(len(l.unwritten))
	l.unwritten = nil
	return nil
}

// Close writes the rows whose writing failed before, syncs the file and closes it.
func (l *Log) Close() error {
	err := l.flush()
	if err == nil {
		err = l.file.Sync()
	}
	return errors.Join(err, l.file.Close())
}
