/*
 * floats_avr.c - exact operations of floats on an AVR: those of its library, which are exact, but
 * for quotients below the smallest normal number. Instead of src/play/floats.c.
 */
#include <math.h>

#include "play/cell.h"

typedef union float_bits {
    float f;
    uint32_t bits;
    uint16_t words[2]; /* low, high */
} float_bits;

float tpi_play_sqrt(float x)
{
    return (float)sqrt(x);
}

float tpi_play_fmod(float x, float y)
{
    return (float)fmod(x, y);
}

int32_t tpi_play_round(float f)
{
    const float_bits x = {f};
    const uint16_t high = x.words[1] & 0x7fffu;

    if (high < 0x4f00u) {
        return lround(f);
    }
    /* 2^31 and more, or no number */
    return high > 0x7f80u || (high == 0x7f80u && x.words[0] != 0) ? 0
           : x.words[1] == high                                   ? INT32_MAX
                                                                  : INT32_MIN;
}

/* The library rounds quotients twice if they are below the smallest normal number. These are
 * computed bit by bit: 23 bits, and one for rounding. */
float tpi_play_quotient(float x, float y)
{
    float_bits q = {x / y};

    if ((q.words[1] & 0x7f80u) != 0 || x == 0.0f || isinf(y)) {
        return q.f;
    }
    const uint16_t sign = q.words[1] & 0x8000u;
    float rest = (float)fabs(x) * 0x1p64f, step = (float)fabs(y) * 0x1p-63f;
    q.bits = 0;
    for (uint8_t i = 0; i < 24; i++) {
        q.bits <<= 1;
        if (rest >= step) {
            rest -= step;
            q.bits++;
        }
        step *= 0.5f;
    }
    const bool is_odd = (q.bits & 2) != 0;
    q.bits = (q.bits >> 1) + ((q.bits & 1) != 0 && (rest != 0.0f || is_odd));
    q.words[1] |= sign;
    return q.f;
}
