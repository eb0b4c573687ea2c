/*
 * light.c - the models `light` and `lightsensor`.
 *
 * What a sensor reads is the world's ambient light, and from every light that it can see its
 * intensity over the square of the distance. A sensor whose fov is less than the full circle looks
 * ahead: a light counts by the cosine of its bearing, stretched so that it is 1 ahead and 0 at the
 * edges; with 180 degrees that is a flat cell. A light whose fov is less is a spotlight.
 */
#include <math.h>

#include "sim/maths.h"
#include "sim/ray/cross.h"
#include "sim/sense/sense.h"

static const double most_intensity = 1e9;
static const double least_square = 1e-4; /* of a distance: nobody gets nearer than a centimetre */

/* ---- Lights ---------------------------------------------------------------------------------- */

struct light {
    double intensity; /* at the beginning */
    double fov;
};

struct light_state {
    struct sim_common common;
    double intensity;
};

static const char *const light_properties[] = {"intensity", "fov", NULL};

static tp_status light_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct light config = {.intensity = 1, .fov = 2 * SIM_PI};
    tp_status status = tpi_sim_read_within(reader, section, "intensity", 'F', 0, most_intensity,
                                           &config.intensity);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "fov", 'A', 0, 2 * SIM_PI, &config.fov);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static void light_start(const struct sim_view *view)
{
    ((struct light_state *)view->state)->intensity =
        ((const struct light *)view->config)->intensity;
}

static bool is_intensity(double intensity)
{
    return intensity >= 0 && intensity <= most_intensity;
}

static bool light_check(const struct sim_common *common)
{
    return is_intensity(((const struct light_state *)common)->intensity);
}

const tpi_sim_type tpi_sim_type_light = {
    .kind = TPI_SIM_LIGHT,
    .name = "light",
    .size = {0.05, 0.05, 0.05},
    .colour = 0xffff00ff,
    .bodiless = true,
    .properties = light_properties,
    .state_size = sizeof(struct light_state),
    .read = light_read,
    .start = light_start,
    .check = light_check,
};

/* ---- Sensors --------------------------------------------------------------------------------- */

struct light_sensor {
    double fov;
    double gain;
    double saturation; /* the greatest reading; 0 for none */
    double noise;      /* standard deviation */
};

struct light_sensor_state {
    struct sim_common common;
    double level;
};

static const char *const sensor_properties[] = {"fov", "gain", "saturation", "noise", NULL};

static tp_status light_sensor_read(struct sim_reader *reader, tpi_cfg_section *section,
                                   tpi_buf *settings)
{
    struct light_sensor config = {.fov = 2 * SIM_PI, .gain = 1};
    tp_status status = tpi_sim_read_within(reader, section, "fov", 'A', 0, 2 * SIM_PI, &config.fov);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "gain", 'F', 0, 1e9, &config.gain);
    }
    if (status == TP_OK) {
        status =
            tpi_sim_read_within(reader, section, "saturation", 'F', 0, 1e18, &config.saturation);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "noise", 'F', 0, 1e9, &config.noise);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* How much of a light in the direction x, y counts. */
static double weight(double fov, double x, double y)
{
    const double bearing = fabs(atan2(y, x));
    double s;
    double c;

    if (fov >= 2 * SIM_PI - 1e-9) {
        return 1;
    }
    if (bearing >= fov / 2) {
        return 0;
    }
    sim_sincos(SIM_PI * bearing / fov, &s, &c);
    return c;
}

/* Whether a spotlight shines in the direction x, y. */
static bool shines_at(double fov, double x, double y)
{
    return fov >= 2 * SIM_PI - 1e-9 || fabs(atan2(y, x)) <= fov / 2 + 1e-12;
}

static double light_from(const struct sim_view *view, tpi_sim_model model)
{
    const struct light_sensor *config = view->config;
    const struct sim_frame *f = &view->frame;
    struct sim_view light;

    if (tpi_sim_find_device(view->sim, model, &tpi_sim_type_light, &light, NULL) != TP_OK) {
        return 0;
    }
    const struct sim_line line = sim_line_between(view, &light);
    const double square = sim_line_square(&line);
    const double seen =
        ((const struct light_state *)light.state)->intensity *
        weight(config->fov, f->c * line.dx + f->s * line.dy, f->c * line.dy - f->s * line.dx);
    if (!(seen > 0) ||
        !shines_at(((const struct light *)light.config)->fov,
                   -light.frame.c * line.dx - light.frame.s * line.dy,
                   light.frame.s * line.dx - light.frame.c * line.dy) ||
        tpi_sim_is_hidden(view->sim, &line)) {
        return 0;
    }
    return seen / (square > least_square ? square : least_square);
}

static void light_sensor_sense(const struct sim_view *view)
{
    const struct light_sensor *config = view->config;
    const struct sim_beacons *lights = &view->sim->beacons[SIM_LIGHTS];
    double level = view->sim->scene.ambient;

    for (uint32_t i = 0; i < lights->count; i++) {
        level += light_from(view, lights->models[i]);
    }
    level = level * config->gain + tpi_sim_noise(view, config->noise, 0);
    level = level > 0 ? level : 0;
    if (config->saturation > 0 && level > config->saturation) {
        level = config->saturation;
    }
    ((struct light_sensor_state *)view->state)->level = level;
}

const tpi_sim_type tpi_sim_type_light_sensor = {
    .kind = TPI_SIM_LIGHT_SENSOR,
    .name = "lightsensor",
    .size = {0.02, 0.02, 0.02},
    .colour = 0x000000ff,
    .bodiless = true,
    .properties = sensor_properties,
    .state_size = sizeof(struct light_sensor_state),
    .read = light_sensor_read,
    .sense = light_sensor_sense,
};

/* ---- Asking ---------------------------------------------------------------------------------- */

tp_status tpi_sim_get_light(const tpi_sim *sim, tpi_sim_model model, double *intensity,
                            tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_light, &view, err);

    if (status == TP_OK) {
        *intensity = ((const struct light_state *)view.state)->intensity;
    }
    return status;
}

tp_status tpi_sim_get_light_fov(const tpi_sim *sim, tpi_sim_model model, double *fov, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_light, &view, err);

    if (status == TP_OK) {
        *fov = ((const struct light *)view.config)->fov;
    }
    return status;
}

tp_status tpi_sim_set_light(tpi_sim *sim, tpi_sim_model model, double intensity, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_light, &view, err);

    if (status == TP_OK && !is_intensity(intensity)) {
        return tp_fail(err, TP_E_INVALID, "the intensity of a light is from 0 to %g, not %g",
                       most_intensity, intensity);
    }
    if (status == TP_OK) {
        ((struct light_state *)view.state)->intensity = intensity;
    }
    return status;
}

tp_status tpi_sim_get_brightness(const tpi_sim *sim, tpi_sim_model model,
                                 tpi_sim_brightness *brightness, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_light_sensor, &view, err);

    if (status == TP_OK) {
        *brightness =
            (tpi_sim_brightness){.level = ((const struct light_sensor_state *)view.state)->level,
                                 .time_us = view.state->updated_us};
    }
    return status;
}
