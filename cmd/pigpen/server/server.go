// Package server serves Pigpen's protocol for programs of other modules, which bring
// variants and policies of their own. The command pigpen serve does the same with the
// variants of package env. PROTOCOL.md in cmd/pigpen/internal/serve describes the requests
// and replies.
package server

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"pigpen/cmd/pigpen/internal/serve"
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
)

// Options configure [Serve]. All fields but Game may be left zero.
type Options struct {
	// Game is the game of Policy, and of environments by default.
	Game env.Game
	// Policy is the policy to serve; nil for environments only. Name is its name in
	// replies; "" stands for "policy".
	Policy policies.Policy
	Name   string
	// Own are variants beside that of Game and those of package env which clients may
	// name, and whose policies they may load.
	Own []*env.Variant
	// Files opens the policy files that clients may name as opponents; nil for none.
	Files policies.Source
	// Format is the framing, "jsonl" or "msgpack"; "" stands for "jsonl".
	Format string
	// Sample makes replies draw actions by default, instead of taking the likelier one.
	Sample bool
	// Seed seeds the draws, and environments that are not given a seed.
	Seed uint64
	// Workers is the number of goroutines that answer one request; 0 means GOMAXPROCS.
	Workers int
	// MaxFrame is the length of the longest request in bytes, at least 64; 0 stands for
	// 64 MiB.
	MaxFrame int
	// Program is what replies say of the program; "" stands for "pigpen".
	Program string
}

// Serve answers the requests on in until in ends, a client quits, or reading or writing
// fails. ctx bounds what takes long in a request; it does not end a read or a write. An
// error in a request is a reply, and ends nothing.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	if o.Game == (env.Game{}) {
		return fmt.Errorf("server: no game; env.New makes one")
	}
	orDefault(&o.Format, "jsonl")
	orDefault(&o.Workers, runtime.GOMAXPROCS(0))
	orDefault(&o.MaxFrame, 64<<20)
	orDefault(&o.Name, "policy")
	orDefault(&o.Program, "pigpen")
	switch {
	case !slices.Contains(wire.Formats(), o.Format):
		return fmt.Errorf("server: format %q; it is one of %q", o.Format, wire.Formats())
	case o.Workers < 0:
		return fmt.Errorf("server: %d workers; at least one is needed", o.Workers)
	case o.MaxFrame < 64 || o.MaxFrame > math.MaxInt32:
		return fmt.Errorf("server: a longest request of %d bytes is not in [64, 2^31)", o.MaxFrame)
	}
	own := slices.Clone(o.Own)
	for _, v := range own {
		if err := v.Check(); err != nil {
			return err
		}
	}
	if v := o.Game.Variant(); !slices.Contains(append(env.Variants(), own...), v) {
		own = append(own, v)
	}
	options := serve.Options{
		Format: o.Format, MaxFrame: o.MaxFrame, Game: o.Game, Own: own, Sample: o.Sample, Seed: o.Seed, Workers: o.Workers,
		Files: o.Files, MaxPolicyBytes: serve.DefaultPolicyBytes, Program: o.Program,
		Variants: serve.DescribeVariants(append(env.Variants(), own...)),
	}
	if o.Policy != nil {
		options.Policy = &serve.Policy{Name: o.Name, Policy: o.Policy}
	}
	return serve.Run(ctx, options, in, out)
}

// orDefault sets *x to value if it is zero.
func orDefault[T comparable](x *T, value T) {
	var zero T
	if *x == zero {
		*x = value
	}
}
