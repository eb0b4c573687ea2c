/* ranger_sense.c - what a ranger sees, and the noise in it. */
#include <math.h>

#include "sim/maths.h"
#include "sim/ranger.h"
#include "sim/ray.h"

/* A group that is looking. */
struct look {
    const struct sim_ranger_group *group; /* borrowed */
    struct sim_frame frame;               /* of the group, in the world */
    struct sim_rays rays;                 /* of the group, in its frame */
};

/* ---- Noise ----------------------------------------------------------------------------------- */

/* For what chance is asked: three numbers for each sample. */
enum { BEARING, SHARE, SPREAD, ASKED };

static uint64_t chance(const struct sim_view *view, uint32_t sample, uint32_t what)
{
    return sim_chance(view->key, (uint64_t)view->sim->time_us, (uint64_t)sample * ASKED + what);
}

/* Ray number `i` in the world, turned by an angle of which these are sine and cosine. */
static struct sim_ray turned_ray(const struct look *look, uint32_t i, double s, double c,
                                 uint32_t own)
{
    const struct sim_frame *f = &look->frame;
    const struct sim_rays *rays = &look->rays;
    const double dx = c * rays->dx[i] - s * rays->dy[i];
    const double dy = s * rays->dx[i] + c * rays->dy[i];

    return (struct sim_ray){
        .x = f->x + f->c * rays->x[i] - f->s * rays->y[i],
        .y = f->y + f->s * rays->x[i] + f->c * rays->y[i],
        .z = f->z,
        .dx = f->c * dx - f->s * dy,
        .dy = f->s * dx + f->c * dy,
        .group = own,
        .sees = SIM_VISIBLE,
    };
}

/* Rays that waver are cast one by one. */
static void meet_loosely(const struct sim_view *view, const struct look *look,
                         const struct sim_ranger_sensor *sensors)
{
    const struct sim_ranger_sensor *sensor = &sensors[look->group->sensor];

    for (uint32_t i = 0; i < look->group->count; i++) {
        const uint32_t sample = look->group->first + i;
        double s;
        double c;
        while (sample >= sensor->first + sensor->shown.samples) {
            sensor++;
        }
        sim_sincos(sim_normal(sim_both_ways(chance(view, sample, BEARING)) * sensor->noise[2] / 2),
                   &s, &c);
        const struct sim_ray ray = turned_ray(look, i, s, c, view->group);
        struct sim_hit hit = sim_no_hit(look->rays.ranges[i]);
        if (tpi_sim_cast(view->sim, &ray, &hit)) {
            look->rays.ranges[i] = hit.range;
            look->rays.returns[i] = hit.ranger_return;
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
        range = range < shown->range_max ? range : shown->range_max;
    }
    return range > shown->range_min ? range : shown->range_min;
}

static void add_noise(const struct sim_view *view, const struct sim_ranger_sensor *sensor)
{
    if (sensor->noise[0] == 0 && sensor->noise[1] == 0 && sensor->shown.range_min <= 0) {
        return;
    }
    for (uint32_t i = sensor->first; i < sensor->first + sensor->shown.samples; i++) {
        view->samples[i] = noisy(view, sensor, i, view->samples[i]);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void look_around(const struct sim_view *view, const struct sim_ranger *config,
                        uint32_t index)
{
    const struct sim_ranger_group *group = &tpi_sim_ranger_groups(config)[index];
    const double *most = tpi_sim_ranger_table(config, SIM_RAY_RANGE) + group->first;
    const struct look look = {
        .group = group,
        .frame = sim_frame_join(&view->frame, &group->frame),
        .rays = {.x = tpi_sim_ranger_table(config, SIM_RAY_X) + group->first,
                 .y = tpi_sim_ranger_table(config, SIM_RAY_Y) + group->first,
                 .dx = tpi_sim_ranger_table(config, SIM_RAY_DX) + group->first,
                 .dy = tpi_sim_ranger_table(config, SIM_RAY_DY) + group->first,
                 .ranges = view->samples + group->first,
                 .returns = view->scratch->returns,
                 .count = group->count},
    };

    for (uint32_t i = 0; i < group->count; i++) {
        look.rays.ranges[i] = most[i];
        look.rays.returns[i] = HUGE_VAL;
    }
    if (group->form == SIM_SCAN) {
        tpi_sim_fan(view->sim, group, &look.frame, view->group,
                    tpi_sim_ranger_before(config, index), &look.rays);
    } else if (group->form == SIM_LOOSE) {
        meet_loosely(view, &look, tpi_sim_ranger_sensors(config));
    } else {
        tpi_sim_bundle(view->sim, group, &look.frame, view->group,
                       tpi_sim_ranger_before(config, index), tpi_sim_ranger_order(config, index),
                       &look.rays);
    }
    float *values = view->values + group->first;
    const double *returns = look.rays.returns;
    for (uint32_t i = 0; i < group->count; i++) {
        values[i] = (float)(returns[i] < HUGE_VAL ? returns[i] : 0);
    }
}

void tpi_sim_ranger_sense(const struct sim_view *view)
{
    const struct sim_ranger *config = view->config;

    for (uint32_t i = 0; i < config->group_count; i++) {
        look_around(view, config, i);
    }
    for (uint32_t i = 0; i < config->sensor_count; i++) {
        add_noise(view, &tpi_sim_ranger_sensors(config)[i]);
    }
    view->scratch->rays += config->sample_count;
}
