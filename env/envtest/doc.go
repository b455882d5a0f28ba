// Package envtest checks that games and environments keep the contracts of
// package env, in the manner of testing/fstest.
//
// [TestGame] checks a game's rules, [TestEnvironment] whatever deals dice for
// it, and [Playthrough] writes an episode for people to read. Nothing here
// knows a variant: what must hold is said once, for all of them.
//
// Every seed is fixed, so a check that draws at random passes or fails
// forever.
package envtest
