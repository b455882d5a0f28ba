// Package trained holds policies that Pigpen's agents have learned: one for
// each game, at its default target and with two players, and each agent. They
// are the programs' own files, built in, with what made them and what they are
// worth.
//
// Start with [List]. Package policies finds each of them by its name behind
// "trained/", as in [pigpen/policies.Find].
package trained

import "embed"

// A Policy is one that was trained.
type Policy struct {
	// Name is what [Data] takes, as in "pig-qlearning".
	Name string
	// Command made the file, in this folder; its seed is the default, 1.
	Command string
	// Seconds are what it took on two cores of an AMD EPYC beside other work.
	Seconds float64
	// WinMean is the exact win probability against perfect play, the mean of
	// both seats, and Exploitability what a best response wins more than half.
	WinMean, Exploitability float64
}

//go:embed *.msgpack
var files embed.FS

// Data returns the policy file of that name, which [pigpen/policies.Read] reads; ok is
// false if the list has no such name.
func Data(name string) (data []byte, ok bool) {
	data, err := files.ReadFile(name + ".msgpack")
	return data, err == nil
}
