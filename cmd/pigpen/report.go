package main

import (
	"context"
	"io"
	"strings"

	"pigpen/cmd/pigpen/internal/htmlreport"
	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/policies"
	"pigpen/policies/atomicfile"
)

// mostCostly is the number of decisions that the table of a report shows.
const mostCostly = 20

// reportResult is what report prints as JSON.
type reportResult struct {
	gameResult
	File string `json:"file"`
	policies.Report
}

func reportCommand() command {
	fs := newFlags("report")
	var (
		game    = addGameFlags(fs)
		out     = addFile(fs, "out", "page to write; its name ends in .html")
		logs    = addFiles(fs, "log", "log of train whose learning curve to show")
		workers = 0
	)
	addWorkers(fs, &workers, "the page")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return command{
		name: "report", args: "FILE|NAME", flags: fs,
		short: "write a page about a policy, on which one can play against it",
		long: `Writes one HTML page that needs no network: the exact scores of a policy
by seat and against every rule of thumb, where it rolls and where perfect
play does otherwise, win probabilities by both scores, its costliest
decisions, how to make it again and, with --log, how it learned.

With two players one plays against the policy on the page, and asks what both
actions are worth. With more there is no game, and the pictures are of states
in which all others have the same score.`,
		example: "pigpen report hold-20 --out hold-20.html\npigpen report q.msgpack --log q.csv --out q.html",
		run: func(ctx context.Context, s streams, args []string) error {
			if err := checkReport(args, *out); err != nil {
				return err
			}
			show := showProgress(s.err)
			defer show.stop()
			p := pageAbout{flags: game, workers: workers, out: *out, logs: *logs, show: show}
			if err := p.gather(ctx, args[0]); err != nil {
				return err
			}
			err := writeResult(s, show, *out, func(w io.Writer) error { return htmlreport.Write(w, p.Report) })
			if err != nil {
				return err
			}
			show.stop()
			if *asJSON {
				return printJSON(s.out, reportResult{resultOf(p.Game, 0), *out, p.Scores[0]})
			}
			return print(s.out, reportText(p.Scores[0])+"the page is in "+plaintext.Escape(*out)+"\n")
		},
	}
}

// checkReport checks the command line of report.
func checkReport(args []string, out string) error {
	switch {
	case len(args) != 1:
		return usagef("policies given: %d; one is needed, a file or a name such as hold-20", len(args))
	case out == "":
		return usagef("--out is missing: the page to write, which ends in .html")
	case !strings.HasSuffix(strings.ToLower(out), ".html"):
		return usagef("--out %s; its name should end in .html", out)
	}
	return atomicfile.Check(out)
}
