/*
 * kernel_x86_find.c - bodies that rays may meet.
 *
 * First those within reach are picked out of the runs, without gaps between them; then the sectors
 * that they cover are worked out for eight at once.
 */
#include <math.h>

#include "sim/maths.h"
#include "sim/ray/kernel_x86.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The columns at eight places along the rows. */
AVX2 static inline __m256i columns_of(const struct sim_crowd *crowd, __m256 x)
{
    const __m256 at = _mm256_mul_ps(x, _mm256_set1_ps((float)crowd->per_cell));
    const __m256 last = _mm256_set1_ps((float)(crowd->columns - 1));

    return _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(at, _mm256_setzero_ps()), last));
}

/* How far a circle reaches to either side in eight rows: sim_near_width(), rounded up by the
 * slack. */
AVX2 static inline __m256 row_widths(const struct sim_near *near, __m256i rows, float slack)
{
    const __m256 cell = _mm256_set1_ps((float)near->crowd->cell);
    const __m256 y = _mm256_set1_ps((float)near->y);
    const __m256 reach = _mm256_set1_ps((float)near->reach + slack);
    const __m256 bottom = _mm256_mul_ps(_mm256_cvtepi32_ps(rows), cell);
    const __m256 below = _mm256_sub_ps(bottom, y);
    const __m256 above = _mm256_sub_ps(_mm256_sub_ps(y, bottom), cell);
    const __m256 away = _mm256_max_ps(
        _mm256_sub_ps(_mm256_max_ps(below, above), _mm256_set1_ps(slack)), _mm256_setzero_ps());
    const __m256i border =
        _mm256_or_si256(_mm256_cmpeq_epi32(rows, _mm256_setzero_si256()),
                        _mm256_cmpeq_epi32(rows, _mm256_set1_epi32((int)near->crowd->rows - 1)));
    const __m256 counted = _mm256_andnot_ps(_mm256_castsi256_ps(border), away);
    const __m256 most = _mm256_mul_ps(_mm256_mul_ps(reach, reach), _mm256_set1_ps(1.000001f));
    const __m256 square = _mm256_sub_ps(most, _mm256_mul_ps(counted, counted));

    return _mm256_add_ps(_mm256_sqrt_ps(_mm256_max_ps(square, _mm256_setzero_ps())),
                         _mm256_set1_ps(slack));
}

AVX2 void tpi_sim_x86_rows(struct sim_near *near, struct sim_runs *runs)
{
    const struct sim_crowd *crowd = near->crowd;
    const float slack =
        (float)(2 * crowd->rounding + 1e-6 * (fabs(near->x) + fabs(near->y) + near->reach));
    const uint32_t left = near->last - near->row + 1;
    const __m256i rows =
        _mm256_min_epi32(_mm256_add_epi32(_mm256_set1_epi32((int)near->row),
                                          _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)),
                         _mm256_set1_epi32((int)near->last));
    const __m256 width = row_widths(near, rows, slack);
    const __m256 x = _mm256_set1_ps((float)near->x);
    const __m256i begin = _mm256_mullo_epi32(rows, _mm256_set1_epi32((int)crowd->columns));
    const __m256i from = _mm256_add_epi32(begin, columns_of(crowd, _mm256_sub_ps(x, width)));
    const __m256i to = _mm256_add_epi32(begin, columns_of(crowd, _mm256_add_ps(x, width)));
    const int *first = (const int *)(const void *)crowd->first;

    _mm256_storeu_si256((__m256i *)(void *)runs->from, _mm256_i32gather_epi32(first, from, 4));
    _mm256_storeu_si256((__m256i *)(void *)runs->to, _mm256_i32gather_epi32(first + 1, to, 4));
    runs->at = 0;
    runs->count = left < SIM_ROWS ? left : SIM_ROWS;
    near->row += runs->count;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

AVX2 static inline __m256 times_plus(__m256 a, __m256 b, float c)
{
    return _mm256_add_ps(_mm256_mul_ps(a, b), _mm256_set1_ps(c));
}

