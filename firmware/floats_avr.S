/*
 * floats_avr.S - floats of 32 bits on an AVR, in place of the compiler's library: exact to the last
 * bit, also below the smallest normal number, and small. One float is no number: 0x7fc00000.
 *
 * A number is opened into a significand of 32 bits, whose first bit is set unless it is 0, and an
 * exponent of 16 bits; the sign of the result is in T. The last bit of the significand also says
 * whether anything was shifted out. `pack` rounds to the nearest, to the even one of two, and puts
 * all together.
 *
 *     first number and result   r25..r22, exponent r27:r26
 *     second number             r21..r18, exponent r31:r30
 *
 * Registers are used as the convention of the compiler allows; r1 is 0 outside of `swap`.
 */
    .global __addsf3, __subsf3, __mulsf3, __divsf3, __floatsisf, __floatunsisf
    .global tpi_play_quotient, tpi_play_fmod, tpi_play_sqrt, tpi_play_round
    .global tpi_float_swap, tpi_float_negate, tpi_float_nan /* for cells_avr.S */
    .set tpi_float_swap, swap
    .set tpi_float_negate, negate
    .set tpi_float_nan, nan

    .section .text.floats, "ax", @progbits

/* ---- Opening ---- */

swap: /* the two numbers */
    movw r0, r22
    movw r22, r18
    movw r18, r0
    movw r0, r24
    movw r24, r20
    movw r20, r0
    movw r0, r26
    movw r26, r30
    movw r30, r0
    clr r1
    ret

order: /* the larger number, without signs, becomes the first one */
    mov r26, r25
    andi r26, 0x7f
    mov r30, r21
    andi r30, 0x7f
    cp r22, r18
    cpc r23, r19
    cpc r24, r20
    cpc r26, r30
    brlo swap
    ret

open_both:
    rcall 1f
1:  rcall open
    rjmp swap

open: /* the first number; an infinite one, or one that is none, has the exponent 255 */
    lsl r24
    rol r25
    mov r26, r25
    clr r27
    sec
    tst r26 /* leaves the carry */
    brne 1f
    ldi r26, 1
    clc
1:  ror r24
    mov r25, r24
    mov r24, r23
    mov r23, r22
    clr r22
2:  tst r25
    brmi 3f
    mov r0, r23
    or r0, r24
    or r0, r25
    breq 3f
    sbiw r26, 1
    lsl r23
    rol r24
    rol r25
    rjmp 2b
3:  ret

special: /* Z if the first number is infinite; if it is none, the caller returns with that */
    cpi r26, 255
    cpc r27, r1
    brne 3b
    cpi r25, 0x80
    cpc r24, r1
    cpc r23, r1
    breq 3b
    pop r0
    pop r0

/* ---- Results ---- */

nan:
    ldi r25, 0x7f
    ldi r24, 0xc0
    rjmp low_zero

infinite:
    ldi r25, 0x7f
    ldi r24, 0x80
    rjmp signed

zero:
    clr r24
    clr r25
signed:
    bld r25, 7
low_zero:
    clr r22
    clr r23
    ret

negate: /* a whole number */
    com r25
    com r24
    com r23
    neg r22
    sbci r23, -1
    sbci r24, -1
    sbci r25, -1
    ret

__floatsisf:
    bst r25, 7
    brtc 1f
    rcall negate
    rjmp 1f
__floatunsisf:
    clt
1:  ldi r26, 158
    clr r27

pack:
    tst r25
    brmi 3f
    brne 2f
    mov r0, r22
    or r0, r23
    or r0, r24
    breq zero
    mov r25, r24 /* whole bytes first */
    mov r24, r23
    mov r23, r22
    clr r22
    sbiw r26, 8
    rjmp pack
2:  lsl r22
    rol r23
    rol r24
    rol r25
    sbiw r26, 1
    rjmp pack
3:  cpi r26, 255
    cpc r27, r1
    brge infinite
