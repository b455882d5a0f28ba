//go:build !purego

package env

import "golang.org/x/sys/cpu"

// fours are what playFours reads of a game. Weights are multiplied with a state
// lane by lane, and the products of lanes 0 and 1 added up to one number of 32
// bits, those of lanes 2 and 3 to another: the instruction PMADDWD.
type fours struct {
	rolls uint64
	held  lanes // weights that give where in moves a state's row begins
	// Where one of the numbers that the weights reached give is above that of
	// below, the game has ended; as [ends] has it,
	//
	//	lane 0 + lane 1 ≥ target                            at the target
	//	lane 0 ≥ target, or lane 2 ≥ target and lane 3 = 1  after a round
	reached, below lanes
	// Rows of columns are brought together in two steps: of each two states the
	// bytes, and of all four the words of 32 bits. The two halves of the result
	// are then written, the other one second bytes after the first.
	bytes  [32]uint8
	words  [8]uint32
	second int
	seats  uint32 // exclusive-or of four lanes 3 with four seats, a byte each
}

// newFours returns what playFours needs for d, or nil if the processor lacks
// AVX2, which it is written in.
func newFours(d *duels) *fours {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	f := &fours{rolls: uint64(d.game.chance.rolls)}
	if d.byHeld {
		f.held = rowLength | rowLength<<16
	}
	const large = 1<<15 - 1 // no score is larger
	if last := lanes(d.game.target) - 1; d.afterRound {
		f.reached, f.below = 1|1<<32|large<<48, last|(last+large)<<32
		f.seats = 0x01010101
	} else {
		f.reached, f.below = 1|1<<16, last
	}
	if d.columns == 4 {
		for i := range f.bytes {
			f.bytes[i] = uint8(i % 16)
		}
		f.words, f.second = [8]uint32{0, 1, 2, 3, 4, 5, 6, 7}, 16
	} else { // of 8 bytes 6 count, of 32 then 24, of which 8 are written twice
		for i := range f.bytes {
			f.bytes[i] = uint8(i%16 + i%16/6*2)
		}
		f.words, f.second = [8]uint32{0, 1, 2, 4, 2, 4, 5, 6}, 8
	}
	return f
}

// The upper halves of the mixer's multipliers.
//
//lint:ignore U1000 playFours reads them
const mix1High, mix2High = mix1 >> 32, mix2 >> 32

// playFours plays the duels from i on, up to n, as playEach does, four at a time;
// n-i is a multiple of four. It stops at four of which one has a roll that may
// have to be redrawn, having left them alone, and returns the number of the
// first, or n. There are as many actions as duels, and the batch fits.
//
//go:noescape
func playFours(f *fours, d *duels, actions *Action, b *Batch, i, n int) int
