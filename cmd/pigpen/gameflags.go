package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"pigpen/env"
)

// gameFlags choose a game.
type gameFlags struct {
	flags   *pflag.FlagSet
	config  env.Config
	options []string
	files   policyReader
}

func addGameFlags(fs *pflag.FlagSet) *gameFlags {
	g := &gameFlags{flags: fs, files: newPolicyReader()}
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
	game, err := env.New(c)
	if err != nil {
		return env.Game{}, usageError{err}
	}
	return game, nil
}

// check refuses an explicit zero, which means "default" in an env.Config.
func (g *gameFlags) check() error {
	switch {
	case g.config.Variant == "":
		return usagef("--variant is empty; 'pigpen variants' lists the variants")
	case g.config.Players == 0:
		return usagef("--players 0; 'pigpen variants' lists how many each game is for")
	case g.config.Target == 0 && g.flags.Changed("target"):
		return usagef("--target 0; 'pigpen variants' lists the targets of each game")
	case len(g.options) == 0 && g.flags.Changed("option"):
		return usagef("--option is empty; write NAME=true or NAME=false")
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

// agree returns a usage error if a flag asks for another game than has, the game of
// the file at path. is says what the file is, as in "a policy for".
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
				return usageError{err}
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
