package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// errUnread ends work for a client that is gone.
var errUnread = errors.New("the work is given up, since nobody reads the replies")

// lookEvery is how often whileRead looks.
const lookEvery = 50 * time.Millisecond

// whileRead returns a context for long work. It ends with ctx, and with the cause
// [errUnread] once unread reports that nobody can read what the work is for;
// unread may be nil. Stop ends the looking.
//
// The end of the input is no such sign: requests are often all written before
// the first is answered. Neither is the death of the parent, which a job in the
// background outlives.
func whileRead(ctx context.Context, unread func() bool) (work context.Context, stop func()) {
	work, cancel := context.WithCancelCause(ctx)
	if unread == nil {
		return work, func() { cancel(nil) }
	}
	go func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-work.Done():
				return
			case <-look.C:
				if unread() {
					cancel(errUnread)
				}
			}
		}
	}()
	return work, func() { cancel(nil) }
}

// unreadable returns a function that reports at once whether nobody can read any
// more what is written to out, or nil where it cannot be told.
func unreadable(out io.Writer) func() bool {
	if f, ok := out.(*os.File); ok {
		return hungUp(f)
	}
	return nil
}
