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
Without a policy it serves hold-20.`,
		example: `printf '{"id":1,"op":"act","observation":[0,19,0]}\n' | pigpen serve hold-20`,
		run: func(ctx context.Context, s streams, args []string) error {
			name := "hold-20"
			switch len(args) {
			case 0:
			case 1:
				name = args[0]
			default:
				return usagef("policies given: %d; one is served", len(args))
			}
			if maxFrame < 64 || maxFrame > 1<<30 {
				return usagef("--max-frame %d is not in [64B, 1GiB]", maxFrame)
			}
			g, players, err := game.players(ctx, name)
			if err != nil {
				return err
			}
			if isTerminal(s.in) {
				fmt.Fprintf(s.err, "serving %s for %v; a request is one line, such as {\"op\":\"hello\"}; end with Ctrl-D\n", name, g)
			}
			return serve(ctx, s, &session{
				game: g, policy: players[0], sample: *sample,
				seed: *seed, rand: env.NewRand(*seed), maxFrame: int(maxFrame),
			})
		},
	}
}

// serve answers requests until the input ends, the client quits, or ctx ends.
// A session may be stuck in a read or a write when ctx ends; it then ends with
// the program.
func serve(ctx context.Context, s streams, session *session) error {
	done := make(chan error, 1)
	go func() { done <- session.run(s.in, s.out) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errInterrupted
	}
}

// run answers requests in order, each before it takes the next.
func (s *session) run(in io.Reader, out io.Writer) error {
	lines := newLineReader(in, s.maxFrame)
	for {
		var r reply
		quit := false
		frame, err := lines.next()
		switch {
		case err == nil:
			r, quit = s.answer(frame)
		case err == io.EOF:
			return nil
		case errors.Is(err, errFrameTooLarge):
			r.Error = &replyError{codeFrameTooLarge, err.Error()}
		default:
			return fmt.Errorf("reading requests: %w", err)
		}
		if r.ID == nil {
			r.ID = []byte("null")
		}
		if err := printJSON(out, r); err != nil {
			return fmt.Errorf("writing replies: %w", err)
		}
		if quit {
			return nil
		}
	}
}
