// Package serve answers requests about Pig games: what a policy does in given
// states, and what happens in games that a client plays. PROTOCOL.md beside this
// file describes the requests and replies.
//
// [Run] serves one client, in a session. Each op of the protocol stands in a file
// of its own, with its request's fields, its handler and its reply's fields; see
// [ops].
package serve

import (
	"context"
	"io"
	"os"

	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// ProtocolVersion is major.minor: a minor step adds, a major one breaks.
const ProtocolVersion = "1.3"

// DefaultPolicyBytes is a usual value of [Options.MaxPolicyBytes].
const DefaultPolicyBytes = 1 << 30

// Options configure a session.
type Options struct {
	Format   string // one of [wire.Formats]
	MaxFrame int    // bytes of the longest request; longer ones are skipped

	Game    env.Game       // of the policy, and of environments by default
	Own     []*env.Variant // beside [env.Variants], of games and of policy files
	Policy  *Policy        // nil if the session serves no policy
	Sample  bool           // draw actions by default, instead of taking the likelier one
	Seed    uint64         // of the draws, and of environments that are not given a seed
	Workers int            // goroutines that answer one request, at least 1

	// Files are the policy files that the client may name as opponents; nil for
	// none. Folder says that they are those in a folder, not any.
	Files  policies.Source
	Folder bool
	// MaxPolicyBytes bounds the memory of the opponents in all environments.
	MaxPolicyBytes int64

	// Program and Variants are what hello says of the program, as in "pigpen 1.0",
	// and of the variants.
	Program  string
	Variants any
	// Message returns the text of a library's error, on one line. Nil stands for
	// Error.
	Message func(error) string
	// Solving announces that optimal is about to be made for a game. It returns how to
	// solve the game, and a function that is called at the end. Nil stands for the
	// zero options.
	Solving func(g env.Game) (o exact.Options, end func())
}

// A Policy is the policy that a session serves.
type Policy struct {
	Name   string // as in "optimal", or the path of a file
	Policy env.Player
	File   os.FileInfo // that it was loaded from; nil for others
}

// Run answers the requests on in until in ends, the client quits, or reading or
// writing fails. Ctx bounds what takes long in a request; it does not end a read
// or a write.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	s := newSession(ctx, o)
	s.clientGone = wire.HungUp(out)
	return s.run(in, out)
}
