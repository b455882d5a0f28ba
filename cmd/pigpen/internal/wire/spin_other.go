//go:build !unix

package wire

import "os"

// inputReady returns nil: there is no poll on this system.
func inputReady(*os.File) (ready func() bool) { return nil }
