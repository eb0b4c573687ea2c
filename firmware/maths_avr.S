/*
 * maths_avr.S - functions of floats on an AVR, in place of src/play/maths.c: the same operations in
 * the same order, hence the same bits.
 *
 * They are called by tpi_play_math() in cells_avr.S only, which saves r6 to r17: two numbers are
 * kept in r9..r6 and r13..r10; the place in the table is r15:r14. A float that is no number may
 * have any sign here; tpi_play_math() makes it the one that there is.
 */
    .global tpi_play_sin, tpi_play_cos, tpi_play_atan2, tpi_play_exp

    .section .text.maths, "ax", @progbits

/* The coefficients of maths.c, each row behind how many follow the first one. */
rows:
sine_row: /* sin x / x by x squared, x in degrees */
    .byte 3
    .float -9.62092381e-17, 1.34938831e-11, -8.86095108e-07, 0.0174532924
cosine_row: /* cos x by x squared */
    .byte 3
    .float -3.84355938e-14, 3.86536136e-09, -0.000152308392, 1.0
arc_row: /* the angle whose tangent is x, by x, by x squared */
    .byte 4
    .float 4.57592058, -7.93661928, 11.4445248, -19.0982876, 57.2957802
exp_row: /* e to the power of x */
    .byte 6
    .float 0.00138144672, 0.00836878084, 0.0416683927, 0.166665196, 0.49999994, 1.0, 1.0

keep: /* the first number in r9..r6 */
    movw r6, r22
    movw r8, r24
    ret

kept: /* as the second number */
    movw r18, r6
    movw r20, r8
    ret

one:
    ldi r20, 0x80
    ldi r21, 0x3f
    rjmp whole
minus_from: /* r21:r20 0 0 less the first number */
    subi r25, 0x80
add_whole:
    rcall whole
    rjmp __addsf3
whole: /* r21:r20 and zeros */
    clr r18
    clr r19
    ret

/* ---- Polynomials ---- */

by_square: /* keep the first number; the row r17 by its square */
    rcall keep
    rcall kept
    rcall __mulsf3
polynomial: /* the row r17 by powers of the first number */
    movw r10, r22
    movw r12, r24
    clr r31
    mov r30, r17
    subi r30, lo8(-(rows))
    sbci r31, hi8(-(rows))
    lpm r17, Z+
    movw r14, r30
    rcall coefficient
    movw r22, r18
    movw r24, r20
1:  movw r18, r10
    movw r20, r12
    rcall __mulsf3
    rcall coefficient
    rcall __addsf3
    dec r17
    brne 1b
    ret

coefficient: /* the next one, as the second number */
    movw r30, r14
    lpm r18, Z+
    lpm r19, Z+
    lpm r20, Z+
    lpm r21, Z+
    movw r14, r30
    ret

/* ---- Sine: from the nearest right angle on; r16 counts right angles ---- */

tpi_play_sin:
    clr r16
    rjmp 1f
tpi_play_cos:
    ldi r16, 1
1:  ldi r20, 0xb4 /* 360.0 */
    ldi r21, 0x43
    rcall whole
    rcall tpi_play_fmod
    rcall keep
    ldi r18, 0x61 /* 0.0111111111 */
    ldi r19, 0x0b
    ldi r20, 0x36
    ldi r21, 0x3c
    rcall __mulsf3
    rcall tpi_play_round
    add r16, r22
    rcall __floatsisf
    ldi r20, 0xb4 /* -90.0 */
    ldi r21, 0xc2
    rcall whole
    rcall __mulsf3
    rcall kept
    rcall __addsf3
    ldi r17, sine_row - rows
    sbrc r16, 0
    ldi r17, cosine_row - rows
    rcall by_square
    rcall kept
    sbrs r16, 0
    rcall __mulsf3
    sbrc r16, 1
    subi r25, 0x80
    clr r20 /* no -0 */
    clr r21
    rjmp add_whole

