package main

import (
	"errors"
	"fmt"
	"math"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// readObservations reads the observations, and enters the decisions if it is the last.
func (m *decisionMap) readObservations(last bool) error {
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
		if numbers%columns != 0 && m.given["actions"] {
			rows = math.MaxUint64 // agree with no number of actions
		} else if numbers%columns != 0 {
			return fmt.Errorf("%d numbers of observations; %v has %d columns for each action", numbers, m.table.game, columns)
		}
	}
	if err := m.agree(rows, m.rows, numbers); err != nil {
		return err
	}
	row := make([]int16, columns)
	for i := range rows {
		if err := m.readRow(row, packed); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if !last {
			m.observations.add(row...)
		} else if err := m.decide(i, row, m.actions.at(int(i))[0], m.chance(i)); err != nil {
			return err
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

// readActions reads the actions, and enters the decisions if it is the last.
func (m *decisionMap) readActions(last bool) error {
	n, packed, ok, err := m.r.List()
	if err != nil {
		return err
	}
	wrong := fmt.Errorf("the field %q is not a list of actions, each a number in [0, 255]", "actions")
	if !ok {
		return wrong
	}
	if err := m.agree(n, n, m.rows*uint64(m.observations.width)); err != nil {
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
		if !last {
			m.actions.add(action)
		} else if err := m.decide(i, m.observations.at(int(i)), action, m.chance(i)); err != nil {
			return err
		}
	}
	return nil
}

// readChances reads the chances of rolling, and enters the decisions if it is the last.
func (m *decisionMap) readChances(last bool) error {
	n, packed, ok, err := m.r.List()
	if err != nil {
		return err
	}
	if !ok || !packed || n%8 != 0 {
		return fmt.Errorf("the field %q is not bytes, of 64-bit floats", rollChance)
	}
	n /= 8
	m.chanceRows = n
	if err := m.agreeChances(); err != nil {
		return err
	}
	for i := range n {
		x, err := m.r.Float64()
		if err != nil {
			return err
		}
		if !last {
			m.chances.add(x)
		} else if err := m.decide(i, m.observations.at(int(i)), m.actions.at(int(i))[0], &x); err != nil {
			return err
		}
	}
	return nil
}
