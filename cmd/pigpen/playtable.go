package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/exact"
)

// A table is where a game is played between persons and policies.
type table struct {
	game    env.Game
	players []player // by seat; the policy of a person is nil
	names   []string
	seed    uint64
	match   *env.Match
	coin    env.Rand // of policies that roll by chance
	keys    *keys
	paper   paper
	choices [][]policies.Choice // of persons, by seat
	// solve returns what actions are worth; values is what it returned.
	solve  func(ctx context.Context) (policies.Valuer, error)
	values policies.Valuer
}

// The streams of random numbers of a game.
const (
	startStream = iota
	diceStream
	coinStream
)

func newTable(g env.Game, players []player, seed uint64, s streams) *table {
	t := &table{game: g, players: players, names: seatNames(players), seed: seed, match: env.NewMatch(g, env.MatchOptions{}), keys: newKeys(s.in)}
	t.choices = make([][]policies.Choice, len(players))
	t.coin = env.NewRand(env.SeedAt(seed, coinStream))
	t.paper = newPaper(s.out)
	return t
}

// valuer returns perfect play: that of a seat, or else it solves the game. Other policies
// may only estimate what actions are worth.
func (t *table) valuer(ctx context.Context, show *progress) (policies.Valuer, error) {
	defer show.stop()
	if err := exact.Solvable(t.game); err != nil {
		return nil, err
	}
	for _, p := range t.players {
		if v, ok := p.policy.(*exact.Solution); ok {
			return v, nil
		}
	}
	solving := show.begin("solving", t.game.Variant().ID, fmt.Sprintf("target %d", t.game.Target()))
	return policies.NewValuer(ctx, t.game, nil, solving.options(0))
}

// errLeft ends a game that a person leaves.
var errLeft = errors.New("left")

// play plays the game to its end, or until a person leaves, and reviews it.
func (t *table) play(ctx context.Context) error {
	defer t.keys.close()
	t.paper.line("%v, seed %d", t.game, t.seed)
	t.paper.line("r roll, h hold, ? what both are worth, q leave")
	t.paper.line("scores are of banked %s + those of the turn", t.game.Variant().Unit)
	t.match.Reset(env.SeedAt(t.seed, diceStream))
	if err := t.match.ResetTo(t.game.Start(t.rollOff())); err != nil {
		return err
	}
	var err error
	for err == nil && t.match.Live() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if t.players[t.match.State().Seat].policy != nil {
			err = t.turnOfPolicy(ctx)
		} else {
			err = t.askPerson(ctx)
		}
		if t.paper.err != nil {
			return t.paper.err
		}
	}
	switch {
	case errors.Is(err, errLeft) || errors.Is(err, io.EOF):
		t.paper.line("")
		t.paper.line("left at %s", t.scores(true))
	case err != nil:
		return err
	default:
		t.paper.line("")
		t.paper.line("%s", t.paper.bold(t.result()))
	}
	if err := t.review(ctx); err != nil {
		return err
	}
	return t.paper.err
}

// rollOff returns the seat that begins: that of the highest roll of a die, the ties of
// which roll again.
func (t *table) rollOff() (first int) {
	if len(t.players) == 1 {
		return 0
	}
	r := env.NewRand(env.SeedAt(t.seed, startStream))
	var left []int
	for seat := range t.players {
		left = append(left, seat)
	}
	for len(left) > 1 {
		var rolls []string
		var leaders []int
		best := 0
		for _, seat := range left {
			roll := 1 + int(r.Below(6))
			rolls = append(rolls, fmt.Sprintf("%s %s", t.names[seat], smallDie(roll)))
			if roll > best {
				best, leaders = roll, nil
			}
			if roll == best {
				leaders = append(leaders, seat)
			}
		}
		t.paper.words("to begin: ", rolls)
		left = leaders
	}
	t.paper.line("%s", t.sentence(left[0], "begin", "begins"))
	return left[0]
}

// sentence returns what a player does: "You begin", "hold-20 begins".
func (t *table) sentence(seat int, you, other string) string {
	if t.names[seat] == "You" {
		return "You " + you
	}
	return t.names[seat] + " " + other
}

// scores returns every player's banked score and, of the player to move, the turn total.
func (t *table) scores(turn bool) string {
	s := t.match.State()
	var list []string
	for seat, name := range t.names {
		text := fmt.Sprintf("%s %d", name, s.Scores[seat])
		if turn && seat == int(s.Seat) && !s.Over {
			text = fmt.Sprintf("%s %d+%d", name, s.Scores[seat], s.TurnTotal)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// result says who has won.
func (t *table) result() string {
	s := t.match.State()
	if len(t.players) == 1 {
		return "done, with " + t.points(s.Scores[0])
	}
	var winners []int
	for seat := range t.players {
		if t.game.WinShare(s, seat) > 0 {
			winners = append(winners, seat)
		}
	}
	if len(winners) == 1 {
		return fmt.Sprintf("%s: %s", t.sentence(winners[0], "win", "wins"), t.scores(false))
	}
	var names []string
	for _, seat := range winners {
		names = append(names, t.names[seat])
	}
	return fmt.Sprintf("%s share the win: %s", strings.Join(names, " and "), t.scores(false))
}
