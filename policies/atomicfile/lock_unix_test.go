//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceableRemoved asks for a file that was removed in the meantime, whose name must
// stay free.
func TestReplaceableRemoved(t *testing.T) {
	folder := t.TempDir()
	if err := replaceable(filepath.Join(folder, "file")); err != nil {
		t.Errorf("replaceable: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("replaceable left %v, %v; want nothing", left, err)
	}
}
