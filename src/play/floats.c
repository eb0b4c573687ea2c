/*
 * floats.c - exact operations of floats, bit by bit, for processors whose division is exact.
 *
 * A chip whose library has them, or whose division is not exact, has a file of its own instead.
 * Freestanding.
 */
#include "play/cell.h"

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

static float magnitude(float f)
{
    return float_of(bits_of(f) & 0x7fffffffu);
}

static float not_a_number(void)
{
    return float_of(0x7fc00000u);
}

float tpi_play_quotient(float x, float y)
{
    return x / y;
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

/* The rest of x / y with the sign of x, exact: y is doubled while it fits, then halved, and what
 * fits is taken away. */
float tpi_play_fmod(float x, float y)
{
    const uint32_t sign = bits_of(x) & 0x80000000u;
    float rest = magnitude(x), step = magnitude(y);
    const float least = step;

    if (!(bits_of(rest) < 0x7f800000u) || !(least > 0.0f)) {
        return not_a_number();
    }
    while (step <= rest - step) {
        step += step;
    }
    for (;;) {
        if (rest >= step) {
            rest -= step;
        }
        if (step == least) {
            return float_of(bits_of(rest) | sign);
        }
        step *= 0.5f;
    }
}

/* Rounded correctly: the root of the mantissa bit by bit. */
float tpi_play_sqrt(float x)
{
    float unit = 1.0f;

    if (!(x > 0.0f) || bits_of(x) == 0x7f800000u) {
        return x < 0.0f ? not_a_number() : x;
    }
    if (bits_of(x) < 0x00800000u) { /* too small for a whole mantissa */
        x *= 16777216.0f;
        unit = 1.0f / 4096.0f;
    }
    uint8_t exponent = (uint8_t)(bits_of(x) >> 23);
    uint32_t rest = ((bits_of(x) & 0x7fffffu) | 0x800000u) << ((exponent & 1) != 0 ? 1 : 2);
    /* 25 bits of the root of rest * 2^24: 24, and one for rounding. */
    uint32_t root = 0, left = 0;
    for (uint8_t i = 0; i < 25; i++) {
        left = left << 2 | ((rest >> 24) & 3u);
        rest <<= 2;
        root <<= 1;
        if (left > root << 1) {
            left -= root << 1 | 1u;
            root |= 1u;
        }
    }
    root = (root >> 1) + (root & 1u); /* a root never lies half-way */
    exponent = (uint8_t)((exponent + 1) >> 1);
    /* The top bit of the root, and one of rounding up, carry into the exponent. */
    return float_of(((uint32_t)(exponent + 62) << 23) + root) * unit;
}
