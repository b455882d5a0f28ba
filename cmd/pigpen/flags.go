package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/env"
	"pigpen/policies"
	"pigpen/policies/trained"
)

// gameFlags choose a game.
type gameFlags struct {
	flags   *pflag.FlagSet
	config  env.Config
	options []string
}

func addGameFlags(fs *pflag.FlagSet) *gameFlags {
	g := &gameFlags{flags: fs}
	fs.StringVar(&g.config.Variant, "variant", "pig", "game to play; 'pigpen variants' lists them")
	fs.IntVar(&g.config.Players, "players", env.DefaultPlayers, "number of seats")
	fs.IntVar(&g.config.Target, "target", 0, "score that ends the game (default: the variant's own)")
	fs.StringSliceVar(&g.options, "option", nil, "switch of the variant, as NAME=true or NAME=false; may be repeated")
	return g
}

// game returns the game that the flags ask for.
func (g *gameFlags) game() (env.Game, error) {
	if err := g.check(); err != nil {
		return env.Game{}, err
	}
	c := g.config
	var err error
	if c.Options, err = g.switches(); err != nil {
		return env.Game{}, err
	}
	return env.New(c)
}

// check refuses what an env.Config would take for a wish for the default.
func (g *gameFlags) check() error {
	switch {
	case g.config.Variant == "":
		return usagef("--variant is empty; 'pigpen variants' lists the variants")
	case g.config.Players == 0:
		return usagef("--players 0: a game needs some")
	case g.config.Target == 0 && g.flags.Changed("target"):
		return usagef("--target 0: a game needs some")
	}
	return nil
}

// switches returns what --option says.
func (g *gameFlags) switches() (map[string]bool, error) {
	on := make(map[string]bool)
	for _, o := range g.options {
		name, value, _ := strings.Cut(o, "=")
		b, err := strconv.ParseBool(value)
		if err != nil {
			return nil, usagef("--option %q; write NAME=true or NAME=false", o)
		}
		on[name] = b
	}
	return on, nil
}

// agree returns a usage error if a flag asks for another game than the file
// at path has, which is described as in "a policy for".
func (g *gameFlags) agree(path, is string, has env.Game) error {
	if err := g.check(); err != nil {
		return err
	}
	for _, name := range []string{"variant", "players", "target", "option"} {
		if !g.flags.Changed(name) {
			continue
		}
		asked := has.Config()
		flag := g.flags.Lookup(name).Value.String()
		switch name {
		case "variant":
			v, err := env.Lookup(g.config.Variant)
			if err != nil {
				return err
			}
			asked.Variant = v.ID
		case "players":
			asked.Players = g.config.Players
		case "target":
			asked.Target = g.config.Target
		case "option":
			on, err := g.switches()
			if err != nil {
				return err
			}
			for name, value := range on {
				if asked.Options == nil {
					asked.Options = make(map[string]bool)
				}
				asked.Options[name] = value
			}
		}
		if game, err := env.New(asked); err != nil || game != has {
			return usagef("%s is %s %v, and --%s %s asks for another game; leave the flag out", path, is, has, name, flag)
		}
	}
	return nil
}

// A player is a policy with what it is called.
type player struct {
	name   string // as on the command line
	policy policies.Policy
	file   *policies.File // nil for a fixed policy
}