4:  cp r1, r26
    cpc r1, r27
    brlt 5f
    rcall shift /* too small for all bits */
    rjmp 4b
5:  dec r26 /* the first bit of the significand adds 1 to the exponent */
    mov r0, r23
    lsr r0
    ldi r27, 0x7f /* the second number stays as it is */
    adc r22, r27
    adc r23, r1
    adc r24, r1
    adc r25, r1
    brcc 6f
    subi r26, -2
6:  mov r22, r23
    mov r23, r24
    mov r24, r25
    mov r25, r26
    lsr r25
    brcc 7f
    subi r24, 0x80
    brcs 7f
    inc r25
7:  bld r25, 7
    ret

shift: /* the first significand by one bit to the right */
    clc
shift_carry:
    ror r25
    ror r24
    ror r23
    ror r22
    brcc 1f
    ori r22, 1
1:  adiw r26, 1
    ret

/* ---- Sums ---- */

__subsf3:
    subi r21, 0x80
__addsf3:
    rcall order
    bst r25, 7
    mov r0, r25
    eor r0, r21
    push r0 /* whether the signs differ */
    rcall open_both
    pop r0
    rcall special
    brne 1f
    cp r30, r26 /* the other one too? */
    cpc r31, r27
    brne 6f
    sbrs r0, 7
6:  rjmp infinite
    rjmp nan /* infinite - infinite */
1:  sub r30, r26
    sbc r31, r27
    rjmp 3f
2:  adiw r30, 1 /* the exponents become the same */
    lsr r21
    ror r20
    ror r19
    ror r18
    brcc 3f
    ori r18, 1
3:  sbrc r31, 7
    rjmp 2b
    sbrc r0, 7
    rjmp 4f
    add r22, r18
    adc r23, r19
    adc r24, r20
    adc r25, r21
    brcc 5f
    rcall shift_carry
    rjmp pack
4:  sub r22, r18
    sbc r23, r19
    sbc r24, r20
    sbc r25, r21
    mov r0, r22
    or r0, r23
    or r0, r24
    or r0, r25
    brne 5f
    clt /* x - x is 0, not -0 */
5:  rjmp pack

/* ---- Products ---- */

__mulsf3:
    rcall order
    mov r0, r25
    eor r0, r21
    bst r0, 7
    rcall open_both
    rcall special
    brne 1f
    tst r21
    brpl 6f /* infinite * 0 */
    rjmp infinite
6:  rjmp nan
1:  add r26, r30
    adc r27, r31
    subi r26, lo8(126)
    sbci r27, hi8(126)
    clr r18
    clr r30
    clr r31
    ldi r22, 24
2:  clc /* the bits of the first one leave r23, those of the product enter r25 */
    sbrs r23, 0
    rjmp 3f
    add r18, r19
    adc r30, r20
    adc r31, r21
3:  ror r31
    ror r30
    ror r18
    ror r25
    ror r24
    ror r23
    dec r22
    brne 2b
    mov r22, r25
    or r23, r24
    mov r23, r18
    breq 4f
    ori r22, 1
4:  movw r24, r30
    rjmp pack

/* ---- Quotients ---- */

tpi_play_quotient:
__divsf3:
    mov r0, r25
    eor r0, r21
    bst r0, 7
    rcall open_both
    rcall special
    brne 1f
    cp r30, r26 /* infinite by infinite, or by what is none */
    cpc r31, r27
    breq 6b
7:  rjmp infinite
1:  rcall swap
    rcall special
    brne 2f
    rjmp zero
2:  rcall swap
    tst r21
    brmi 3f
    tst r25
    brmi 7b
    rjmp nan /* 0 / 0 */
3:  sub r26, r30
    sbc r27, r31
    subi r26, lo8(-132)
    sbci r27, hi8(-132)
    ldi r18, 27 /* bits of the quotient: at least 24, one for rounding, one for the rest */
    mov r0, r18
    clr r18
    clr r22
    clr r30
    clr r31
    clc
