package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// maxLine is more than any decision is long.
const maxLine = 1 << 16

// readLines reads decisions, a JSON object each.
func (t *importedTable) readLines(in io.Reader) error {
	lines := wire.NewJSONLines(in, maxLine)
	lines.FailFast = true
	schema := lineSchema()
	for {
		frame, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.readLine(lines, frame, schema)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", lines.Line, err)
		}
	}
}

// A decision is what a line of the input says.
type decision struct {
	observation []int16
	action      int64
	chance      *float64 // nil if the line has none
}

// decisionSchema declares the fields of a line.
var decisionSchema = wire.Schema[decision]{
	wire.Required("observation", wire.Int16List(), func(d *decision) *[]int16 { return &d.observation }),
	wire.Required("action", wire.Int(0, env.NumActions-1), func(d *decision) *int64 { return &d.action }),
	wire.Optional(rollChance, chanceKind, func(d *decision) **float64 { return &d.chance }),
}

// chanceKind is a number in JSON. Whether it is a chance is for decide to check.
var chanceKind = wire.Kind[*float64]{Want: "a number", Read: func(_ wire.Notation, value []byte) (*float64, bool) {
	x, err := strconv.ParseFloat(string(value), 64)
	return &x, err == nil
}}

// lineSchema is the schema with the figures that 'pigpen export' writes, which are not
// looked at.
func lineSchema() wire.Schema[decision] {
	s := slices.Clone(decisionSchema)
	figure := wire.Kind[struct{}]{Want: "a number", Read: func(wire.Notation, []byte) (struct{}, bool) { return struct{}{}, true }}
	for _, name := range exportFigures() {
		if name == rollChance {
			continue
		}
		s = append(s, wire.Optional(name, figure, func(*decision) *struct{} { return new(struct{}) }))
	}
	return s
}

// readLine enters the decision of one line.
func (t *importedTable) readLine(lines *wire.JSONLines, frame []byte, schema wire.Schema[decision]) error {
	const what = "a decision"
	o, err := lines.Object(frame)
	if notObject := new(wire.NotObjectError); errors.As(err, &notObject) {
		return fmt.Errorf("%s is %s", what, notObject.Want)
	} else if err != nil {
		return err
	}
	var d decision
	if err := schema.Read(o, what, &d); err != nil {
		return err
	}
	return t.decide(d.observation, env.Action(d.action), d.chance)
}
