//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Names as in duels.go. Where a register holds four duels, each has 64 bits of
// it, a state or a move therefore its four lanes of 16. Operands stand in Go's
// order, the result last.

// FOUR defines a constant of 64 bits, four times over.
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
FOUR(one3, $const_one3)

// most bounds the turn total by 1, which makes it say whether Hold is legal.
FOUR(most, $0xffffffff0001ffff)

// shown brings bytes of four states, bounded by most, to where they are written
// from: 8 bytes of Legal, 4 of canHold, 4 of seats. It is applied to the halves
// of a register, two states each, and leaves 0 where the other half has its
// bytes. In a half, bytes 2 and 10 are lanes 1, and 6 and 14 lanes 3; 0x80 gives 0.
DATA shown<>+0(SB)/8, $"\x02\x80\x0a\x80\x80\x80\x80\x80"
DATA shown<>+8(SB)/8, $"\x02\x0a\x80\x80\x06\x0e\x80\x80"
DATA shown<>+16(SB)/8, $"\x80\x80\x80\x80\x02\x80\x0a\x80"
DATA shown<>+24(SB)/8, $"\x80\x80\x02\x0a\x80\x80\x06\x0e"
GLOBL shown<>(SB), RODATA|NOPTR, $32

// legal is exclusive-ored to them, with f.seats in its last 4 bytes: Roll is legal.
DATA legal<>+0(SB)/8, $0x0100010001000100
DATA legal<>+8(SB)/8, $0
GLOBL legal<>(SB), RODATA|NOPTR, $16

// func playFours(f *fours, d *duels, actions *Action, b *Batch, i, n int) int
//
//	CX   i, the number of the first of four duels
//	R8   d.rands         R12  b.Observations, those of duel i
//	R9   d.states        R13  b.Legal
//	R10  d.canHold       DX   b.Seats
//	SI   d.ended         R11  actions
//	DI   d.moves         BX   f.second
//	AX   scratch         R14  scratch
//
//	Y0   -1 where the action is Roll, else 0
//	Y1   the generator's next state
//	Y2   the draw, then the number of the move
//	Y3   scratch         Y8   f.rolls
//	Y4   scratch         Y9   f.held
//	Y5   the state s     Y10  f.reached
//	Y6   the move m      Y11  f.below
//	Y7   the next state  Y12  f.bytes
//	                     Y13  f.words
//	                     Y14  legal, f.seats
TEXT ·playFours(SB), NOSPLIT, $0-56
	MOVQ         f+0(FP), AX
	VPBROADCASTQ fours_rolls(AX), Y8
	VPBROADCASTQ fours_held(AX), Y9
	VPBROADCASTQ fours_reached(AX), Y10
	VPBROADCASTQ fours_below(AX), Y11
	VMOVDQU      fours_bytes(AX), Y12
	VMOVDQU      fours_words(AX), Y13
	VMOVDQU      legal<>(SB), X14
	VPINSRD      $3, fours_seats(AX), X14, X14
	MOVQ         fours_second(AX), BX

	MOVQ d+8(FP), AX
	MOVQ duels_rands(AX), R8
	MOVQ duels_states(AX), R9
	MOVQ duels_canHold(AX), R10
	MOVQ duels_ended(AX), SI
	MOVQ duels_moves(AX), DI
	MOVQ actions+16(FP), R11
	MOVQ b+24(FP), AX
	MOVQ Batch_Observations(AX), R12
	MOVQ Batch_Legal(AX), R13
	MOVQ Batch_Seats(AX), DX
	MOVQ i+32(FP), CX

	// Four rows have second + 16 bytes.
	LEAQ  16(BX), AX
	IMULQ CX, AX
	SHRQ  $2, AX
	ADDQ  AX, R12

	CMPQ CX, n+40(FP)
	JGE  done

four:
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

	// x = z * n, where n is rolls where it rolls, else 0; done if uint32(x) < n
	// anywhere, that is, max(uint32(x), n) != uint32(x)
	VPAND     Y8, Y0, Y3
	VPMULUDQ  Y3, Y2, Y2
	VPMAXUD   Y3, Y2, Y4
	VPCMPEQD  Y4, Y2, Y4
	VMOVMSKPS Y4, AX
	CMPL      AX, $0xff
	JNE       done
	VMOVDQU   Y1, (R8)(CX*8)

	// m = moves[held][x>>32 + 1 where it rolls]. Y4 says which moves to load, which
	// is all; Y6 is cleared so that the load does not wait for what it held before.
	VMOVDQU    (R9)(CX*8), Y5
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
	VPXOR    one3<>(SB), Y5, Y5
	VPBLENDW $0x88, Y5, Y3, Y3

	// states[i] = Y3 if m&pass, whose bit becomes the sign, else Y7
	VPSLLQ    $31, Y6, Y6
	VBLENDVPD Y6, Y3, Y7, Y7
	VMOVDQU   Y7, (R9)(CX*8)

	// Byte i/4 of ended: for each duel, whether its two numbers are above f.below
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
	VPMINUW      most<>(SB), Y7, Y3
	VPSHUFB      shown<>(SB), Y3, Y3
	VEXTRACTI128 $1, Y3, X4
	VPOR         X4, X3, X3
	VPXOR        X14, X3, X3
	VMOVQ        X3, (R13)(CX*2)
	VPEXTRD      $2, X3, (R10)(CX*1)
	VPEXTRD      $3, X3, (DX)(CX*1)

	ADDQ $4, CX
	CMPQ CX, n+40(FP)
	JLT  four

done:
	VZEROUPPER
	MOVQ CX, ret+48(FP)
	RET
