/* compass.c - the model `compass`: which way it points, from the world's north. */
#include <math.h>

#include "sim/maths.h"
#include "sim/sense/sense.h"

struct compass {
    double noise; /* standard deviation */
    double bias;  /* the greatest */
};

struct compass_state {
    struct sim_common common;
    double bearing;
};

static const char *const properties[] = {"noise", "bias", NULL};

static tp_status compass_read(struct sim_reader *reader, tpi_cfg_section *section,
                              tpi_buf *settings)
{
    struct compass config = {0};
    tp_status status =
        tpi_sim_read_within(reader, section, "noise", 'A', 0, 2 * SIM_PI, &config.noise);

    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "bias", 'A', 0, 2 * SIM_PI, &config.bias);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

static void compass_sense(const struct sim_view *view)
{
    const struct compass *config = view->config;
    const double bearing =
        sim_normal(view->sim->scene.north - view->frame.a + tpi_sim_noise(view, config->noise, 0) +
                   tpi_sim_bias(view, config->bias, 0));

    ((struct compass_state *)view->state)->bearing = bearing < 0 ? bearing + 2 * SIM_PI : bearing;
}

const tpi_sim_type tpi_sim_type_compass = {
    .kind = TPI_SIM_COMPASS,
    .name = "compass",
    .size = {0.03, 0.03, 0.01},
    .colour = 0xffffffff,
    .bodiless = true,
    .properties = properties,
    .state_size = sizeof(struct compass_state),
    .read = compass_read,
    .sense = compass_sense,
};

tp_status tpi_sim_get_compass(const tpi_sim *sim, tpi_sim_model model, tpi_sim_compass *compass,
                              tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_compass, &view, err);

    if (status == TP_OK) {
        *compass = (tpi_sim_compass){.bearing = ((const struct compass_state *)view.state)->bearing,
                                     .time_us = view.state->updated_us};
    }
    return status;
}
