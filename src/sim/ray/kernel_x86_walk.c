/* kernel_x86_walk.c - packs of rays on their way through the grid; see kernel_x86_walk.h, ray.c. */
#include "sim/ray/kernel_x86_walk.h"

#include <math.h>

/* ---- Beginning ------------------------------------------------------------------------------- */

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

/* Four rays in the world. */
struct four {
    __m256d x, y, dx, dy;
    __m128 ends;
};

/* Rays of a walk from number i on; `there` says which of them there are, the others are nothing. */
AVX2 static inline struct four turn_four(const struct sim_walk *walk, uint32_t i, __m256i there)
{
    const struct sim_frame *f = &walk->frame;
    const struct sim_rays *rays = &walk->rays;
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

AVX2 static inline void put_four(struct pack *pack, uint32_t n, const struct four *four)
{
    _mm256_storeu_pd(pack->x + n, four->x);
    _mm256_storeu_pd(pack->y + n, four->y);
    _mm256_storeu_pd(pack->dx + n, four->dx);
    _mm256_storeu_pd(pack->dy + n, four->dy);
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

/* Eight rays, rounded: their numbers side by side. */
AVX2 static inline void put_rough(struct rough_ray *to, __m256 u, __m256 v, __m256 dx, __m256 dy)
{
    const __m256 places[] = {_mm256_unpacklo_ps(u, v), _mm256_unpackhi_ps(u, v)};
    const __m256 ways[] = {_mm256_unpacklo_ps(dx, dy), _mm256_unpackhi_ps(dx, dy)};

    for (int i = 0; i < 2; i++) {
        const __m256 even = _mm256_shuffle_ps(places[i], ways[i], 0x44);
        const __m256 odd = _mm256_shuffle_ps(places[i], ways[i], 0xee);
        _mm_storeu_ps(&to[2 * i].u, _mm256_castps256_ps128(even));
        _mm_storeu_ps(&to[2 * i + 1].u, _mm256_castps256_ps128(odd));
        _mm_storeu_ps(&to[2 * i + FOUR].u, _mm256_extractf128_ps(even, 1));
        _mm_storeu_ps(&to[2 * i + 1 + FOUR].u, _mm256_extractf128_ps(odd, 1));
    }
}

/* Turn an axis of so many cells round where the way goes down. 1 in those lanes. */
AVX2 static inline __m256i turn_axis(__m256 *u, __m256 *du, uint32_t count)
{
    const __m256 down = *du;

    *u = _mm256_blendv_ps(*u, _mm256_sub_ps(_mm256_set1_ps((float)count), *u), down);
    *du = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), *du);
    return _mm256_srli_epi32(_mm256_castps_si256(down), 31);
}

AVX2 static inline void store(uint32_t *to, __m256i lanes)
{
    _mm256_storeu_si256((__m256i *)(void *)to, lanes);
}

AVX2 static inline __m256i load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* Eight rays set out, from number n on; the first `count` of them count. Their places and
 * directions are in cells; `end` in metres, and so is `free`, where they may begin. */
AVX2 static inline void set_out(struct pack *pack, uint32_t n, uint32_t count, float free, __m256 u,
                                __m256 v, __m256 du, __m256 dv, __m256 end)
{
    const struct sim_walls *walls = pack->walls;
    const __m256i left = turn_axis(&u, &du, walls->columns);
    const __m256i down = turn_axis(&v, &dv, walls->rows);
    const __m256 per_u = _mm256_div_ps(_mm256_set1_ps(1), du);
    const __m256 per_v = _mm256_div_ps(_mm256_set1_ps(1), dv);
    const __m256i numbers =
        _mm256_add_epi32(_mm256_set1_epi32((int)n), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    const uint32_t at = pack->ways.count;
    __m256 t = _mm256_set1_ps(free);

    clip(u, per_u, (float)walls->columns, &t, &end);
    clip(v, per_v, (float)walls->rows, &t, &end);
    const __m256i x = _mm256_cvttps_epi32(_mm256_add_ps(u, _mm256_mul_ps(du, t)));
    const __m256i y = _mm256_cvttps_epi32(_mm256_add_ps(v, _mm256_mul_ps(dv, t)));
    _mm256_storeu_ps(pack->end + n, end);
    _mm256_storeu_ps(pack->ways.u + at, u);
    _mm256_storeu_ps(pack->ways.v + at, v);
    _mm256_storeu_ps(pack->ways.du + at, du);
    _mm256_storeu_ps(pack->ways.dv + at, dv);
    _mm256_storeu_ps(pack->ways.per_u + at, per_u);
    _mm256_storeu_ps(pack->ways.per_v + at, per_v);
    _mm256_storeu_ps(pack->ways.t + at, t);
    store(pack->ways.cell + at, _mm256_or_si256(x, _mm256_slli_epi32(y, 16)));
    store(pack->ways.who + at, _mm256_or_si256(_mm256_slli_epi32(numbers, 2),
                                               _mm256_or_si256(left, _mm256_slli_epi32(down, 1))));
    pack->ways.count += count;
}

/* Up to eight rays of a walk, from number i on, become those of the pack from number n on. */
AVX2 static inline void begin_eight(struct pack *pack, uint32_t n, uint32_t number, uint32_t i,
                                    uint32_t count)
{
    const struct sim_walls *walls = pack->walls;
    const struct sim_walk *walk = &pack->walks[number];
    const __m256i there =
        _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(there));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(there, 1));
    const struct four a = turn_four(walk, i, low);
    const struct four b = turn_four(walk, i + FOUR, high);
    const __m256 u = scaled(a.x, b.x, walls->x, walls->per_cell);
    const __m256 v = scaled(a.y, b.y, walls->y, walls->per_cell);
    const __m256 dx = rounded(a.dx, b.dx);
    const __m256 dy = rounded(a.dy, b.dy);
    const __m256 cell = _mm256_set1_ps((float)walls->per_cell);

    put_four(pack, n, &a);
    put_four(pack, n + FOUR, &b);
    put_rough(pack->rough + n, u, v, dx, dy);
    store(pack->walk + n, _mm256_set1_epi32((int)number));
    set_out(pack, n, count, (float)walk->free * 0.9999f /* not rounded up */, u, v,
            _mm256_mul_ps(slope(dx), cell), _mm256_mul_ps(slope(dy), cell),
            _mm256_set_m128(b.ends, a.ends));
}

