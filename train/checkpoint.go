package train

import (
	"bytes"
	"context"
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
	"pigpen/policies/atomicfile"
)

// A Checkpoint is the saved state of a training, from which the training can be resumed
// with the same result as without interruption. [LoadCheckpoint] opens its file, which
// stays open until Close, since [Run] reads the state of the agent from it.
//
// A file of version 2 consists of a msgpack map, the state of the agent, and the SHA-256
// of both. The map has the keys of [headerV2] in their order; state_bytes is the length
// of the state. A map in any other encoding than the one that is written is rejected. A
// file of version 1 has the keys of [headerV1], the last of which holds the state.
type Checkpoint struct {
	headerIdentity
	// Settings are the values of the settings of the recipe, by name.
	Settings agents.Settings
	headerPlan

	path  string
	file  *os.File
	state *io.SectionReader
}

// headerIdentity has the keys with which the header of both versions begins.
type headerIdentity struct {
	Format  string `msgpack:"format"` // "pigpen-checkpoint"
	Version int    `msgpack:"version"`

	Variant     string          `msgpack:"variant"`
	Players     int             `msgpack:"players"`
	Target      int             `msgpack:"target"`
	Options     map[string]bool `msgpack:"options"`
	Fingerprint string          `msgpack:"fingerprint"`

	Agent       string               `msgpack:"agent"`
	Recipe      string               `msgpack:"recipe"`
	Abstraction policies.Abstraction `msgpack:"states"`
	Seed        uint64               `msgpack:"seed"`
}

// headerProgress has the keys after the settings in both versions.
type headerProgress struct {
	// StepLimit is the number of decisions after which an episode is truncated; 0 is
	// no limit.
	StepLimit int `msgpack:"step_limit"`

	Steps    int64         `msgpack:"steps"`
	Episodes int64         `msgpack:"episodes"`
	Elapsed  time.Duration `msgpack:"nanoseconds"`
}

// headerPlan has headerProgress and the keys that version 2 added: the schedule of the
// training.
type headerPlan struct {
	headerProgress
	// Length and EvalEvery are those of the [Config]; zero in version 1.
	Length    Length `msgpack:"length"`
	EvalEvery int64  `msgpack:"eval_every"`
	// Notes are those of the [Config]; nil in version 1.
	Notes map[string]string `msgpack:"notes"`
	// Evaluated is the number of decisions at the last evaluation, or -1 before the
	// first. In checkpoints of version 1, which did not have it, it is Steps.
	Evaluated int64 `msgpack:"evaluated"`
}

// headerV2 is the map of version 2. Settings are encoded in the order of their names.
type headerV2 struct {
	headerIdentity
	Settings map[string]string `msgpack:"settings"`
	headerPlan
	StateBytes int64 `msgpack:"state_bytes"`
}

const (
	checkpointFormat  = "pigpen-checkpoint"
	checkpointVersion = 2
	checkpointHeader  = 1 << 16 // upper bound of the length of the header in bytes
)

// ErrCheckpoint is wrapped by every error about the content of a checkpoint.
var ErrCheckpoint = errors.New("train: bad checkpoint")

// ErrDisagrees is wrapped, beside [ErrCheckpoint], by the error of [Run] if Config.Resume
// is the checkpoint of a training with other settings than the Config.
var ErrDisagrees = errors.New("train: the checkpoint is of another training")

// encodeHeader encodes a *headerV1 or *headerV2.
func encodeHeader(header any) []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.SetSortMapKeys(true)
	if err := e.Encode(header); err != nil {
		panic(err) // writing to a bytes.Buffer cannot fail
	}
	return b.Bytes()
}