4:  brcs 5f
    cp r23, r19
    cpc r24, r20
    cpc r25, r21
    brcs 6f
5:  sub r23, r19
    sbc r24, r20
    sbc r25, r21
    clc
6:  rol r18 /* the bits come upside down */
    rol r22
    rol r30
    rol r31
    lsl r23
    rol r24
    rol r25
    dec r0
    brne 4b
    adc r0, r1 /* the first bit of the rest */
    or r25, r0
    com r18
    com r22
    com r30
    com r31
    andi r31, 0x07
    or r25, r24
    or r25, r23
    breq 8f
    ori r18, 1
8:  movw r24, r30
    mov r23, r22
    mov r22, r18
    rjmp pack

/* The rest of x / y with the sign of x. */
tpi_play_fmod:
    bst r25, 7
    rcall open_both
    rcall special
    breq 7f
    rcall swap
    rcall special
    rcall swap
    tst r21
    brpl 7f
    tst r25
    brpl 6f
    sub r26, r30
    sbc r27, r31
    brpl 2f
    add r26, r30 /* smaller than y */
    adc r27, r31
6:  rjmp pack
7:  rjmp nan
1:  lsl r23
    rol r24
    rol r25
    brcs 3f
2:  cp r23, r19
    cpc r24, r20
    cpc r25, r21
    brcs 4f
3:  sub r23, r19
    sbc r24, r20
    sbc r25, r21
4:  sbiw r26, 1
    brcc 1b
    movw r26, r30
    rjmp pack

/* ---- Roots ---- */

two: /* bits of r25..r22 move on to r31:r30:r27:r26 */
    rcall one
one:
    lsl r22
    rol r23
    rol r24
    rol r25
    rol r26
    rol r27
    rol r30
    rol r31
    ret

/* 30 bits of the root, one by one. r21..r18 is its double. */
tpi_play_sqrt:
    bst r25, 7
    rcall open
    rcall special
    breq 1f
    tst r25
    brpl 6b /* 0, or -0 */
    brts 7b
    mov r0, r26
    subi r26, lo8(-129)
    sbci r27, hi8(-129)
    asr r27
    ror r26
    push r26
    push r27
    sbrs r0, 0
    rjmp 2f
    lsr r25
    ror r24
    ror r23
    ror r22
2:  ldi r18, 30
    mov r0, r18
    clr r18
    clr r19
    movw r20, r18
    movw r26, r18
    movw r30, r18
3:  rcall two
    lsl r18
    rol r19
    rol r20
    rol r21
    cp r18, r26
    cpc r19, r27
    cpc r20, r30
    cpc r21, r31
    brsh 4f
    sec
    sbc r26, r18
    sbc r27, r19
    sbc r30, r20
    sbc r31, r21
    ori r18, 2
4:  dec r0
    brne 3b
    or r26, r27
    or r26, r30
    or r26, r31
    breq 5f
    ori r18, 1
5:  movw r22, r18
    movw r24, r20
    pop r27
    pop r26
    rjmp pack
1:  brts 6f
    rjmp infinite
6:  rjmp nan

/* ---- The nearest integer; halves go away from 0 ---- */

tpi_play_round:
    bst r25, 7
    rcall open
    cpi r26, 255
    cpc r27, r1
    brne 1f
    cpi r25, 0x80
    cpc r24, r1
    cpc r23, r1
    breq 1f
    clt
    rjmp zero /* of what is no number */
1:  ldi r18, 158
    cp r26, r18
    cpc r27, r1
    brge 4f
    sub r18, r26
2:  lsr r25
    ror r24
    ror r23
    ror r22
    dec r18
    brne 2b
    adc r22, r1
    adc r23, r1
    adc r24, r1
    adc r25, r1
    brtc 3f
    rjmp negate
4:  ser r25 /* beyond 32 bits: the last one */
    ser r24
    movw r22, r24
    andi r25, 0x7f
    brtc 3f
    rjmp least
3:  ret
least:
    com r22
    com r23
    com r24
    com r25
    ret