/* ---- Angles ---- */

    .equ OF_45, 4    /* bits of r16: counted from 45 degrees, */
    .equ OF_90, 5    /* from 90 degrees, */
    .equ OF_180, 6   /* from 180 degrees; */
    .equ IS_BELOW, 7 /* negative */

tpi_play_atan2: /* y, x */
    mov r16, r25
    andi r16, 1 << IS_BELOW
    sbrc r21, 7
    ori r16, 1 << OF_180
    andi r25, 0x7f
    andi r21, 0x7f
    cp r22, r18
    cpc r23, r19
    cpc r24, r20
    cpc r25, r21
    brlo 2f
    brne 1f
    cp r1, r22 /* two that are no numbers? */
    cpc r1, r23
    ldi r26, 0x80
    cpc r26, r24
    ldi r26, 0x7f
    cpc r26, r25
    brlo 1f
    or r22, r23
    or r22, r24
    or r22, r25
    breq 6f /* of 0, 0: 0 */
    clr r22
    clr r23
    ldi r24, 0x34 /* 45.0, also of two infinities */
    ldi r25, 0x42
    rjmp 6f
1:  rcall tpi_float_swap
    ori r16, 1 << OF_90
2:  rcall __divsf3
    cpi r22, 0xce /* beyond 22.5 degrees it is counted from 45 */
    ldi r26, 0x13
    cpc r23, r26
    ldi r26, 0xd4
    cpc r24, r26
    ldi r26, 0x3e
    cpc r25, r26
    brlo 3f
    ori r16, 1 << OF_45
    rcall keep
    rcall one
    rcall __addsf3
    movw r10, r22 /* t + 1 */
    movw r12, r24
    movw r22, r6
    movw r24, r8
    rcall one
    rcall __subsf3
    movw r18, r10
    movw r20, r12
    rcall __divsf3
3:  ldi r17, arc_row - rows
    rcall by_square
    rcall kept
    rcall __mulsf3
    ldi r20, 0x34
    ldi r21, 0x42
    sbrc r16, OF_45
    rcall add_whole
    ldi r20, 0xb4
    ldi r21, 0x42
    sbrc r16, OF_90
    rcall minus_from
6:  ldi r20, 0x34
    ldi r21, 0x43
    sbrc r16, OF_180
    rcall minus_from
    sbrc r16, IS_BELOW
    subi r25, 0x80
    ret

/* ---- Powers of e ---- */

tpi_play_exp:
    mov r26, r25
    andi r26, 0x7f
    cpi r24, 0xd2
    ldi r27, 0x42
    cpc r26, r27
    brlo 1f
    ldi r20, 0x80 /* beyond 105: infinite, or 0, or no number */
    ldi r21, 0x7f
    rcall whole
    rcall __mulsf3
    sbrs r25, 7
    ret
    clr r22
    clr r23
    movw r24, r22
    ret
1:  rcall keep
    ldi r18, 0x3b /* 1.44269504 */
    ldi r19, 0xaa
    ldi r20, 0xb8
    ldi r21, 0x3f
    rcall __mulsf3
    rcall tpi_play_round
    push r22
    push r23
    rcall __floatsisf
    movw r10, r22
    movw r12, r24
    clr r18 /* -0.693359375 */
    ldi r19, 0x80
    ldi r20, 0x31
    ldi r21, 0xbf
    rcall __mulsf3
    rcall kept
    rcall __addsf3
    rcall keep
    movw r22, r10
    movw r24, r12
    ldi r18, 0x83 /* 0.00021219444 */
    ldi r19, 0x80
    ldi r20, 0x5e
    ldi r21, 0x39
    rcall __mulsf3
    rcall kept
    rcall __addsf3
    ldi r17, exp_row - rows
    rcall polynomial
    pop r17
    pop r16
    asr r17 /* by a power of 2 in two steps, either of which fits a float */
    ror r16
    mov r17, r16
    adc r17, r1
    rcall 2f
    mov r16, r17
2:  subi r16, -127
    mov r21, r16
    clr r20
    lsr r21
    ror r20
    rcall whole
    rjmp __mulsf3
