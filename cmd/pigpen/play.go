package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"pigpen/env"
	"pigpen/policies"
)

// person is the name of a player who plays at the terminal.
const person = "person"

func playCommand() command {
	fs := newFlags("play")
	var (
		game = addGameFlags(fs)
		seed = fs.Uint64("seed", 0, "seed of the dice, to play with the same dice again (default: drawn, and shown)")
	)
	return command{
		name: "play", args: "[FILE|NAME|" + person + " ...]", flags: fs, graceful: true,
		short: "play a game yourself",
		long: `Plays a game in the terminal: you against a policy, or several, each a seat, and
"person" is one more person at the keyboard. Without a name the other seats are
played by optimal or, in games that take long to solve, by hold-20; if there
are fewer names than other seats, they are repeated. All roll a die to begin,
and the highest does.

Each decision is one key: r rolls, h holds, ? tells what both are worth against
perfect play, and q leaves. After the game it tells which decisions of a person
cost most. Keys may come through a pipe, and lines are as wide as the terminal;
with NO_COLOR in the environment there are no colours.

The policies that need no file:` + fixedTable(),
		example: "pigpen play\npigpen play hold-20 q.msgpack\npigpen play person --variant pig-doubles --seed 7",
		run: func(ctx context.Context, s streams, args []string) error {
			if err := game.seats(len(args)); err != nil {
				return err
			}
			show := showProgress(s.err)
			defer show.stop()
			g, players, err := game.opponents(ctx, show, args)
			if err != nil {
				return err
			}
			show.stop()
			if !fs.Changed("seed") {
				*seed = rand.Uint64() >> 32 // short enough to write down
			}
			t := newTable(g, players, *seed, s)
			t.solve = func(ctx context.Context) (policies.Valuer, error) { return t.valuer(ctx, showProgress(s.err)) }
			return t.play(ctx)
		},
	}
}

// seats sets the number of players by that of the opponents who are named, unless the
// flag says it.
func (g *gameFlags) seats(opponents int) error {
	switch {
	case g.flags.Changed("players"):
		if opponents > g.config.Players-1 {
			return usagef("opponents given: %d; with --players %d there are at most %d", opponents, g.config.Players, max(0, g.config.Players-1))
		}
	case opponents > 0:
		g.config.Players = 1 + opponents
	}
	return nil
}

// opponents returns the game and who plays the seats after the first, which is a
// person's; the policy of a person is nil.
func (g *gameFlags) opponents(ctx context.Context, show *progress, args []string) (env.Game, []player, error) {
	var names []string
	for _, name := range args {
		if name != person {
			names = append(names, name)
		}
	}
	game, list, err := g.find(names...)
	if err != nil {
		return env.Game{}, nil, err
	}
	if n := game.Players(); len(args) >= n && len(args) > 0 {
		return env.Game{}, nil, usagef("opponents given: %d; %v has %d", len(args), game, n-1)
	}
	if len(args) == 0 && game.Players() > 1 {
		args = []string{policies.Reference(game)}
		if game, list, err = g.find(args...); err != nil {
			return env.Game{}, nil, err
		}
	}
	if err := makePlayers(ctx, show, 0, game, list); err != nil {
		return env.Game{}, nil, err
	}
	seats := []player{{name: person}}
	for seat := 1; seat < game.Players(); seat++ {
		p := player{name: args[(seat-1)%len(args)]}
		for _, known := range list {
			if known.name == p.name {
				p = known
			}
		}
		seats = append(seats, p)
	}
	return game, seats, nil
}

// seatNames returns what to call the players of a game: "You" if there is one person.
func seatNames(players []player) []string {
	var names []string
	persons := 0
	count := make(map[string]int)
	for _, p := range players {
		names = append(names, p.name)
		count[p.name]++
		if p.policy == nil {
			persons++
		}
	}
	names = shortNames(names)
	for seat, p := range players {
		switch {
		case p.policy == nil && persons == 1:
			names[seat] = "You"
		case p.policy == nil:
			names[seat] = "Player " + strconv.Itoa(seat+1)
		case count[p.name] > 1:
			names[seat] = fmt.Sprintf("%s (%d)", names[seat], seat+1)
		}
	}
	return names
}
