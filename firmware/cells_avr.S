/*
 * cells_avr.S - arithmetic, comparing and built-in functions of cells on an AVR, in place of
 * src/play/cell.c: the same results in less than half of the memory. cell.h tells what each does.
 *
 * Two cells are loaded as two numbers beside each other, as in floats_avr.S:
 *
 *     first number and result   r25..r22, its tag r26
 *     second number             r21..r18, its tag r30
 *     both tags together        r31: its bit 0 is set if one of the numbers is a float
 *
 * Registers are used as the convention of the compiler allows. The functions of floats leave r2 to
 * r17 and Y alone.
 */
#include <avr/io.h>

    .global tpi_play_arith, tpi_play_compare, tpi_play_float, tpi_play_math, tpi_play_math_values

    .equ FLOAT, 1
    .equ TEXT, 3

    .equ DIV, 3
    .equ MOD, 4

    .equ MIN, 1
    .equ ROUND, 3
    .equ SQRT, 4
    .equ RANDOM, 9
    .equ TIME, 10

    .equ NOT_A_NUMBER, 1
    .equ DIVISOR, 2

    .equ IS_LESS, 1
    .equ IS_EQUAL, 2
    .equ IS_MORE, 4
    .equ IS_NO_NUMBER, 8

    .section .text.cells, "ax", @progbits

/* ---- Numbers ---- */

load: /* the cells at r21:r20 and r19:r18. Z if one of them is a text */
    movw r26, r20
    movw r30, r18
    ld r22, X+
    ld r23, X+
    ld r24, X+
    ld r25, X+
    ld r26, X
    ld r18, Z
    ldd r19, Z+1
    ldd r20, Z+2
    ldd r21, Z+3
    ldd r30, Z+4
    mov r31, r26
    or r31, r30
    cpi r26, TEXT
    breq 1f
    cpi r30, TEXT
1:  ret

tpi_play_float:
    movw r20, r24
    movw r18, r24
    rcall load
convert: /* the first number to a float */
    sbrs r26, 0
    rjmp __floatsisf
    ret

floats: /* both numbers to floats */
    rcall 1f
1:  rcall convert
    rjmp tpi_float_swap

canonical: /* the first number, if it is none, becomes the one that there is */
    mov r18, r25
    andi r18, 0x7f
    ldi r19, 0x80
    ldi r20, 0x7f
    cp r1, r22
    cpc r1, r23
    cpc r19, r24
    cpc r20, r18
    brsh 1f
    rjmp tpi_float_nan
1:  ret

/* ---- Whole numbers ---- */

add:
    add r22, r18
    adc r23, r19
    adc r24, r20
    adc r25, r21
    ret

subtract:
    sub r22, r18
    sbc r23, r19
    sbc r24, r20
    sbc r25, r21
    ret

multiply:
    jmp __mulsi3

/* The rest without signs; of a division by 0 it is the number itself. Bytes that are 0 cost
 * little. */
rest:
    ldi r26, 32
1:  tst r25
    brne 2f
    mov r25, r24
    mov r24, r23
    mov r23, r22
    clr r22
    subi r26, 8
    brne 1b
    ret /* of 0 */
2:  mov r0, r26
    clr r26
    clr r27
    movw r30, r26
3:  lsl r22
    rol r23
    rol r24
    rol r25
    rol r26
    rol r27
    rol r30
    rol r31
    cp r26, r18
    cpc r27, r19
    cpc r30, r20
    cpc r31, r21
    brlo 4f
    sub r26, r18
    sbc r27, r19
    sbc r30, r20
    sbc r31, r21
4:  dec r0
    brne 3b
    movw r22, r26
    movw r24, r30
    ret

without_signs:
    rcall 1f
1:  sbrc r25, 7
    rcall tpi_float_negate
    rjmp tpi_float_swap

modulo:
    push r21
    eor r25, r21
    push r25 /* whether the signs differ */
    eor r25, r21
    rcall without_signs
    rcall rest
    pop r0
    sbrs r0, 7
    rjmp 1f
    mov r0, r22
    or r0, r23
    or r0, r24
    or r0, r25
    breq 1f
    rcall tpi_float_negate
    rcall add
1:  pop r0
    sbrc r0, 7
    rjmp tpi_float_negate
    ret

/* ---- Arithmetic ---- */

modulo_float:
    push r18
    push r19
    push r20
    push r21
    rcall tpi_play_fmod
    pop r21
    pop r20
    pop r19
    pop r18
    mov r0, r25
    lsl r0
    or r0, r24
    or r0, r23
    or r0, r22
    breq 1f
    mov r0, r25
    eor r0, r21
    brpl 1f
    rjmp __addsf3
