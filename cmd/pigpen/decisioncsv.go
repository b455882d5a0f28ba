package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pigpen/env"
)

// readCSV reads decisions from a table with a header: the columns of the observation by
// name, the action and, if it is there, the chance of rolling. What else 'pigpen export'
// writes is passed over.
func (t *importedTable) readCSV(in io.Reader) error {
	b := bufio.NewReader(&shortLines{r: in})
	if mark, err := b.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = b.Discard(3)
	}
	r := csv.NewReader(b)
	r.ReuseRecord = true
	header, err := r.Read()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	wanted := append(columnNames(t.game), "action")
	place := make([]int, len(wanted)) // of each wanted column in a row
	for i, name := range wanted {
		if place[i] = slices.Index(header, name); place[i] < 0 {
			return fmt.Errorf("line 1: the column %q is missing; a decision of %v has %s", name, t.game, strings.Join(wanted, ", "))
		}
	}
	known := append(slices.Clone(wanted), exportFigures()...)
	for i, name := range header {
		if !slices.Contains(known, name) {
			return fmt.Errorf("line 1: a decision has no column %.40q", name)
		}
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("line 1: the column %q comes twice", name)
		}
	}
	row, chanceAt := make([]int16, len(wanted)), slices.Index(header, rollChance)
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err // csv's errors name the line
		}
		line, _ := r.FieldPos(0)
		for i, at := range place {
			x, err := strconv.ParseInt(cells[at], 10, 16)
			if err != nil {
				return fmt.Errorf("line %d: %s is %.20q; it is a 16-bit integer", line, wanted[i], cells[at])
			}
			row[i] = int16(x)
		}
		last := len(row) - 1
		if row[last] < 0 || row[last] > math.MaxUint8 {
			return fmt.Errorf("line %d: action %d; an action is 0 (hold) or 1 (roll)", line, row[last])
		}
		var chance *float64
		if chanceAt >= 0 {
			x, err := strconv.ParseFloat(cells[chanceAt], 64)
			if err != nil {
				return fmt.Errorf("line %d: %s is %.20q; it is a number in [0, 1]", line, rollChance, cells[chanceAt])
			}
			chance = &x
		}
		if err := t.decide(row[:last], env.Action(row[last]), chance); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// A shortLines reads text until a line is longer than [maxLine], so that whoever reads
// lines of it needs little memory.
type shortLines struct {
	r    io.Reader
	line int // bytes since the last newline
}

// Read implements [io.Reader].
func (s *shortLines) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	for _, c := range b[:n] {
		if s.line++; c == '\n' {
			s.line = 0
		}
	}
	if s.line > maxLine {
		return n, errors.New("a line is longer than any decision")
	}
	return n, err
}
