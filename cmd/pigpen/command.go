package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
	"pigpen/train"
)

// version is the program's, as in "pigpen --version" and in policy files.
const version = "0.2.0"

// Exit statuses.
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

// usageError is a mistake in the command line.
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
		if len(args) == 0 {
			return report(stderr, "help", print(stdout, usage()))
		}
		name, args = args[0], []string{"--help"}
	case "--version", "version":
		return report(stderr, "version", print(stdout, "pigpen "+version+"\n"))
	}
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return report(stderr, name, c.execute(ctx, args, streams{stdin, stdout, stderr}))
		}
		names = append(names, c.name)
	}
	fmt.Fprintf(stderr, "pigpen: unknown command %q; %sthe commands are %s\n", name, env.DidYouMean(name, names), strings.Join(names, ", "))
	return statusUsage
}

// execute parses the flags and runs c.
func (c command) execute(ctx context.Context, args []string, s streams) error {
	help := c.flags.BoolP("help", "h", false, "show this help")
	c.flags.SortFlags = false
	c.flags.Usage = func() {}
	c.flags.SetOutput(io.Discard)
	if err := c.flags.Parse(args); err != nil {
		return usagef("%w; see 'pigpen %s --help'", err, c.name)
	}
	if *help {
		return print(s.out, c.help())
	}
	if c.graceful {
		return c.run(ctx, s, c.flags.Args())
	}
	return unlessDone(grace(ctx), func() error { return c.run(ctx, s, c.flags.Args()) })
}

// report prints an error on one line and returns the exit status.
func report(stderr io.Writer, name string, err error) int {
	if err == nil {
		return statusDone
	}
	if errors.Is(err, errInterrupted) {
		return statusInterrupted
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(stderr, "pigpen: %s: interrupted\n", name)
		return statusInterrupted
	}
	fmt.Fprintf(stderr, "pigpen: %s: %s\n", name, oneLine(err))
	var usage usageError
	if errors.Is(err, policies.ErrGame) {
		return statusFailed // the file's fault, even if it is a bad configuration that it holds
	}
	if errors.As(err, &usage) || errors.Is(err, env.ErrConfig) || errors.Is(err, env.ErrUnknownVariant) || errors.Is(err, exact.ErrPlayers) || errors.Is(err, train.ErrLog) {
		return statusUsage
	}
	return statusFailed
}

// oneLine returns the error's text on one line that a terminal can show, and
// without the names of the packages it came through, which say nothing to a
// user.
func oneLine(err error) string {
	text := printable(err.Error())
	for _, prefix := range []string{"env: ", "policies: ", "agents: ", "train: ", "exact: ", "trained: ", "bad configuration: ", "bad checkpoint: ", "bad log: ", "bad schedule: ", "no such table: "} {
		text = strings.ReplaceAll(text, prefix, "")
	}
	return text
}

// printable returns text with everything escaped that would not be seen on a
// terminal as it is: line breaks, control sequences, broken UTF-8.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

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

// print writes text in one piece and returns what went wrong.
func print(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// printJSON writes v as one JSON object on one line.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func usage() string {
	var b strings.Builder
	b.WriteString("pigpen trains, evaluates and serves players of Pig dice games.\n\nUsage: pigpen COMMAND [flags] [arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-12s%s\n", c.name, c.short)
	}
	b.WriteString("\n'pigpen COMMAND --help' tells more, with an example. 'pigpen --version' prints the version.\n")
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
	flags := c.flags.FlagUsagesWrapped(80)
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

// noArguments refuses arguments.
func noArguments(args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; flags begin with --", args[0])
	}
	return nil
}
