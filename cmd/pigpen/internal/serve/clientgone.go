package serve

import (
	"context"
	"errors"
	"time"
)

// ErrClientGone is the cause of a context of [WhileClient] that ends because
// nobody reads the replies.
var ErrClientGone = errors.New("the work is given up, since nobody reads the replies")

// pollEvery is the time between two calls of gone in [WhileClient].
const pollEvery = 50 * time.Millisecond

// WhileClient returns a context for long work. It ends with ctx, or with the cause
// [ErrClientGone] soon after gone, as of [wire.HungUp], returns true; gone may be
// nil. Stop releases the context.
//
// Neither the end of the input nor the death of the parent process ends the work:
// clients often write all requests before they read the first reply, and a job in
// the background outlives its shell.
func WhileClient(ctx context.Context, gone func() bool) (work context.Context, stop func()) {
	work, cancel := context.WithCancelCause(ctx)
	if gone == nil {
		return work, func() { cancel(nil) }
	}
	go func() {
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		for {
			select {
			case <-work.Done():
				return
			case <-tick.C:
				if gone() {
					cancel(ErrClientGone)
				}
			}
		}
	}()
	return work, func() { cancel(nil) }
}
