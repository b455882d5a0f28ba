// Package trained holds policies that Pigpen's agents have learned: one for
// each game, at its default target and with two players, and each agent. They
// are the programs' own files, built in, with what made them and what they are
// worth.
//
// Start with [List] and [Load].
package trained

import (
	"embed"
	"errors"
	"strings"

	"pigpen/env"
	"pigpen/policies"
)

// A Policy is one that was trained.
type Policy struct {
	// Name is what [Load] takes, as in "pig-qlearning".
	Name string
	// Command made the file, in this folder; its seed is the default, 1.
	Command string
	// Seconds are what it took on two shared cores of an Intel Xeon, model 167,
	// at 2.6 GHz.
	Seconds float64
	// WinMean is the exact win probability against perfect play, the mean of
	// both seats, and Exploitability what a best response wins more than half.
	WinMean, Exploitability float64
}

//go:embed *.msgpack
var files embed.FS

// ErrUnknown is what [Load] wraps when no policy has a name.
var ErrUnknown = errors.New("trained: unknown policy")

// Load returns the policy file of that name. The error wraps [ErrUnknown] and
// names the nearest and all of them.
func Load(name string) (policies.File, error) {
	var names []string
	for _, p := range List() {
		names = append(names, p.Name)
		if p.Name != name {
			continue
		}
		in, err := files.Open(name + ".msgpack")
		if err != nil {
			return policies.File{}, err
		}
		defer in.Close()
		return policies.Read(in)
	}
	return policies.File{}, &env.UnknownNameError{Err: ErrUnknown, Name: name, Known: names, List: "they are " + strings.Join(names, ", ")}
}
