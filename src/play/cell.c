/* cell.c - arithmetic and comparing, the same bits everywhere. Freestanding. */
#include "play/cell.h"

float tpi_play_float(const tpi_play_cell *x)
{
    return x->tag == TPI_PLAY_FLOAT ? x->as.f : (float)x->as.i;
}

static float mod_floats(float x, float y)
{
    const float rest = tpi_play_fmod(x, y);

    return rest != 0.0f && (rest < 0.0f) != (y < 0.0f) ? rest + y : rest;
}

static tpi_play_fault arith_ints(tpi_play_cell *out, uint8_t op, int32_t x, int32_t y)
{
    const uint32_t a = (uint32_t)x, b = (uint32_t)y;

    if (op == TPI_PLAY_MOD && y == 0) {
        return TPI_PLAY_DIVISOR;
    }
    out->as.i = (int32_t)(op == TPI_PLAY_ADD   ? a + b
                          : op == TPI_PLAY_SUB ? a - b
                          : op == TPI_PLAY_MUL ? a * b
                                               : (uint32_t)tpi_play_mod(x, y));
    out->tag = TPI_PLAY_INT;
    return TPI_PLAY_FINE;
}

tpi_play_fault tpi_play_arith(tpi_play_cell *out, uint8_t op, const tpi_play_cell *x,
                              const tpi_play_cell *y)
{
    if (x->tag == TPI_PLAY_TEXT || y->tag == TPI_PLAY_TEXT) {
        return TPI_PLAY_NOT_A_NUMBER;
    }
    if (op != TPI_PLAY_DIV && x->tag != TPI_PLAY_FLOAT && y->tag != TPI_PLAY_FLOAT) {
        return arith_ints(out, op, x->as.i, y->as.i);
    }
    const float a = tpi_play_float(x), b = tpi_play_float(y);
    float f;
    switch (op) {
    case TPI_PLAY_ADD:
        f = a + b;
        break;
    case TPI_PLAY_SUB:
        f = a - b;
        break;
    case TPI_PLAY_MUL:
        f = a * b;
        break;
    case TPI_PLAY_DIV:
        f = a / b;
        break;
    default:
        if (b == 0.0f) {
            return TPI_PLAY_DIVISOR;
        }
        f = mod_floats(a, b);
    }
    out->as.f = tpi_play_canonical(f);
    out->tag = TPI_PLAY_FLOAT;
    return TPI_PLAY_FINE;
}

bool tpi_play_compare(uint8_t op, const tpi_play_cell *x, const tpi_play_cell *y)
{
    bool less, equal, more;

    if (x->tag != TPI_PLAY_FLOAT && y->tag != TPI_PLAY_FLOAT) {
        less = x->as.i < y->as.i;
        equal = x->as.i == y->as.i;
        more = !less && !equal;
    } else {
        const float a = tpi_play_float(x), b = tpi_play_float(y);
        less = a < b;
        equal = a == b;
        more = a > b;
    }
    return op == TPI_PLAY_EQ   ? equal
           : op == TPI_PLAY_NE ? !equal
           : op == TPI_PLAY_LT ? less
           : op == TPI_PLAY_LE ? less || equal
           : op == TPI_PLAY_GT ? more
                               : more || equal;
}

