//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package atomicfile

// isMountPoint returns false: files cannot be mounted here.
func isMountPoint(string) bool { return false }
