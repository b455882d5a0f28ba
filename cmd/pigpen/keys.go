package main

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// keys reads single keys: from a terminal, as they are pressed, or from a stream, in
// which white space is passed over.
type keys struct {
	in      io.Reader
	asked   chan struct{} // has an element when a chunk is to be read
	chunks  chan keyChunk
	pending []byte
}

// A keyChunk is what one read returned.
type keyChunk struct {
	bytes []byte
	err   error
}

// interruptKey is what a terminal sends for Ctrl-C in raw mode.
const interruptKey = 3

func newKeys(in io.Reader) *keys {
	k := &keys{in: in, asked: make(chan struct{}, 1), chunks: make(chan keyChunk, 1)}
	go func() {
		for range k.asked {
			b := make([]byte, 64)
			n, err := in.Read(b)
			k.chunks <- keyChunk{b[:n], err}
		}
	}()
	return k
}

// close ends the reading, which may last until something is read.
func (k *keys) close() { close(k.asked) }

// next returns the next key. The error is ctx.Err(), or that of the stream, which is
// [io.EOF] at its end. Ctrl-C is [context.Canceled], and Ctrl-D the end.
func (k *keys) next(ctx context.Context) (byte, error) {
	if f, ok := k.in.(*os.File); ok && isTerminal(f) {
		if state, err := term.MakeRaw(int(f.Fd())); err == nil {
			defer func() { _ = term.Restore(int(f.Fd()), state) }()
		}
	}
	for {
		for len(k.pending) == 0 {
			k.asked <- struct{}{}
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case c := <-k.chunks:
				if len(c.bytes) == 0 && c.err != nil {
					return 0, c.err
				}
				const escape = 0x1b
				if len(c.bytes) > 0 && c.bytes[0] == escape { // an arrow, a function key and so on
					continue
				}
				k.pending = c.bytes
			}
		}
		key := k.pending[0]
		k.pending = k.pending[1:]
		switch key {
		case ' ', '\t', '\n', '\r':
		case interruptKey:
			return 0, context.Canceled
		case 4:
			return 0, io.EOF
		default:
			return key, nil
		}
	}
}
