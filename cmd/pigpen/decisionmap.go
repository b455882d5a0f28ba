package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// maxImport is the most bytes of a map of msgpack that are read.
const maxImport = 1 << 30

// A decisionMap reads decisions that are columns of one map of msgpack, as they
// arrive. It holds the column that comes first, in about as much memory as the
// column has bytes, and none of the second.
type decisionMap struct {
	table        *importedTable
	r            *wire.MsgpackReader
	rows         uint64 // of both columns, once one is known
	observations rowList[int16]
	actions      rowList[env.Action]
}

// readMap reads decisions that are packed in one map of msgpack, of at most limit
// bytes.
func (t *importedTable) readMap(in io.Reader, limit int64) error {
	columns := t.game.NumColumns()
	tooLong := fmt.Errorf("the map is longer than %d bytes, which is the most that is read; in jsonl there may be more", limit)
	m := decisionMap{
		table: t, r: wire.NewMsgpackReader(&limitedReader{in, limit, tooLong}, limit, tooLong),
		observations: rowList[int16]{width: columns}, actions: rowList[env.Action]{width: 1},
	}
	return m.read()
}

func (m *decisionMap) read() error {
	if empty, err := m.r.AtEnd(); empty || err != nil {
		return cmp.Or(err, errors.New("it is empty; it should be one map"))
	}
	fields, ok, err := m.r.Map()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the input is one map")
	}
	given := make(map[string]bool)
	for range fields {
		const most = 64 // bytes of a name; more than any field's has
		name, ok, err := m.r.Text(most)
		switch {
		case err != nil:
			return err
		case !ok:
			return errors.New("the name of a field is no string")
		case name != "observations" && name != "actions":
			return fmt.Errorf("a decision has no field %.40q", name)
		case given[name]:
			return fmt.Errorf("the field %q comes twice", name)
		}
		read := m.readActions
		if name == "observations" {
			read = m.readObservations
		}
		if err := read(len(given) > 0); err != nil {
			return err
		}
		given[name] = true
	}
	for _, name := range []string{"observations", "actions"} {
		if !given[name] {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	ended, err := m.r.AtEnd()
	if err == nil && !ended {
		err = errors.New("it should be one map, and something follows it")
	}
	return err
}

// agree compares the rows of a column with those of the one before, if any.
func (m *decisionMap) agree(second bool, actions, rows uint64, numbers uint64) error {
	if second && m.rows != rows {
		return fmt.Errorf("%d actions and %d numbers of observations; %v has %d columns for each",
			actions, numbers, m.table.game, m.observations.width)
	}
	m.rows = rows
	return nil
}

// readObservations reads the observations, and enters the decisions if the actions
// came before.
func (m *decisionMap) readObservations(second bool) error {
	columns := uint64(m.observations.width)
	rows, packed, ok, err := m.r.List()
	if err != nil {
		return err
	}
	if !ok || packed && rows%2 != 0 {
		return fmt.Errorf("the field %q is not %s", "observations", wire.Int16Rows().Want)
	}
	numbers := rows * columns
	if packed {
		numbers = rows / 2
		rows = numbers / columns
		if numbers%columns != 0 && second {
			rows = math.MaxUint64 // agree with no number of actions
		} else if numbers%columns != 0 {
			return fmt.Errorf("%d numbers of observations; %v has %d columns for each action", numbers, m.table.game, columns)
		}
	}
	if err := m.agree(second, m.rows, rows, numbers); err != nil {
		return err
	}
	row := make([]int16, columns)
	for i := range rows {
		err := m.readRow(row, packed)
		if err == nil && second {
			err = m.table.decide(row, m.actions.at(int(i))[0])
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if !second {
			m.observations.add(row...)
		}
	}
	return nil
}

// errNoRow reports that an element of the observations is none.
var errNoRow = errors.New("an observation is not a list of 16-bit integers")

// readRow reads one observation.
func (m *decisionMap) readRow(row []int16, packed bool) error {
	if packed {
		return m.r.Int16s(row)
	}
	n, packed, ok, err := m.r.List()
	if err != nil {
		return err
	}
	if !ok || packed {
		return errNoRow
	}
	if n != uint64(len(row)) {
		return fmt.Errorf("an observation of %v has %d columns, not %d", m.table.game, len(row), n)
	}
	for k := range row {
		x, ok, err := m.r.Int(math.MinInt16, math.MaxInt16)
		if err != nil {
			return err
		}
		if !ok {
			return errNoRow
		}
		row[k] = int16(x)
	}
	return nil
}

// readActions reads the actions, and enters the decisions if the observations came
// before.
func (m *decisionMap) readActions(second bool) error {
	n, packed, ok, err := m.r.List()
	if err != nil {
		return err
	}
	wrong := fmt.Errorf("the field %q is not a list of actions, each a number in [0, 255]", "actions")
	if !ok {
		return wrong
	}
	if err := m.agree(second, n, n, m.rows*uint64(m.observations.width)); err != nil {
		return err
	}
	for i := range n {
		var action env.Action
		if packed {
			b, err := m.r.Byte()
			if err != nil {
				return err
			}
			action = env.Action(b)
		} else {
			x, ok, err := m.r.Int(0, math.MaxUint8)
			if err != nil {
				return err
			}
			if !ok {
				return wrong
			}
			action = env.Action(x)
		}
		if !second {
			m.actions.add(action)
		} else if err := m.table.decide(m.observations.at(int(i)), action); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}
