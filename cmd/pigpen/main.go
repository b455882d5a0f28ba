// Command pigpen trains agents on Pig dice games, evaluates saved policies and
// serves them over stdin and stdout.
//
// Each subcommand is one file: it declares its flags and runs. Results go to
// stdout, everything else to stderr. Start with run in command.go.
package main

import "os"

func main() {
	ignoreWriteSignals() // a write that fails returns an error, and ends nothing by itself
	os.Exit(run(interruptible(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
