//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreWriteSignals makes writes to a closed pipe, or past the largest file that
// a process may write, fail with an error instead of ending the process.
func ignoreWriteSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
