package main

import (
	"errors"
	"fmt"
	"io"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
)

// maxLine is more than any decision is long.
const maxLine = 1 << 16

// readLines reads decisions, a JSON object each.
func (t *importedTable) readLines(in io.Reader) error {
	lines := wire.NewJSONLines(in, maxLine)
	lines.FailFast = true
	for {
		frame, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.readLine(lines, frame)
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
}

// decisionSchema declares the fields of a line.
var decisionSchema = wire.Schema[decision]{
	wire.Required("observation", wire.Int16List(), func(d *decision) *[]int16 { return &d.observation }),
	wire.Required("action", wire.Int(0, env.NumActions-1), func(d *decision) *int64 { return &d.action }),
}

// readLine enters the decision of one line.
func (t *importedTable) readLine(lines *wire.JSONLines, frame []byte) error {
	const what = "a decision"
	o, err := lines.Object(frame)
	if notObject := new(wire.NotObjectError); errors.As(err, &notObject) {
		return fmt.Errorf("%s is %s", what, notObject.Want)
	} else if err != nil {
		return err
	}
	var d decision
	if err := decisionSchema.Read(o, what, &d); err != nil {
		return err
	}
	return t.decide(d.observation, env.Action(d.action))
}
