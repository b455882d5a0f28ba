package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// Exit statuses. A command that fails ends with statusUsage if its error is a
// [usageError], else with statusFailed. A usageError is made where a value of
// the command line is found to be wrong: an unknown name, a value out of range,
// an empty file name, a flag that contradicts another one or the file that it is
// given with. What a file holds, or whether it can be read or written, is no
// usageError: a damaged file is statusFailed even if the library's error is one
// that a bad flag has too.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 130
)

// A usageError is a mistake in the command line; see the exit statuses.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errInterrupted ends a command that has said and saved all there is.
var errInterrupted = errors.New("interrupted")

// report prints an error on one line and returns the exit status. A reader of
// stdout who has gone away, as in "pigpen variants | head -1", is told nothing.
func report(stderr io.Writer, name string, err error) int {
	switch {
	case err == nil:
		return statusDone
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case errors.Is(err, errReaderGone):
		return statusFailed
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "pigpen: %s: interrupted\n", name)
		return statusInterrupted
	}
	fmt.Fprintf(stderr, "pigpen: %s: %s\n", name, plaintext.Error(err))
	if errors.As(err, new(usageError)) {
		return statusUsage
	}
	return statusFailed
}

// errReaderGone says that nobody reads stdout any more.
var errReaderGone = errors.New("nobody reads the output")
