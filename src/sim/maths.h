/*
 * maths.h - sines, frames and chance, the same on every processor.
 *
 * Sine and cosine are our own: the C library's differ in the last bit between processors, and both
 * together cost less here than one of them there.
 */
#ifndef TROUPE_SIM_MATHS_H
#define TROUPE_SIM_MATHS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sim/type.h"

#define SIM_PI 3.14159265358979323846

/* ---- Angles ---------------------------------------------------------------------------------- */

/* An angle as one between -pi and pi. */
static inline double sim_normal(double angle)
{
    if (angle >= -SIM_PI && angle <= SIM_PI) {
        return angle;
    }
    if (!(fabs(angle) < 1e9)) {
        return 0; /* what is left of its digits is no direction */
    }
    return angle - 2 * SIM_PI * floor((angle + SIM_PI) / (2 * SIM_PI));
}

/* Series of sine and cosine up to an eighth of a turn; what is left out is below 1e-17. */
static inline double sim_sine_part(double x, double xx)
{
    return x + x * xx *
                   (-1.0 / 6 +
                    xx * (1.0 / 120 +
                          xx * (-1.0 / 5040 +
                                xx * (1.0 / 362880 + xx * (-1.0 / 39916800 +
                                                           xx * (1.0 / 6227020800 +
                                                                 xx * (-1.0 / 1307674368000)))))));
}

static inline double sim_cosine_part(double xx)
{
    return 1 - 0.5 * xx +
           xx * xx *
               (1.0 / 24 + xx * (-1.0 / 720 +
                                 xx * (1.0 / 40320 +
                                       xx * (-1.0 / 3628800 +
                                             xx * (1.0 / 479001600 + xx * (-1.0 / 87178291200))))));
}

/* Sine and cosine, of angles up to a million or so. */
static inline void sim_sincos(double angle, double *sine, double *cosine)
{
    /* a quarter turn in two pieces; products of the first with small whole numbers are exact */
    const double quarter = 1.57079632673412561417;
    const double rest = 6.07710050650619224932e-11;
    const double turns = angle * (2 / SIM_PI);
    const long quarters = (long)(turns + (turns < 0 ? -0.5 : 0.5));
    const double x = angle - (double)quarters * quarter - (double)quarters * rest;
    const double xx = x * x;
    const double s = sim_sine_part(x, xx);
    const double c = sim_cosine_part(xx);

    /* which quarter it is cannot be foretold, so there are no branches */
    const bool swapped = (quarters & 1) != 0;
    const double first = swapped ? c : s;
    const double second = swapped ? s : c;
    *sine = first * (double)(1 - (quarters & 2));
    *cosine = second * (double)(1 - ((quarters + 1) & 2));
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static inline struct sim_frame sim_frame_of(const tpi_sim_pose *pose)
{
    struct sim_frame frame = {.x = pose->x, .y = pose->y, .z = pose->z, .a = pose->a};

    sim_sincos(pose->a, &frame.s, &frame.c);
    return frame;
}

/* `inner`, which is given in the frame `outer`, as seen from outside. */
static inline struct sim_frame sim_frame_join(const struct sim_frame *outer,
                                              const struct sim_frame *inner)
{
    return (struct sim_frame){
        .x = outer->x + outer->c * inner->x - outer->s * inner->y,
        .y = outer->y + outer->s * inner->x + outer->c * inner->y,
        .z = outer->z + inner->z,
        .a = sim_normal(outer->a + inner->a),
        .c = outer->c * inner->c - outer->s * inner->s,
        .s = outer->s * inner->c + outer->c * inner->s,
    };
}

static inline tpi_sim_pose sim_pose_of(const struct sim_frame *frame)
{
    return (tpi_sim_pose){.x = frame->x, .y = frame->y, .z = frame->z, .a = frame->a};
}

/* ---- Chance ---------------------------------------------------------------------------------- */

/* Spread a number over all 64 bits, so that near ones become unlike. */
static inline uint64_t sim_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t sim_mix2(uint64_t x, uint64_t y)
{
    return sim_mix(x + sim_mix(y + UINT64_C(0x9e3779b97f4a7c15)));
}

static inline uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = sim_mix2(hash, word);
    }
    uint64_t last = length + 1;
    for (size_t i = 0; i < length; i++) {
        last = last << 8 | at[i];
    }
    return sim_mix2(hash, last);
}

/* A number that follows from the asker (a key), the time and the purpose: no state, no order. */
static inline uint64_t sim_chance(uint64_t key, uint64_t when, uint64_t what)
{
    return sim_mix2(sim_mix2(key, when), what);
}

/* From 0 up to, but without, 1. */
static inline double sim_unit(uint64_t chance)
{
    return (double)(chance >> 11) * 0x1p-53;
}

/* From -1 up to, but without, 1. */
static inline double sim_both_ways(uint64_t chance)
{
    return 2 * sim_unit(chance) - 1;
}

/* Normally distributed with variance 1. */
static inline double sim_gauss(uint64_t chance)
{
    const double radius = sqrt(-2 * log(1 - sim_unit(chance)));
    double s;
    double c;

    sim_sincos(SIM_PI * sim_both_ways(sim_mix(chance)), &s, &c);
    return radius * c;
}

#endif
