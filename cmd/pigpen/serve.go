package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pigpen/env"
)

func serveCommand() command {
	fs := newFlags("serve")
	var (
		game     = addGameFlags(fs)
		sample   = fs.Bool("sample", false, "draw actions with the policy's chance of rolling, instead of taking the likelier one")
		seed     = fs.Uint64("seed", 1, "seed of the draws")
		maxFrame = int64(1 << 20)
	)
	fs.Var(size(&maxFrame), "max-frame", "longest request; longer ones are answered with an error and skipped")
	return command{
		name: "serve", args: "[FILE|NAME]", flags: fs,
		short: "answer requests for actions on stdin and stdout",
		long: `Answers requests in JSON, one object a line, until stdin ends or a request says
quit. Nothing else is written to stdout. An error is a reply and ends nothing.
Without a policy it serves ` + reference + `.`,
		example: `printf '{"id":1,"op":"act","observation":[0,19,0]}\n' | pigpen serve hold-20`,
		run: func(ctx context.Context, s streams, args []string) error {
			name := reference
			switch len(args) {
			case 0:
			case 1:
				name = args[0]
			default:
				return usagef("%d policies given, and one is served", len(args))
			}
			if maxFrame < 64 || maxFrame > 1<<30 {
				return usagef("--max-frame %d is not in [64B, 1GiB]", maxFrame)
			}
			g, players, err := game.players(name)
			if err != nil {
				return err
			}
			return serve(ctx, s, &session{
				game: g, policy: players[0], sample: *sample,
				seed: *seed, rand: env.NewRand(*seed), maxFrame: int(maxFrame),
			})
		},
	}
}

// serve answers requests in order until the input ends, the client quits, or
// ctx ends. Each reply is written before the next request is taken.
func serve(ctx context.Context, s streams, session *session) error {
	type input struct {
		frame []byte
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	frames, taken := make(chan input), make(chan struct{})
	// The reader may be stuck in a read when ctx ends; it then ends with the
	// program, which is why the channels and not the reader are waited for.
	go func() {
		lines := newLineReader(s.in, session.maxFrame)
		for {
			frame, err := lines.next()
			select {
			case frames <- input{frame, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errFrameTooLarge) {
				return
			}
			select {
			case <-taken:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		var in input
		select {
		case in = <-frames:
		case <-ctx.Done():
			return errInterrupted
		}
		var r reply
		quit := false
		switch {
		case in.err == io.EOF:
			return nil
		case errors.Is(in.err, errFrameTooLarge):
			r.Error = &replyError{codeFrameTooLarge, in.err.Error()}
		case in.err != nil:
			return fmt.Errorf("reading requests: %w", in.err)
		default:
			r, quit = session.answer(in.frame)
		}
		if r.ID == nil {
			r.ID = []byte("null")
		}
		if err := printJSON(s.out, r); err != nil {
			return fmt.Errorf("writing replies: %w", err)
		}
		if quit {
			return nil
		}
		select {
		case taken <- struct{}{}:
		case <-ctx.Done(): // the reader may have seen it first, and left
			return errInterrupted
		}
	}
}
