package main

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"math"
	"strconv"

	"pigpen/cmd/pigpen/internal/npz"
	"pigpen/policies"
)

// An exportWriter writes rows in one format. It goes through them as often as it needs.
type exportWriter func(t *exportTable, w io.Writer, rows iter.Seq[policies.Difference]) error

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

// text returns the shortest decimal number that is x, or unknown if x is NaN.
func text(x float64, unknown string) string {
	if math.IsNaN(x) {
		return unknown
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

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
			cells = append(cells, text(f.of(&d), ""))
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
			line = append(append(append(append(line, `,"`...), f.name...), `":`...), text(f.of(&d), "null")...)
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
