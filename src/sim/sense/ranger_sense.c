/*
 * ranger_sense.c - what rangers see, and the noise in it; see struct sim_pending.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/ray/ray.h"
#include "sim/sense/ranger.h"

/* ---- Noise ----------------------------------------------------------------------------------- */

/* For what chance is asked: three numbers for each sample, and one of a ranger with a
 * controller that makes noise. */
enum { BEARING, SHARE, SPREAD, ASKED, DEVIATION = 1 << 30 };

static uint64_t chance(const struct sim_view *view, uint32_t sample, uint32_t what)
{
    return sim_chance(view->key, (uint64_t)view->sim->time_us, (uint64_t)sample * ASKED + what);
}

/* Ray number `i` in the world, turned by an angle of which these are sine and cosine. */
static struct sim_ray turned_ray(const struct sim_walk *walk, uint32_t i, double s, double c)
{
    const struct sim_frame *f = &walk->frame;
    const struct sim_rays *rays = &walk->rays;
    const double dx = c * rays->dx[i] - s * rays->dy[i];
    const double dy = s * rays->dx[i] + c * rays->dy[i];

    return (struct sim_ray){
        .x = f->x + f->c * rays->x[i] - f->s * rays->y[i],
        .y = f->y + f->s * rays->x[i] + f->c * rays->y[i],
        .z = f->z,
        .dx = f->c * dx - f->s * dy,
        .dy = f->s * dx + f->c * dy,
        .group = walk->own,
        .sees = SIM_VISIBLE,
    };
}

/* Rays that waver are cast one by one. */
static void meet_loosely(const struct sim_view *view, const struct sim_ranger_group *group,
                         const struct sim_walk *walk)
{
    const struct sim_ranger_sensor *sensor = &tpi_sim_ranger_sensors(view->config)[group->sensor];

    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t sample = group->first + i;
        double s;
        double c;
        while (sample >= sensor->first + sensor->shown.samples) {
            sensor++;
        }
        sim_sincos(sim_normal(sim_both_ways(chance(view, sample, BEARING)) * sensor->noise[2] / 2),
                   &s, &c);
        const struct sim_ray ray = turned_ray(walk, i, s, c);
        struct sim_hit hit = sim_no_hit(walk->rays.ranges[i]);
        if (tpi_sim_cast(view->sim, &ray, &hit)) {
            walk->rays.ranges[i] = hit.range;
            walk->rays.returns[i] = hit.ranger_return;
        }
    }
}

static double noisy(const struct sim_view *view, const struct sim_ranger_sensor *sensor,
                    uint32_t sample, double range)
{
    const tpi_sim_sensor *shown = &sensor->shown;

    if (range < shown->range_max) {
        if (sensor->noise[1] != 0) {
            range *= 1 + sensor->noise[1] * sim_both_ways(chance(view, sample, SHARE));
        }
        if (sensor->noise[0] > 0) {
            range += sqrt(sensor->noise[0]) * sim_gauss(chance(view, sample, SPREAD));
        }
        if (sensor->deviation > 0) {
            range *= 1 + sensor->deviation * sim_gauss(chance(view, sample, DEVIATION));
        }
        range = range < shown->range_max ? range : shown->range_max;
    }
    return range > shown->range_min ? range : shown->range_min;
}

static void add_noise(const struct sim_view *view, const struct sim_ranger_sensor *sensor)
{
    if (!sim_ranger_is_noisy(sensor)) {
        return;
    }
    for (uint32_t i = sensor->first; i < sensor->first + sensor->shown.samples; i++) {
        view->samples[i] = noisy(view, sensor, i, view->samples[i]);
    }
}

/* ---- Looking --------------------------------------------------------------------------------- */

/* The rays of a group, at their greatest ranges. */
static void begin_walk(const struct sim_view *view, const struct sim_ranger_group *group,
                       double *ranges, double *returns, struct sim_walk *walk)
{
    const struct sim_ranger *config = view->config;
    const double *most = tpi_sim_ranger_table(config, SIM_RAY_RANGE) + group->first;

    walk->frame = sim_frame_join(&view->frame, &group->frame);
    walk->own = view->group;
    walk->rays = (struct sim_rays){
        .x = tpi_sim_ranger_table(config, SIM_RAY_X) + group->first,
        .y = tpi_sim_ranger_table(config, SIM_RAY_Y) + group->first,
        .dx = tpi_sim_ranger_table(config, SIM_RAY_DX) + group->first,
        .dy = tpi_sim_ranger_table(config, SIM_RAY_DY) + group->first,
        .ranges = ranges + group->first,
        .returns = returns + group->first,
        .count = group->count,
    };
    for (uint32_t i = 0; i < group->count; i++) {
        walk->rays.ranges[i] = most[i];
        walk->rays.returns[i] = HUGE_VAL;
    }
}

