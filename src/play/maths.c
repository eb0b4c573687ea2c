/*
 * maths.c - functions of floats from one table, the same bits everywhere.
 *
 * Only + - * / and comparisons of floats, and integers, are used; each operation is rounded by
 * itself. The results differ from the exact values by a few units in the last place. Freestanding.
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

static float not_a_number(void)
{
    return float_of(0x7fc00000u);
}

/* The magnitude as mantissa * 2^exponent, the top bit of 24 set; of a finite number that is not 0.
 */
static uint32_t mantissa_of(uint32_t bits, int16_t *exponent)
{
    uint32_t mantissa = bits & 0x7fffffu;

    *exponent = (int16_t)((bits >> 23) & 0xffu);
    if (*exponent == 0) {
        *exponent = 1;
        while ((mantissa & 0x800000u) == 0) {
            mantissa <<= 1;
            --*exponent;
        }
    }
    *exponent = (int16_t)(*exponent - 150);
    return mantissa | 0x800000u;
}

/* mantissa * 2^exponent, which is a float; mantissa below 2^24. */
static float compose(uint32_t mantissa, int16_t exponent)
{
    for (; exponent < -149; exponent++) {
        mantissa >>= 1;
    }
    while ((mantissa & 0x800000u) == 0 && exponent > -149) {
        mantissa <<= 1;
        exponent--;
    }
    return (mantissa & 0x800000u) != 0
               ? float_of((mantissa & 0x7fffffu) | (uint32_t)(exponent + 150) << 23)
               : float_of(mantissa);
}

int32_t tpi_play_round(float f)
{
    if (!(f == f)) {
        return 0;
    }
    if (f >= 2147483648.0f) {
        return INT32_MAX;
    }
    if (f < -2147483648.0f) {
        return INT32_MIN;
    }
    const int32_t whole = (int32_t)f;
    const float rest = f - (float)whole;
    return rest >= 0.5f ? whole + 1 : rest <= -0.5f ? whole - 1 : whole;
}

/* The rest of x / y with the sign of x, exact. */
float tpi_play_fmod(float x, float y)
{
    const uint32_t sign = bits_of(x) & 0x80000000u;
    const uint32_t a = bits_of(x) & 0x7fffffffu, b = bits_of(y) & 0x7fffffffu;
    int16_t ea, eb;

    if (a >= 0x7f800000u || b > 0x7f800000u || b == 0) {
        return not_a_number();
    }
    if (a < b) {
        return x;
    }
    uint32_t rest = mantissa_of(a, &ea);
    const uint32_t divisor = mantissa_of(b, &eb);
    for (; ea > eb; ea--) {
        rest = (rest >= divisor ? rest - divisor : rest) << 1;
    }
    rest = rest >= divisor ? rest - divisor : rest;
    return float_of(bits_of(compose(rest, eb)) | sign);
}

/* Rounded correctly: the root of the mantissa bit by bit. */
float tpi_play_sqrt(float x)
{
    const uint32_t bits = bits_of(x);
    int16_t exponent;

    if ((bits & 0x7fffffffu) == 0 || bits == 0x7f800000u) {
        return x;
    }
    if (bits >= 0x7f800000u) {
        return not_a_number(); /* below 0, or none */
    }
    uint32_t rest = mantissa_of(bits, &exponent);
    const uint8_t shift = (exponent & 1) != 0 ? 1 : 2; /* then the exponent is even */
    rest <<= shift;
    exponent = (int16_t)(exponent - shift);
    /* 25 bits of the root of rest * 2^24: 24, and one for rounding. */
    uint32_t root = 0, left = 0;
    for (uint8_t i = 0; i < 25; i++) {
        left = left << 2 | ((rest >> 24) & 3u);
        rest <<= 2;
        const uint32_t trial = root << 2 | 1u;
        root <<= 1;
        if (left >= trial) {
            left -= trial;
            root |= 1u;
        }
    }
    root = (root >> 1) + (root & 1u); /* a root never lies half-way */
    exponent = (int16_t)((exponent - 24) / 2 + 1);
    /* Rounded up to 2^24 its bit carries into the exponent. */
    return float_of(((uint32_t)(exponent + 149) << 23) + root);
}

