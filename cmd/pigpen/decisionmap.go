package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// maxImport is the most bytes of a map of msgpack that are read.
const maxImport = 1 << 30

// A decisionMap reads decisions that are columns of one map of msgpack, as they
// arrive. It holds the columns that come first, in about as much memory as they
// have bytes, and none of the last.
type decisionMap struct {
	table        *importedTable
	r            *wire.MsgpackReader
	rows         uint64 // of observations and actions, once one is known
	chanceRows   uint64 // of chances
	given        map[string]bool
	observations rowList[int16]
	actions      rowList[env.Action]
	chances      rowList[float64]
}

// readMap reads decisions that are packed in one map of msgpack, of at most limit
// bytes.
func (t *importedTable) readMap(in io.Reader, limit int64) error {
	columns := t.game.NumColumns()
	tooLong := fmt.Errorf("the map is longer than %d bytes, which is the most that is read; in jsonl there may be more", limit)
	m := decisionMap{
		table: t, r: wire.NewMsgpackReader(&limitedReader{in, limit, tooLong}, limit, tooLong),
		observations: rowList[int16]{width: columns}, actions: rowList[env.Action]{width: 1},
		chances: rowList[float64]{width: 1}, given: make(map[string]bool),
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
	for field := range fields {
		const most = 64 // bytes of a name; more than any field's has
		name, ok, err := m.r.Text(most)
		switch {
		case err != nil:
			return err
		case !ok:
			return errors.New("the name of a field is no string")
		case name != "observations" && name != "actions" && name != rollChance:
			return fmt.Errorf("a decision has no field %.40q", name)
		case m.given[name]:
			return fmt.Errorf("the field %q comes twice", name)
		}
		read := map[string]func(last bool) error{"observations": m.readObservations, "actions": m.readActions, rollChance: m.readChances}[name]
		// The last column enters the decisions, if it makes them complete.
		m.given[name] = true
		last := field == fields-1 && m.given["observations"] && m.given["actions"]
		if err := read(last); err != nil {
			return err
		}
	}
	for _, name := range []string{"observations", "actions"} {
		if !m.given[name] {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	ended, err := m.r.AtEnd()
	if err == nil && !ended {
		err = errors.New("it should be one map, and something follows it")
	}
	return err
}

// agree compares the rows of a column with those of the ones before, if any: of
// observations and actions with an error that names their numbers, of chances as such.
func (m *decisionMap) agree(rows uint64, actions, numbers uint64) error {
	if m.given["observations"] && m.given["actions"] && m.rows != rows {
		return fmt.Errorf("%d actions and %d numbers of observations; %v has %d columns for each",
			actions, numbers, m.table.game, m.observations.width)
	}
	m.rows = rows
	return m.agreeChances()
}

// agreeChances compares the number of chances with that of the decisions, if both are known.
func (m *decisionMap) agreeChances() error {
	if m.given[rollChance] && len(m.given) > 1 && m.chanceRows != m.rows {
		return fmt.Errorf("%d chances of rolling for %d decisions", m.chanceRows, m.rows)
	}
	return nil
}

// decide enters decision i, of which the columns that have been read are held.
func (m *decisionMap) decide(i uint64, row []int16, action env.Action, chance *float64) error {
	if err := m.table.decide(row, action, chance); err != nil {
		return fmt.Errorf("row %d: %w", i, err)
	}
	return nil
}

// chance returns the chance of rolling of decision i, nil if there are none.
func (m *decisionMap) chance(i uint64) *float64 {
	if !m.given[rollChance] {
		return nil
	}
	return &m.chances.at(int(i))[0]
}
