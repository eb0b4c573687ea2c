/*
 * cell.c - arithmetic, comparing and built-in functions of cells, the same bits everywhere.
 *
 * Short on a chip: everything that computes a float from two floats is one row of functions.
 * Freestanding.
 */
#include "play/cell.h"

#include "play/tables.h"

static void put_int(tpi_play_cell *out, int32_t value)
{
    out->as.i = value;
    out->tag = TPI_PLAY_INT;
}

static void put_float(tpi_play_cell *out, float value)
{
    out->as.f = tpi_play_canonical(value);
    out->tag = TPI_PLAY_FLOAT;
}

static bool is_float(const tpi_play_cell *x, const tpi_play_cell *y)
{
    return x->tag == TPI_PLAY_FLOAT || y->tag == TPI_PLAY_FLOAT;
}

float tpi_play_float(const tpi_play_cell *x)
{
    return x->tag == TPI_PLAY_FLOAT ? x->as.f : (float)x->as.i;
}

/* ---- Two floats make one ---- */

static float add(float x, float y)
{
    return x + y;
}

static float subtract(float x, float y)
{
    return x - y;
}

static float multiply(float x, float y)
{
    return x * y;
}

static float mod(float x, float y)
{
    const tpi_play_cell rest = {.as.f = tpi_play_fmod(x, y)}, divisor = {.as.f = y};

    return rest.as.bits << 1 != 0 && (rest.as.i ^ divisor.as.i) < 0 ? rest.as.f + y : rest.as.f;
}

static float root(float x, float y)
{
    (void)y;
    return tpi_play_sqrt(x);
}

static float sine(float x, float y)
{
    (void)y;
    return tpi_play_sin(x);
}

static float cosine(float x, float y)
{
    (void)y;
    return tpi_play_cos(x);
}

static float power(float x, float y)
{
    (void)y;
    return tpi_play_exp(x);
}

/* In the order of the kinds of arithmetic, then in that of the built-in functions from SQRT on. */
enum { FIRST_FUNCTION = TPI_PLAY_MOD + 1 };
TPI_PLAY_FUNCTIONS(functions) = {add,  subtract, multiply, tpi_play_quotient, mod,
                                 root, sine,     cosine,   tpi_play_atan2,    power};

static void compute(tpi_play_cell *out, uint8_t function, const tpi_play_cell *x,
                    const tpi_play_cell *y)
{
    put_float(out, TPI_PLAY_FUNCTION(functions, function)(tpi_play_float(x), tpi_play_float(y)));
}

tpi_play_fault tpi_play_arith(tpi_play_cell *out, uint8_t op, const tpi_play_cell *x,
                              const tpi_play_cell *y)
{
    const uint32_t a = x->as.bits, b = y->as.bits;
    uint32_t result;

    if (x->tag == TPI_PLAY_TEXT || y->tag == TPI_PLAY_TEXT) {
        return TPI_PLAY_NOT_A_NUMBER;
    }
    if (op == TPI_PLAY_MOD && (y->tag == TPI_PLAY_FLOAT ? b << 1 : b) == 0) {
        return TPI_PLAY_DIVISOR;
    }
    if (op == TPI_PLAY_DIV || is_float(x, y)) {
        compute(out, op, x, y);
        return TPI_PLAY_FINE;
    }
    switch (op) {
    case TPI_PLAY_ADD:
        result = a + b;
        break;
    case TPI_PLAY_SUB:
        result = a - b;
        break;
    case TPI_PLAY_MUL:
        result = a * b;
        break;
    default:
        result = (uint32_t)tpi_play_mod((int32_t)a, (int32_t)b);
    }
    put_int(out, (int32_t)result);
    return TPI_PLAY_FINE;
}

/* ---- Comparing ---- */

/* How two numbers lie; one bit each. */
enum { IS_LESS = 1, IS_EQUAL = 2, IS_MORE = 4, IS_NO_NUMBER = 8 };
static const int32_t INFINITE = 0x7f800000;

/* A number whose order as an integer is that of the cell. */
static int32_t key_of(const tpi_play_cell *x, bool as_float)
{
    tpi_play_cell key;

    key.as.i = x->as.i;
    if (as_float) {
        key.as.f = tpi_play_float(x);
        if (key.as.i < 0) {
            key.as.bits = 0x80000000u - key.as.bits; /* -0 is 0 */
        }
    }
    return key.as.i;
}

