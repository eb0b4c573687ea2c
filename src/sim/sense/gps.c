/*
 * gps.c - the model `gps`: where it is on Earth, with an error.
 *
 * The world's gps_origin is where its 0, 0 is; x points east if `north` is not given. The error of
 * a fix is drawn anew each time, normally distributed; `bias` is drawn once.
 */
#include <math.h>

#include "sim/maths.h"
#include "sim/sense/earth.h"
#include "sim/sense/sense.h"

struct gps {
    double noise[2]; /* standard deviations: along x and y, and up */
    double bias[2];  /* the greatest: likewise */
};

struct gps_state {
    struct sim_common common;
    struct sim_track track;
    tpi_sim_pose pose; /* that it reports */
    double speed, course;
};

enum { NOISE_X, NOISE_Y, NOISE_Z, BIAS_X, BIAS_Y, BIAS_Z };

static const char *const properties[] = {"noise", "bias", NULL};

static tp_status read_pair(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                           double values[2])
{
    tp_status status = tpi_sim_read_tuple(reader, section, name, "LL", 1, values);

    if (status == TP_OK && !(values[0] >= 0 && values[0] <= TPI_SIM_FARTHEST && values[1] >= 0 &&
                             values[1] <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" is not negative and not larger than the world", name);
    }
    return status;
}

static tp_status gps_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct gps config = {0};
    tp_status status = read_pair(reader, section, "noise", config.noise);

    if (status == TP_OK) {
        status = read_pair(reader, section, "bias", config.bias);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static void gps_start(const struct sim_view *view)
{
    struct gps_state *state = (struct gps_state *)view->state;

    tpi_sim_track_start(&state->track, view);
}

static void gps_sense(const struct sim_view *view)
{
    const struct gps *config = view->config;
    struct gps_state *state = (struct gps_state *)view->state;
    const double *v = state->track.velocity;
    double change[3];

    tpi_sim_track_move(&state->track, view, change);
    state->speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    state->course = state->speed > 0 ? sim_normal(view->frame.a + atan2(v[1], v[0])) : 0;
    state->pose = (tpi_sim_pose){
        .x = view->frame.x + tpi_sim_noise(view, config->noise[0], NOISE_X) +
             tpi_sim_bias(view, config->bias[0], BIAS_X),
        .y = view->frame.y + tpi_sim_noise(view, config->noise[0], NOISE_Y) +
             tpi_sim_bias(view, config->bias[0], BIAS_Y),
        .z = view->frame.z + tpi_sim_noise(view, config->noise[1], NOISE_Z) +
             tpi_sim_bias(view, config->bias[1], BIAS_Z),
        .a = view->frame.a,
    };
}

static bool gps_check(const struct sim_common *common)
{
    return tpi_sim_is_track(&((const struct gps_state *)common)->track);
}

const tpi_sim_type tpi_sim_type_gps = {
    .kind = TPI_SIM_GPS,
    .name = "gps",
    .size = {0.05, 0.05, 0.02},
    .colour = 0xffffffff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct gps_state),
    .read = gps_read,
    .start = gps_start,
    .placed = gps_start,
    .sense = gps_sense,
    .check = gps_check,
};

tp_status tpi_sim_get_fix(const tpi_sim *sim, tpi_sim_model model, tpi_sim_fix *fix, tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_gps, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct gps *config = view.config;
    const struct gps_state *state = (const struct gps_state *)view.state;
    const double *origin = sim->scene.origin;
    const double turn = SIM_PI / 2 - sim->scene.north; /* from the world's axes to the Earth's */
    double s;
    double c;

    sim_sincos(turn, &s, &c);
    *fix = (tpi_sim_fix){.pose = state->pose,
                         .altitude = origin[2] + state->pose.z,
                         .speed = state->speed,
                         .course = state->speed > 0 ? sim_normal(state->course + turn) : 0,
                         .error_horizontal = config->noise[0],
                         .error_vertical = config->noise[1],
                         .time_us = state->common.updated_us};
    tpi_sim_earth_place(origin[0], origin[1], c * fix->pose.x - s * fix->pose.y,
                        s * fix->pose.x + c * fix->pose.y, &fix->latitude, &fix->longitude);
    tpi_sim_earth_utm(origin, fix->latitude, fix->longitude, &fix->utm_e, &fix->utm_n);
    return TP_OK;
}
