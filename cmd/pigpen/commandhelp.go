package main

import (
	"fmt"
	"strings"
)

// isHelp reports whether an argument asks for help.
func isHelp(arg string) bool { return arg == "help" || arg == "--help" || arg == "-h" }

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
