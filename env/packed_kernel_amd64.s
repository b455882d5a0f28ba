//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The AVX2 kernel of packedEngine; stepScalar is the same in Go, and
// names are those of [packedEngine]. A register that holds four games has 64 bits for
// each: one generator, or the four lanes of 16 bits of one state or move. Operands
// are in the order of Go's assembler, the result last.

// FOUR defines a vector of four equal constants of 64 bits.
#define FOUR(name, value) \
	DATA name<>+0(SB)/8, value; \
	DATA name<>+8(SB)/8, value; \
	DATA name<>+16(SB)/8, value; \
	DATA name<>+24(SB)/8, value; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

FOUR(roll, $const_Roll)
FOUR(weyl, $const_weyl)
FOUR(mix1, $const_mix1)
FOUR(mix1High, $const_mix1High)
FOUR(mix2, $const_mix2)
FOUR(mix2High, $const_mix2High)
FOUR(lane3One, $const_lane3One)
FOUR(mustRoll, $const_mustRoll)

// turnTotalCap limits lane 1, the turn total, to 1: then lane 1 tells whether Hold
// is legal.
FOUR(turnTotalCap, $0xffffffff0001ffff)

// shown selects, from four states limited by turnTotalCap, the bytes of 4 pairs of
// Legal, 4 elements of canHold and 4 of Seats. It is applied to each half of a
// register, that is to two states, and leaves 0 where the other half has its bytes;
// an or of the halves joins them. In each half, bytes 2 and 10 are lanes 1, and bytes
// 6 and 14 lanes 3; 0x80 gives 0.
DATA shown<>+0(SB)/8, $"\x02\x80\x0a\x80\x80\x80\x80\x80"
DATA shown<>+8(SB)/8, $"\x02\x0a\x80\x80\x06\x0e\x80\x80"
DATA shown<>+16(SB)/8, $"\x80\x80\x80\x80\x02\x80\x0a\x80"
DATA shown<>+24(SB)/8, $"\x80\x80\x02\x0a\x80\x80\x06\x0e"
GLOBL shown<>(SB), RODATA|NOPTR, $32

// legal is combined with these bytes by exclusive or: it makes Roll legal, and has
// seatFlips in its last 4 bytes.
DATA legal<>+0(SB)/8, $0x0100010001000100
DATA legal<>+8(SB)/8, $0
GLOBL legal<>(SB), RODATA|NOPTR, $16

// func stepKernel(p *kernelParams, e *packedEngine, actions *Action, b *Batch, i, n int) int
//
//	CX   i, the index of the first of four games
//	R8   e.rands         R12  b.Observations, from the row of game i
//	R9   e.states        R13  b.Legal
//	R10  e.canHold       DX   b.Seats
//	SI   e.ended         R11  actions
//	DI   e.moves         BX   p.secondHalf
//	AX   scratch         R14  scratch
//
//	Y0   -1 where the action is Roll, else 0
//	Y1   the generator's next state
//	Y2   the draw, then the index of the move
//	Y3   scratch         Y8   p.slots
//	Y4   scratch         Y9   p.rowWeights
//	Y5   the state s     Y10  p.endWeights
//	Y6   the move m      Y11  p.endBounds
//	Y7   the next state  Y12  p.columnBytes
//	                     Y13  p.columnWords
//	                     Y14  legal, p.seatFlips
//	                     Y15  mustRoll
TEXT ·stepKernel(SB), NOSPLIT, $0-56
	MOVQ         p+0(FP), AX
	VPBROADCASTQ kernelParams_slots(AX), Y8
	VPBROADCASTQ kernelParams_rowWeights(AX), Y9
	VPBROADCASTQ kernelParams_endWeights(AX), Y10
	VPBROADCASTQ kernelParams_endBounds(AX), Y11
	VMOVDQU      kernelParams_columnBytes(AX), Y12
	VMOVDQU      kernelParams_columnWords(AX), Y13
	VMOVDQU      legal<>(SB), X14
	VPINSRD      $3, kernelParams_seatFlips(AX), X14, X14
	VMOVDQU      mustRoll<>(SB), Y15
	MOVQ         kernelParams_secondHalf(AX), BX

	MOVQ e+8(FP), AX
	MOVQ packedEngine_rands(AX), R8
	MOVQ packedEngine_states(AX), R9
	MOVQ packedEngine_canHold(AX), R10
	MOVQ packedEngine_ended(AX), SI
	MOVQ packedEngine_moves(AX), DI
	MOVQ actions+16(FP), R11
	MOVQ b+24(FP), AX
	MOVQ Batch_Observations(AX), R12
	MOVQ Batch_Legal(AX), R13
	MOVQ Batch_Seats(AX), DX
	MOVQ i+32(FP), CX

	// Four rows have secondHalf + 16 bytes.
	LEAQ  16(BX), AX
	IMULQ CX, AX
	SHRQ  $2, AX
	ADDQ  AX, R12

	CMPQ CX, n+40(FP)
	JGE  done