uint32_t tpi_play_random(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

static void draw(tpi_play_cell *out, const tpi_play_cell *x, uint32_t *random)
{
    const uint32_t next = tpi_play_random(random);

    if (x[0].tag == TPI_PLAY_FLOAT || x[1].tag == TPI_PLAY_FLOAT) {
        const float low = tpi_play_float(&x[0]), high = tpi_play_float(&x[1]);
        const float part = (float)(next >> 8) * (1.0f / 16777216.0f);
        const float way = (high - low) * part;
        out->as.f = tpi_play_canonical(low + way);
        out->tag = TPI_PLAY_FLOAT;
        return;
    }
    const int32_t low = x[0].as.i < x[1].as.i ? x[0].as.i : x[1].as.i;
    const int32_t high = x[0].as.i < x[1].as.i ? x[1].as.i : x[0].as.i;
    const uint32_t span = (uint32_t)high - (uint32_t)low + 1u;
    out->as.i = (int32_t)((uint32_t)low + (span == 0 ? next : next % span));
    out->tag = TPI_PLAY_INT;
}

/* The smaller or larger one; mixed numbers give a float. */
static void choose(tpi_play_cell *out, const tpi_play_cell *x, uint8_t op)
{
    const bool is_float = x[0].tag == TPI_PLAY_FLOAT || x[1].tag == TPI_PLAY_FLOAT;
    const tpi_play_cell *chosen = tpi_play_compare(op, &x[1], &x[0]) ? &x[1] : &x[0];

    if (is_float) {
        out->as.f = tpi_play_float(chosen);
        out->tag = TPI_PLAY_FLOAT;
    } else {
        out->as.i = chosen->as.i;
        out->tag = TPI_PLAY_INT;
    }
}

static float float_function(uint8_t function, const tpi_play_cell *x)
{
    const float f = tpi_play_float(x);

    switch (function) {
    case TPI_PLAY_MATH_SQRT:
        return tpi_play_sqrt(f);
    case TPI_PLAY_MATH_SIN:
        return tpi_play_sin(f);
    case TPI_PLAY_MATH_COS:
        return tpi_play_cos(f);
    case TPI_PLAY_MATH_ATAN2:
        return tpi_play_atan2(f, tpi_play_float(&x[1]));
    default:
        return tpi_play_exp(f);
    }
}

static void absolute(tpi_play_cell *out, const tpi_play_cell *x)
{
    if (x->tag == TPI_PLAY_FLOAT) {
        out->as.f = x->as.f < 0.0f ? -x->as.f : x->as.f + 0.0f; /* -0 becomes 0 */
        out->tag = TPI_PLAY_FLOAT;
    } else {
        out->as.i = x->as.i < 0 ? (int32_t)(0u - (uint32_t)x->as.i) : x->as.i;
        out->tag = TPI_PLAY_INT;
    }
}

tpi_play_fault tpi_play_math(tpi_play_cell *out, uint8_t function, const tpi_play_cell *x,
                             uint32_t *random, int32_t now_ms)
{
    const bool has_two = function == TPI_PLAY_MATH_MIN || function == TPI_PLAY_MATH_MAX ||
                         function == TPI_PLAY_MATH_ATAN2 || function == TPI_PLAY_MATH_RANDOM;

    if (function == TPI_PLAY_MATH_TIME) {
        out->as.f = (float)now_ms / 1000.0f;
        out->tag = TPI_PLAY_FLOAT;
        return TPI_PLAY_FINE;
    }
    if (x[0].tag == TPI_PLAY_TEXT || (has_two && x[1].tag == TPI_PLAY_TEXT)) {
        return TPI_PLAY_NOT_A_NUMBER;
    }
    switch (function) {
    case TPI_PLAY_MATH_ABS:
        absolute(out, x);
        break;
    case TPI_PLAY_MATH_MIN:
        choose(out, x, TPI_PLAY_LT);
        break;
    case TPI_PLAY_MATH_MAX:
        choose(out, x, TPI_PLAY_GT);
        break;
    case TPI_PLAY_MATH_ROUND:
        out->as.i = x->tag == TPI_PLAY_FLOAT ? tpi_play_round(x->as.f) : x->as.i;
        out->tag = TPI_PLAY_INT;
        break;
    case TPI_PLAY_MATH_RANDOM:
        draw(out, x, random);
        break;
    default:
        out->as.f = tpi_play_canonical(float_function(function, x));
        out->tag = TPI_PLAY_FLOAT;
    }
    return TPI_PLAY_FINE;
}
