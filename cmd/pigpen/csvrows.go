package main

import (
	"context"
	"encoding/csv"
	"io"
)

// writeRows writes rows as CSV.
func writeRows(ctx context.Context, out io.Writer, rows func(row func(values ...string) error) error) error {
	w := csv.NewWriter(out)
	err := rows(func(values ...string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.Write(values)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}
