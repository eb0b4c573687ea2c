/*
 * kernel_x86.c - the innermost loops of rangers with AVX2, four numbers at once.
 *
 * AVX2 is asked for at run time, since the build is for every x86-64. Fused operations are not
 * used: they would give other bits.
 */
#include <immintrin.h>
#include <math.h>

#include "sim/kernel.h"
#include "sim/ray.h"

#define AVX2 __attribute__((target("avx2")))

enum { WIDE = 4 };

/* ---- Gathering ------------------------------------------------------------------------------- */

/* Four spots: which are near, and where they are in the frame. */
AVX2 static uint32_t gather_four(const struct sim_crowd *crowd, uint32_t i,
                                 const struct sim_frame *frame, __m256d radius, double *x,
                                 double *y)
{
    const __m256d dx = _mm256_sub_pd(_mm256_loadu_pd(crowd->at_x + i), _mm256_set1_pd(frame->x));
    const __m256d dy = _mm256_sub_pd(_mm256_loadu_pd(crowd->at_y + i), _mm256_set1_pd(frame->y));
    const __m256d most = _mm256_add_pd(_mm256_loadu_pd(crowd->at_radius + i), radius);
    const __m256d square = _mm256_add_pd(_mm256_mul_pd(dx, dx), _mm256_mul_pd(dy, dy));
    const __m256d c = _mm256_set1_pd(frame->c);
    const __m256d s = _mm256_set1_pd(frame->s);

    _mm256_storeu_pd(x, _mm256_add_pd(_mm256_mul_pd(c, dx), _mm256_mul_pd(s, dy)));
    _mm256_storeu_pd(y, _mm256_sub_pd(_mm256_mul_pd(c, dy), _mm256_mul_pd(s, dx)));
    return (uint32_t)_mm256_movemask_pd(
        _mm256_cmp_pd(square, _mm256_mul_pd(most, most), _CMP_LE_OQ));
}

AVX2 static void x86_gather(const struct sim_crowd *crowd, uint32_t from, uint32_t to,
                            const struct sim_frame *frame, double radius, struct sim_found *found)
{
    const __m256d vr = _mm256_set1_pd(radius);
    uint32_t count = found->count;

    /* behind the last spot there is room for reading, and what is read there does not count */
    for (uint32_t i = from; i < to; i += WIDE) {
        double x[WIDE];
        double y[WIDE];
        uint32_t bits = gather_four(crowd, i, frame, vr, x, y);
        bits &= to - i < WIDE ? (1u << (to - i)) - 1 : 15u;
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(bits);
            found->spot[count] = i + k;
            found->x[count] = x[k];
            found->y[count] = y[k];
            found->radius[count++] = crowd->at_radius[i + k];
        }
    }
    found->count = count;
}

/* ---- Rays near bodies ------------------------------------------------------------------------ */

/* Eight rays, rounded: this only finds out whom to look at closely. Circles are taken a little
 * larger in return. */
struct eight {
    __m256 x, y, dx, dy, range;
};

enum { EIGHT = 8, MOST_EIGHTS = 8 };

AVX2 static inline __m256 rounded(const double *numbers, uint32_t i)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(numbers + i + 4)),
                           _mm256_cvtpd_ps(_mm256_loadu_pd(numbers + i)));
}

/* Fewer than eight, and the rest with a range that nothing is within. */
AVX2 static void load_few(const struct sim_rays *rays, uint32_t from, struct eight *out)
{
    float few[5][EIGHT] = {{0}};

    for (uint32_t k = 0; k < EIGHT; k++) {
        const bool there = from + k < rays->count;
        few[0][k] = there ? (float)rays->x[from + k] : 0;
        few[1][k] = there ? (float)rays->y[from + k] : 0;
        few[2][k] = there ? (float)rays->dx[from + k] : 0;
        few[3][k] = there ? (float)rays->dy[from + k] : 0;
        few[4][k] = there ? (float)rays->ranges[from + k] : -HUGE_VALF;
    }
    *out = (struct eight){_mm256_loadu_ps(few[0]), _mm256_loadu_ps(few[1]), _mm256_loadu_ps(few[2]),
                          _mm256_loadu_ps(few[3]), _mm256_loadu_ps(few[4])};
}

