/*
 * kernel_x86_bodies.c - rays of a bundle and bodies that they may meet, four pairs at once; see
 * bundle.h.
 */
#include <math.h>

#include "sim/ray/bundle.h"
#include "sim/ray/kernel_x86.h"

/* Up to four rays, each with a body that it comes near. */
struct pairs {
    const struct sim_frame *frame; /* borrowed, like the others */
    const struct sim_rays *rays;
    uint32_t count;
    uint32_t ray[FOUR];
    const struct sim_spot *spot[FOUR];
    double x[FOUR], y[FOUR]; /* the body in the bundle's frame */
};

/* The rays of the pairs, each in the frame of its body. */
struct turned {
    __m256d x, y, dx, dy;
    __m256d z; /* above the body */
};

AVX2 static inline __m256d of_rays(const double *column, const struct pairs *p)
{
    return _mm256_set_pd(column[p->ray[3]], column[p->ray[2]], column[p->ray[1]],
                         column[p->ray[0]]);
}

/* The same operations as in sim_bundle_ray(). */
AVX2 static inline struct turned turn(const struct pairs *p)
{
    const struct sim_spot *const *at = p->spot;
    const __m256d fc = _mm256_set1_pd(p->frame->c);
    const __m256d fs = _mm256_set1_pd(p->frame->s);
    const __m256d bc = _mm256_set_pd(at[3]->c, at[2]->c, at[1]->c, at[0]->c);
    const __m256d bs = _mm256_set_pd(at[3]->s, at[2]->s, at[1]->s, at[0]->s);
    const __m256d bz = _mm256_set_pd(at[3]->z, at[2]->z, at[1]->z, at[0]->z);
    const __m256d c = _mm256_add_pd(_mm256_mul_pd(fc, bc), _mm256_mul_pd(fs, bs));
    const __m256d s = _mm256_sub_pd(_mm256_mul_pd(fc, bs), _mm256_mul_pd(fs, bc));
    const __m256d x = _mm256_sub_pd(of_rays(p->rays->x, p), _mm256_loadu_pd(p->x));
    const __m256d y = _mm256_sub_pd(of_rays(p->rays->y, p), _mm256_loadu_pd(p->y));
    const __m256d dx = of_rays(p->rays->dx, p);
    const __m256d dy = of_rays(p->rays->dy, p);

    return (struct turned){
        .x = _mm256_add_pd(_mm256_mul_pd(c, x), _mm256_mul_pd(s, y)),
        .y = _mm256_sub_pd(_mm256_mul_pd(c, y), _mm256_mul_pd(s, x)),
        .dx = _mm256_add_pd(_mm256_mul_pd(c, dx), _mm256_mul_pd(s, dy)),
        .dy = _mm256_sub_pd(_mm256_mul_pd(c, dy), _mm256_mul_pd(s, dx)),
        .z = _mm256_sub_pd(_mm256_set1_pd(p->frame->z), bz),
    };
}

AVX2 static inline __m256d cross(__m256d ax, __m256d ay, __m256d bx, __m256d by)
{
    return _mm256_sub_pd(_mm256_mul_pd(ax, by), _mm256_mul_pd(ay, bx));
}

/* sim_meet_part() for four rays. */
AVX2 static inline __m256d meet_part(const struct sim_template *template,
                                     const struct sim_part *part, const struct turned *t)
{
    const double *vx = template->vx + part->first;
    const double *vy = template->vy + part->first;
    const __m256d zero = _mm256_setzero_pd();
    const __m256d none = _mm256_set1_pd(HUGE_VAL);
    __m256d px = _mm256_sub_pd(_mm256_set1_pd(vx[0]), t->x);
    __m256d py = _mm256_sub_pd(_mm256_set1_pd(vy[0]), t->y);
    __m256d a = cross(t->dx, t->dy, px, py);
    __m256d nearest = none;

    for (uint32_t i = 1; i <= part->count; i++) {
        const __m256d qx = _mm256_sub_pd(_mm256_set1_pd(vx[i]), t->x);
        const __m256d qy = _mm256_sub_pd(_mm256_set1_pd(vy[i]), t->y);
        const __m256d b = cross(t->dx, t->dy, qx, qy);
        const __m256d range = _mm256_div_pd(cross(px, py, qx, qy), _mm256_sub_pd(b, a));
        const __m256d meets = _mm256_and_pd(_mm256_cmp_pd(_mm256_mul_pd(a, b), zero, _CMP_LE_OQ),
                                            _mm256_cmp_pd(range, zero, _CMP_GE_OQ));
        nearest = _mm256_min_pd(_mm256_blendv_pd(none, range, meets), nearest);
        px = qx;
        py = qy;
        a = b;
    }
    return nearest;
}

