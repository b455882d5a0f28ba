package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies/exact"
)

// What a session may hold.
const (
	maxEnvs  = 1024
	maxGames = 1 << 18 // of all environments together
)

// A session answers the requests of one client, in either format.
type session struct {
	Options
	ctx     context.Context // ends what takes long
	ops     []op
	dtypes  map[string]string // of columns, by name
	rand    env.Rand          // of draws in single states
	batches uint64            // requests that drew in many states
	// clientGone reports, without blocking, whether nobody can read the replies; nil
	// where only a write tells.
	clientGone func() bool
	flush      func() error // writes the replies that are held back; nil outside of run

	policies     policyStore // opponents in the environments
	environments map[int64]*environment
	made         int64 // environments, closed ones too
	games        int   // of the open environments

	head [3]wire.Field // of the reply that is encoded
}

// newSession returns a session without environments.
func newSession(ctx context.Context, o Options) *session {
	if o.Message == nil {
		o.Message = error.Error
	}
	if o.Solving == nil {
		o.Solving = func(env.Game) (exact.Options, func()) { return exact.Options{}, func() {} }
	}
	s := &session{
		Options: o, ctx: ctx, ops: ops(), rand: env.NewRand(o.Seed), environments: make(map[int64]*environment),
		policies: policyStore{files: o.Files, own: o.Own, folder: o.Folder, limit: o.MaxPolicyBytes, solving: o.Solving},
	}
	s.dtypes = dtypes(s.ops)
	if o.Policy != nil {
		s.policies.serves(*o.Policy, o.Game)
	}
	return s
}

// A connection holds replies back until the next request has not yet arrived,
// replyBuffer bytes are held, or the next reply may take long.
type connection struct {
	in      io.Reader
	out     io.Writer
	replies bytes.Buffer
	err     error // of a write; nothing is written after it
}

// replyBuffer is how many bytes of replies are held back at most.
const replyBuffer = 64 << 10

// Read implements [io.Reader]. It flushes before it reads.
func (c *connection) Read(b []byte) (int, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	n, err := c.in.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("reading requests: %w", err)
	}
	return n, err
}

// flush writes the replies that are held back.
func (c *connection) flush() error {
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
	c := &connection{in: wire.NewSpinningReader(in), out: out}
	f := wire.NewFormat(s.Format, c, s.MaxFrame)
	s.flush = c.flush
	for {
		ends := false
		frame, err := f.Next()
		switch {
		case err == nil:
			ends = s.answer(f, frame, &c.replies)
		case errors.Is(err, wire.ErrFrameTooLarge):
			s.encode(f, &c.replies, nil, nil, &Error{CodeFrameTooLarge, err.Error()})
		case errors.Is(err, wire.ErrFramingLost):
			s.encode(f, &c.replies, nil, nil, &Error{CodeBadFrame, err.Error()})
			return errors.Join(err, c.flush())
		case err == io.EOF:
			return c.flush()
		default:
			return err
		}
		if ends {
			return c.flush()
		}
		if c.replies.Len() >= replyBuffer {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
}

// answer appends the reply to a request to b, and reports whether the session
// ends.
func (s *session) answer(f wire.Format, frame []byte, b *bytes.Buffer) (ends bool) {
	o, err := f.Object(frame)
	if err != nil {
		s.encode(f, b, o.Find("id"), nil, frameError(err))
		return false
	}
	id := o.Take("id")
	op, wrong := s.takeOp(&o)
	if wrong != nil {
		s.encode(f, b, id, nil, wrong)
		return false
	}
	fields, wrong := op.answer(s, o)
	s.encode(f, b, id, fields, wrong)
	return op.ends && wrong == nil
}

// frameError returns the reply's error for one of [wire.Format.Object].
func frameError(err error) *Error {
	var notObject *wire.NotObjectError
	if errors.As(err, &notObject) {
		return &Error{CodeBadFrame, "a frame is " + notObject.Want}
	}
	return &Error{CodeBadRequest, err.Error()}
}

// encode appends a reply to b: the fields, or wrong if it is not nil. The id is as
// in the request, and nil for null.
func (s *session) encode(f wire.Format, b *bytes.Buffer, id []byte, fields []wire.Field, wrong *Error) {
	head := s.head[:2]
	head[0] = wire.Field{Name: "id"}
	if id != nil {
		head[0].Value = wire.Raw(id)
	}
	head[1] = wire.Field{Name: "ok", Value: wrong == nil}
	if wrong != nil {
		head = append(head, wire.Field{Name: "error", Value: wrong})
		fields = nil
	}
	f.Encode(b, head, fields)
}

// environment returns the open environment of a number.
func (s *session) environment(number int64) (*environment, *Error) {
	e := s.environments[number]
	if e == nil {
		return nil, errorf(CodeUnknownEnv, "no environment is open under the number %d", number)
	}
	return e, nil
}

// failed returns the reply's error for an error of a library.
func (s *session) failed(code string, err error) *Error { return &Error{code, s.Message(err)} }
