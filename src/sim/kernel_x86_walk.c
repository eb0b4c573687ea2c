/* kernel_x86_walk.c - eight rays on their way through the grid of walls; see ray.c. */
#include <math.h>

#include "sim/kernel_x86.h"
#include "sim/ray.h"

/* ---- Walls ----------------------------------------------------------------------------------- */

/* Up to eight rays on their way through the cells; see ray.c. Axes are turned round where the way
 * of a ray goes down, so that it always goes up. */
struct ways {
    __m256 u, v, du, dv;     /* beginning and direction, in cells */
    __m256 per_u, per_v;     /* one over the direction */
    __m256i x, y;            /* the cell */
    __m256 t, end;           /* metres; `end` is not less than the range */
    __m256i strides, origin; /* of the numbers of cells: for x and y, in halves, and of cell 0, 0 */
    __m256i quadrant;        /* see sim_quadrant() */
    uint32_t first, count;   /* rays */
    uint32_t own;            /* tree that they do not see */
    double z;
    const struct sim_walls *walls;                       /* borrowed */
    const struct sim_rays *rays;                         /* borrowed */
    double wx[EIGHT], wy[EIGHT], wdx[EIGHT], wdy[EIGHT]; /* the rays in the world */
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
    const __m256 near = _mm256_mul_ps(_mm256_sub_ps(_mm256_set1_ps(edge), at), per);
    const __m256 far = _mm256_mul_ps(_mm256_sub_ps(_mm256_set1_ps(last - edge), at), per);

    *t = _mm256_max_ps(near, *t);
    *end = _mm256_min_ps(far, *end);
}

/* How far to go: a little farther than the ray reaches. */
static inline float end_of(double range)
{
    return (float)range * 1.000001f + 1e-5f;
}

/* Four rays in the world. */
struct four {
    __m256d x, y, dx, dy;
    __m128 ends;
};

/* Rays from number i on; `there` says which of them there are, the others are nothing. */
AVX2 static inline struct four turn_four(const struct sim_frame *f, const struct sim_rays *rays,
                                         uint32_t i, __m256i there)
{
    const __m256d c = _mm256_set1_pd(f->c);
    const __m256d s = _mm256_set1_pd(f->s);
    const __m256d x = _mm256_maskload_pd(rays->x + i, there);
    const __m256d y = _mm256_maskload_pd(rays->y + i, there);
    const __m256d dx = _mm256_maskload_pd(rays->dx + i, there);
    const __m256d dy = _mm256_maskload_pd(rays->dy + i, there);
    const __m128 range = _mm256_cvtpd_ps(_mm256_maskload_pd(rays->ranges + i, there));

    return (struct four){
        .x = _mm256_add_pd(_mm256_set1_pd(f->x),
                           _mm256_sub_pd(_mm256_mul_pd(c, x), _mm256_mul_pd(s, y))),
        .y = _mm256_add_pd(_mm256_set1_pd(f->y),
                           _mm256_add_pd(_mm256_mul_pd(s, x), _mm256_mul_pd(c, y))),
        .dx = _mm256_sub_pd(_mm256_mul_pd(c, dx), _mm256_mul_pd(s, dy)),
        .dy = _mm256_add_pd(_mm256_mul_pd(s, dx), _mm256_mul_pd(c, dy)),
        .ends =
            _mm_add_ps(_mm_mul_ps(range, _mm_set1_ps(1.000001f)), _mm_set1_ps(1e-5f)), /* end_of */
    };
}

/* Eight numbers, rounded. */
AVX2 static inline __m256 rounded(__m256d low, __m256d high)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

/* The same, less `from`, times `scale`. */
AVX2 static inline __m256 scaled(__m256d low, __m256d high, double from, double scale)
{
    const __m256d f = _mm256_set1_pd(from);
    const __m256d s = _mm256_set1_pd(scale);

    return rounded(_mm256_mul_pd(_mm256_sub_pd(low, f), s),
                   _mm256_mul_pd(_mm256_sub_pd(high, f), s));
}