// writeCheckpoint writes a checkpoint to r.Checkpoint. At the first checkpoint, other
// content of an existing file is kept as kept. At later ones, if the file is not the one
// that r wrote, writeCheckpoint leaves it and sets r.Checkpoint to the first free
// numbered name.
func (r *run) writeCheckpoint() (kept string, err error) {
	game := r.Game.Config()
	header := encodeHeader(&headerV2{
		headerIdentity: headerIdentity{
			Format: checkpointFormat, Version: checkpointVersion,
			Variant: game.Variant, Players: game.Players, Target: game.Target, Options: game.Options, Fingerprint: r.Game.Fingerprint(),
			Agent: r.Agent.Name, Recipe: r.Recipe.Name, Abstraction: r.Abstraction, Seed: r.Seed,
		},
		Settings: r.Settings,
		headerPlan: headerPlan{
			headerProgress: headerProgress{StepLimit: r.stepLimit(), Steps: r.Steps, Episodes: r.Episodes, Elapsed: r.Elapsed},
			Length:         r.Length, EvalEvery: r.EvalEvery, Notes: r.Notes, Evaluated: r.evaluated,
		},
		StateBytes: r.agent.StateSize(),
	})
	write := func(w io.Writer) error {
		sum := sha256.New()
		both := io.MultiWriter(w, sum)
		if _, err := both.Write(header); err != nil {
			return err
		}
		if err := r.agent.WriteState(both); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	}
	there, err := os.Stat(r.Checkpoint)
	switch w := r.written; {
	case w == nil:
		kept, err = atomicfile.WriteKeeping(r.Checkpoint, write)
	case err == nil && !(os.SameFile(w, there) && w.Size() == there.Size() && w.ModTime().Equal(there.ModTime())):
		var path string
		if path, err = atomicfile.WriteElsewhere(r.Checkpoint, write); err == nil {
			r.Checkpoint = path
		}
	default:
		err = atomicfile.Write(r.Checkpoint, write)
	}
	if err != nil {
		return "", err
	}
	r.written, err = os.Stat(r.Checkpoint)
	return kept, err
}

// LoadCheckpoint opens the checkpoint at path and reads it once to verify its checksum.
// The state of the agent must not exceed limit bytes. The error wraps [ErrCheckpoint]
// and names the path if the file is not a valid checkpoint, and is ctx.Err() if ctx ends
// first.
func LoadCheckpoint(ctx context.Context, path string, limit int64) (k *Checkpoint, err error) {
	// Opening a file that is not regular, such as a pipe, could block.
	if info, err := os.Stat(path); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrCheckpoint, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	k, wrong, err := decodeCheckpoint(ctx, file, info.Size(), limit)
	if err != nil {
		return nil, err
	}
	if wrong != "" {
		return nil, fmt.Errorf("%w: %s %s", ErrCheckpoint, path, wrong)
	}
	k.path, k.file = path, file
	return k, nil
}

// Close closes the checkpoint's file.
func (k *Checkpoint) Close() error { return k.file.Close() }

// decodeCheckpoint verifies the checksum of a file of size bytes and decodes its header.
// wrong says what is wrong with the content of the file, and is "" for a valid one.
func decodeCheckpoint(ctx context.Context, file io.ReaderAt, size, limit int64) (k *Checkpoint, wrong string, err error) {
	const (
		foreign   = "is not a pigpen checkpoint"
		shapeless = "is not in the form of a checkpoint"
	)
	head := make([]byte, min(size, checkpointHeader))
	if n, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, "", err
	} else if head = head[:n]; bytes.Contains(head[:min(n, 64)], []byte("pigpen-policy")) {
		return nil, "is a policy file, not a checkpoint", nil
	} else if bytes.Contains(head[:min(n, 64)], []byte(sweepFormat)) {
		return nil, "is the checkpoint of a sweep, not of one training", nil
	} else if !bytes.Contains(head[:min(n, 64)], []byte(checkpointFormat)) {
		return nil, foreign, nil
	}
	body := size - sha256.Size
	if body < 0 {
		return nil, "is damaged or cut short: its checksum does not match", nil
	}
	if body-checkpointHeader > limit { // reject it before reading all of it
		return nil, fmt.Sprintf("has %d bytes, and the agent may take %d", size, limit), nil
	}
	sum, want := sha256.New(), make([]byte, sha256.Size)
	if _, err := io.Copy(sum, &checkedReader{ctx, io.NewSectionReader(file, 0, body)}); err != nil {
		return nil, "", err
	}
	if _, err := file.ReadAt(want, body); err != nil && err != io.EOF {
		return nil, "", err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return nil, "is damaged or cut short: its checksum does not match", nil
	}
	version, ok := versionIn(head, checkpointFormat)
	if !ok {
		return nil, shapeless, nil
	}
	k = new(Checkpoint)
	var header []byte // the encoding that the file should have
	var state int64
	switch {
	case version > checkpointVersion:
		return nil, fmt.Sprintf("has version %d, and this program reads up to %d", version, checkpointVersion), nil
	case version == 1:
		var v1 headerV1
		if decode(head, &v1) != nil {
			return nil, shapeless, nil
		}
		header, state = encodeHeader(&v1), int64(v1.State)
		k.headerIdentity, k.Settings = v1.headerIdentity, v1.Settings.of(v1.Recipe)
		k.headerProgress, k.Evaluated = v1.headerProgress, v1.Steps
	default:
		var v2 headerV2
		if decode(head, &v2) != nil {
			return nil, shapeless, nil
		}
		header, state = encodeHeader(&v2), v2.StateBytes
		k.headerIdentity, k.Settings, k.headerPlan = v2.headerIdentity, v2.Settings, v2.headerPlan
	}
	// The header must be equal to its re-encoding. This rejects keys that are repeated,
	// unknown or out of order, and numbers that overflowed.
	if !bytes.HasPrefix(head, header) {
		return nil, shapeless, nil
	}
	if k.Format != checkpointFormat || k.Version < 1 || k.Steps < 0 || k.Episodes < 0 || k.Elapsed < 0 || k.StepLimit < 0 ||
		k.Length.Steps < 0 || k.Length.Episodes < 0 || k.Length.Time < 0 || k.EvalEvery < 0 || k.Evaluated < -1 || k.Evaluated > k.Steps ||
		state != body-int64(len(header)) {
		return nil, "contradicts itself", nil
	}
	if state > limit {
		return nil, fmt.Sprintf("has a state of %d bytes, and the agent may take %d", state, limit), nil
	}
	k.state = io.NewSectionReader(file, int64(len(header)), state)
	return k, "", nil
}

