//go:build !unix

package main

import "os"

// lookout returns nil: that a read would not wait cannot be told.
func lookout(*os.File) (arrived func() bool) { return nil }