/* The sectors that eight points are in, with fractions; see sim_rough_angle(). */
AVX2 static inline __m256 sectors_of(__m256 x, __m256 y)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    const __m256 ax = _mm256_andnot_ps(sign, x);
    const __m256 ay = _mm256_andnot_ps(sign, y);
    const __m256 high = _mm256_max_ps(_mm256_max_ps(ax, ay), _mm256_set1_ps(1e-20f));
    const __m256 t = _mm256_div_ps(_mm256_min_ps(ax, ay), high);
    const __m256 tt = _mm256_mul_ps(t, t);
    __m256 p = _mm256_set1_ps(-0.0117191086f);

    p = times_plus(p, tt, 0.0526472994f);
    p = times_plus(p, tt, -0.1164264606f);
    p = times_plus(p, tt, 0.1935403864f);
    p = times_plus(p, tt, -0.3326228354f);
    p = times_plus(p, tt, 0.9999772200f);
    p = _mm256_mul_ps(_mm256_mul_ps(p, t), _mm256_set1_ps(SIM_SECTORS / (2 * (float)SIM_PI)));
    p = _mm256_blendv_ps(p, _mm256_sub_ps(_mm256_set1_ps(SIM_SECTORS / 4), p),
                         _mm256_cmp_ps(ax, ay, _CMP_LT_OQ));
    p = _mm256_blendv_ps(p, _mm256_sub_ps(_mm256_set1_ps(SIM_SECTORS / 2), p), x);
    p = _mm256_xor_ps(p, _mm256_and_ps(sign, y));
    return _mm256_add_ps(p, _mm256_set1_ps(SIM_SECTORS / 2));
}

/* How many sectors to either side bodies cover, whose distances are given squared. */
AVX2 static inline __m256 widths_of(__m256 radius, __m256 square)
{
    const __m256 near = _mm256_mul_ps(radius, _mm256_set1_ps(1.3f));
    const __m256 share = _mm256_mul_ps(radius, _mm256_rsqrt_ps(square));
    const float per_radian = 1.001f * SIM_SECTORS / (2 * (float)SIM_PI); /* rsqrt is rough */
    const __m256 bent =
        times_plus(_mm256_mul_ps(share, share), _mm256_set1_ps(0.25f * per_radian), per_radian);
    const __m256 width = times_plus(share, bent, 0.01f);

    return _mm256_blendv_ps(width, _mm256_set1_ps(SIM_SECTORS),
                            _mm256_cmp_ps(square, _mm256_mul_ps(near, near), _CMP_LE_OQ));
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* Bodies within reach, from the probe. How many there are is not kept with them: it stays in a
 * register. */
struct close {
    uint32_t spot[SIM_FOUND_ROOM];
    float x[SIM_FOUND_ROOM], y[SIM_FOUND_ROOM], radius[SIM_FOUND_ROOM];
};

/* Eight spots from number i on, of which those with a bit count; added to `count` close ones. How
 * many there are then. */
AVX2 static inline uint32_t pick_eight(const struct sim_crowd *crowd, uint32_t i, uint32_t bits,
                                       const struct sim_probe *probe, struct close *close,
                                       uint32_t count)
{
    const __m256 x = _mm256_sub_ps(_mm256_loadu_ps(crowd->at_x + i), _mm256_set1_ps(probe->x));
    const __m256 y = _mm256_sub_ps(_mm256_loadu_ps(crowd->at_y + i), _mm256_set1_ps(probe->y));
    const __m256 radius = _mm256_loadu_ps(crowd->at_radius + i);
    const __m256 most = _mm256_add_ps(radius, _mm256_set1_ps(probe->reach));
    const __m256 square = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    const __m256 within = _mm256_cmp_ps(square, _mm256_mul_ps(most, most), _CMP_LE_OQ);
    bits &= (uint32_t)_mm256_movemask_ps(within);
    const __m256i pick = x86_pick(bits);
    const __m256i spot =
        _mm256_add_epi32(_mm256_set1_epi32((int)i), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));

    x86_put(close->x + count, pick, x);
    x86_put(close->y + count, pick, y);
    x86_put(close->radius + count, pick, radius);
    x86_put_numbers(close->spot + count, pick, spot);
    return count + (uint32_t)__builtin_popcount(bits);
}

