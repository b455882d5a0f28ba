package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"pigpen/cmd/pigpen/internal/npz"
	"pigpen/env"
)

// readNPZ reads decisions from the NumPy arrays observations, with a row for each
// decision, actions and, if it is there, roll_chance. Other arrays are passed over.
func (t *importedTable) readNPZ(in io.ReaderAt, size int64) (err error) {
	f, err := npz.Open(in, size)
	if err != nil {
		return err
	}
	observations, err := f.Integers("observations")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, observations.Close()) }()
	actions, err := f.Integers("actions")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, actions.Close()) }()
	columns := t.game.NumColumns()
	if len(observations.Shape) != 2 || observations.Shape[1] != columns {
		return fmt.Errorf("observations have the shape %v; %v has %d columns", observations.Shape, t.game, columns)
	}
	rows := observations.Shape[0]
	if len(actions.Shape) != 1 || actions.Shape[0] != rows {
		return fmt.Errorf("actions have the shape %v; there are %d observations", actions.Shape, rows)
	}
	var chances *npz.Floats // nil if there are none
	if f.Has(rollChance) {
		if chances, err = f.Floats(rollChance); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, chances.Close()) }()
		if len(chances.Shape) != 1 || chances.Shape[0] != rows {
			return fmt.Errorf("%s has the shape %v; there are %d observations", rollChance, chances.Shape, rows)
		}
	}
	row := make([]int16, columns)
	for i := range rows {
		for k := range row {
			x, err := observations.Next()
			if err != nil {
				return err
			}
			if x < math.MinInt16 || x > math.MaxInt16 {
				return fmt.Errorf("row %d: %d in an observation is no 16-bit integer", i, x)
			}
			row[k] = int16(x)
		}
		action, err := actions.Next()
		if err != nil {
			return err
		}
		if action < 0 || action >= env.NumActions {
			return fmt.Errorf("row %d: action %d; an action is 0 (hold) or 1 (roll)", i, action)
		}
		var chance *float64
		if chances != nil {
			x, err := chances.Next()
			if err != nil {
				return err
			}
			chance = &x
		}
		if err := t.decide(row, env.Action(action), chance); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}