/* Which of the rays are as high as the part; see sim_within(). */
AVX2 static inline __m256d at_height(const struct sim_part *part, const struct turned *t)
{
    return _mm256_and_pd(_mm256_cmp_pd(t->z, _mm256_set1_pd(part->z0 - 1e-9), _CMP_GE_OQ),
                         _mm256_cmp_pd(t->z, _mm256_set1_pd(part->z1 + 1e-9), _CMP_LE_OQ));
}

/* Four bodies of one kind. */
AVX2 static inline void meet_alike(const struct pairs *p)
{
    const struct sim_template *template = p->spot[0]->template;
    const struct turned turned = turn(p);
    const __m256d none = _mm256_set1_pd(HUGE_VAL);
    double found[FOUR];

    for (uint32_t k = 0; k < template->part_count; k++) {
        const struct sim_part *part = &template->parts[k];
        const double value = (double)part->ranger_return;
        if ((part->flags & SIM_VISIBLE) == 0) {
            continue;
        }
        _mm256_storeu_pd(found, _mm256_blendv_pd(none, meet_part(template, part, &turned),
                                                 at_height(part, &turned)));
        for (uint32_t n = 0; n < p->count; n++) {
            const uint32_t i = p->ray[n];
            if (sim_is_nearer(found[n], value, p->rays->ranges[i], p->rays->returns[i])) {
                p->rays->ranges[i] = found[n];
                p->rays->returns[i] = value;
            }
        }
    }
}

/* The pairs that there are, which are forgotten then. */
AVX2 static void meet_pairs(struct pairs *p)
{
    for (uint32_t n = p->count; n < FOUR; n++) { /* the first again, instead of nothing */
        p->ray[n] = p->ray[0];
        p->spot[n] = p->spot[0];
        p->x[n] = p->x[0];
        p->y[n] = p->y[0];
    }
    const struct sim_template *template = p->spot[0]->template;
    if (p->spot[1]->template == template && p->spot[2]->template == template &&
        p->spot[3]->template == template) {
        meet_alike(p);
    } else {
        for (uint32_t n = 0; n < p->count; n++) {
            const struct sim_frame at = sim_bundle_frame(p->frame, p->spot[n], p->x[n], p->y[n]);
            sim_bundle_ray(p->rays, p->ray[n], p->spot[n]->template, &at);
        }
    }
    p->count = 0;
}

AVX2 void tpi_sim_x86_bodies(const struct sim_crowd *crowd, const struct sim_frame *frame,
                             uint32_t own, const uint32_t *order, const struct sim_found *found,
                             const struct sim_rays *rays)
{
    struct pairs pairs = {.frame = frame, .rays = rays};

    for (uint32_t n = 0; n < found->count; n++) {
        const struct sim_spot *spot = &crowd->spots[found->spot[n]];
        const uint32_t end = sim_bundle_end(found, n, rays);
        double x;
        double y;
        if (spot->group == own) {
            continue;
        }
        sim_bundle_place(frame, spot, &x, &y);
        for (uint32_t k = found->from[n]; k < end; k++) {
            pairs.ray[pairs.count] = order[k];
            pairs.spot[pairs.count] = spot;
            pairs.x[pairs.count] = x;
            pairs.y[pairs.count] = y;
            pairs.count += sim_bundle_near(rays, order[k], x, y, (double)spot->radius) ? 1 : 0;
            if (pairs.count == FOUR) {
                meet_pairs(&pairs);
            }
        }
    }
    if (pairs.count > 0) {
        meet_pairs(&pairs);
    }
}