/* ---- Stepping -------------------------------------------------------------------------------- */

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

/* What a table has for the quadrants of rays. */
AVX2 static inline __m256i by_quadrant(__m256i table, __m256i who)
{
    return _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(table), who));
}

/* The numbers of the cells that rays are in. */
AVX2 static inline __m256i cells_of(const struct pack *pack, __m256i cell, __m256i who)
{
    return _mm256_add_epi32(_mm256_madd_epi16(cell, by_quadrant(pack->strides, who)),
                            by_quadrant(pack->origin, who));
}

/* For cells_of(): steps to the right or left and up or down, in halves, and the number of the cell
 * that is 0, 0 in a quadrant. And the shift to the quadrant's byte of a cell's room. */
AVX2 static inline void know_quadrants(struct pack *pack)
{
    const int columns = (int)pack->walls->columns;
    const int last_row = (int)(pack->walls->rows - 1) * columns;
    const int up = (int)((uint32_t)columns << 16);
    const int down = (int)((uint32_t)-columns << 16);
    const __m128i strides = _mm_set_epi32(down | 0xffff, down | 1, up | 0xffff, up | 1);
    const __m128i origin = _mm_set_epi32(last_row + columns - 1, last_row, columns - 1, 0);
    const __m128i shift = _mm_set_epi32(SIM_DOWNWARD + SIM_LEFTWARD, SIM_DOWNWARD, SIM_LEFTWARD, 0);

    pack->strides = _mm256_broadcastsi128_si256(strides);
    pack->origin = _mm256_broadcastsi128_si256(origin);
    pack->shift = _mm256_broadcastsi128_si256(shift);
}

/* Eight rays, and where to write those that go on and those that have met walls. */
struct stride {
    uint32_t from, on, met;
};