// players returns the policies of the given names or files, and the game they
// are for: the one that the files name, else the one that the flags ask for. The
// name [byDefault] asks for the game's [reference].
//
// Solving the game for optimal takes as many processors as workers says, and is
// shown.
func (g *gameFlags) players(ctx context.Context, show *progress, workers int, names ...string) (env.Game, []player, error) {
	list := make([]player, len(names))
	var game env.Game
	var from string // the file that named the game
	for i, name := range names {
		list[i].name = name
		unknown := policies.Known(name)
		if name == byDefault || unknown == nil {
			continue
		}
		if name == "" {
			return env.Game{}, nil, usagef("the name of a policy is empty; it is a file or a name such as hold-20")
		}
		f, err := loadPolicy(name)
		if errors.Is(err, os.ErrNotExist) {
			return env.Game{}, nil, usagef("%w, and there is no file of that name", unknown)
		} else if err != nil {
			return env.Game{}, nil, err
		}
		l := f.Table.Layout()
		if from == "" {
			from, game = name, l.Game()
			if err := g.agree(from, "a policy for", game); err != nil {
				return env.Game{}, nil, err
			}
		} else if l.Game() != game {
			return env.Game{}, nil, usagef("%s is a policy for %v, and %s for %v; both must be for the same game", from, game, name, l.Game())
		}
		list[i].policy, list[i].file = f.Table, &f
	}
	if from == "" {
		var err error
		if game, err = g.game(); err != nil {
			return env.Game{}, nil, err
		}
	}
	made := make(map[string]policies.Policy) // optimal is solved once
	for i := range list {
		p := &list[i]
		if p.policy != nil {
			continue
		}
		if p.name == byDefault {
			p.name = reference(game)
		}
		if p.policy = made[p.name]; p.policy != nil {
			continue
		}
		solving := show.begin("solving", game.Variant().ID, fmt.Sprintf("target %d", game.Target()))
		var err error
		p.policy, err = policies.Named(ctx, p.name, game, solving.options(workers))
		solving.end()
		if err != nil {
			return env.Game{}, nil, err
		}
		made[p.name] = p.policy
	}
	return game, list, nil
}

// byDefault stands for a policy that nobody named.
const byDefault = "\x00"

// addAgainst adds the flag --against, and returns what reads it.
func addAgainst(fs *pflag.FlagSet) func() string {
	name := fs.String("against", "", "policy in all other seats: a name or a file (default optimal or, with more than two players, hold-20)")
	return func() string {
		if !fs.Changed("against") {
			return byDefault
		}
		return *name
	}
}

// trainedPrefix begins the names of policies that are built in.
const trainedPrefix = "trained/"

// loadPolicy reads a policy file, or one of those built in.
func loadPolicy(name string) (policies.File, error) {
	if built, ok := strings.CutPrefix(name, trainedPrefix); ok {
		f, unknown := trained.Load(built)
		if unknown == nil {
			return f, nil
		}
		if _, err := os.Stat(name); err != nil {
			return f, usageError{unknown}
		}
	}
	return policies.Load(name)
}

// A quantity is a flag for a whole number with a unit, as in 200M or 4GiB.
type quantity struct {
	value *int64
	units []unit
	kind  string // what pflag shows as the type
}

type unit struct {
	suffix string
	size   int64
}

var (
	counts = []unit{{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}
	sizes  = []unit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}
)

// count returns a flag value for numbers like 200M.
func count(value *int64) pflag.Value { return quantity{value, counts, "count"} }

// size returns a flag value for sizes in bytes like 4GiB.
func size(value *int64) pflag.Value { return quantity{value, sizes, "size"} }

func (q quantity) Type() string { return q.kind }

// Set implements pflag.Value.
func (q quantity) Set(text string) error {
	digits, scale := text, int64(1)
	var suffixes []string
	for _, u := range q.units {
		if d, ok := strings.CutSuffix(text, u.suffix); ok && scale == 1 {
			digits, scale = d, u.size
		}
		suffixes = append(suffixes, u.suffix)
	}
	// Digits and a point only: a number such as 1e999999999 would fill the memory.
	if len(digits) < 40 && strings.Trim(digits, "0123456789.") == "" {
		whole, ok := new(big.Rat).SetString(digits)
		if ok && whole.Mul(whole, big.NewRat(scale, 1)).IsInt() && whole.Num().IsInt64() {
			*q.value = whole.Num().Int64()
			return nil
		}
	}
	return fmt.Errorf("write a whole number below 2^63, in digits, if you like with one of %s behind it", strings.Join(suffixes, ", "))
}

// String implements pflag.Value; it returns the shortest form.
func (q quantity) String() string {
	if q.value == nil {
		return "0"
	}
	best := strconv.FormatInt(*q.value, 10)
	for _, u := range q.units {
		if *q.value != 0 && u.size > 1 && *q.value%u.size == 0 {
			if text := strconv.FormatInt(*q.value/u.size, 10) + u.suffix; len(text) < len(best) {
				best = text
			}
		}
	}
	return best
}
