/*
 * kernel_x86.h - the innermost loops of rangers with AVX2: four numbers at once, or eight rounded
 * ones. See kernel.h for what each of them does.
 *
 * AVX2 is asked for at run time, since the build is for every x86-64. Fused operations are not
 * used: they would give other bits.
 */
#ifndef TROUPE_SIM_KERNEL_X86_H
#define TROUPE_SIM_KERNEL_X86_H

#include <immintrin.h>

#include "sim/crowd.h"
#include "sim/kernel.h"

#define AVX2 __attribute__((target("avx2")))

enum { FOUR = 4, EIGHT = 8 };

/* kernel_x86_find.c */
void tpi_sim_x86_rows(struct sim_near *near, struct sim_runs *runs);
void tpi_sim_x86_find(const struct sim_crowd *crowd, struct sim_runs *runs,
                      const struct sim_probe *probe, struct sim_found *found);

/* kernel_x86_bodies.c */
void tpi_sim_x86_bodies(const struct sim_crowd *crowd, const struct sim_frame *frame, uint32_t own,
                        const uint32_t *order, const struct sim_found *found,
                        const struct sim_rays *rays);

/* kernel_x86_walk.c */
void tpi_sim_x86_walk(const struct sim_walls *walls, const struct sim_frame *frame, uint32_t own,
                      double free, const struct sim_rays *rays);

#endif
