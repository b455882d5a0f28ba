package main

import (
	"fmt"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
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
	return "; what was there before is now in " + plaintext.Escape(s.kept)
}

// mayWrite returns an error if a policy could not be written to path, or if path is a
// name that stands for another policy.
func mayWrite(path string) error {
	origin := policies.OriginOf(path)
	switch {
	case path == everyRule, origin == policies.FromRule:
		return usagef("--out %s is the name of a fixed policy, which would hide the file; write ./%s", path, path)
	case origin == policies.FromTrained:
		return usagef("--out %s is the name of a policy that is built in, which would hide the file; write ./%s", path, path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("the policy could not be written: %w", err)
	}
	return nil
}
