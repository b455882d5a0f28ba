//go:build !windows

package main

import "os"

// heedsSequences reports whether a terminal takes control sequences.
func heedsSequences(*os.File) bool { return true }
