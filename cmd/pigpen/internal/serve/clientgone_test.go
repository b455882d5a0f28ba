package serve

import (
	"context"
	"errors"
	"testing"
)

// TestWhileClient ends work by each of its ends.
func TestWhileClient(t *testing.T) {
	work, stop := WhileClient(t.Context(), func() bool { return true })
	<-work.Done()
	if err := context.Cause(work); !errors.Is(err, ErrClientGone) {
		t.Errorf("gone: %v, want %v", err, ErrClientGone)
	}
	stop()
	for _, gone := range []func() bool{nil, func() bool { return false }} {
		ctx, cancel := context.WithCancel(t.Context())
		work, stop := WhileClient(ctx, gone)
		if work.Err() != nil {
			t.Errorf("work ends at once: %v", work.Err())
		}
		cancel()
		<-work.Done()
		if err := context.Cause(work); !errors.Is(err, context.Canceled) || errors.Is(err, ErrClientGone) {
			t.Errorf("canceled: %v, want %v", err, context.Canceled)
		}
		stop()
	}
}