AVX2 static uint32_t load_eights(const struct sim_rays *rays, struct eight *out)
{
    uint32_t count = 0;
    uint32_t i = 0;

    for (; i + EIGHT <= rays->count; i += EIGHT) {
        out[count++] =
            (struct eight){rounded(rays->x, i), rounded(rays->y, i), rounded(rays->dx, i),
                           rounded(rays->dy, i), rounded(rays->ranges, i)};
    }
    if (i < rays->count) {
        load_few(rays, i, &out[count++]);
    }
    return count;
}

/* A bit for each of eight rays: whether it comes near a circle. */
AVX2 static inline uint64_t near_eight(const struct eight *rays, __m256 x, __m256 y, __m256 radius,
                                       __m256 minus_radius)
{
    const __m256 rx = _mm256_sub_ps(x, rays->x);
    const __m256 ry = _mm256_sub_ps(y, rays->y);
    const __m256 along = _mm256_add_ps(_mm256_mul_ps(rx, rays->dx), _mm256_mul_ps(ry, rays->dy));
    const __m256 across = _mm256_sub_ps(_mm256_mul_ps(rx, rays->dy), _mm256_mul_ps(ry, rays->dx));
    const __m256 apart = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), across);
    const __m256 beside = _mm256_cmp_ps(apart, radius, _CMP_LE_OQ);
    const __m256 ahead = _mm256_cmp_ps(along, minus_radius, _CMP_GE_OQ);
    const __m256 before = _mm256_cmp_ps(_mm256_sub_ps(along, radius), rays->range, _CMP_LE_OQ);

    return (uint64_t)_mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(beside, ahead), before));
}

AVX2 static void x86_near(const struct sim_rays *rays, const struct sim_found *found,
                          uint64_t *bits)
{
    struct eight eights[MOST_EIGHTS];
    const uint32_t count = load_eights(rays, eights);

    for (uint32_t k = 0; k < found->count; k++) {
        const __m256 x = _mm256_set1_ps((float)found->x[k]);
        const __m256 y = _mm256_set1_ps((float)found->y[k]);
        const __m256 far = _mm256_set1_ps(fabsf((float)found->x[k]) + fabsf((float)found->y[k]));
        const __m256 r = _mm256_add_ps(_mm256_set1_ps((float)found->radius[k] * 1.00001f),
                                       _mm256_mul_ps(far, _mm256_set1_ps(1e-6f)));
        const __m256 minus = _mm256_sub_ps(_mm256_setzero_ps(), r);
        uint64_t near = near_eight(&eights[0], x, y, r, minus);
        for (uint32_t i = 1; i < count; i++) {
            near |= near_eight(&eights[i], x, y, r, minus) << (i * EIGHT);
        }
        bits[k] = near;
    }
}

/* ---- Rays and edges -------------------------------------------------------------------------- */

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
    if (rays->count < WIDE) {
        tpi_sim_kernel_plain.meet(rays, from, to, edge);
        return;
    }
    for (uint32_t i = from; i < to; i += WIDE) {
        meet_four(rays, i + WIDE <= rays->count ? i : rays->count - WIDE, edge);
    }
}

/* ---- Rays through the grid ------------------------------------------------------------------- */

/* Four rays on their way: u and v count cells, t is in metres; see ray.c. */
struct ways {
    __m256d u, v, du, dv;
    __m256d per_u, per_v;
    __m256d t, end;
    __m256d add_u, add_v;   /* 1 where the way goes down, else 0 */
    __m256d sign_u, sign_v; /* -1 where it goes down, else 1 */
};

/* The same rays in the world, one by one. */
struct four {
    double x[WIDE], y[WIDE], dx[WIDE], dy[WIDE];
    double range[WIDE], value[WIDE];
};

AVX2 static inline __m256d slope(__m256d d)
{
    const __m256d least = _mm256_set1_pd(1e-12);
    const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), d);

    return _mm256_blendv_pd(least, d, _mm256_cmp_pd(size, least, _CMP_GT_OQ));
}

AVX2 static inline void clip(__m256d at, __m256d per, double last, __m256d *t, __m256d *end)
{
    const __m256d first = _mm256_mul_pd(_mm256_sub_pd(_mm256_set1_pd(1e-6), at), per);
    const __m256d second = _mm256_mul_pd(_mm256_sub_pd(_mm256_set1_pd(last - 1e-6), at), per);

    *t = _mm256_max_pd(_mm256_min_pd(first, second), *t);
    *end = _mm256_min_pd(_mm256_max_pd(first, second), *end);
}

