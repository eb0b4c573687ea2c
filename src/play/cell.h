/*
 * cell.h - the values of programs, and their arithmetic.
 *
 * A cell holds a 32-bit integer, a 32-bit float, true or false, or the number of a text. All of it
 * gives the same bits on every processor: integers wrap, a float that is not a number is always the
 * same one, nothing is fused. Freestanding: used on the host and on the chip.
 */
#ifndef TROUPE_PLAY_CELL_H
#define TROUPE_PLAY_CELL_H

#include <stdbool.h>
#include <stdint.h>

/* What a cell holds. The numbers are part of saved states. */
enum { TPI_PLAY_INT = 0, TPI_PLAY_FLOAT = 1, TPI_PLAY_BOOL = 2, TPI_PLAY_TEXT = 3 };

typedef struct tpi_play_cell {
    union {
        int32_t i;     /* INT; BOOL: 0 or 1 */
        float f;       /* FLOAT */
        uint32_t bits; /* TEXT: its number */
    } as;
    uint8_t tag;
} tpi_play_cell;

/* Why a program cannot go on. */
typedef enum tpi_play_fault {
    TPI_PLAY_FINE,
    TPI_PLAY_NOT_A_NUMBER, /* a text where a number is needed */
    TPI_PLAY_DIVISOR,      /* mod by 0 */
    TPI_PLAY_TOO_DEEP,     /* calls within calls */
    TPI_PLAY_REFUSED,      /* a universal command failed */
    TPI_PLAY_NO_SLOT,      /* all texts are in use */
    TPI_PLAY_FAULTS,
} tpi_play_fault;

/* The kinds of arithmetic and of comparing, in the order of the opcodes. */
enum { TPI_PLAY_ADD, TPI_PLAY_SUB, TPI_PLAY_MUL, TPI_PLAY_DIV, TPI_PLAY_MOD };
enum { TPI_PLAY_EQ, TPI_PLAY_NE, TPI_PLAY_LT, TPI_PLAY_LE, TPI_PLAY_GT, TPI_PLAY_GE };

/* Built-in functions: name, how many values, sentence. The order is part of the format. */
#define TPI_PLAY_MATHS(X)                                                                          \
    X(ABS, "abs", 1, "the value without its sign")                                                 \
    X(MIN, "min", 2, "the smaller value")                                                          \
    X(MAX, "max", 2, "the larger value")                                                           \
    X(ROUND, "round", 1, "the nearest integer; halves go away from 0")                             \
    X(SQRT, "sqrt", 1, "the square root")                                                          \
    X(SIN, "sin", 1, "the sine of an angle in degrees")                                            \
    X(COS, "cos", 1, "the cosine of an angle in degrees")                                          \
    X(ATAN2, "atan2", 2, "the angle of the point y, x in degrees")                                 \
    X(EXP, "exp", 1, "e to the power of the value")                                                \
    X(RANDOM, "random", 2, "a number from the first to the second value")                          \
    X(TIME, "time", 0, "seconds since the program began")

enum {
#define TPI_PLAY_MATH_ENUM(name, text, count, sentence) TPI_PLAY_MATH_##name,
    TPI_PLAY_MATHS(TPI_PLAY_MATH_ENUM)
#undef TPI_PLAY_MATH_ENUM
        TPI_PLAY_MATH_COUNT
};

/* x op y into `out`, which may be one of them. True and false count as 1 and 0. */
tpi_play_fault tpi_play_arith(tpi_play_cell *out, uint8_t op, const tpi_play_cell *x,
                              const tpi_play_cell *y);

/* Whether x op y, for numbers: 1 or 0. Nothing is less, equal or greater than not-a-number. */
bool tpi_play_compare(uint8_t op, const tpi_play_cell *x, const tpi_play_cell *y);

/* A number as a float. */
float tpi_play_float(const tpi_play_cell *x);

/* The one float that is not a number, for any that is not; others as they are. */
static inline float tpi_play_canonical(float f)
{
    union {
        float f;
        uint32_t bits;
    } cell = {f};

    if (cell.bits << 1 > 0xff000000u) {
        cell.bits = 0x7fc00000u;
    }
    return cell.f;
}

/* x mod y for integers; y is not 0. */
static inline int32_t tpi_play_mod(int32_t x, int32_t y)
{
    if (y == -1) {
        return 0; /* the least integer has no positive */
    }
    const int32_t rest = x % y;
    return rest != 0 && (rest ^ y) < 0 ? rest + y : rest;
}

/* The nearest integer; halves go away from 0. Beyond 32 bits the last one; 0 for not-a-number. */
int32_t tpi_play_round(float f);

float tpi_play_quotient(float x, float y);
float tpi_play_fmod(float x, float y);
float tpi_play_sqrt(float x);
float tpi_play_sin(float degrees);
float tpi_play_cos(float degrees);
float tpi_play_atan2(float y, float x);
float tpi_play_exp(float x);

/* The next number of a row of random ones; the state is not 0. */
uint32_t tpi_play_random(uint32_t *state);

/* How many values a built-in function has. */
uint8_t tpi_play_math_values(uint8_t function);

/* A built-in function of numbers: `x` are its values. */
tpi_play_fault tpi_play_math(tpi_play_cell *out, uint8_t function, const tpi_play_cell *x,
                             uint32_t *random, int32_t now_ms);

#endif
