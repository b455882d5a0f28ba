package train

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A LoggedRow is what [ReadLog] reads of a row. Numbers that the row does not have are
// NaN, texts are empty.
type LoggedRow struct {
	Steps float64 // decisions since the start of the training
	// Scheduled is the number of decisions at which the evaluation was due.
	Scheduled float64
	Seconds   float64 // of learning
	// WinMean and Exploitability are those of [Score].
	WinMean, Exploitability float64
	// From has the columns of the row that describe its training, as the log writes
	// them: variant, players, target, states, agent, seed, and so on. Settings and options
	// are separate.
	From              map[string]string
	Settings, Options map[string]string
}

// ReadLog reads the log at path, CSV or JSON lines as its name ends. It needs the columns
// steps and win_mean, and ignores those that it does not know; so it reads logs of every
// version, and those that other programs write. The error wraps [ErrLog], or is that of a
// file operation.
func ReadLog(path string) ([]LoggedRow, error) {
	if err := LogFormat(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrLog, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	read := readCSVLog
	if strings.ToLower(filepath.Ext(path)) != ".csv" {
		read = readJSONLog
	}
	var rows []LoggedRow
	err = read(f, func(line int, values map[string]any) error {
		r, err := loggedRow(values)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if len(rows) == maxLoggedRows {
			return fmt.Errorf("more than %d rows", maxLoggedRows)
		}
		rows = append(rows, r)
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = errors.New("it has no rows")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLog, path, err)
	}
	return rows, nil
}

// maxLoggedRows bounds the memory of ReadLog.
const maxLoggedRows = 1_000_000

// readCSVLog calls add with each row of a CSV log.
func readCSVLog(in io.Reader, add func(line int, values map[string]any) error) error {
	r := csv.NewReader(bufio.NewReader(in))
	r.ReuseRecord = true
	first, err := r.Read()
	if err == io.EOF {
		return errors.New("it is empty")
	} else if err != nil {
		return err
	}
	names := slices.Clone(first)
	for _, name := range []string{"steps", "win_mean"} {
		if !slices.Contains(names, name) {
			return fmt.Errorf("its first line has no column %s", name)
		}
	}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		values := make(map[string]any)
		for i, name := range names {
			values[name] = record[i]
		}
		line, _ := r.FieldPos(0)
		if err := add(line, values); err != nil {
			return err
		}
	}
}

// readJSONLog calls add with each row of a log of JSON lines.
func readJSONLog(in io.Reader, add func(line int, values map[string]any) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRow)
	for n := 1; lines.Scan(); n++ {
		var values map[string]any
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.UseNumber()
		if err := d.Decode(&values); err != nil {
			return fmt.Errorf("line %d is no JSON object", n)
		}
		if err := add(n, values); err != nil {
			return err
		}
	}
	return lines.Err()
}

// loggedRow returns the row with the given values, texts or values of JSON.
func loggedRow(values map[string]any) (r LoggedRow, err error) {
	r.From = make(map[string]string)
	for _, number := range []struct {
		name string
		to   *float64
	}{
		{"steps", &r.Steps}, {"scheduled", &r.Scheduled}, {"seconds", &r.Seconds}, {"win_mean", &r.WinMean}, {"exploitability", &r.Exploitability},
	} {
		*number.to = math.NaN()
		if text := textOf(values[number.name]); text != "" {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return r, fmt.Errorf("%s is %q; it is a number", number.name, text)
			}
			*number.to = x
		}
	}
	if math.IsNaN(r.Steps) || r.Steps < 0 {
		return r, errors.New("steps is missing or negative; it is the number of decisions")
	}
	for _, c := range columns[firstColumns:] {
		switch c.name {
		case "settings":
			r.Settings = pairsOf(values[c.name])
		case "options":
			r.Options = pairsOf(values[c.name])
		case "scheduled", "value_error_mean", "value_error_max":
		default:
			if text := textOf(values[c.name]); text != "" {
				r.From[c.name] = text
			}
		}
	}
	return r, nil
}

// textOf returns a value of JSON or CSV as text: "" if it is null or missing.
func textOf(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// pairsOf returns what [cell] writes as name=value pairs, or an object of JSON.
func pairsOf(value any) map[string]string {
	m := make(map[string]string)
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			m[name] = textOf(v)
		}
	case string:
		for _, pair := range strings.Fields(value) {
			name, v, _ := strings.Cut(pair, "=")
			m[name] = v
		}
	}
	return m
}
