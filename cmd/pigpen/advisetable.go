package main

import (
	"context"
	"io"

	"pigpen/env"
	"pigpen/policies/atomicfile"
)

// adviseTable prints the turn totals at which a policy holds and, if out is not empty,
// writes them to that file as CSV. The policy is the one that args name, else perfect
// play, or the best response to the policy against.
func adviseTable(ctx context.Context, s streams, game *gameFlags, against string, args []string, out string, workers int) error {
	if len(args) > 1 {
		return usagef("policies given: %d; --table is for one, a file or a name such as hold-20", len(args))
	}
	if len(args) == 1 && against != "" {
		return usagef("--against is for the best response; leave %s out for it", args[0])
	}
	if out != "" {
		if err := atomicfile.Check(out); err != nil {
			return err
		}
	}
	show := showProgress(s.err)
	defer show.stop()
	t := holdTable{name: "perfect play"}
	var err error
	if len(args) == 1 {
		var list []player
		if t.game, list, err = game.find(args[0]); err == nil {
			if err = fitsTable(t.game); err == nil {
				err = makePlayers(ctx, show, workers, t.game, list)
			}
		}
		if err == nil {
			t.policy, t.name = list[0].policy, args[0]
		}
	} else {
		if against != "" {
			t.name = "the best response to " + against
		}
		t.game, t.policy, err = game.valuer(ctx, show, workers, against, fitsTable)
	}
	if err != nil {
		return err
	}
	if out != "" {
		show.begin("writing", out)
		err := writeResult(s, show, out, func(w io.Writer) error { return writeRows(ctx, w, t.rows) })
		if err != nil {
			return err
		}
	}
	show.stop()
	return print(s.out, t.text(widthOf(s.out)))
}

// fitsTable returns an error if a table of g would have more than two dimensions.
func fitsTable(g env.Game) error {
	if n := g.Players(); n > 2 {
		return usagef("a table of %d players would have %d dimensions; 'pigpen advise OWN OTHER...' answers for one state", n, n)
	}
	return nil
}
