package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// graceKey is the key under which a command's context has the one that a second
// interrupt ends.
type graceKey struct{}

// interruptible returns a context that an interrupt ends: Ctrl-C, a request to
// terminate, or a terminal that is closed. A second interrupt ends grace of the
// context, and a third one the process.
func interruptible() context.Context {
	again, endAgain := context.WithCancel(context.Background())
	ctx, end := context.WithCancel(context.WithValue(context.Background(), graceKey{}, again))
	signals := make(chan os.Signal, 3)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as by nohup, or in the background of a script
			signal.Notify(signals, s)
		}
	}
	go func() {
		<-signals
		end()
		<-signals
		signal.Stop(signals)
		endAgain()
	}()
	return ctx
}

// grace returns the context that a second interrupt ends.
func grace(ctx context.Context) context.Context {
	if again, ok := ctx.Value(graceKey{}).(context.Context); ok {
		return again
	}
	return context.Background()
}