1:  ret

dispatch: /* the function r27 of two numbers */
    ldi r30, pm_lo8(functions)
    ldi r31, pm_hi8(functions)
    add r30, r27
    adc r31, r1
    ijmp

    .equ OF_FLOATS, 5     /* the first one of floats, in the order of the kinds of arithmetic */
    .equ BUILT_IN, 10     /* the first one that is built in, in the order from sqrt on */
functions:
    rjmp add
    rjmp subtract
    rjmp multiply
    ret /* always of floats */
    rjmp modulo
    rjmp __addsf3
    rjmp __subsf3
    rjmp __mulsf3
    rjmp __divsf3
    rjmp modulo_float
    rjmp tpi_play_sqrt
    rjmp tpi_play_sin
    rjmp tpi_play_cos
    rjmp tpi_play_atan2
    rjmp tpi_play_exp

tpi_play_arith: /* out r25:r24, op r22, x r21:r20, y r19:r18 */
    push r24
    push r25
    push r22
    rcall load
    pop r27
    breq 4f
    cpi r27, MOD
    brne 1f
    mov r0, r21
    sbrc r30, 0
    lsl r0 /* -0 is 0 */
    or r0, r20
    or r0, r19
    or r0, r18
    breq 5f
1:  cpi r27, DIV
    brne 2f
    ori r31, FLOAT
2:  andi r31, FLOAT
    push r31
    breq 3f
    subi r27, -OF_FLOATS
    push r27
    rcall floats
    pop r27
3:  rcall dispatch
    pop r18
    pop r31
    pop r30
    st Z, r22
    std Z+1, r23
    std Z+2, r24
    std Z+3, r25
    std Z+4, r18
    clr r24
    ret
4:  ldi r24, NOT_A_NUMBER
    rjmp 6f
5:  ldi r24, DIVISOR
6:  pop r0
    pop r0
    ret

/* ---- Comparing ---- */

/* Two floats to whole numbers that have the same order. T if one is no number. */
keys:
    clt
    rcall 1f
1:  sbrs r25, 7
    rjmp 2f
    rcall tpi_float_negate /* -0 becomes 0 */
    subi r25, 0x80
2:  cp r1, r22
    cpc r1, r23
    ldi r26, 0x80
    cpc r26, r24
    ldi r26, 0x7f
    cpc r26, r25
    brge 3f
    set
3:  rjmp tpi_float_swap

relate: /* how the first number lies to the second one: r24 */
    brts 1f
    cp r22, r18
    cpc r23, r19
    cpc r24, r20
    cpc r25, r21
    ldi r24, IS_EQUAL
    breq 2f
    ldi r24, IS_LESS
    brlt 2f
    ldi r24, IS_MORE
    ret
1:  ldi r24, IS_NO_NUMBER
2:  ret

tpi_play_compare: /* op r24, x r23:r22, y r21:r20 */
    push r24
    movw r18, r20
    movw r20, r22
    rcall load
    clt
    sbrs r31, 0
    rjmp 1f
    rcall floats
    rcall keys
1:  rcall relate
    pop r30
    clr r31
    subi r30, lo8(-(wanted))
    sbci r31, hi8(-(wanted))
    lpm r0, Z
    and r24, r0
    breq 2f
    ldi r24, 1
2:  ret

wanted: /* the orders by the kind of comparing: = <> < <= > >= */
    .byte IS_EQUAL, IS_LESS | IS_MORE | IS_NO_NUMBER, IS_LESS
    .byte IS_LESS | IS_EQUAL, IS_MORE, IS_MORE | IS_EQUAL

/* ---- Built-in functions ---- */

has_two: /* carry if the function r24 has two values: min, max, atan2, random */
    ldi r30, 0x86
    ldi r31, 0x02
1:  lsr r31
    ror r30
    dec r24
    brpl 1b
    ret

tpi_play_math_values:
    mov r25, r24
    rcall has_two
    ldi r24, 1
    adc r24, r1
    cpi r25, TIME
    brne 1f
    clr r24
1:  ret

/* All of them have registers of their own: the place of the result in Y, two numbers in r9..r6 and
 * r13..r10, the place of the random state in r15:r14, the function in r16, and the tag of the
 * result in r17. */
    .equ SAVED, 14
    .equ NOT_SAVED, (18 - SAVED) * 2

