package main

import (
	"fmt"
	"maps"
	"strconv"

	"pigpen/cmd/pigpen/internal/plaintext"
	"pigpen/train"
)

// A loggedRun is a training that a log has the rows of.
type loggedRun struct {
	file string
	rows []train.LoggedRow
}

// runsOf splits the rows of a log, which may be that of a sweep, into trainings.
func runsOf(file string, rows []train.LoggedRow) (runs []loggedRun) {
	at := make(map[string]int)
	for _, r := range rows {
		is := identityOf(r) + "\n" + r.From["seed"]
		i, ok := at[is]
		if !ok {
			i = len(runs)
			at[is] = i
			runs = append(runs, loggedRun{file: file})
		}
		runs[i].rows = append(runs[i].rows, r)
	}
	return runs
}

// identityOf returns a text that distinguishes the training of a row from those that
// differ from it in more than the seed and the version of the program.
func identityOf(r train.LoggedRow) string {
	from := maps.Clone(r.From)
	delete(from, "seed")
	delete(from, "program")
	return fmt.Sprint(from, r.Settings, r.Options) // in the order of the names
}

// A runGroup is a list of runs that differ in their seeds alone.
type runGroup []loggedRun

// groupRuns groups runs, in the order of the first of each group. Logs that do not say
// what their training was are groups of their own.
func groupRuns(runs []loggedRun) ([]runGroup, error) {
	var groups []runGroup
	at := make(map[string]int)
	for _, run := range runs {
		first := run.rows[0]
		is := identityOf(first)
		if first.From["agent"] == "" {
			is = run.file
		}
		i, ok := at[is]
		if !ok {
			i = len(groups)
			at[is] = i
			groups = append(groups, nil)
		}
		for _, other := range groups[i] {
			if seed := first.From["seed"]; other.rows[0].From["seed"] == seed {
				return nil, usagef("%s and %s are logs of the same training with the same seed; leave one out", other.file, run.file)
			}
		}
		groups[i] = append(groups[i], run)
	}
	return groups, nil
}

// gameOfRuns returns a text about the game of all runs, and its number of players: two
// where the logs do not say.
func gameOfRuns(runs []loggedRun) (text string, players int, err error) {
	players = 2
	var first train.LoggedRow
	for _, run := range runs {
		r := run.rows[0]
		if r.From["variant"] == "" {
			continue
		}
		n, err := strconv.Atoi(r.From["players"])
		if err != nil || n < 1 {
			return "", 0, usagef("%s: players is %q; it is a number of players", run.file, r.From["players"])
		}
		switch {
		case first.From == nil:
			first, players = r, n
			text = fmt.Sprintf("%s, %d players, target %s", plaintext.Escape(r.From["variant"]), n, plaintext.Escape(r.From["target"]))
		case n != players:
			return "", 0, usagef("%s is of a game with %d players, and %s with %d; draw them apart", runs[0].file, players, run.file, n)
		case r.From["variant"] != first.From["variant"] || r.From["target"] != first.From["target"]:
			text = ""
		}
	}
	if players == 1 {
		return "", 0, usagef("%s is of a game with one player, who wins every game; learning curves are for two and more", runs[0].file)
	}
	return text, players, nil
}
