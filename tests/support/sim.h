/* sim.h - simulated worlds from a text, and rays by brute force, for tests of src/sim. */
#ifndef TROUPE_TESTS_SIM_H
#define TROUPE_TESTS_SIM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "sim/inside.h"
#include "sim/maths.h"
#include "sim/ray/ray.h"
#include "support/unit.h"

/* A note, as a line behind those in the buffer `context`. */
static inline void sim_collect(void *context, const char *text)
{
    tpi_buf_printf(context, "%s%s", ((tpi_buf *)context)->length > 0 ? "\n" : "", text);
}

/* A world that loads with these notes. */
static inline tpi_sim *sim_make_noted(const char *text, const char *wanted)
{
    tpi_buf notes = {0};
    const tpi_sim_options options = {.seed = 1, .note = sim_collect, .context = &notes};
    tp_error err = {0};
    tpi_sim *sim = NULL;

    tp_status status = tpi_sim_parse(&sim, "x.world", text, strlen(text), &options, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    assert_string_equal(tpi_buf_text(&notes), wanted);
    tpi_buf_fini(&notes);
    return sim;
}

/* A world that loads without a word. */
static inline tpi_sim *sim_make(const char *text)
{
    return sim_make_noted(text, "");
}

/* A world that does not load, and why. */
static inline void sim_refuse(const char *text, const char *why)
{
    tp_error err = {0};
    tpi_sim *sim = NULL;

    assert_int_not_equal(tpi_sim_parse(&sim, "x.world", text, strlen(text), NULL, &err), TP_OK);
    assert_string_equal(err.text, why);
    assert_null(sim);
}

static inline tpi_sim_model sim_named(const tpi_sim *sim, const char *name)
{
    tpi_sim_model model = tpi_sim_find(sim, name);

    assert_int_not_equal(model, TPI_SIM_NONE);
    return model;
}

static inline void sim_put(tpi_sim *sim, const char *name, double x, double y, double a)
{
    const tpi_sim_pose pose = {.x = x, .y = y, .a = a};

    assert_int_equal(tpi_sim_set_pose(sim, sim_named(sim, name), &pose, NULL), TP_OK);
}

static inline void sim_steps(tpi_sim *sim, int count)
{
    for (int i = 0; i < count; i++) {
        tpi_sim_step(sim);
    }
}

static inline void sim_near_at(double value, double wanted, double off, const char *file, int line)
{
    if (!(fabs(value - wanted) <= off)) {
        print_error("%.17g is not %.17g\n", value, wanted);
        _fail(file, line);
    }
}

/* A number is within `off` of what is wanted. */
#define sim_assert_near(value, wanted, off) sim_near_at(value, wanted, off, __FILE__, __LINE__)

/* Within what rounding leaves. */
static inline void sim_assert_close(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-9)) {
        fail_msg("%.12g, not %.12g", value, wanted);
    }
}

/* Where a model stands in the world. */
static inline void sim_assert_at(const tpi_sim *sim, const char *name, double x, double y, double z,
                                 double a)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(sim, sim_named(sim, name));

    sim_assert_close(pose.x, x);
    sim_assert_close(pose.y, y);
    sim_assert_close(pose.z, z);
    sim_assert_close(pose.a, a);
}

static inline tpi_sim_info sim_info(const tpi_sim *sim, const char *name)
{
    tpi_sim_info info;

    tpi_sim_model_info(sim, sim_named(sim, name), &info);
    return info;
}

/* ---- Chance ---------------------------------------------------------------------------------- */

struct sim_dice {
    uint64_t state;
};

/* Evenly from `low` to `high`. */
static inline double sim_throw(struct sim_dice *dice, double low, double high)
{
    return low + (high - low) * sim_unit(sim_mix(dice->state += UINT64_C(0x9e3779b97f4a7c15)));
}

/* Things of all kinds, still and moving, up to `far` m from the middle and `large` m long. */
static inline tpi_sim *sim_make_clutter(struct sim_dice *dice, int count, double far, double large)
{
    tpi_buf text = {0};

    for (int i = 0; i < count; i++) {
        tpi_buf_printf(&text,
                       "%s ( pose [%.3f %.3f 0 %.1f] size [%.2f %.2f 1] obstacle_return 0 %s )\n",
                       i % 2 == 0 ? "model" : "position", sim_throw(dice, -far, far),
                       sim_throw(dice, -far, far), sim_throw(dice, -180, 180),
                       sim_throw(dice, large / 40, large), sim_throw(dice, large / 40, large),
                       i % 3 == 0 ? "block ( points 4 point[0] [0 0] point[1] [3 0] point[2] [1 1] "
                                    "point[3] [0 3] z [0 1] )"
                                  : "");
    }
    tpi_sim *sim = sim_make(tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return sim;
}

/* ---- Brute force ----------------------------------------------------------------------------- */

/* Where a ray meets a segment; HUGE_VAL if it does not. In long double, and by another formula than
 * the one under test: the ray's own coordinates. */
static inline double brute_segment(const struct sim_ray *ray, long double x0, long double y0,
                                   long double x1, long double y1)
{
    const long double dx = ray->dx;
    const long double dy = ray->dy;
    const long double along0 = (x0 - ray->x) * dx + (y0 - ray->y) * dy;
    const long double across0 = (y0 - ray->y) * dx - (x0 - ray->x) * dy;
    const long double along1 = (x1 - ray->x) * dx + (y1 - ray->y) * dy;
    const long double across1 = (y1 - ray->y) * dx - (x1 - ray->x) * dy;

    if ((across0 > 0 && across1 > 0) || (across0 < 0 && across1 < 0) || across0 == across1) {
        return HUGE_VAL;
    }
    const long double at = along0 + (along1 - along0) * (across0 / (across0 - across1));
    return at >= 0 ? (double)at : HUGE_VAL;
}

/* All edges of all models, one by one. */
static inline struct sim_hit brute_cast(const tpi_sim *sim, const struct sim_ray *ray, double range)
{
    struct sim_hit hit = sim_no_hit(range);

    for (uint32_t tree = 0; tree < sim->trees.count; tree++) {
        const struct sim_template *template = sim->trees.template[tree];
        const double c = cos(sim->trees.a[tree]);
        const double s = sin(sim->trees.a[tree]);
        for (uint32_t i = 0; i < template->part_count && sim->trees.group[tree] != ray->group;
             i++) {
            const struct sim_part *part = &template->parts[i];
            const double z = ray->z - sim->trees.z[tree];
            if ((part->flags & ray->sees) == 0 ||
                (!ray->flat && (z < part->z0 - 1e-9 || z > part->z1 + 1e-9))) {
                continue;
            }
            for (uint32_t k = part->first; k < part->first + part->count; k++) {
                const double *vx = template->vx + k;
                const double *vy = template->vy + k;
                const double at = brute_segment(ray, sim->trees.x[tree] + c * vx[0] - s * vy[0],
                                                sim->trees.y[tree] + s * vx[0] + c * vy[0],
                                                sim->trees.x[tree] + c * vx[1] - s * vy[1],
                                                sim->trees.y[tree] + s * vx[1] + c * vy[1]);
                if (at < hit.range) {
                    hit = (struct sim_hit){at, (double)part->ranger_return, tree, part->member};
                }
            }
        }
    }
    return hit;
}

#endif