/* Eight rays take a step; those in `there` count. */
AVX2 static inline void step_eight(struct pack *pack, struct stride *s, __m256i there)
{
    struct ways *w = &pack->ways;
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256i who = _mm256_and_si256(load(w->who + s->from), there);
    const __m256i cell = load(w->cell + s->from);
    const __m256 u = _mm256_loadu_ps(w->u + s->from);
    const __m256 v = _mm256_loadu_ps(w->v + s->from);
    const __m256 du = _mm256_loadu_ps(w->du + s->from);
    const __m256 dv = _mm256_loadu_ps(w->dv + s->from);
    const __m256 per_u = _mm256_loadu_ps(w->per_u + s->from);
    const __m256 per_v = _mm256_loadu_ps(w->per_v + s->from);
    const __m256 end = _mm256_i32gather_ps(pack->end, _mm256_srli_epi32(who, 2), 4);
    const __m256 active =
        _mm256_and_ps(_mm256_cmp_ps(_mm256_loadu_ps(w->t + s->from), end, _CMP_LE_OQ),
                      _mm256_castsi256_ps(there));
    const __m256i number = _mm256_and_si256(cells_of(pack, cell, who), _mm256_castps_si256(active));
    const __m256i word =
        _mm256_i32gather_epi32((const int *)(const void *)pack->walls->room, number, 4);
    const __m256i walls = _mm256_cmpeq_epi32(_mm256_and_si256(word, byte), _mm256_setzero_si256());
    const __m256i ahead =
        _mm256_and_si256(_mm256_srlv_epi32(word, by_quadrant(pack->shift, who)), byte);
    const __m256i room = _mm256_sub_epi32(_mm256_andnot_si256(walls, ahead), walls); /* 1 or more */
    const __m256i x = _mm256_and_si256(cell, _mm256_set1_epi32(0xffff));
    const __m256i y = _mm256_srli_epi32(cell, 16);
    const __m256 t_u = time_of(x, u, per_u, _mm256_cvtepi32_ps(room));
    const __m256 t_v = time_of(y, v, per_v, _mm256_cvtepi32_ps(room));
    const __m256 t = _mm256_min_ps(t_u, t_v);
    const __m256i to_x = next_cell(x, _mm256_add_ps(u, _mm256_mul_ps(du, t)), room,
                                   _mm256_cmp_ps(t_u, t_v, _CMP_LT_OQ));
    const __m256i to_y = next_cell(y, _mm256_add_ps(v, _mm256_mul_ps(dv, t)), room,
                                   _mm256_cmp_ps(t_u, t_v, _CMP_GE_OQ));
    const uint32_t on =
        (uint32_t)_mm256_movemask_ps(_mm256_and_ps(active, _mm256_cmp_ps(t, end, _CMP_LE_OQ)));
    const uint32_t met =
        (uint32_t)_mm256_movemask_ps(_mm256_and_ps(active, _mm256_castsi256_ps(walls)));
    const __m256i pick = x86_pick(on);

    x86_put_numbers(pack->met_who + s->met, x86_pick(met), who);
    x86_put_numbers(pack->met_room + s->met, x86_pick(met), word);
    x86_put(w->u + s->on, pick, u);
    x86_put(w->v + s->on, pick, v);
    x86_put(w->du + s->on, pick, du);
    x86_put(w->dv + s->on, pick, dv);
    x86_put(w->per_u + s->on, pick, per_u);
    x86_put(w->per_v + s->on, pick, per_v);
    x86_put(w->t + s->on, pick, t);
    x86_put_numbers(w->cell + s->on, pick, _mm256_or_si256(to_x, _mm256_slli_epi32(to_y, 16)));
    x86_put_numbers(w->who + s->on, pick, who);
    s->on += (uint32_t)__builtin_popcount(on);
    s->met += (uint32_t)__builtin_popcount(met);
}

/* All rays take a step. */
AVX2 static void step_all(struct pack *pack)
{
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const uint32_t count = pack->ways.count;
    struct stride stride = {0};

    for (; stride.from < count; stride.from += EIGHT) {
        const __m256i left = _mm256_set1_epi32((int)(count - stride.from));
        step_eight(pack, &stride, _mm256_cmpgt_epi32(left, lanes));
    }
    pack->ways.count = stride.on;
    pack->met_count = stride.met;
}

static void walk_on(struct pack *pack)
{
    while (pack->ways.count > 0) {
        step_all(pack);
        tpi_sim_x86_try_walls(pack);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Whether rounding to the precision of floats is harmless: the grid is small enough for it and for
 * halves of words, and the rays begin in it or near it. */
static bool can_round(const struct sim_walls *walls, const struct sim_walk *walk)
{
    const double u = (walk->frame.x - walls->x) * walls->per_cell;
    const double v = (walk->frame.y - walls->y) * walls->per_cell;

    return walls->rough != NULL && walls->columns <= 2048 && walls->rows <= 2048 &&
           fabs(u) <= 3000 && fabs(v) <= 3000;
}

/* Rays of a walk, from number i on, join the pack as number n and so on. */
AVX2 static void join(struct pack *pack, uint32_t n, uint32_t number, uint32_t i, uint32_t count)
{
    for (uint32_t k = 0; k < count; k += EIGHT) {
        begin_eight(pack, n + k, number, i + k, count - k < EIGHT ? count - k : EIGHT);
    }
}

AVX2 void tpi_sim_x86_walk(const struct sim_walls *walls, const struct sim_walk *walks,
                           uint32_t count)
{
    struct pack pack;

    pack.walls = walls;
    pack.walks = walks;
    pack.ranges = walks[0].rays.ranges;
    pack.returns = walks[0].rays.returns;
    pack.ways.count = 0;
    know_quadrants(&pack);
    for (uint32_t n = 0; n < count; n++) {
        const struct sim_rays *rays = &walks[n].rays;
        if (!can_round(walls, &walks[n])) {
            tpi_sim_kernel_plain.walk(walls, &walks[n], 1);
            continue;
        }
        for (uint32_t i = 0; i < rays->count; i += PACK) {
            const uint32_t some = rays->count - i < PACK ? rays->count - i : PACK;
            if ((size_t)(rays->ranges - pack.ranges) + i + some > PACK) {
                walk_on(&pack);
                pack.ranges = rays->ranges + i;
                pack.returns = rays->returns + i;
            }
            join(&pack, (uint32_t)(rays->ranges + i - pack.ranges), n, i, some);
        }
    }
    walk_on(&pack);
}