static uint8_t order_of(const tpi_play_cell *x, const tpi_play_cell *y)
{
    const bool as_float = is_float(x, y);
    const int32_t a = key_of(x, as_float), b = key_of(y, as_float);

    if (as_float && (a > INFINITE || b > INFINITE)) {
        return IS_NO_NUMBER;
    }
    return a < b ? IS_LESS : a == b ? IS_EQUAL : IS_MORE;
}

/* The orders that are wanted, by the kind of comparing. */
TPI_PLAY_LETTERS wanted[] = {IS_EQUAL, IS_LESS | IS_MORE | IS_NO_NUMBER,
                             IS_LESS,  IS_LESS | IS_EQUAL,
                             IS_MORE,  IS_MORE | IS_EQUAL};

bool tpi_play_compare(uint8_t op, const tpi_play_cell *x, const tpi_play_cell *y)
{
    return (TPI_PLAY_LETTER(wanted, op) & order_of(x, y)) != 0;
}

/* ---- Built-in functions ---- */

uint32_t tpi_play_random(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

static void draw(tpi_play_cell *out, const tpi_play_cell *x, uint32_t next)
{
    if (is_float(&x[0], &x[1])) {
        const float low = tpi_play_float(&x[0]);
        const float part = (float)(int32_t)(next >> 8) * (1.0f / 16777216.0f);
        const float way = (tpi_play_float(&x[1]) - low) * part;
        put_float(out, low + way);
        return;
    }
    const bool is_up = x[0].as.i < x[1].as.i;
    const uint32_t low = x[is_up ? 0 : 1].as.bits;
    const uint32_t span = x[is_up ? 1 : 0].as.bits - low + 1u;
    put_int(out, (int32_t)(low + (span == 0 ? next : next % span)));
}

uint8_t tpi_play_math_values(uint8_t function)
{
#define TPI_PLAY_MATH_BITS(name, text, count, sentence)                                            \
    | (uint32_t)(count) << 2 * TPI_PLAY_MATH_##name
    static const uint32_t counts = 0 TPI_PLAY_MATHS(TPI_PLAY_MATH_BITS); /* two bits each */
#undef TPI_PLAY_MATH_BITS

    return (uint8_t)(counts >> 2 * function) & 3u;
}

/* A number as it is, or as a float if it stands beside one. */
static void take(tpi_play_cell *out, const tpi_play_cell *x, bool as_float)
{
    if (as_float) {
        put_float(out, tpi_play_float(x));
    } else {
        put_int(out, x->as.i);
    }
}

tpi_play_fault tpi_play_math(tpi_play_cell *out, uint8_t function, const tpi_play_cell *x,
                             uint32_t *random, int32_t now_ms)
{
    const tpi_play_cell *const y = tpi_play_math_values(function) > 1 ? x + 1 : x;

    if (function == TPI_PLAY_MATH_TIME) {
        put_float(out, tpi_play_quotient((float)now_ms, 1000.0f));
        return TPI_PLAY_FINE;
    }
    if (x->tag == TPI_PLAY_TEXT || y->tag == TPI_PLAY_TEXT) {
        return TPI_PLAY_NOT_A_NUMBER;
    }
    const bool as_float = is_float(x, y);
    switch (function) {
    case TPI_PLAY_MATH_ABS:
        take(out, x, as_float);
        if (as_float) {
            out->as.bits &= 0x7fffffffu;
        } else if (out->as.i < 0) {
            out->as.bits = 0u - out->as.bits;
        }
        break;
    case TPI_PLAY_MATH_MIN:
    case TPI_PLAY_MATH_MAX: {
        const uint8_t better = function == TPI_PLAY_MATH_MIN ? IS_LESS : IS_MORE;
        take(out, order_of(y, x) == better ? y : x, as_float);
        break;
    }
    case TPI_PLAY_MATH_ROUND:
        put_int(out, as_float ? tpi_play_round(x->as.f) : x->as.i);
        break;
    case TPI_PLAY_MATH_RANDOM:
        draw(out, x, tpi_play_random(random));
        break;
    default:
        compute(out, (uint8_t)(function - TPI_PLAY_MATH_SQRT + FIRST_FUNCTION), x, y);
    }
    return TPI_PLAY_FINE;
}
