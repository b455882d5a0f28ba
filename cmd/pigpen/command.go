package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// version is the program's, as in "pigpen --version" and in policy files.
const version = "0.2.0"

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

// A command is one word of the command line.
type command struct {
	name    string
	args    string // what stands behind the flags, as in "FILE|NAME"
	short   string // one line
	long    string // paragraphs
	example string // lines
	flags   *pflag.FlagSet
	// graceful tells that run itself ends soon after a second interrupt; other
	// commands are given up then.
	graceful bool
	run      func(ctx context.Context, s streams, args []string) error
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// commands returns every command, in the order of the help.
func commands() []command {
	return []command{
		trainCommand(), evalCommand(), tournamentCommand(), solveCommand(), serveCommand(), importCommand(), variantsCommand(), inspectCommand(),
	}
}

// A usageError is a mistake in the command line; see the exit statuses.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errInterrupted ends a command that has said and saved all there is.
var errInterrupted = errors.New("interrupted")

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage())
		return statusUsage
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "--help", "-h":
		if len(args) > 1 {
			return report(stderr, "help", usagef("unexpected argument %q; write 'pigpen help COMMAND'", args[1]))
		}
		if len(args) == 0 || isHelp(args[0]) {
			return report(stderr, "help", print(stdout, usage()))
		}
		name, args = args[0], []string{"--help"}
	case "version", "--version":
		if len(args) > 0 {
			return report(stderr, "version", usagef("unexpected argument %q; it takes none", args[0]))
		}
		return report(stderr, "version", print(stdout, "pigpen "+version+"\n"))
	}
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return report(stderr, name, c.execute(ctx, args, streams{stdin, stdout, stderr}))
		}
		names = append(names, c.name)
	}
	known := append(names[:len(names):len(names)], "help", "version")
	what := fmt.Sprintf("unknown command %q; %sthe commands are", name, plaintext.DidYouMean(name, known))
	if strings.HasPrefix(name, "-") {
		what = fmt.Sprintf("%s stands before a command; flags stand behind it, and the commands are", name)
	}
	fmt.Fprintf(stderr, "pigpen: %s %s\n", printable(what), strings.Join(names, ", "))
	return statusUsage
}

// isHelp reports whether an argument asks for help.
func isHelp(arg string) bool { return arg == "help" || arg == "--help" || arg == "-h" }

// execute parses the flags and runs c. "pigpen COMMAND help" shows the help,
// unless there is a file of that name.
func (c command) execute(ctx context.Context, args []string, s streams) error {
	help := c.flags.BoolP("help", "h", false, "show this help")
	c.flags.SortFlags = false
	c.flags.Usage = func() {}
	c.flags.SetOutput(io.Discard)
	err := c.flags.Parse(args)
	if err == nil {
		err = finiteFlags(c.flags)
	}
	if err != nil {
		return c.flagError(err)
	}
	if len(args) == 1 && args[0] == "help" {
		if _, err := os.Stat("help"); err != nil {
			*help = true
		}
	}
	if *help {
		return print(s.out, c.help())
	}
	if c.graceful {
		return c.run(ctx, s, c.flags.Args())
	}
	return unlessDone(grace(ctx), func() error { return c.run(ctx, s, c.flags.Args()) })
}

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
	fmt.Fprintf(stderr, "pigpen: %s: %s\n", name, oneLine(err))
	if errors.As(err, new(usageError)) {
		return statusUsage
	}
	return statusFailed
}

// oneLine is [plaintext.Error].
func oneLine(err error) string { return plaintext.Error(err) }

// printable is [plaintext.Escape].
func printable(text string) string { return plaintext.Escape(text) }

// unlessDone returns what do returns, or ctx.Err() as soon as ctx ends: do may
// then be stuck in a read or a write, and ends with the program.
func unlessDone(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errReaderGone says that nobody reads stdout any more.
var errReaderGone = errors.New("nobody reads the output")

// print writes text in one piece and returns what went wrong.
func print(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	if errors.Is(err, syscall.EPIPE) {
		return errReaderGone
	}
	return err
}

// printJSON writes v as one JSON object on one line.
func printJSON(w io.Writer, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return print(w, escapeJSON(b.String()))
}

// escapeJSON escapes what JSON leaves as it is in strings but a terminal would obey:
// DEL, the control characters after it, and marks that change the order of text. The
// values stay the same.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x7f || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		units := [2]rune{r}
		n := 1
		if r > 0xffff {
			units[0], units[1] = utf16.EncodeRune(r)
			n = 2
		}
		for _, unit := range units[:n] {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

func usage() string {
	var b strings.Builder
	b.WriteString("pigpen trains, evaluates and serves players of Pig dice games.\n\nUsage: pigpen COMMAND [flags] [arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s%s\n", c.name, c.short)
	}
	b.WriteString("\n'pigpen COMMAND --help' tells more, with an example.\n'pigpen --version' prints the version.\n")
	return b.String()
}

func (c command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: pigpen %s [flags]", c.name)
	if c.args != "" {
		b.WriteString(" " + c.args)
	}
	fmt.Fprintf(&b, "\n\n%s\n\nExample:\n", c.long)
	for line := range strings.Lines(c.example) {
		b.WriteString("  " + line)
	}
	// pflag notes after each switch that it takes true or false, which is noise.
	flags := c.flags.FlagUsagesWrapped(helpWidth)
	fmt.Fprintf(&b, "\n\nFlags:\n%s", strings.ReplaceAll(flags, "[=true|false]", "             "))
	return b.String()
}

// newFlags returns an empty set of flags for a command.
func newFlags(name string) *pflag.FlagSet { return pflag.NewFlagSet(name, pflag.ContinueOnError) }

// isTerminal reports whether a stream is a person's terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns the number of columns of a terminal, or 80 where a stream is
// none.
func widthOf(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// noArguments refuses arguments.
func noArguments(args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; flags begin with --", args[0])
	}
	return nil
}
