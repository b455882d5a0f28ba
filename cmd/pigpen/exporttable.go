package main

import (
	"context"
	"io"
	"iter"

	"pigpen/env"
	"pigpen/policies"
)

// An exportTable lays out decisions as the rows of a table.
type exportTable struct {
	game         env.Game
	values, diff bool
	estimates    policies.Valuer // the values that a policy file holds; nil for none
	count        int             // of rows
}

// A figure is a column of the table besides the observation and the action.
type figure struct {
	name string
	of   func(d *policies.Difference) float64
}

// rollChance is the name of the column with the chance of rolling, which import reads.
const rollChance = "roll_chance"

// The names of the columns with the values that a policy file holds.
const estimatedHold, estimatedRoll = "estimated_hold", "estimated_roll"

// figures returns the columns after the observation and the action.
func (t *exportTable) figures() []figure {
	list := []figure{{rollChance, func(d *policies.Difference) float64 { return d.RollChance }}}
	if t.diff {
		list = append(list, figure{"other_roll_chance", func(d *policies.Difference) float64 { return d.Other }})
	}
	if t.values {
		list = append(list,
			figure{"win_hold", func(d *policies.Difference) float64 { return d.Hold }},
			figure{"win_roll", func(d *policies.Difference) float64 { return d.Roll }},
			figure{"loss", func(d *policies.Difference) float64 { return d.Loss }})
	}
	if t.estimates != nil {
		list = append(list,
			figure{estimatedHold, func(d *policies.Difference) float64 { hold, _ := t.estimated(d); return hold }},
			figure{estimatedRoll, func(d *policies.Difference) float64 { _, roll := t.estimated(d); return roll }})
	}
	return list
}

// estimated returns the values that the policy file holds for the state of d, each NaN if it
// has none.
func (t *exportTable) estimated(d *policies.Difference) (hold, roll float64) {
	var s env.State
	if err := t.game.ReadState(d.Observation, &s); err != nil {
		panic(err) // a decision point is a state
	}
	return t.estimates.Values(s)
}

// exportFigures returns the names of all figures that a table can have.
func exportFigures() (names []string) {
	for _, f := range (&exportTable{values: true, diff: true}).figures() {
		names = append(names, f.name)
	}
	return append(names, estimatedHold, estimatedRoll)
}

// columns returns the names of all columns.
func (t *exportTable) columns() []string {
	names := append(columnNames(t.game), "action")
	for _, f := range t.figures() {
		names = append(names, f.name)
	}
	return names
}

// writer returns a function that writes rows, shows how far it is and ends with ctx.
func (t *exportTable) writer(ctx context.Context, write exportWriter, rows iter.Seq[policies.Difference], writing *task) func(io.Writer) error {
	return func(w io.Writer) error {
		err := write(t, w, func(yield func(policies.Difference) bool) {
			i := 0
			for d := range rows {
				if i%toldDecisions == 0 {
					if ctx.Err() != nil {
						return
					}
					writing.update(float64(i) / float64(t.count))
				}
				i++
				if !yield(d) {
					return
				}
			}
		})
		if ctx.Err() != nil { // the rows are not complete
			return ctx.Err()
		}
		return err
	}
}