step:
	// rand = rands[i] + weyl where it rolls
	VPMOVZXBQ (R11)(CX*1), Y0
	VPCMPEQQ  roll<>(SB), Y0, Y0
	VPAND     weyl<>(SB), Y0, Y1
	VPADDQ    (R8)(CX*8), Y1, Y1

	// z = rand ^ rand>>30
	VPSRLQ $30, Y1, Y2
	VPXOR  Y2, Y1, Y2

	// z *= mix1, as low*low + (low*high + high*low)<<32
	VPSRLQ   $32, Y2, Y3
	VPMULUDQ mix1High<>(SB), Y2, Y4
	VPMULUDQ mix1<>(SB), Y3, Y3
	VPMULUDQ mix1<>(SB), Y2, Y2
	VPADDQ   Y3, Y4, Y3
	VPSLLQ   $32, Y3, Y3
	VPADDQ   Y3, Y2, Y2

	// z ^= z>>27
	VPSRLQ $27, Y2, Y3
	VPXOR  Y3, Y2, Y2

	// z = z*mix2>>32; from here on only the lower halves of Y2 and Y3 count
	VPSRLQ   $32, Y2, Y3
	VPMULUDQ mix2High<>(SB), Y2, Y4
	VPMULUDQ mix2<>(SB), Y3, Y3
	VPMULUDQ mix2<>(SB), Y2, Y2
	VPSRLQ   $32, Y2, Y2
	VPADDD   Y3, Y2, Y2
	VPADDD   Y4, Y2, Y2

	// z ^= z>>31, which is the upper half of what mix64 returns
	VPSRLD $31, Y2, Y3
	VPXOR  Y3, Y2, Y2

	// x = z * n, where n is slots where it rolls, else 0; done if uint32(x) < n
	// anywhere, that is, max(uint32(x), n) != uint32(x)
	VPAND     Y8, Y0, Y3
	VPMULUDQ  Y3, Y2, Y2
	VPMAXUD   Y3, Y2, Y4
	VPCMPEQD  Y4, Y2, Y4
	VMOVMSKPS Y4, AX
	CMPL      AX, $0xff
	JNE       done
	VMOVDQU   Y1, (R8)(CX*8)

	// m = moves[held][x>>32 + 1 where it rolls]. Y4 is the mask of the gather: all
	// four. Clearing Y6 breaks the dependency on its last value.
	VPANDN     (R9)(CX*8), Y15, Y5 // without mustRoll
	VPSRLQ     $32, Y2, Y2
	VPSUBQ     Y0, Y2, Y2
	VPMADDWD   Y9, Y5, Y3
	VPADDQ     Y3, Y2, Y2
	VPCMPEQD   Y4, Y4, Y4
	VPXOR      Y6, Y6, Y6
	VPGATHERQQ Y4, (DI)(Y2*8), Y6

	// Y7 = s + m
	VPADDW Y6, Y5, Y7

	// Y3 = lane 0 if it is kept + lane 1 if it is banked, 0, lane 2, 0
	VPMADDWD Y6, Y5, Y3

	// Y3 = lane 2, 0, those sums, lane 3 with its lowest bit flipped
	VPSHUFD  $0xb1, Y3, Y3
	VPXOR    lane3One<>(SB), Y5, Y5
	VPBLENDW $0x88, Y5, Y3, Y3

	// states[i] = Y3 if m&movePass, whose bit becomes the sign, else Y7
	VPSLLQ    $31, Y6, Y6
	VBLENDVPD Y6, Y3, Y7, Y7
	VMOVDQU   Y7, (R9)(CX*8)

	// Byte i/4 of ended: for each game, whether its two numbers exceed p.endBounds
	VPMADDWD  Y10, Y7, Y3
	VPCMPGTD  Y11, Y3, Y3
	VMOVMSKPS Y3, AX
	MOVQ      CX, R14
	SHRQ      $2, R14
	MOVB      AX, (SI)(R14*1)

	// Observations, 16 bytes twice
	VPSHUFB      Y12, Y7, Y3
	VPERMD       Y3, Y13, Y3
	VMOVDQU      X3, (R12)
	VEXTRACTI128 $1, Y3, (R12)(BX*1)
	LEAQ         16(R12)(BX*1), R12

	// Legal, canHold and Seats
	VPMINUW      turnTotalCap<>(SB), Y7, Y3
	VPSHUFB      shown<>(SB), Y3, Y3
	VEXTRACTI128 $1, Y3, X4
	VPOR         X4, X3, X3
	VPXOR        X14, X3, X3
	VMOVQ        X3, (R13)(CX*2)
	VPEXTRD      $2, X3, (R10)(CX*1)
	VPEXTRD      $3, X3, (DX)(CX*1)

	ADDQ $4, CX
	CMPQ CX, n+40(FP)
	JLT  step

done:
	VZEROUPPER
	MOVQ CX, ret+48(FP)
	RET
