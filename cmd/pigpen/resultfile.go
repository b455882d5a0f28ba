package main

import (
	"fmt"
	"io"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies/atomicfile"
)

// writeResult writes a file of a result whole or not at all, and keeps what was at path
// before, which it tells on stderr.
func writeResult(s streams, show *progress, path string, write func(w io.Writer) error) error {
	kept, err := atomicfile.WriteKeeping(path, write)
	if err != nil {
		return err
	}
	if kept != "" {
		show.stop()
		_, _ = fmt.Fprintf(s.err, "what was in %s before is now in %s\n", plaintext.Escape(path), plaintext.Escape(kept))
	}
	return nil
}