/* Turn rays into the world, and into cells. */
AVX2 static inline void turn_rays(const struct sim_frame *f, struct ways *w)
{
    const struct sim_walls *walls = w->walls;
    const __m256i count = _mm256_set1_epi64x(w->count);
    const __m256i low = _mm256_cmpgt_epi64(count, _mm256_set_epi64x(3, 2, 1, 0));
    const __m256i high = _mm256_cmpgt_epi64(count, _mm256_set_epi64x(7, 6, 5, 4));
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)w->count),
                                             _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    const struct four a = turn_four(f, w->rays, w->first, low);
    const struct four b = turn_four(f, w->rays, w->first + FOUR, high);
    const __m256 cell = _mm256_set1_ps((float)walls->per_cell);

    _mm256_storeu_pd(w->wx, a.x);
    _mm256_storeu_pd(w->wx + FOUR, b.x);
    _mm256_storeu_pd(w->wy, a.y);
    _mm256_storeu_pd(w->wy + FOUR, b.y);
    _mm256_storeu_pd(w->wdx, a.dx);
    _mm256_storeu_pd(w->wdx + FOUR, b.dx);
    _mm256_storeu_pd(w->wdy, a.dy);
    _mm256_storeu_pd(w->wdy + FOUR, b.dy);
    w->end = _mm256_blendv_ps(_mm256_set1_ps(-1), _mm256_set_m128(b.ends, a.ends),
                              _mm256_castsi256_ps(there));
    w->u = scaled(a.x, b.x, walls->x, walls->per_cell);
    w->v = scaled(a.y, b.y, walls->y, walls->per_cell);
    w->du = _mm256_mul_ps(slope(rounded(a.dx, b.dx)), cell);
    w->dv = _mm256_mul_ps(slope(rounded(a.dy, b.dy)), cell);
}

/* Turn an axis of so many cells round where the way goes down. Those lanes are negative then. */
AVX2 static inline __m256 turn_axis(__m256 *u, __m256 *du, uint32_t count)
{
    const __m256 down = *du;

    *u = _mm256_blendv_ps(*u, _mm256_sub_ps(_mm256_set1_ps((float)count), *u), down);
    *du = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), *du);
    return down;
}

/* One number in lanes that are negative, another one in the others. */
AVX2 static inline __m256i choose(__m256 negative, int32_t one, int32_t other)
{
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(_mm256_set1_epi32(other)),
                                                _mm256_castsi256_ps(_mm256_set1_epi32(one)),
                                                negative));
}

AVX2 static inline void turn_axes(struct ways *w)
{
    const int32_t columns = (int32_t)w->walls->columns;
    const int32_t last_row = (int32_t)(w->walls->rows - 1) * columns;
    const __m256 left = turn_axis(&w->u, &w->du, w->walls->columns);
    const __m256 down = turn_axis(&w->v, &w->dv, w->walls->rows);

    w->strides = _mm256_blend_epi16(choose(left, -1, 1),
                                    _mm256_slli_epi32(choose(down, -columns, columns), 16), 0xaa);
    w->origin = _mm256_add_epi32(choose(left, columns - 1, 0), choose(down, last_row, 0));
    w->quadrant = _mm256_add_epi32(choose(left, SIM_LEFTWARD, 0), choose(down, SIM_DOWNWARD, 0));
}

AVX2 static inline void ways_begin(const struct sim_frame *frame, double free, struct ways *w)
{
    const struct sim_walls *walls = w->walls;
    const __m256 one = _mm256_set1_ps(1);

    turn_rays(frame, w);
    turn_axes(w);
    w->per_u = _mm256_div_ps(one, w->du);
    w->per_v = _mm256_div_ps(one, w->dv);
    w->t = _mm256_set1_ps((float)free * 0.9999f); /* not rounded up */
    clip(w->u, w->per_u, (float)walls->columns, &w->t, &w->end);
    clip(w->v, w->per_v, (float)walls->rows, &w->t, &w->end);
    w->x = _mm256_cvttps_epi32(_mm256_add_ps(w->u, _mm256_mul_ps(w->du, w->t)));
    w->y = _mm256_cvttps_epi32(_mm256_add_ps(w->v, _mm256_mul_ps(w->dv, w->t)));
}

/* One of the rays has come to a cell with walls. How far it goes then. */
AVX2 static inline float try_cell(const struct ways *w, uint32_t cell, uint32_t k)
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
    return end_of(hit.range);
}

