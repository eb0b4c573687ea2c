/*
 * kernel_x86.c - the innermost loops of rangers with AVX2: four numbers at once, or eight rounded
 * ones.
 *
 * AVX2 is asked for at run time, since the build is for every x86-64. Fused operations are not
 * used: they would give other bits.
 */
#include <immintrin.h>
#include <math.h>

#include "sim/kernel.h"
#include "sim/maths.h"
#include "sim/ray.h"

#define AVX2 __attribute__((target("avx2")))

enum { FOUR = 4, EIGHT = 8 };

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
    const __m256 width = times_plus(
        share, _mm256_set1_ps(1.25f * 1.001f * SIM_SECTORS / (2 * (float)SIM_PI)), 0.01f);

    return _mm256_blendv_ps(width, _mm256_set1_ps(SIM_SECTORS),
                            _mm256_cmp_ps(square, _mm256_mul_ps(near, near), _CMP_LE_OQ));
}

/* Eight spots, of which those with a bit count. */
AVX2 static inline void find_eight(const struct sim_crowd *crowd, uint32_t i, uint32_t bits,
                                   const struct sim_probe *probe, struct sim_found *found)
{
    const __m256 x = _mm256_sub_ps(_mm256_loadu_ps(crowd->at_x + i), _mm256_set1_ps(probe->x));
    const __m256 y = _mm256_sub_ps(_mm256_loadu_ps(crowd->at_y + i), _mm256_set1_ps(probe->y));
    const __m256 radius = _mm256_loadu_ps(crowd->at_radius + i);
    const __m256 most = _mm256_add_ps(radius, _mm256_set1_ps(probe->reach));
    const __m256 square = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    const __m256 c = _mm256_set1_ps(probe->c);
    const __m256 s = _mm256_set1_ps(probe->s);
    uint32_t first[EIGHT];
    uint32_t last[EIGHT];

    bits &=
        (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(square, _mm256_mul_ps(most, most), _CMP_LE_OQ));
    if (bits == 0) {
        return;
    }
    const __m256 turned_x = _mm256_add_ps(_mm256_mul_ps(c, x), _mm256_mul_ps(s, y));
    const __m256 turned_y = _mm256_sub_ps(_mm256_mul_ps(c, y), _mm256_mul_ps(s, x));
    const __m256 middle =
        _mm256_add_ps(sectors_of(turned_x, turned_y), _mm256_set1_ps(2 * SIM_SECTORS));
    const __m256 width = widths_of(_mm256_add_ps(radius, _mm256_set1_ps(probe->offset)), square);
    _mm256_storeu_si256((__m256i *)(void *)first,
                        _mm256_cvttps_epi32(_mm256_sub_ps(middle, width)));
    _mm256_storeu_si256((__m256i *)(void *)last, _mm256_cvttps_epi32(_mm256_add_ps(middle, width)));
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(bits);
        sim_found_add(found, probe, i + k, first[k], last[k]);
    }
}

/* Behind the last spot there is room for reading. */
AVX2 static void x86_find(const struct sim_crowd *crowd, uint32_t from, uint32_t to,
                          const struct sim_probe *probe, struct sim_found *found)
{
    for (uint32_t i = from; i < to; i += EIGHT) {
        find_eight(crowd, i, to - i < EIGHT ? (1u << (to - i)) - 1 : 255u, probe, found);
    }
}

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

/* ---- Walls ----------------------------------------------------------------------------------- */

/* Up to eight rays on their way through the cells; see ray.c. */
struct ways {
    __m256 u, v, du, dv; /* beginning and direction, in cells */
    __m256 per_u, per_v;
    __m256 x, y;           /* the cell */
    __m256 t, end;         /* metres; `end` is not less than the range */
    __m256 add_u, add_v;   /* 1 where the way goes down, else 0 */
    __m256 sign_u, sign_v; /* -1 where it goes down, else 1 */
    uint32_t first, count; /* rays */
    uint32_t own;          /* tree that they do not see */
    double z;
    const struct sim_walls *walls;                       /* borrowed */
    const struct sim_rays *rays;                         /* borrowed */
    double wx[EIGHT], wy[EIGHT], wdx[EIGHT], wdy[EIGHT]; /* the rays in the world */
    float ends[EIGHT]; /* how far they go as yet; -1 where there is no ray */
};

static const float least_slope = 1e-7f;

AVX2 static inline __m256 slope(__m256 d)
{
    const __m256 least = _mm256_set1_ps(least_slope);
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), d);

    return _mm256_blendv_ps(least, d, _mm256_cmp_ps(size, least, _CMP_GT_OQ));
}

AVX2 static inline void clip(__m256 at, __m256 per, float last, __m256 *t, __m256 *end)
{
    const float edge = 0.01f; /* inside of the first and last cells, which are empty */
    const __m256 first = _mm256_mul_ps(_mm256_sub_ps(_mm256_set1_ps(edge), at), per);
    const __m256 second = _mm256_mul_ps(_mm256_sub_ps(_mm256_set1_ps(last - edge), at), per);

    *t = _mm256_max_ps(_mm256_min_ps(first, second), *t);
    *end = _mm256_min_ps(_mm256_max_ps(first, second), *end);
}