/* Eight of the close ones from number i on, of which those with a bit count: whether there are rays
 * in the sectors that they cover. */
AVX2 static inline void find_eight(const struct close *close, uint32_t i, uint32_t bits,
                                   const struct sim_probe *probe, struct sim_found *found)
{
    const __m256 x = _mm256_loadu_ps(close->x + i);
    const __m256 y = _mm256_loadu_ps(close->y + i);
    const __m256 wide =
        _mm256_add_ps(_mm256_loadu_ps(close->radius + i), _mm256_set1_ps(probe->offset));
    const __m256 square = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    const __m256 c = _mm256_set1_ps(probe->c);
    const __m256 s = _mm256_set1_ps(probe->s);
    const __m256 turned_x = _mm256_add_ps(_mm256_mul_ps(c, x), _mm256_mul_ps(s, y));
    const __m256 turned_y = _mm256_sub_ps(_mm256_mul_ps(c, y), _mm256_mul_ps(s, x));
    const __m256 middle =
        _mm256_add_ps(sectors_of(turned_x, turned_y), _mm256_set1_ps(2 * SIM_SECTORS));
    const __m256 width = widths_of(wide, square);
    const __m256i first = _mm256_cvttps_epi32(_mm256_sub_ps(middle, width));
    const __m256i last = _mm256_cvttps_epi32(_mm256_add_ps(middle, width));
    const int *before = (const int *)(const void *)probe->before;
    const __m256i from = _mm256_i32gather_epi32(before, first, 4);
    const __m256i rays = _mm256_sub_epi32(_mm256_i32gather_epi32(before + 1, last, 4), from);
    const __m256i some = _mm256_cmpgt_epi32(rays, _mm256_setzero_si256());
    bits &= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(some));
    const __m256i pick = x86_pick(bits);

    x86_put_numbers(found->spot + found->count, pick,
                    _mm256_loadu_si256((const __m256i *)(const void *)(close->spot + i)));
    x86_put_numbers(found->from + found->count, pick, from);
    x86_put_numbers(found->rays + found->count, pick, rays);
    found->count += (uint32_t)__builtin_popcount(bits);
}

/* The bits of as many lanes as there are, up to eight. */
static inline uint32_t lanes_of(uint32_t count)
{
    return count < EIGHT ? (1u << count) - 1 : 255u;
}

/* Behind the last spot there is room for reading. */
AVX2 void tpi_sim_x86_find(const struct sim_crowd *crowd, struct sim_runs *runs,
                           const struct sim_probe *probe, struct sim_found *found)
{
    const uint32_t most = SIM_MOST_FOUND - found->count - EIGHT;
    struct close close;
    uint32_t count = 0;
    uint32_t at = runs->at;

    for (; at < runs->count && count <= most; at++) {
        const uint32_t to = runs->to[at];
        uint32_t i = runs->from[at];
        for (; i < to && count <= most; i += EIGHT) {
            count = pick_eight(crowd, i, lanes_of(to - i), probe, &close, count);
        }
        if (i < to) {
            runs->from[at] = i;
            break;
        }
    }
    runs->at = at;
    /* what is read behind the last one has to be numbers */
    _mm256_storeu_ps(close.x + count, _mm256_set1_ps(1));
    _mm256_storeu_ps(close.y + count, _mm256_setzero_ps());
    _mm256_storeu_ps(close.radius + count, _mm256_setzero_ps());
    for (uint32_t i = 0; i < count; i += EIGHT) {
        find_eight(&close, i, lanes_of(count - i), probe, found);
    }
}
