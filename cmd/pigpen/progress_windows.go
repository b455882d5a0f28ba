package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// heedsSequences reports whether a console takes control sequences, which it
// has to be told.
func heedsSequences(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
