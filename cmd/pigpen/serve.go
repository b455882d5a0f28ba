package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/cmd/pigpen/internal/serve"
	"pigpen/cmd/pigpen/internal/wire"
	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
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
	maxPolicies := int64(serve.DefaultPolicyBytes)
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
protocol is described in cmd/pigpen/internal/serve/PROTOCOL.md. Nothing else is
written to stdout. An error is a reply and ends nothing. Without a policy there
are environments only. Clients may have this program read any policy file that
it can read, and learn which files there are, unless --files or --no-files
bounds that.`,
		example: `printf '{"id":1,"op":"act","observation":[0,19,0]}\n' | pigpen serve hold-20`,
		run: func(ctx context.Context, s streams, args []string) error {
			if len(args) > 1 {
				return usagef("policies given: %d; one is served", len(args))
			}
			if maxFrame < 64 || maxFrame > 1<<30 {
				return usagef("--max-frame %d is not in [64B, 1GiB]", maxFrame)
			}
			if !slices.Contains(wire.Formats(), *format) {
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
			o := serve.Options{
				Format: *format, MaxFrame: int(maxFrame), Sample: *sample, Seed: *seed, Workers: workers,
				Files: policies.Disk{}, Folder: *folder != "", MaxPolicyBytes: maxPolicies,
				Program: "pigpen " + version, Variants: serve.DescribeVariants(env.Variants()), Message: plaintext.Error, Solving: solving(show, workers),
			}
			if *noFiles {
				o.Files = nil
			} else if *folder != "" {
				root, err := os.OpenRoot(*folder)
				if err != nil {
					return fmt.Errorf("--files: %w", err)
				}
				defer root.Close()
				o.Files = root
			}
			var file os.FileInfo
			if len(args) > 0 {
				file, _ = os.Stat(args[0]) // game.players reports what is wrong with it
			}
			loading, stop := serve.WhileClient(ctx, wire.HungUp(s.out))
			g, players, err := game.players(loading, show, workers, args...)
			stop()
			if err != nil {
				if cause := context.Cause(loading); errors.Is(cause, serve.ErrClientGone) {
					return cause
				}
				return err
			}
			o.Game = g
			if len(players) > 0 {
				if players[0].ref.Origin != policies.FromFile {
					file = nil
				}
				o.Policy = &serve.Policy{Name: players[0].name, Policy: players[0].policy, File: file}
			}
			if isTerminal(s.in) && *format == "jsonl" {
				fmt.Fprintf(s.err, "serving %v; a request is one line, such as {\"op\":\"hello\"}; end with Ctrl-D\n", g)
			}
			err = unlessDone(ctx, func() error { return serve.Run(ctx, o, s.in, s.out) })
			if errors.Is(err, context.Canceled) {
				return errInterrupted
			}
			return err
		},
	}
}

// solving returns what [serve.Options] need to solve games and show it.
func solving(show *progress, workers int) func(g env.Game) (exact.Options, func()) {
	return func(g env.Game) (exact.Options, func()) {
		t := show.begin("solving", g.Variant().ID, fmt.Sprintf("target %d", g.Target()))
		return t.options(workers), t.end
	}
}