// decode decodes the map at the start of head, a prefix of the file, into to.
func decode(head []byte, to any) error {
	d := msgpack.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields(true)
	return d.Decode(to)
}

// A checkedReader reads from in until ctx ends, and then returns ctx.Err().
type checkedReader struct {
	ctx context.Context
	in  io.Reader
}

// Read implements [io.Reader].
func (r *checkedReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// Game returns the game of the training. The error wraps [ErrCheckpoint] if the game does
// not exist, in [env.Variants] or own, or its fingerprint is not that of the checkpoint.
func (k *Checkpoint) Game(own ...*env.Variant) (env.Game, error) {
	g, err := env.New(env.Config{Variant: k.Variant, Players: k.Players, Target: k.Target, Options: k.Options}, own...)
	switch {
	case err != nil:
		return env.Game{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	case g.Fingerprint() != k.Fingerprint:
		return env.Game{}, fmt.Errorf("%w: it is of %v with other rules (fingerprint %.16q) than this program's (%q)", ErrCheckpoint, g, k.Fingerprint, g.Fingerprint())
	}
	return g, nil
}

// restore sets the state of agent to that of the checkpoint.
func (k *Checkpoint) restore(agent agents.Agent) error {
	if k.state.Size() != agent.StateSize() {
		return fmt.Errorf("%w: its state has %d bytes; the agent's has %d", ErrCheckpoint, k.state.Size(), agent.StateSize())
	}
	if _, err := k.state.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := agent.ReadState(k.state); errors.Is(err, agents.ErrState) {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	} else if err != nil {
		return err
	}
	return nil
}

// agrees returns an error that names the first setting in which c differs from the
// training of k, or nil if there is none. c must be the result of withDefaults.
func (k *Checkpoint) agrees(c Config) error {
	g, err := k.Game(c.Game.Variant())
	if err != nil {
		return err
	}
	differ := func(name, has, asked string) error {
		if has == asked {
			return nil
		}
		return fmt.Errorf("%w: %w: it has %s %s, not %s", ErrCheckpoint, ErrDisagrees, name, has, asked)
	}
	for _, s := range []struct{ name, has, asked string }{
		{"game", g.String(), c.Game.String()},
		{"agent", k.Agent, c.Agent.Name},
		{"recipe", k.Recipe, c.Recipe.Name},
		{"states", string(k.Abstraction), string(c.Abstraction)},
		{"seed", fmt.Sprint(k.Seed), fmt.Sprint(c.Seed)},
	} {
		if err := differ(s.name, s.has, s.asked); err != nil {
			return err
		}
	}
	// Settings that did not exist when the checkpoint was written have their defaults.
	had := c
	had.StepLimit = k.StepLimit
	if had.Settings, err = c.Recipe.Resolve(g, k.Settings); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	asked, has := c.describe(), had.describe()
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if err := differ(name, has[name], asked[name]); err != nil {
			return err
		}
	}
	return nil
}
