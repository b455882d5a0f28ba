package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"pigpen/env"
	"pigpen/policies"
)

func serveCommand() command {
	fs := newFlags("serve")
	var (
		game     = addGameFlags(fs)
		format   = fs.String("format", "jsonl", "framing: jsonl, or msgpack for speed")
		sample   = fs.Bool("sample", false, "draw actions with the policy's chance of rolling, instead of taking the likelier one")
		seed     = fs.Uint64("seed", 1, "seed of the draws, and of environments that are not given one")
		maxFrame = int64(64 << 20)
	)
	fs.Var(size(&maxFrame), "max-frame", "longest request; longer ones are answered with an error and skipped")
	maxPolicies := int64(defaultPolicyBytes)
	fs.Var(size(&maxPolicies), "max-policies", "most memory for the opponents in all environments")
	folder := fs.String("files", "", "folder in which clients may name policy files as opponents (default: anywhere)")
	noFiles := fs.Bool("no-files", false, "let clients name no policy files at all")
	workers := 0
	addWorkers(fs, &workers, "the replies")
	return command{
		name: "serve", args: "[FILE|NAME]", flags: fs,
		short: "serve a policy and environments on stdin and stdout",
		long: `Answers requests until stdin ends or a request says quit: what the policy does
in given states, and what happens in games that a trainer in any language plays.
In jsonl a request is one JSON object on a line, in msgpack one map; the
protocol is described in cmd/pigpen/PROTOCOL.md. Nothing else is written to
stdout. An error is a reply and ends nothing. Without a policy there are
environments only. Clients may have this program read any policy file that it
can read, and learn which files there are, unless --files or --no-files bounds
that.`,
		example: `printf '{"id":1,"op":"act","observation":[0,19,0]}\n' | pigpen serve hold-20`,
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) > 1 {
				return usagef("policies given: %d; one is served", len(args))
			}
			if maxFrame < 64 || maxFrame > 1<<30 {
				return usagef("--max-frame %d is not in [64B, 1GiB]", maxFrame)
			}
			if newFraming(*format, nil, 0) == nil {
				return usagef("--format %q; it is jsonl or msgpack", *format)
			}
			switch {
			case *noFiles && fs.Changed("files"):
				return usagef("--files and --no-files; it is either of them")
			case fs.Changed("files") && *folder == "":
				return usagef("--files is empty; it is a folder")
			}
			show := showProgress(s.err)
			defer show.stop()
			store := policyStore{files: policies.Disk{}, folder: *folder, workers: workers, show: show, limit: maxPolicies}
			if *noFiles {
				store.files = nil
			} else if *folder != "" {
				root, err := os.OpenRoot(*folder)
				if err != nil {
					return fmt.Errorf("--files: %w", err)
				}
				defer root.Close()
				store.files = root
			}
			var served os.FileInfo
			if len(args) > 0 {
				served, _ = os.Stat(args[0]) // what is wrong with it loading will tell
			}
			unread := unreadable(s.out)
			loading, stop := whileRead(ctx, unread)
			g, players, err := game.players(loading, show, workers, args...)
			stop()
			if err != nil {
				if cause := context.Cause(loading); errors.Is(cause, errUnread) {
					return cause
				}
				return err
			}
			session := &session{
				ctx: ctx, game: g, sample: *sample, seed: *seed, rand: env.NewRand(*seed), workers: workers,
				format: *format, maxFrame: int(maxFrame), environments: make(map[int64]*environment),
				policies: store, unread: unread,
			}
			if len(players) > 0 {
				session.policy = &players[0]
				if players[0].ref.Origin != policies.FromFile {
					served = nil
				}
				session.policies.serves(players[0], g, served)
			}
			if isTerminal(s.in) && *format == "jsonl" {
				fmt.Fprintf(s.err, "serving %v; a request is one line, such as {\"op\":\"hello\"}; end with Ctrl-D\n", g)
			}
			return serve(ctx, s, session)
		},
	}
}

// A framing tells where requests begin and end, and how values are written.
type framing interface {
	// next returns the next frame, valid until the next call. A frame over the
	// limit is skipped and gives errFrameTooLarge, after which next may be called
	// again; any other error is final. At the end it is io.EOF.
	next() ([]byte, error)
	// decode reads a request from a frame, of which it keeps parts. The ID is set
	// where it can be read, even if there is an error.
	decode(frame []byte) (request, *replyError)
	// encode writes a reply.
	encode(b *bytes.Buffer, r reply)
}

// readBuffer is how many bytes are read at a time.
const readBuffer = 64 << 10

// newFraming returns the framing of a format, or nil if there is none.
func newFraming(format string, in io.Reader, limit int) framing {
	switch format {
	case "jsonl":
		return newJSONLines(in, limit)
	case "msgpack":
		return newMsgpackStream(in, limit)
	}
	return nil
}

// serve answers requests until the input ends, the client quits, or ctx ends.
func serve(ctx context.Context, s streams, session *session) error {
	err := unlessDone(ctx, func() error { return session.run(s.in, s.out) })
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}

// A conversation holds back replies until something is to be read that has not
// arrived, they are many, or the next one may take long.
type conversation struct {
	in      io.Reader
	out     io.Writer
	replies bytes.Buffer
	err     error // of a write; nothing is written after it
}

// enoughReplies is how many bytes of replies do not wait for the next read.
const enoughReplies = 64 << 10

// Read implements [io.Reader].
func (c *conversation) Read(b []byte) (int, error) {
	if err := c.send(); err != nil {
		return 0, err
	}
	n, err := c.in.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("reading requests: %w", err)
	}
	return n, err
}

func (c *conversation) send() error {
	if c.replies.Len() == 0 || c.err != nil {
		return c.err
	}
	_, err := c.out.Write(c.replies.Bytes())
	c.replies.Reset()
	if err != nil {
		c.err = fmt.Errorf("writing replies: %w", err)
	}
	return c.err
}

// run answers requests in order.
func (s *session) run(in io.Reader, out io.Writer) error {
	c := &conversation{in: newEagerReader(in), out: out}
	f := newFraming(s.format, c, s.maxFrame)
	s.send = c.send
	for {
		var r reply
		quit := false
		frame, err := f.next()
		switch {
		case err == nil:
			q, wrong := f.decode(frame)
			if r = (reply{id: q.id, wrong: wrong}); wrong == nil {
				r, quit = s.answer(&q)
			}
		case errors.Is(err, errFrameTooLarge):
			r.wrong = &replyError{codeFrameTooLarge, err.Error()}
		case errors.Is(err, errFramingLost):
			f.encode(&c.replies, reply{wrong: &replyError{codeBadFrame, err.Error()}})
			return errors.Join(err, c.send())
		case err == io.EOF:
			return c.send()
		default:
			return err
		}
		f.encode(&c.replies, r)
		if quit {
			return c.send()
		}
		if c.replies.Len() >= enoughReplies {
			if err := c.send(); err != nil {
				return err
			}
		}
	}
}
