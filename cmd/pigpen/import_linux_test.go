package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestImportTerminal imports what is typed at a terminal, which is told what is
// waited for.
func TestImportTerminal(t *testing.T) {
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer keyboard.Close()
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	must(err, unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(err)
	defer terminal.Close()
	const endOfInput = "\x04" // Ctrl-D
	_, err = io.WriteString(keyboard, `{"observation":[0,5,0],"action":1}`+"\n"+endOfInput)
	must(err)
	var out, stderr bytes.Buffer
	path := filepath.Join(t.TempDir(), "p.msgpack")
	status := run(t.Context(), []string{"import", "--target", "10", "--out", path}, terminal, &out, &stderr)
	const want = "reading decisions from the terminal, one JSON object on each line; end with Ctrl-D, give up with Ctrl-C\n"
	if status != statusDone || stderr.String() != want || !strings.Contains(out.String(), "1 of ") {
		t.Errorf("status %d, stdout %q, stderr %q, want %q", status, out.String(), stderr.String(), want)
	}
}
