package train

import (
	"strconv"

	"github.com/vmihailenco/msgpack/v5"

	"pigpen/agents"
)

// headerV1 is the map of version 1. Its settings were those of all recipes of that
// time, heeded or not.
type headerV1 struct {
	headerIdentity
	Settings settingsV1 `msgpack:"settings"`
	headerProgress
	State stateLength `msgpack:"state"`
}

// settingsV1 has the keys and the order of version 1.
type settingsV1 struct {
	Update          uint8 // 0 is sample, 1 is expected
	StepSize        agents.StepSize
	Epsilon         agents.Epsilon
	ExploringStarts bool
}

// of returns the settings that a recipe of version 1 heeded.
func (s settingsV1) of(recipe string) agents.Settings {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	list := agents.Settings{
		"step-size":       s.StepSize.String(),
		"step-size-floor": number(s.StepSize.Floor),
		"epsilon":         number(s.Epsilon.Start),
		"epsilon-floor":   number(s.Epsilon.Floor),
		"epsilon-halving": strconv.FormatInt(s.Epsilon.Halving, 10),
	}
	switch recipe {
	case "curriculum":
		list["update"], list["smoothing"] = "sample", "off"
		if s.Update != 0 {
			list["update"] = "expected"
		}
	case "textbook":
		list["starts"] = "game"
		if s.ExploringStarts {
			list["starts"] = "exploring"
		}
	default: // rounds
		return agents.Settings{}
	}
	return list
}

// stateLength is the length of bytes in msgpack, which follow.
type stateLength int64

// EncodeMsgpack implements [msgpack.CustomEncoder].
func (n stateLength) EncodeMsgpack(e *msgpack.Encoder) error { return e.EncodeBytesLen(int(n)) }

// DecodeMsgpack implements [msgpack.CustomDecoder].
func (n *stateLength) DecodeMsgpack(d *msgpack.Decoder) error {
	length, err := d.DecodeBytesLen()
	*n = stateLength(length)
	return err
}