AVX2 static inline void try_cells(struct ways *w, __m256i cell, uint32_t bits)
{
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    uint32_t cells[EIGHT];

    _mm256_storeu_si256((__m256i *)(void *)cells, cell);
    for (; bits != 0; bits &= bits - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(bits);
        const __m256 end = _mm256_set1_ps(try_cell(w, cells[k], k));
        const __m256i lane = _mm256_cmpeq_epi32(lanes, _mm256_set1_epi32((int)k));
        w->end = _mm256_blendv_ps(w->end, _mm256_min_ps(w->end, end), _mm256_castsi256_ps(lane));
    }
}

/* When the way leaves so many cells, from one on, along an axis. Most of this does not have to wait
 * for how many they are. */
AVX2 static inline __m256 time_of(__m256i x, __m256 u, __m256 per_u, __m256 room)
{
    const __m256 begin = _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(x), u), per_u);

    return _mm256_add_ps(begin, _mm256_mul_ps(room, per_u));
}

/* The next cell along one axis: beyond the empty space if that is left on this axis first,
 * otherwise where the way is by then. That may be rounded into the next cell, which is as good
 * because of the margin round cells (walls_build.c), but never back, so that all ways end. */
AVX2 static inline __m256i next_cell(__m256i x, __m256 at, __m256i room, __m256 first)
{
    const __m256i there = _mm256_max_epi32(_mm256_cvttps_epi32(at), x);

    return _mm256_blendv_epi8(there, _mm256_add_epi32(x, room), _mm256_castps_si256(first));
}

/* The numbers of the cells that active rays are in, 0 for others. */
AVX2 static inline __m256i cells_of(const struct ways *w, __m256 active)
{
    const __m256i both = _mm256_or_si256(w->x, _mm256_slli_epi32(w->y, 16));
    const __m256i cell = _mm256_add_epi32(_mm256_madd_epi16(both, w->strides), w->origin);

    return _mm256_and_si256(cell, _mm256_castps_si256(active));
}

/* Look at the cells that the rays are in, and move on to the end of the empty space. */
AVX2 static inline void ways_step(struct ways *w, __m256 active)
{
    const __m256i cell = cells_of(w, active);
    const __m256i bytes =
        _mm256_i32gather_epi32((const int *)(const void *)w->walls->room, cell, 4);
    const __m256i known =
        _mm256_and_si256(_mm256_srlv_epi32(bytes, w->quadrant), _mm256_set1_epi32(255));
    const __m256i none = _mm256_cmpeq_epi32(bytes, _mm256_setzero_si256());
    const uint32_t bits =
        (uint32_t)_mm256_movemask_ps(_mm256_and_ps(_mm256_castsi256_ps(none), active));
    const __m256i room = _mm256_sub_epi32(known, none); /* at least 1 */
    const __m256 far = _mm256_cvtepi32_ps(room);

    if (bits != 0) {
        try_cells(w, cell, bits);
    }
    const __m256 t_u = time_of(w->x, w->u, w->per_u, far);
    const __m256 t_v = time_of(w->y, w->v, w->per_v, far);
    const __m256 u_first = _mm256_cmp_ps(t_u, t_v, _CMP_LT_OQ);
    const __m256 v_first = _mm256_cmp_ps(t_u, t_v, _CMP_GE_OQ);
    w->t = _mm256_min_ps(t_u, t_v);
    const __m256 at_u = _mm256_add_ps(w->u, _mm256_mul_ps(w->du, w->t));
    const __m256 at_v = _mm256_add_ps(w->v, _mm256_mul_ps(w->dv, w->t));
    w->x = next_cell(w->x, at_u, room, u_first);
    w->y = next_cell(w->y, at_v, room, v_first);
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

/* Whether rounding to the precision of floats is harmless: the grid is small enough for it and for
 * halves of words, and the rays begin in it or near it. */
static bool can_round(const struct sim_walls *walls, const struct sim_frame *frame)
{
    const double u = (frame->x - walls->x) * walls->per_cell;
    const double v = (frame->y - walls->y) * walls->per_cell;

    return walls->columns <= 2048 && walls->rows <= 2048 && fabs(u) <= 3000 && fabs(v) <= 3000;
}

AVX2 void tpi_sim_x86_walk(const struct sim_walls *walls, const struct sim_frame *frame,
                           uint32_t own, double free, const struct sim_rays *rays)
{
    struct ways ways[2];

    if (!can_round(walls, frame)) {
        tpi_sim_kernel_plain.walk(walls, frame, own, free, rays);
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
            ways_begin(frame, free, w);
        }
        walk_two(&ways[0], &ways[1]);
    }
}