/* How far to go: a little farther than the ray reaches. */
static inline float end_of(double range)
{
    return (float)range * 1.000001f + 1e-5f;
}

/* Turn rays into the world; behind the last there is the first again. */
AVX2 static inline void turn_rays(const struct sim_frame *f, struct ways *w)
{
    const struct sim_rays *rays = w->rays;

    for (uint32_t k = 0; k < EIGHT; k++) {
        const uint32_t i = w->first + (k < w->count ? k : 0);
        w->wx[k] = f->x + (f->c * rays->x[i] - f->s * rays->y[i]);
        w->wy[k] = f->y + (f->s * rays->x[i] + f->c * rays->y[i]);
        w->wdx[k] = f->c * rays->dx[i] - f->s * rays->dy[i];
        w->wdy[k] = f->s * rays->dx[i] + f->c * rays->dy[i];
        w->ends[k] = k < w->count ? end_of(rays->ranges[i]) : -1;
    }
}

/* Eight numbers, less `from`, times `scale`, rounded. */
AVX2 static inline __m256 rounded(const double *numbers, double from, double scale)
{
    const __m256d f = _mm256_set1_pd(from);
    const __m256d s = _mm256_set1_pd(scale);
    const __m256d low = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(numbers), f), s);
    const __m256d high = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(numbers + 4), f), s);

    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

AVX2 static inline void ways_begin(const struct sim_frame *frame, struct ways *w)
{
    const struct sim_walls *walls = w->walls;
    const __m256 zero = _mm256_setzero_ps();
    const __m256 one = _mm256_set1_ps(1);

    turn_rays(frame, w);
    w->u = rounded(w->wx, walls->x, walls->per_cell);
    w->v = rounded(w->wy, walls->y, walls->per_cell);
    w->du = _mm256_mul_ps(slope(rounded(w->wdx, 0, 1)), _mm256_set1_ps((float)walls->per_cell));
    w->dv = _mm256_mul_ps(slope(rounded(w->wdy, 0, 1)), _mm256_set1_ps((float)walls->per_cell));
    w->per_u = _mm256_div_ps(one, w->du);
    w->per_v = _mm256_div_ps(one, w->dv);
    w->t = zero;
    w->end = _mm256_loadu_ps(w->ends);
    clip(w->u, w->per_u, (float)walls->columns, &w->t, &w->end);
    clip(w->v, w->per_v, (float)walls->rows, &w->t, &w->end);
    w->x = _mm256_floor_ps(_mm256_add_ps(w->u, _mm256_mul_ps(w->du, w->t)));
    w->y = _mm256_floor_ps(_mm256_add_ps(w->v, _mm256_mul_ps(w->dv, w->t)));
    w->add_u = _mm256_and_ps(_mm256_cmp_ps(w->du, zero, _CMP_LT_OQ), one);
    w->add_v = _mm256_and_ps(_mm256_cmp_ps(w->dv, zero, _CMP_LT_OQ), one);
    w->sign_u = _mm256_sub_ps(one, _mm256_add_ps(w->add_u, w->add_u));
    w->sign_v = _mm256_sub_ps(one, _mm256_add_ps(w->add_v, w->add_v));
}

/* One of the rays has come to a cell with walls. */
AVX2 static inline void try_cell(struct ways *w, uint32_t cell, uint32_t k)
{
    const struct sim_walls *walls = w->walls;
    const uint32_t i = w->first + k;
    const struct sim_ray ray = {.x = w->wx[k],
                                .y = w->wy[k],
                                .z = w->z,
                                .dx = w->wdx[k],
                                .dy = w->wdy[k],
                                .group = w->own,
                                .sees = SIM_VISIBLE};
    struct sim_hit hit = {.range = w->rays->ranges[i], .ranger_return = w->rays->returns[i]};

    for (uint32_t n = walls->first[cell]; n < walls->first[cell + 1]; n++) {
        sim_try_wall(&walls->items[walls->list[n]], &ray, &hit);
    }
    w->rays->ranges[i] = hit.range;
    w->rays->returns[i] = hit.ranger_return;
    w->ends[k] = end_of(hit.range);
}

AVX2 static inline void try_cells(struct ways *w, __m256i cell, uint32_t bits)
{
    uint32_t cells[EIGHT];

    _mm256_storeu_si256((__m256i *)(void *)cells, cell);
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(bits);
        try_cell(w, cells[k], k);
    }
    w->end = _mm256_min_ps(w->end, _mm256_loadu_ps(w->ends));
}

/* The next cell along one axis: beyond the empty space if that is left on this axis first,
 * otherwise where the way is by then. */
AVX2 static inline __m256 next_cell(__m256 x, __m256 at, __m256 sign, __m256 room, __m256 first)
{
    const __m256 most = _mm256_sub_ps(room, _mm256_set1_ps(1));
    const __m256 low = _mm256_max_ps(_mm256_floor_ps(at), _mm256_sub_ps(x, most));
    const __m256 there = _mm256_min_ps(low, _mm256_add_ps(x, most));

    return _mm256_blendv_ps(there, _mm256_add_ps(x, _mm256_mul_ps(sign, room)), first);
}

