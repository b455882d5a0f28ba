package main

import (
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"math"
	"strconv"

	"pigpen/cmd/pigpen/internal/npz"
	"pigpen/env"
	"pigpen/policies"
)

// An exportTable lays out decisions as the rows of a table.
type exportTable struct {
	game         env.Game
	values, diff bool
	count        int // of rows
}

// An exportWriter writes rows in one format. It goes through them as often as it needs.
type exportWriter func(t *exportTable, w io.Writer, rows iter.Seq[policies.Difference]) error

// A figure is a column of the table besides the observation and the action.
type figure struct {
	name string
	of   func(d *policies.Difference) float64
}

// figures returns the columns after the observation and the action.
func (t *exportTable) figures() []figure {
	list := []figure{{"roll_chance", func(d *policies.Difference) float64 { return d.RollChance }}}
	if t.diff {
		list = append(list, figure{"other_roll_chance", func(d *policies.Difference) float64 { return d.Other }})
	}
	if t.values {
		list = append(list,
			figure{"win_hold", func(d *policies.Difference) float64 { return d.Hold }},
			figure{"win_roll", func(d *policies.Difference) float64 { return d.Roll }},
			figure{"loss", func(d *policies.Difference) float64 { return d.Loss }})
	}
	return list
}

// exportFigures returns the names of all figures that a table can have.
func exportFigures() (names []string) {
	for _, f := range (&exportTable{values: true, diff: true}).figures() {
		names = append(names, f.name)
	}
	return names
}

// columns returns the names of all columns.
func (t *exportTable) columns() []string {
	names := append(columnNames(t.game), "action")
	for _, f := range t.figures() {
		names = append(names, f.name)
	}
	return names
}

// exportWriters returns the formats by the ending of a file's name.
func exportWriters() []struct {
	ending string
	write  exportWriter
} {
	return []struct {
		ending string
		write  exportWriter
	}{{".csv", (*exportTable).writeCSV}, {".jsonl", (*exportTable).writeJSONL}, {".npz", (*exportTable).writeNPZ}}
}

// exportFormats returns the endings of the formats.
func exportFormats() (endings []string) {
	for _, f := range exportWriters() {
		endings = append(endings, f.ending)
	}
	return endings
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

// text returns the shortest decimal number that is x.
func text(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (t *exportTable) writeCSV(w io.Writer, rows iter.Seq[policies.Difference]) error {
	out := csv.NewWriter(w)
	if err := out.Write(t.columns()); err != nil {
		return err
	}
	figures := t.figures()
	var cells []string
	for d := range rows {
		cells = cells[:0]
		for _, x := range d.Observation {
			cells = append(cells, strconv.Itoa(int(x)))
		}
		cells = append(cells, strconv.Itoa(int(d.Action())))
		for _, f := range figures {
			cells = append(cells, text(f.of(&d)))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (t *exportTable) writeJSONL(w io.Writer, rows iter.Seq[policies.Difference]) error {
	figures := t.figures()
	var line []byte
	for d := range rows {
		observation, err := json.Marshal(d.Observation)
		if err != nil {
			return err
		}
		line = append(append(line[:0], `{"observation":`...), observation...)
		line = strconv.AppendInt(append(line, `,"action":`...), int64(d.Action()), 10)
		for _, f := range figures {
			line = append(append(append(append(line, `,"`...), f.name...), `":`...), text(f.of(&d))...)
		}
		if _, err := w.Write(append(line, "}\n"...)); err != nil {
			return err
		}
	}
	return nil
}

func (t *exportTable) writeNPZ(w io.Writer, rows iter.Seq[policies.Difference]) error {
	array := func(name, dtype string, shape []int, element func(b []byte, d *policies.Difference) []byte) npz.Array {
		return npz.Array{Name: name, DType: dtype, Shape: shape, Write: func(w io.Writer) error {
			var b []byte
			for d := range rows {
				b = element(b[:0], &d)
				if _, err := w.Write(b); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	arrays := []npz.Array{
		array("observations", "<i2", []int{t.count, t.game.NumColumns()}, func(b []byte, d *policies.Difference) []byte {
			for _, x := range d.Observation {
				b = binary.LittleEndian.AppendUint16(b, uint16(x))
			}
			return b
		}),
		array("actions", "|u1", []int{t.count}, func(b []byte, d *policies.Difference) []byte { return append(b, byte(d.Action())) }),
	}
	for _, f := range t.figures() {
		arrays = append(arrays, array(f.name, "<f8", []int{t.count}, func(b []byte, d *policies.Difference) []byte {
			return binary.LittleEndian.AppendUint64(b, math.Float64bits(f.of(d)))
		}))
	}
	return npz.Write(w, arrays...)
}
