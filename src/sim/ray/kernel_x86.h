/*
 * kernel_x86.h - the innermost loops of rangers with AVX2: four numbers at once, or eight rounded
 * ones. See kernel.h for what each of them does.
 *
 * AVX2, and BMI2 which comes with it, are asked for at run time, since the build is for every
 * x86-64. Fused operations are not used: they would give other bits.
 */
#ifndef TROUPE_SIM_RAY_KERNEL_X86_H
#define TROUPE_SIM_RAY_KERNEL_X86_H

#include <immintrin.h>

#include "sim/ray/crowd.h"
#include "sim/ray/kernel.h"

#define AVX2 __attribute__((target("avx2,bmi2")))

enum { FOUR = 4, EIGHT = 8 };

/* The lanes with bits, one after the other; then the first again. */
AVX2 static inline __m256i x86_pick(uint32_t bits)
{
    const uint64_t wanted = _pdep_u64(bits, 0x0101010101010101u) * 255u;
    const uint64_t lanes = _pext_u64(0x0706050403020100u, wanted);

    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
}

/* Write the lanes that are picked, and behind them some that mean nothing: eight in all. */
AVX2 static inline void x86_put(float *to, __m256i pick, __m256 lanes)
{
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(lanes, pick));
}

AVX2 static inline void x86_put_numbers(uint32_t *to, __m256i pick, __m256i lanes)
{
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(lanes, pick));
}

/* kernel_x86_find.c */
void tpi_sim_x86_rows(struct sim_near *near, struct sim_runs *runs);
void tpi_sim_x86_find(const struct sim_crowd *crowd, struct sim_runs *runs,
                      const struct sim_probe *probe, struct sim_found *found);

/* kernel_x86_bodies.c */
void tpi_sim_x86_bodies(const struct sim_crowd *crowd, const struct sim_frame *frame, uint32_t own,
                        const uint32_t *order, const struct sim_found *found,
                        const struct sim_rays *rays);

/* kernel_x86_walk.c */
void tpi_sim_x86_walk(const struct sim_walls *walls, const struct sim_walk *walks, uint32_t count);

#endif
