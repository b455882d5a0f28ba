// Command pigpen trains agents on Pig dice games, evaluates saved policies and
// serves them over stdin and stdout.
//
// Each subcommand is one file: it declares its flags and runs. Results go to
// stdout, everything else to stderr. Start with run in command.go.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
