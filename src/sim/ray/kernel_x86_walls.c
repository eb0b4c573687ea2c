/*
 * kernel_x86_walls.c - rays and the walls of the cells that they come to.
 *
 * Most walls of a cell are missed. Those that a ray may meet are picked with rounded numbers, four
 * walls at once; only they are tried exactly.
 */
#include "sim/ray/kernel_x86_walk.h"
#include "sim/ray/ray.h"

/* How many rays with walls are picked before they are tried. */
enum { PICKED = 128 };

struct picked {
    uint32_t count;
    uint32_t ray[PICKED + FOUR];
    uint32_t wall[PICKED + FOUR];
};

/* For each set of four lanes: its lanes, one after the other. */
static const int32_t picks[1 << FOUR][FOUR] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0},
    {1, 2, 0, 0}, {0, 1, 2, 0}, {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0},
    {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3},
};

/* How far four places are to the left of a ray's line, in cells. */
AVX2 static inline __m128 sides_of(const struct rough_ray *ray, const float *x, const float *y)
{
    const __m128 px = _mm_sub_ps(_mm_loadu_ps(x), _mm_broadcast_ss(&ray->u));
    const __m128 py = _mm_sub_ps(_mm_loadu_ps(y), _mm_broadcast_ss(&ray->v));

    return _mm_sub_ps(_mm_mul_ps(_mm_broadcast_ss(&ray->dx), py),
                      _mm_mul_ps(_mm_broadcast_ss(&ray->dy), px));
}

/* Those of four walls whose ends are not on the same side of a ray's line for certain: numbers of
 * up to 5000 cells, each rounded to 24 bits and so are all results, make an error of less than half
 * of this. What is no number is on no side. */
AVX2 static inline uint32_t may_meet(const struct rough_ray *ray,
                                     const struct sim_rough_walls *walls)
{
    const float slack = 6e-3f;
    const __m128 a = sides_of(ray, walls->x0, walls->y0);
    const __m128 b = sides_of(ray, walls->x1, walls->y1);
    const __m128 right = _mm_cmp_ps(_mm_min_ps(a, b), _mm_set1_ps(slack), _CMP_LE_OQ);
    const __m128 left = _mm_cmp_ps(_mm_max_ps(a, b), _mm_set1_ps(-slack), _CMP_GE_OQ);

    return (uint32_t)_mm_movemask_ps(_mm_and_ps(left, right));
}

static inline void try_picked(struct pack *pack, struct picked *picked)
{
    for (uint32_t n = 0; n < picked->count; n++) {
        const uint32_t i = picked->ray[n];
        const struct sim_walk *walk = &pack->walks[pack->walk[i]];
        const struct sim_ray ray = {.x = pack->x[i],
                                    .y = pack->y[i],
                                    .z = walk->frame.z,
                                    .dx = pack->dx[i],
                                    .dy = pack->dy[i],
                                    .group = walk->own,
                                    .sees = SIM_VISIBLE};
        struct sim_hit hit = {.range = pack->ranges[i], .ranger_return = pack->returns[i]};
        sim_try_wall(&pack->walls->items[picked->wall[n] & ~SIM_ROUGH_MORE], &ray, &hit);
        const float end = end_of(hit.range);
        pack->end[i] = end < pack->end[i] ? end : pack->end[i];
        pack->ranges[i] = hit.range;
        pack->returns[i] = hit.ranger_return;
    }
    picked->count = 0;
}

/* Pick among the four walls of a record. Whether there are more in the cell. */
AVX2 static inline bool pick_four(const struct pack *pack, uint32_t ray, uint32_t record,
                                  struct picked *picked)
{
    const struct sim_walls *walls = pack->walls;
    const uint32_t *numbers = walls->rough_list + (size_t)record * SIM_ROUGH_WALLS;
    const uint32_t bits = may_meet(&pack->rough[ray], &walls->rough[record]);
    const __m128i pick = _mm_loadu_si128((const __m128i *)(const void *)picks[bits]);
    const __m128 four = _mm_loadu_ps((const float *)(const void *)numbers);

    _mm_storeu_ps((float *)(void *)(picked->wall + picked->count), _mm_permutevar_ps(four, pick));
    _mm_storeu_si128((__m128i *)(void *)(picked->ray + picked->count), _mm_set1_epi32((int)ray));
    picked->count += (uint32_t)__builtin_popcount(bits);
    return (numbers[0] & SIM_ROUGH_MORE) != 0;
}

AVX2 void tpi_sim_x86_try_walls(struct pack *pack)
{
    struct picked picked; /* without zeros, which take their time */

    picked.count = 0;
    for (uint32_t n = 0; n < pack->met_count; n++) {
        uint32_t record = sim_rough_first(pack->met_room[n]);
        bool more;
        do {
            if (picked.count > PICKED - FOUR) {
                try_picked(pack, &picked);
            }
            more = pick_four(pack, pack->met_who[n] >> 2, record, &picked);
            record++;
        } while (more);
    }
    try_picked(pack, &picked);
}
