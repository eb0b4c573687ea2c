/*
 * imu.c - the model `imu`: accelerations, rates of turn and the magnetic field.
 *
 * What moves in this world moves in a plane, so the unit measures what holds it up against gravity
 * along z, and turns about z alone. Its readings are means over its update interval; on a robot
 * that drives an arc they are exact. Noise is drawn anew for each reading and axis, bias once.
 */
#include <math.h>

#include "sim/maths.h"
#include "sim/sense/sense.h"

static const double gravity = 9.80665;       /* m/s^2 */
static const double dip = 60 * SIM_PI / 180; /* of the magnetic field below the horizon */

struct imu {
    double noise[3]; /* standard deviations: acceleration, rate, field */
    double bias[3];  /* the greatest: likewise */
};

struct imu_state {
    struct sim_common common;
    struct sim_track track;
    double acceleration[3], rate[3], field[3];
    double heading;
};

static const char *const properties[] = {"accel_noise", "accel_bias", "gyro_noise", "gyro_bias",
                                         "magn_noise",  "magn_bias",  NULL};

static tp_status imu_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    static const char units[] = {'F', 'A', 'F'};
    struct imu config = {{0}, {0}};
    tp_status status = TP_OK;

    for (int i = 0; i < 3 && status == TP_OK; i++) {
        status = tpi_sim_read_within(reader, section, properties[2 * i], units[i], 0, 1e6,
                                     &config.noise[i]);
        if (status == TP_OK) {
            status = tpi_sim_read_within(reader, section, properties[2 * i + 1], units[i], 0, 1e6,
                                         &config.bias[i]);
        }
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static void imu_start(const struct sim_view *view)
{
    struct imu_state *state = (struct imu_state *)view->state;

    tpi_sim_track_start(&state->track, view);
}

/* What is true. */
static void measure(const struct sim_view *view, struct imu_state *state)
{
    double s;
    double c;

    tpi_sim_track_move(&state->track, view, state->acceleration);
    state->acceleration[2] += gravity;
    state->rate[0] = state->rate[1] = 0;
    state->rate[2] = state->track.velocity[3];
    sim_sincos(view->sim->scene.north - view->frame.a, &s, &c);
    state->field[0] = c * cos(dip);
    state->field[1] = s * cos(dip);
    state->field[2] = -sin(dip);
    state->heading = view->frame.a;
}

static void imu_sense(const struct sim_view *view)
{
    const struct imu *config = view->config;
    struct imu_state *state = (struct imu_state *)view->state;
    double *const readings[] = {state->acceleration, state->rate, state->field};

    measure(view, state);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            readings[i][k] += tpi_sim_noise(view, config->noise[i], 3 * i + k) +
                              tpi_sim_bias(view, config->bias[i], 3 * i + k);
        }
    }
}

static bool imu_check(const struct sim_common *common)
{
    return tpi_sim_is_track(&((const struct imu_state *)common)->track);
}

const tpi_sim_type tpi_sim_type_imu = {
    .kind = TPI_SIM_IMU,
    .name = "imu",
    .size = {0.03, 0.03, 0.01},
    .colour = 0x008000ff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct imu_state),
    .read = imu_read,
    .start = imu_start,
    .placed = imu_start,
    .sense = imu_sense,
    .check = imu_check,
};

tp_status tpi_sim_get_inertia(const tpi_sim *sim, tpi_sim_model model, tpi_sim_inertia *inertia,
                              tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_imu, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const struct imu_state *state = (const struct imu_state *)view.state;
    *inertia = (tpi_sim_inertia){.heading = state->heading, .time_us = state->common.updated_us};
    for (int i = 0; i < 3; i++) {
        inertia->acceleration[i] = state->acceleration[i];
        inertia->rate[i] = state->rate[i];
        inertia->field[i] = state->field[i];
    }
    return TP_OK;
}
