//go:build !unix

package main

// ignoreWriteSignals does nothing: writes fail with an error here.
func ignoreWriteSignals() {}