/* True if the rays still have to look for walls. */
static bool look_around(const struct sim_view *view, uint32_t index, struct sim_walk *walk)
{
    const struct sim_ranger *config = view->config;
    const struct sim_ranger_group *group = &tpi_sim_ranger_groups(config)[index];
    const uint32_t *before = tpi_sim_ranger_before(config, index);

    if (group->form == SIM_SCAN) {
        tpi_sim_fan(view->sim, group, &walk->frame, walk->own, before, &walk->rays);
    } else if (group->form == SIM_LOOSE) {
        meet_loosely(view, group, walk);
    } else {
        return tpi_sim_bundle(view->sim, group, before, tpi_sim_ranger_order(config, index), walk);
    }
    return false;
}

static void walk_all(struct sim_pending *pending, const tpi_sim *sim)
{
    if (pending->walk_count > 0) {
        tpi_sim_kernel()->walk(&sim->walls, pending->walks, pending->walk_count);
        pending->walk_count = 0;
    }
}

void tpi_sim_ranger_sense(const struct sim_view *view)
{
    const struct sim_ranger *config = view->config;
    struct sim_pending *pending = view->scratch->pending;

    if (pending->view_count == SIM_PENDING ||
        pending->capacity - pending->ray_count < config->sample_count) {
        tpi_sim_pending_end(pending);
    }
    const uint32_t first = pending->ray_count;
    for (uint32_t i = 0; i < config->group_count; i++) {
        struct sim_walk *walk = &pending->walks[pending->walk_count];
        begin_walk(view, &tpi_sim_ranger_groups(config)[i], pending->ranges + first,
                   pending->returns + first, walk);
        pending->walk_count += look_around(view, i, walk) ? 1 : 0;
        if (pending->walk_count == SIM_PENDING) {
            walk_all(pending, view->sim);
        }
    }
    pending->views[pending->view_count] = *view;
    pending->first[pending->view_count++] = first;
    pending->ray_count += config->sample_count;
    view->scratch->rays += config->sample_count;
}

/* ---- What was seen --------------------------------------------------------------------------- */

static void see(const struct sim_view *view, const double *ranges, const double *returns)
{
    const struct sim_ranger *config = view->config;
    float *values = view->values;

    memcpy(view->samples, ranges, config->sample_count * sizeof ranges[0]);
    for (uint32_t i = 0; i < config->sample_count; i++) {
        const float value = (float)returns[i];
        values[i] = value < HUGE_VALF ? value : 0;
    }
    for (uint32_t i = 0; config->noisy != 0 && i < config->sensor_count; i++) {
        add_noise(view, &tpi_sim_ranger_sensors(config)[i]);
    }
}

void tpi_sim_pending_end(struct sim_pending *pending)
{
    if (pending->view_count == 0) {
        return;
    }
    walk_all(pending, pending->views[0].sim);
    for (uint32_t i = 0; i < pending->view_count; i++) {
        const uint32_t first = pending->first[i];
        see(&pending->views[i], pending->ranges + first, pending->returns + first);
    }
    pending->view_count = pending->ray_count = 0;
}

struct sim_pending *tpi_sim_pending_create(tpi_sim *sim, uint32_t samples)
{
    const uint32_t usual = 16 * SIM_PENDING;
    struct sim_pending *pending = tpi_sim_take(sim, 1, sizeof *pending);

    if (pending == NULL) {
        return NULL;
    }
    pending->capacity = samples > usual ? samples : usual;
    pending->ranges = tpi_sim_take(sim, pending->capacity, sizeof pending->ranges[0]);
    pending->returns = tpi_sim_take(sim, pending->capacity, sizeof pending->returns[0]);
    if (pending->ranges == NULL || pending->returns == NULL) {
        tpi_sim_pending_destroy(pending);
        return NULL;
    }
    return pending;
}

void tpi_sim_pending_destroy(struct sim_pending *pending)
{
    if (pending != NULL) {
        free(pending->ranges);
        free(pending->returns);
        free(pending);
    }
}