/* Look at the cells that the rays are in, and move on to the end of the empty space. */
AVX2 static inline void ways_step(struct ways *w, __m256 active)
{
    const __m256i x = _mm256_cvtps_epi32(w->x);
    const __m256i y = _mm256_cvtps_epi32(w->y);
    const __m256i row = _mm256_mullo_epi32(y, _mm256_set1_epi32((int)w->walls->columns));
    const __m256i cell = _mm256_and_si256(_mm256_add_epi32(row, x), _mm256_castps_si256(active));
    const __m256i bytes =
        _mm256_i32gather_epi32((const int *)(const void *)w->walls->room, cell, 1);
    const __m256i known = _mm256_and_si256(bytes, _mm256_set1_epi32(255));
    const __m256i none = _mm256_cmpeq_epi32(known, _mm256_setzero_si256());
    const uint32_t bits =
        (uint32_t)_mm256_movemask_ps(_mm256_and_ps(_mm256_castsi256_ps(none), active));
    const __m256 room = _mm256_cvtepi32_ps(_mm256_sub_epi32(known, none)); /* at least 1 */

    if (bits != 0) {
        try_cells(w, cell, bits);
    }
    const __m256 to_u =
        _mm256_add_ps(_mm256_add_ps(w->x, w->add_u), _mm256_mul_ps(w->sign_u, room));
    const __m256 to_v =
        _mm256_add_ps(_mm256_add_ps(w->y, w->add_v), _mm256_mul_ps(w->sign_v, room));
    const __m256 t_u = _mm256_mul_ps(_mm256_sub_ps(to_u, w->u), w->per_u);
    const __m256 t_v = _mm256_mul_ps(_mm256_sub_ps(to_v, w->v), w->per_v);
    const __m256 u_first = _mm256_cmp_ps(t_u, t_v, _CMP_LT_OQ);
    w->t = _mm256_min_ps(t_u, t_v);
    const __m256 at_u = _mm256_add_ps(w->u, _mm256_mul_ps(w->du, w->t));
    const __m256 at_v = _mm256_add_ps(w->v, _mm256_mul_ps(w->dv, w->t));
    w->x = next_cell(w->x, at_u, w->sign_u, room, u_first);
    w->y = next_cell(w->y, at_v, w->sign_v, room,
                     _mm256_xor_ps(u_first, _mm256_castsi256_ps(_mm256_set1_epi32(-1))));
}

/* Two eights at once: while one waits for memory, the other one goes on. */
AVX2 static void walk_two(struct ways *a, struct ways *b)
{
    for (;;) {
        const __m256 a_active = _mm256_cmp_ps(a->t, a->end, _CMP_LE_OQ);
        const __m256 b_active = _mm256_cmp_ps(b->t, b->end, _CMP_LE_OQ);
        const int a_bits = _mm256_movemask_ps(a_active);
        const int b_bits = _mm256_movemask_ps(b_active);
        if ((a_bits | b_bits) == 0) {
            return;
        }
        if (a_bits != 0) {
            ways_step(a, a_active);
        }
        if (b_bits != 0) {
            ways_step(b, b_active);
        }
    }
}

/* Whether rounding to the precision of floats is harmless: the grid is small enough for it, and the
 * rays begin in it or near it. */
static bool can_round(const struct sim_walls *walls, const struct sim_frame *frame)
{
    const double u = (frame->x - walls->x) * walls->per_cell;
    const double v = (frame->y - walls->y) * walls->per_cell;

    return walls->columns <= 2048 && walls->rows <= 2048 && fabs(u) <= 3000 && fabs(v) <= 3000;
}

AVX2 static void x86_walk(const struct sim_walls *walls, const struct sim_frame *frame,
                          uint32_t own, const struct sim_rays *rays)
{
    struct ways ways[2];

    if (!can_round(walls, frame)) {
        tpi_sim_kernel_plain.walk(walls, frame, own, rays);
        return;
    }
    for (uint32_t i = 0; i < rays->count; i += 2 * EIGHT) {
        for (uint32_t k = 0; k < 2; k++) {
            struct ways *w = &ways[k];
            const uint32_t first = i + k * EIGHT;
            const uint32_t left = first < rays->count ? rays->count - first : 0;
            w->first = left > 0 ? first : 0;
            w->count = left < EIGHT ? left : EIGHT;
            w->own = own;
            w->z = frame->z;
            w->walls = walls;
            w->rays = rays;
            ways_begin(frame, w);
        }
        walk_two(&ways[0], &ways[1]);
    }
}

static const struct sim_kernel x86 = {
    .name = "avx2", .find = x86_find, .meet = x86_meet, .walk = x86_walk};

const struct sim_kernel *tpi_sim_kernel(void)
{
    return __builtin_cpu_supports("avx2") ? &x86 : &tpi_sim_kernel_plain;
}