/* Turn four rays into the world and keep them there. */
AVX2 static inline void turn_four(const struct sim_frame *f, const struct sim_rays *rays,
                                  uint32_t i, struct four *four)
{
    const __m256d c = _mm256_set1_pd(f->c);
    const __m256d s = _mm256_set1_pd(f->s);
    const __m256d x = _mm256_loadu_pd(rays->x + i);
    const __m256d y = _mm256_loadu_pd(rays->y + i);
    const __m256d dx = _mm256_loadu_pd(rays->dx + i);
    const __m256d dy = _mm256_loadu_pd(rays->dy + i);
    const __m256d tx = _mm256_sub_pd(_mm256_mul_pd(c, x), _mm256_mul_pd(s, y));
    const __m256d ty = _mm256_add_pd(_mm256_mul_pd(s, x), _mm256_mul_pd(c, y));

    _mm256_storeu_pd(four->x, _mm256_add_pd(_mm256_set1_pd(f->x), tx));
    _mm256_storeu_pd(four->y, _mm256_add_pd(_mm256_set1_pd(f->y), ty));
    _mm256_storeu_pd(four->dx, _mm256_sub_pd(_mm256_mul_pd(c, dx), _mm256_mul_pd(s, dy)));
    _mm256_storeu_pd(four->dy, _mm256_add_pd(_mm256_mul_pd(s, dx), _mm256_mul_pd(c, dy)));
    _mm256_storeu_pd(four->range, _mm256_loadu_pd(rays->ranges + i));
    _mm256_storeu_pd(four->value, _mm256_loadu_pd(rays->returns + i));
}

AVX2 static inline void ways_begin(const struct sim_walls *walls, const struct four *four,
                                   struct ways *w)
{
    const __m256d per_cell = _mm256_set1_pd(walls->per_cell);
    const __m256d zero = _mm256_setzero_pd();
    const __m256d one = _mm256_set1_pd(1);

    w->u =
        _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(four->x), _mm256_set1_pd(walls->x)), per_cell);
    w->v =
        _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(four->y), _mm256_set1_pd(walls->y)), per_cell);
    w->du = _mm256_mul_pd(slope(_mm256_loadu_pd(four->dx)), per_cell);
    w->dv = _mm256_mul_pd(slope(_mm256_loadu_pd(four->dy)), per_cell);
    w->per_u = _mm256_div_pd(one, w->du);
    w->per_v = _mm256_div_pd(one, w->dv);
    w->t = zero;
    w->end = _mm256_loadu_pd(four->range);
    clip(w->u, w->per_u, walls->columns, &w->t, &w->end);
    clip(w->v, w->per_v, walls->rows, &w->t, &w->end);
    w->add_u = _mm256_and_pd(_mm256_cmp_pd(w->du, zero, _CMP_LT_OQ), one);
    w->add_v = _mm256_and_pd(_mm256_cmp_pd(w->dv, zero, _CMP_LT_OQ), one);
    w->sign_u = _mm256_sub_pd(one, _mm256_add_pd(w->add_u, w->add_u));
    w->sign_v = _mm256_sub_pd(one, _mm256_add_pd(w->add_v, w->add_v));
}

/* One of the four rays has come to a cell with walls. */
AVX2 static inline void try_cell(const struct sim_walls *walls, uint32_t cell, uint32_t k, double z,
                                 uint32_t own, struct four *four)
{
    const struct sim_ray ray = {.x = four->x[k],
                                .y = four->y[k],
                                .z = z,
                                .dx = four->dx[k],
                                .dy = four->dy[k],
                                .group = own,
                                .sees = SIM_VISIBLE};
    struct sim_hit hit = {.range = four->range[k], .ranger_return = four->value[k]};

    for (uint32_t i = walls->first[cell]; i < walls->first[cell + 1]; i++) {
        sim_try_wall(&walls->items[walls->list[i]], &ray, &hit);
    }
    four->range[k] = hit.range;
    four->value[k] = hit.ranger_return;
}

/* One step of all four: look at the cells they are in, and move on to the end of the empty space.
 */
