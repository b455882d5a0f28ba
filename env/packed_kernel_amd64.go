//go:build !purego

package env

import "golang.org/x/sys/cpu"

// kernelParams holds what stepKernel needs to know of a game. It multiplies weights
// with the lanes of a state and adds the products of lanes 0 and 1 to one number of
// 32 bits, those of lanes 2 and 3 to another (the instruction PMADDWD).
type kernelParams struct {
	slots uint64
	// rowWeights gives the index in moves at which the row of a state begins.
	rowWeights packedState
	// endWeights gives two numbers for each state. The game has ended where one of
	// them is greater than the same number of endBounds; see [ends]:
	//
	//	lane 0 + lane 1 ≥ target                            at the target
	//	lane 0 ≥ target, or lane 2 ≥ target and lane 3 = 1  after a round
	//
	// States that are undrawn exceed the bounds too.
	endWeights, endBounds packedState
	// The kernel packs the rows of four observations in two steps: columnBytes
	// selects the bytes of two states each, columnWords the words of 32 bits of all
	// four. It writes the two halves of the result, the second one secondHalf bytes
	// after the first.
	columnBytes [32]uint8
	columnWords [8]uint32
	secondHalf  int
	// seatFlips, one byte for each of four games, turns lane 3 into the seat by
	// exclusive or.
	seatFlips uint32
}

// newKernelParams returns the parameters for the game of e, or nil if the processor
// lacks AVX2.
func newKernelParams(e *packedEngine) *kernelParams {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	p := &kernelParams{slots: uint64(e.game.table.slots)}
	if e.byHeld {
		p.rowWeights = movesPerRow | movesPerRow<<16
	}
	const maxScore = 1<<15 - 1
	if last := e.endTarget - 1; e.endAfterRound {
		p.endWeights, p.endBounds = 1|1<<32|maxScore<<48, last|(last+maxScore)<<32
		p.seatFlips = 0x01010101
	} else {
		if e.endTarget != never {
			p.endWeights, p.endBounds = 1|1<<16, last
		}
		if e.game.table.rest != nil {
			p.endWeights, p.endBounds = p.endWeights|1<<48, p.endBounds|(undrawn>>48-1)<<32
		}
	}
	if e.columns >= 4 {
		for i := range p.columnBytes {
			p.columnBytes[i] = uint8(i % 16)
		}
		p.columnWords, p.secondHalf = [8]uint32{0, 1, 2, 3, 4, 5, 6, 7}, 16
	} else { // three columns: 6 of the 8 bytes of a state, 24 of 32, of which 8 are written twice
		for i := range p.columnBytes {
			p.columnBytes[i] = uint8(i%16 + i%16/6*2)
		}
		p.columnWords, p.secondHalf = [8]uint32{0, 1, 2, 4, 2, 4, 5, 6}, 8
	}
	return p
}

// The upper halves of the mixer's multipliers.
//
//lint:ignore U1000 stepKernel reads them
const mix1High, mix2High = mix1 >> 32, mix2 >> 32

// stepKernel does what stepScalar does for the games in [i, n), four at a time; n-i
// is a multiple of four. It stops before the first four games one of which has a
// roll that may have to be redrawn, leaves them unchanged, and returns the index of
// the first of them, or n. actions has an element for every game, and b has the
// size for all games.
//
//go:noescape
func stepKernel(p *kernelParams, e *packedEngine, actions *Action, b *Batch, i, n int) int
