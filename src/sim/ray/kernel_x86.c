/* kernel_x86.c - edges and the rays that meet them, and the table of all loops; see kernel_x86.h.
 */
#include "sim/ray/kernel_x86.h"

/* ---- Edges ----------------------------------------------------------------------------------- */

AVX2 static inline void meet_four(const struct sim_rays *rays, uint32_t i,
                                  const struct sim_edge *edge)
{
    const __m256d dx = _mm256_loadu_pd(rays->dx + i);
    const __m256d dy = _mm256_loadu_pd(rays->dy + i);
    const __m256d a = _mm256_sub_pd(_mm256_mul_pd(_mm256_set1_pd(edge->px), dy),
                                    _mm256_mul_pd(_mm256_set1_pd(edge->py), dx));
    const __m256d b = _mm256_sub_pd(_mm256_mul_pd(dx, _mm256_set1_pd(edge->qy)),
                                    _mm256_mul_pd(dy, _mm256_set1_pd(edge->qx)));
    const __m256d range = _mm256_div_pd(_mm256_set1_pd(edge->cross), _mm256_add_pd(a, b));
    const __m256d far = _mm256_loadu_pd(rays->ranges + i);
    const __m256d value = _mm256_set1_pd(edge->ranger_return);
    const __m256d old = _mm256_loadu_pd(rays->returns + i);
    const __m256d zero = _mm256_setzero_pd();
    const __m256d inside =
        _mm256_and_pd(_mm256_cmp_pd(a, zero, _CMP_GE_OQ), _mm256_cmp_pd(b, zero, _CMP_GE_OQ));
    const __m256d tie =
        _mm256_and_pd(_mm256_cmp_pd(range, far, _CMP_EQ_OQ), _mm256_cmp_pd(value, old, _CMP_GT_OQ));
    const __m256d nearer = _mm256_or_pd(_mm256_cmp_pd(range, far, _CMP_LT_OQ), tie);
    const __m256d hit = _mm256_and_pd(inside, nearer);

    _mm256_storeu_pd(rays->ranges + i, _mm256_blendv_pd(far, range, hit));
    _mm256_storeu_pd(rays->returns + i, _mm256_blendv_pd(old, value, hit));
}

/* Rays are looked at in fours. Those too many do no harm: they do not meet the edge, or they do,
 * and somebody would have looked at them anyway. */
AVX2 static void x86_meet(const struct sim_rays *rays, uint32_t from, uint32_t to,
                          const struct sim_edge *edge)
{
    if (rays->count < FOUR) {
        tpi_sim_kernel_plain.meet(rays, from, to, edge);
        return;
    }
    for (uint32_t i = from; i < to; i += FOUR) {
        meet_four(rays, i + FOUR <= rays->count ? i : rays->count - FOUR, edge);
    }
}

static const struct sim_kernel x86 = {.name = "avx2",
                                      .rows = tpi_sim_x86_rows,
                                      .find = tpi_sim_x86_find,
                                      .meet = x86_meet,
                                      .bodies = tpi_sim_x86_bodies,
                                      .walk = tpi_sim_x86_walk};

const struct sim_kernel *tpi_sim_kernel(void)
{
    const bool can = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");

    return can ? &x86 : &tpi_sim_kernel_plain;
}
