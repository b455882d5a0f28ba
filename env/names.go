package env

import "fmt"

// An UnknownNameError is returned where a name is not among the known ones: of a
// variant, a policy, a learner. It carries what a program needs to suggest a name.
type UnknownNameError struct {
	// Err is the sentinel that the error wraps, such as [ErrUnknownVariant].
	Err error
	// Name is the name that is not known.
	Name string
	// Known are all names that are, aliases included.
	Known []string
	// List is a clause that lists them for people, as in "the variants are pig,
	// cochon".
	List string
}

// Error returns the text of Err with the name and the list.
func (e *UnknownNameError) Error() string { return fmt.Sprintf("%v %q; %s", e.Err, e.Name, e.List) }

// Unwrap returns Err.
func (e *UnknownNameError) Unwrap() error { return e.Err }