/* The sine of an angle that is `quarter` right angles ahead. */
static float sine_ahead(float degrees, uint8_t quarter)
{
    float angle = tpi_play_fmod(degrees, 360.0f);
    const bool is_back = angle < 0.0f;

    if (!(angle == angle)) {
        return angle;
    }
    angle = is_back ? -angle : angle;
    uint8_t turn = quarter;
    for (; angle >= 90.0f; angle -= 90.0f) {
        turn++;
    }
    /* sin(a + d) = sin a cos d + cos a sin d, with d at most half a step of the table. */
    const uint8_t i = (uint8_t)(angle * (64.0f / 90.0f) + 0.5f);
    const float d = (angle - (float)i * 1.40625f) * 0.0174532925f;
    const float square = d * d;
    const bool is_odd = (turn & 1) != 0;
    const float s = TPI_PLAY_ENTRY(sines, is_odd ? 64 - i : i);
    const float c = TPI_PLAY_ENTRY(sines, is_odd ? i : 64 - i);
    const float bend = c * (d - d * square * 0.166666667f);
    const float flat = s * square * 0.5f;
    const float sine = is_odd ? s - (flat + bend) : s - (flat - bend);
    return ((turn & 2) != 0) != (is_back && quarter == 0) ? 0.0f - sine : sine; /* no -0 */
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
    const uint8_t i = (uint8_t)(t * 32.0f + 0.5f);
    const float middle = (float)i * 0.03125f;
    const float d = (t - middle) / (1.0f + t * middle);

    return TPI_PLAY_ENTRY(arcs, i) + (d - d * d * d * 0.333333333f) * 57.2957795f;
}

float tpi_play_atan2(float y, float x)
{
    const float ax = float_of(bits_of(x) & 0x7fffffffu), ay = float_of(bits_of(y) & 0x7fffffffu);
    float angle;

    if (!(x == x) || !(y == y)) {
        return not_a_number();
    }
    if (ax == 0.0f && ay == 0.0f) {
        angle = 0.0f;
    } else if (ax == ay) {
        angle = 45.0f; /* also of two infinities */
    } else {
        angle = ay < ax ? arc_of(ay / ax) : 90.0f - arc_of(ax / ay);
    }
    if (bits_of(x) >> 31 != 0) {
        angle = 180.0f - angle;
    }
    return bits_of(y) >> 31 != 0 ? -angle : angle;
}

/* f * 2^n; n within -280..280. */
static float scaled(float f, int16_t n)
{
    for (; n > 127; n = (int16_t)(n - 127)) {
        f *= float_of(0x7f000000u);
    }
    for (; n < -126; n = (int16_t)(n + 126)) {
        f *= float_of(0x00800000u);
    }
    return f * float_of((uint32_t)(n + 127) << 23);
}

float tpi_play_exp(float x)
{
    if (!(x == x)) {
        return not_a_number();
    }
    if (x > 89.0f) {
        return float_of(0x7f800000u);
    }
    if (x < -105.0f) {
        return 0.0f;
    }
    const int16_t n = (int16_t)tpi_play_round(x * 46.1662413f); /* 32 / ln 2 */
    /* ln 2 / 32 in two parts, the first with few bits, so that its product is exact. */
    const float rest = (x - (float)n * 0.0216598511f) - (float)n * 9.9831982e-07f;
    const uint8_t i = (uint8_t)(n & 31);
    const float power = 1.0f + rest * (1.0f + rest * (0.5f + rest * 0.166666667f));
    return scaled(TPI_PLAY_ENTRY(powers, i) * power, (int16_t)((n - i) / 32));
}
