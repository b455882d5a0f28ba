package main

import (
	"fmt"

	"pigpen/policies"
)

// A savedPolicy tells where a policy file has been written.
type savedPolicy struct {
	path string // empty if it could be written nowhere
	kept string // the name that the file got which was at path before, if any
}

// savePolicy writes a policy to path, or else wherever it can be written; then
// the error says where it is.
func savePolicy(path string, f policies.File) (savedPolicy, error) {
	kept, err := policies.SaveKeeping(path, f)
	if err == nil {
		return savedPolicy{path, kept}, nil
	}
	err = fmt.Errorf("the policy could not be written: %w", err)
	elsewhere, e := policies.SaveElsewhere(path, f)
	if e != nil {
		return savedPolicy{}, fmt.Errorf("%w, nor anywhere else", err)
	}
	return savedPolicy{path: elsewhere}, fmt.Errorf("%w; it is in %s", err, elsewhere)
}

// keptClause says, behind where the policy is, what has become of the file that
// was there.
func (s savedPolicy) keptClause() string {
	if s.kept == "" {
		return ""
	}
	return "; what was there before is now in " + printable(s.kept)
}
