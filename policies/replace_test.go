package policies_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"pigpen/policies"
)

// TestReplace writes files of several sizes, and fails at several places: then
// the file is as it was, or not there, and there is nothing else.
func TestReplace(t *testing.T) {
	errWrite := errors.New("no more")
	for _, before := range []string{"", "what was there before"} {
		d := newFolder(t)
		path := d.join("file")
		if before != "" {
			d.writeFile("file", before)
		}
		for _, size := range []int{0, 1, 5000, 1 << 20} {
			err := policies.Replace(path, func(w io.Writer) error {
				if _, err := io.WriteString(w, strings.Repeat("x", size)); err != nil {
					t.Errorf("the writer: %v", err)
				}
				return errWrite
			})
			if !errors.Is(err, errWrite) {
				t.Errorf("Replace, failing after %d bytes: %v, want %v", size, err, errWrite)
			}
			if before == "" {
				d.check()
				continue
			}
			d.check("file")
			if got, err := os.ReadFile(path); err != nil || string(got) != before {
				t.Errorf("Replace, failing after %d bytes, leaves %.40q, %v, want %q", size, got, err, before)
			}
		}
		for _, size := range []int{1 << 20, 5000, 0} {
			text := strings.Repeat("y", size)
			err := policies.Replace(path, func(w io.Writer) error {
				for part := range strings.SplitSeq(text, "") {
					if _, err := io.WriteString(w, part); err != nil {
						return err
					}
				}
				return nil
			})
			if got, readErr := os.ReadFile(path); err != nil || readErr != nil || string(got) != text {
				t.Errorf("Replace writes %d bytes, error %v, %v, want %d", len(got), err, readErr, size)
			}
			d.check("file")
		}
	}
}
