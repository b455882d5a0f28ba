package train

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/agents"
	"pigpen/env"
	"pigpen/policies"
)

// A Checkpoint is a training that stands still: all that it needs to go on as
// if it had not. Its file is one msgpack map, with the keys below in their
// order, and the SHA-256 of it.
type Checkpoint struct {
	Format  string `msgpack:"format"`  // "pigpen-checkpoint"
	Version int    `msgpack:"version"` // 1

	Variant     string          `msgpack:"variant"`
	Players     int             `msgpack:"players"`
	Target      int             `msgpack:"target"`
	Options     map[string]bool `msgpack:"options"`
	Fingerprint string          `msgpack:"fingerprint"`

	Agent    string          `msgpack:"agent"`
	Recipe   string          `msgpack:"recipe"`
	States   policies.States `msgpack:"states"`
	Seed     uint64          `msgpack:"seed"`
	Settings agents.Settings `msgpack:"settings"`
	// StepLimit is that of the training.
	StepLimit int `msgpack:"step_limit"`

	Steps    int64         `msgpack:"steps"`
	Episodes int64         `msgpack:"episodes"`
	Elapsed  time.Duration `msgpack:"nanoseconds"`
	// State is the agent's.
	State []byte `msgpack:"state"`
}

const (
	checkpointFormat  = "pigpen-checkpoint"
	checkpointVersion = 1
	checkpointHeader  = 1 << 16 // bytes that all but the state takes at most
)

// ErrCheckpoint is wrapped by every error about what a checkpoint holds.
var ErrCheckpoint = errors.New("train: bad checkpoint")

// checkpoint returns the training's state.
func (c Config) checkpoint(agent agents.Agent, p Progress) (Checkpoint, error) {
	state, err := agent.AppendBinary(nil)
	game := c.Game.Config()
	return Checkpoint{
		Format: checkpointFormat, Version: checkpointVersion,
		Variant: game.Variant, Players: game.Players, Target: game.Target, Options: game.Options, Fingerprint: c.Game.Fingerprint(),
		Agent: c.Agent.Name, Recipe: c.Recipe.Name, States: c.States, Seed: c.Seed, Settings: c.Settings, StepLimit: c.StepLimit,
		Steps: p.Steps, Episodes: p.Episodes, Elapsed: p.Elapsed, State: state,
	}, err
}

// Save writes k to path, whole or not at all; see [policies.Replace].
func (k Checkpoint) Save(path string) error {
	return policies.Replace(path, func(w io.Writer) error {
		sum := sha256.New()
		e := msgpack.NewEncoder(io.MultiWriter(w, sum))
		e.SetSortMapKeys(true)
		if err := e.Encode(&k); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
}

// LoadCheckpoint reads the checkpoint at path, whose agent's state must not
// take more than so many bytes. The error names the path and wraps
// [ErrCheckpoint] where the file is at fault.
func LoadCheckpoint(path string, limit int64) (*Checkpoint, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	bad := func(what string) error { return fmt.Errorf("%w: %s %s", ErrCheckpoint, path, what) }
	if !info.Mode().IsRegular() {
		return nil, bad("is not a regular file")
	}
	if info.Size() > limit+checkpointHeader {
		return nil, bad(fmt.Sprintf("has %d bytes, and the agent may take %d", info.Size(), limit))
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeCheckpoint(file, bad)
}

// decodeCheckpoint reads a file; bad makes an error that says what it is.
func decodeCheckpoint(file []byte, bad func(what string) error) (*Checkpoint, error) {
	if !bytes.Contains(file[:min(len(file), 64)], []byte(checkpointFormat)) {
		return nil, bad("is not a pigpen checkpoint")
	}
	body := file[:max(0, len(file)-sha256.Size)]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], file[len(body):]) {
		return nil, bad("is damaged or cut short: its checksum does not match")
	}
	var k Checkpoint
	if err := msgpack.Unmarshal(body, &k); err != nil {
		return nil, bad("is not in the form of a checkpoint")
	}
	switch {
	case k.Version > checkpointVersion:
		return nil, bad(fmt.Sprintf("has version %d, and this program reads up to %d", k.Version, checkpointVersion))
	case k.Format != checkpointFormat || k.Version < 1 || k.Steps < 0 || k.Episodes < 0 || k.Elapsed < 0:
		return nil, bad("contradicts itself")
	}
	return &k, nil
}

// Game returns the game that the training is of. The error wraps
// [ErrCheckpoint] if this program plays it by other rules.
func (k *Checkpoint) Game() (env.Game, error) {
	g, err := env.New(env.Config{Variant: k.Variant, Players: k.Players, Target: k.Target, Options: k.Options})
	switch {
	case err != nil:
		return env.Game{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	case g.Fingerprint() != k.Fingerprint:
		return env.Game{}, fmt.Errorf("%w: it is of %v with other rules (fingerprint %.16q) than this program's (%q)", ErrCheckpoint, g, k.Fingerprint, g.Fingerprint())
	}
	return g, nil
}

// agrees returns an error that names the first setting in which c differs from
// the training that k is of.
func (k *Checkpoint) agrees(c Config) error {
	g, err := k.Game()
	if err != nil {
		return err
	}
	asked, has := c.describe(), Config{
		Game: g, Agent: agents.Kind{Name: k.Agent}, Recipe: agents.Recipe{Name: k.Recipe, Uses: c.Recipe.Uses},
		Settings: k.Settings, StepLimit: k.StepLimit,
	}.describe()
	type setting struct{ name, asked, has string }
	list := []setting{
		{"game", c.Game.String(), g.String()},
		{"agent", c.Agent.Name, k.Agent},
		{"recipe", c.Recipe.Name, k.Recipe},
		{"states", string(c.States), string(k.States)},
		{"seed", fmt.Sprint(c.Seed), fmt.Sprint(k.Seed)},
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		list = append(list, setting{name, asked[name], has[name]})
	}
	for _, s := range list {
		if s.asked != s.has {
			return fmt.Errorf("%w: it is of a training with %s %s, not %s", ErrCheckpoint, s.name, s.has, s.asked)
		}
	}
	return nil
}