tpi_play_math: /* out r25:r24, function r22, x r21:r20, random r19:r18, now_ms r17..r14 */
    clr r26
    clr r27
    ldi r30, pm_lo8(1f)
    ldi r31, pm_hi8(1f)
    jmp __prologue_saves__ + NOT_SAVED
1:  movw r28, r24
    cpi r22, TIME
    breq seconds
    movw r14, r18
    mov r16, r22
    mov r24, r22
    rcall has_two
    movw r18, r20
    brcc 2f
    subi r18, -5 /* the next cell */
    sbci r19, -1
2:  rcall load
    breq text
    mov r17, r31
    cpi r16, SQRT
    brsh of_floats
    cpi r16, ROUND
    breq nearest
    cpi r16, MIN
    brsh better
    sbrc r17, 0 /* abs */
    andi r25, 0x7f
    sbrc r25, 7
    rcall tpi_float_negate
    rjmp finish

nearest:
    sbrc r17, 0
    rcall tpi_play_round
    clr r17
    rjmp finish

of_floats:
    cpi r16, RANDOM
    breq draw
    rcall floats
    mov r27, r16
    subi r27, SQRT - BUILT_IN
    rcall dispatch
is_float:
    ldi r17, FLOAT
finish:
    sbrc r17, 0
    rcall canonical
    andi r17, FLOAT
    st Y, r22
    std Y+1, r23
    std Y+2, r24
    std Y+3, r25
    std Y+4, r17
    clr r24
leave:
    in r28, _SFR_IO_ADDR(SPL)
    in r29, _SFR_IO_ADDR(SPH)
    ldi r30, SAVED
    jmp __epilogue_restores__ + NOT_SAVED

text:
    ldi r24, NOT_A_NUMBER
    rjmp leave

seconds:
    movw r22, r14
    movw r24, r16
    rcall __floatsisf
    clr r18
    clr r19
    ldi r20, 0x7a /* 1000.0 */
    ldi r21, 0x44
    rcall __divsf3
    rjmp is_float

better: /* min and max */
    sbrc r17, 0
    rcall floats
    movw r6, r22
    movw r8, r24
    movw r10, r18
    movw r12, r20
    clt
    sbrc r17, 0
    rcall keys
    rcall relate
    ldi r25, IS_MORE
    sbrs r16, 0
    ldi r25, IS_LESS
    cpse r24, r25
    rjmp 1f
    movw r6, r10
    movw r8, r12
1:  movw r22, r6
    movw r24, r8
    rjmp finish

draw:
    sbrc r17, 0
    rjmp 2f
    cp r22, r18
    cpc r23, r19
    cpc r24, r20
    cpc r25, r21
    brlt 1f
    rcall tpi_float_swap
1:  movw r6, r22
    movw r8, r24
    rcall tpi_float_negate /* how many numbers there are; 0 for all */
    sec
    adc r18, r22
    adc r19, r23
    adc r20, r24
    adc r21, r25
    movw r10, r18
    movw r12, r20
    rcall next
    movw r18, r10
    movw r20, r12
    rcall rest
    movw r18, r6
    movw r20, r8
    rcall add
    rjmp finish
2:  rcall floats
    movw r6, r22
    movw r8, r24
    rcall tpi_float_swap
    rcall __subsf3
    movw r10, r22
    movw r12, r24
    rcall next
    mov r22, r23 /* 24 bits of it, below 1 */
    mov r23, r24
    mov r24, r25
    clr r25
    rcall __floatsisf
    cpse r25, r1 /* 0 stays */
    subi r25, 24 / 2
    movw r18, r10
    movw r20, r12
    rcall __mulsf3
    movw r18, r6
    movw r20, r8
    rcall __addsf3
    rjmp finish

next: /* of the row of random numbers: tpi_play_random() */
    movw r30, r14
    ld r22, Z
    ldd r23, Z+1
    ldd r24, Z+2
    ldd r25, Z+3
    ldi r26, 13
    rcall 1f
    movw r18, r24 /* 17 bits to the right */
    lsr r19
    ror r18
    eor r22, r18
    eor r23, r19
    ldi r26, 5
    rcall 1f
    st Z, r22
    std Z+1, r23
    std Z+2, r24
    std Z+3, r25
    ret
1:  movw r18, r22
    movw r20, r24
2:  lsl r18
    rol r19
    rol r20
    rol r21
    dec r26
    brne 2b
    eor r22, r18
    eor r23, r19
    eor r24, r20
    eor r25, r21
    ret
