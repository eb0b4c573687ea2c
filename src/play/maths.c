/*
 * maths.c - functions of floats from one table, the same bits everywhere.
 *
 * Only + - * / and comparisons of floats, and integers, are used; each operation is rounded by
 * itself. The results differ from the exact values by a few units in the last place. The table has
 * the coefficients of polynomials, the highest power first. Freestanding.
 */
#include <float.h>

#include "play/cell.h"
#include "play/tables.h"

#if FLT_EVAL_METHOD != 0
#error "floats must be rounded after each operation"
#endif

typedef union float_bits {
    float f;
    uint32_t bits;
} float_bits;

static uint32_t bits_of(float f)
{
    const float_bits b = {.f = f};

    return b.bits;
}

static float float_of(uint32_t bits)
{
    const float_bits b = {.bits = bits};

    return b.f;
}

/* Where a polynomial begins, and how many coefficients it has. */
enum { SINE_AT = 0, COSINE_AT = 4, ARC_AT = 8, EXP_AT = 13 };
enum { SINE_TERMS = 4, COSINE_TERMS = 4, ARC_TERMS = 5, EXP_TERMS = 7 };

/* clang-format off */
TPI_PLAY_TABLE coefficients[] = {
    /* sin x / x by x squared, x in degrees up to 45; sin 30 is 0.5 exactly */
    -9.62092381e-17f, 1.34938831e-11f, -8.86095108e-07f, 0.0174532924f,
    /* cos x by x squared, x in degrees up to 45 */
    -3.84355938e-14f, 3.86536136e-09f, -0.000152308392f, 1.0f,
    /* the angle in degrees whose tangent is x, by x, by x squared; x up to the tangent of 22.5 */
    4.57592058f, -7.93661928f, 11.4445248f, -19.0982876f, 57.2957802f,
    /* e to the power of x, up to half of ln 2 */
    0.00138144672f, 0.00836878084f, 0.0416683927f, 0.166665196f, 0.49999994f, 1.0f, 1.0f,
};
/* clang-format on */

/* The sum of a row of the table, by powers of x. */
static float polynomial(uint8_t at, uint8_t terms, float x)
{
    float sum = TPI_PLAY_ENTRY(coefficients, at);

    while (--terms > 0) {
        sum = sum * x + TPI_PLAY_ENTRY(coefficients, ++at);
    }
    return sum;
}

/* The sine of an angle that is `turn` right angles ahead: from the nearest right angle on. */
static float sine_ahead(float degrees, uint8_t turn)
{
    const float angle = tpi_play_fmod(degrees, 360.0f);
    const int8_t nearest = (int8_t)tpi_play_round(angle * 0.0111111111f);
    const float rest = angle - (float)nearest * 90.0f;
    const float square = rest * rest;

    turn = (uint8_t)(turn + nearest);
    const float sine = (turn & 1) != 0 ? polynomial(COSINE_AT, COSINE_TERMS, square)
                                       : rest * polynomial(SINE_AT, SINE_TERMS, square);
    return (turn & 2) != 0 ? 0.0f - sine : 0.0f + sine; /* no -0 */
}

float tpi_play_sin(float degrees)
{
    return sine_ahead(degrees, 0);
}

float tpi_play_cos(float degrees)
{
    return sine_ahead(degrees, 1);
}

/* The angle, in degrees, whose tangent is t, for 0 <= t <= 1. */
static float arc_of(float t)
{
    float from = 0.0f;

    if (bits_of(t) > 0x3ed413cdu) { /* beyond 22.5 degrees it is counted from 45 */
        t = tpi_play_quotient(t - 1.0f, t + 1.0f);
        from = 45.0f;
    }
    return from + t * polynomial(ARC_AT, ARC_TERMS, t * t);
}

float tpi_play_atan2(float y, float x)
{
    /* Floats without a sign are in the order of their bits; those that are no numbers come last. */
    const uint32_t ax = bits_of(x) & 0x7fffffffu, ay = bits_of(y) & 0x7fffffffu;
    float angle;

    if (ax == ay && ax <= 0x7f800000u) {
        angle = ax == 0 ? 0.0f : 45.0f; /* also of two infinities */
    } else {
        angle = arc_of(ay < ax ? tpi_play_quotient(float_of(ay), float_of(ax))
                               : tpi_play_quotient(float_of(ax), float_of(ay)));
        angle = ay < ax ? angle : 90.0f - angle;
    }
    if (bits_of(x) >> 31 != 0) {
        angle = 180.0f - angle;
    }
    return bits_of(y) >> 31 != 0 ? -angle : angle;
}

/* 2^n, for n within -126..127. */
static float power_of_2(int8_t n)
{
    return float_of((uint32_t)(uint16_t)(n + 127) << 23);
}

float tpi_play_exp(float x)
{
    const uint32_t magnitude = bits_of(x) & 0x7fffffffu;

    if (magnitude > 0x42d20000u) { /* beyond 105 it is infinite or 0, or no number */
        return magnitude > 0x7f800000u ? x : float_of(magnitude == bits_of(x) ? 0x7f800000u : 0);
    }
    const int16_t n = (int16_t)tpi_play_round(x * 1.44269504f);
    const float steps = (float)n;
    /* ln 2 in two parts, the first with few bits, so that its product is exact. */
    const float rest = (x - steps * 0.693359375f) + steps * 0.00021219444f;
    const int8_t half = (int8_t)(n / 2);
    return polynomial(EXP_AT, EXP_TERMS, rest) * power_of_2(half) * power_of_2((int8_t)(n - half));
}