AVX2 static inline void ways_step(const struct sim_walls *walls, double z, uint32_t own,
                                  uint32_t active, struct ways *w, struct four *four)
{
    const __m128i x = _mm256_cvttpd_epi32(_mm256_add_pd(w->u, _mm256_mul_pd(w->du, w->t)));
    const __m128i y = _mm256_cvttpd_epi32(_mm256_add_pd(w->v, _mm256_mul_pd(w->dv, w->t)));
    const __m128i on =
        _mm_cmpgt_epi32(_mm_and_si128(_mm_set1_epi32((int)active), _mm_setr_epi32(1, 2, 4, 8)),
                        _mm_setzero_si128());
    const __m128i cell = _mm_and_si128(
        _mm_add_epi32(_mm_mullo_epi32(y, _mm_set1_epi32((int)walls->columns)), x), on);
    const __m128i bytes = _mm_i32gather_epi32((const int *)(const void *)walls->room, cell, 1);
    const __m128i room = _mm_and_si128(bytes, _mm_set1_epi32(255));
    const __m128i none = _mm_cmpeq_epi32(room, _mm_setzero_si128());
    uint32_t bits = (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(none)) & active;
    const __m256d far = _mm256_cvtepi32_pd(_mm_sub_epi32(room, none)); /* at least 1 */

    if (bits != 0) {
        uint32_t cells[WIDE];
        _mm_storeu_si128((__m128i *)(void *)cells, cell);
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(bits);
            try_cell(walls, cells[k], k, z, own, four);
        }
        w->end = _mm256_min_pd(w->end, _mm256_loadu_pd(four->range));
    }
    const __m256d to_u = _mm256_add_pd(_mm256_add_pd(_mm256_cvtepi32_pd(x), w->add_u),
                                       _mm256_mul_pd(w->sign_u, far));
    const __m256d to_v = _mm256_add_pd(_mm256_add_pd(_mm256_cvtepi32_pd(y), w->add_v),
                                       _mm256_mul_pd(w->sign_v, far));
    const __m256d t_u = _mm256_mul_pd(_mm256_sub_pd(to_u, w->u), w->per_u);
    const __m256d t_v = _mm256_mul_pd(_mm256_sub_pd(to_v, w->v), w->per_v);
    w->t = _mm256_add_pd(_mm256_min_pd(t_u, t_v), _mm256_set1_pd(1e-9 * walls->cell));
}

/* Several fours at once: while one waits for memory, another one goes on. */
struct packet {
    struct ways ways;
    struct four four;
    uint32_t first; /* ray */
};

enum { MOST_PACKETS = 4 };

AVX2 static void walk_packets(const struct sim_walls *walls, const struct sim_frame *frame,
                              uint32_t own, struct packet *packets, uint32_t count)
{
    uint32_t order[MOST_PACKETS] = {0, 1, 2, 3};

    while (count > 0) {
        for (uint32_t i = 0; i < count;) {
            struct packet *p = &packets[order[i]];
            const uint32_t active =
                (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(p->ways.t, p->ways.end, _CMP_LE_OQ));
            if (active == 0) {
                order[i] = order[--count];
            } else {
                ways_step(walls, frame->z, own, active, &p->ways, &p->four);
                i++;
            }
        }
    }
}

AVX2 static void x86_walk(const struct sim_walls *walls, const struct sim_frame *frame,
                          uint32_t own, const struct sim_rays *rays)
{
    struct packet packets[MOST_PACKETS];

    if (rays->count < WIDE || walls->count == 0) {
        tpi_sim_kernel_plain.walk(walls, frame, own, rays);
        return;
    }
    for (uint32_t i = 0; i < rays->count;) {
        uint32_t count = 0;
        for (; count < MOST_PACKETS && i < rays->count; i += WIDE) {
            struct packet *p = &packets[count++];
            p->first = i + WIDE <= rays->count ? i : rays->count - WIDE;
            turn_four(frame, rays, p->first, &p->four);
            ways_begin(walls, &p->four, &p->ways);
        }
        walk_packets(walls, frame, own, packets, count);
        for (uint32_t k = 0; k < count; k++) {
            const struct four *four = &packets[k].four;
            _mm256_storeu_pd(rays->ranges + packets[k].first, _mm256_loadu_pd(four->range));
            _mm256_storeu_pd(rays->returns + packets[k].first, _mm256_loadu_pd(four->value));
        }
    }
}

static const struct sim_kernel x86 = {
    .name = "avx2", .gather = x86_gather, .near = x86_near, .meet = x86_meet, .walk = x86_walk};

const struct sim_kernel *tpi_sim_kernel(void)
{
    return __builtin_cpu_supports("avx2") ? &x86 : &tpi_sim_kernel_plain;
}
