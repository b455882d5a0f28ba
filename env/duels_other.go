//go:build !amd64 || purego

package env

// fours would play four duels at a time. Here there are none.
type fours struct{}

func newFours(*duels) *fours { return nil }

func playFours(*fours, *duels, *Action, *Batch, int, int) int { panic("env: no fours") }
