package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/cmd/pigpen/internal/plaintext"
)

// version is the program's, as in "pigpen --version" and in policy files.
const version = "0.2.0"

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
		trainCommand(), evalCommand(), tournamentCommand(), solveCommand(), adviseCommand(), playCommand(), plotCommand(), reportCommand(), serveCommand(), importCommand(), exportCommand(), variantsCommand(), inspectCommand(), completionCommand(), versionCommand(),
	}
}

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
	case "--version":
		if len(args) > 0 {
			return report(stderr, "version", usagef("unexpected argument %q; it takes none", args[0]))
		}
		return report(stderr, "version", print(stdout, "pigpen "+version+"\n"))
	case completeWord:
		return report(stderr, name, printCompletions(stdout, args))
	}
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return report(stderr, name, c.execute(ctx, args, streams{stdin, stdout, stderr}))
		}
		names = append(names, c.name)
	}
	known := append(names[:len(names):len(names)], "help")
	what := fmt.Sprintf("unknown command %q; %sthe commands are", name, plaintext.DidYouMean(name, known))
	if strings.HasPrefix(name, "-") {
		what = fmt.Sprintf("%s stands before a command; flags stand behind it, and the commands are", name)
	}
	fmt.Fprintf(stderr, "pigpen: %s %s\n", plaintext.Escape(what), strings.Join(names, ", "))
	return statusUsage
}

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

// newFlags returns an empty set of flags for a command.
func newFlags(name string) *pflag.FlagSet { return pflag.NewFlagSet(name, pflag.ContinueOnError) }

// noArguments refuses arguments.
func noArguments(args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; flags begin with --", args[0])
	}
	return nil
}
