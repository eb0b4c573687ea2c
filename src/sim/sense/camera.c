/*
 * camera.c - the model `camera`: pictures with colour and depth, drawn without a screen.
 *
 * Stage's camera needs a window and crashes without one; this one is drawn by the simulator itself
 * (camera.h). Colours are those of the models; what is farther than `range` is sky.
 */
#include <math.h>
#include <string.h>

#include "sim/maths.h"
#include "sim/sense/camera.h"

enum { MOST_SIDE = 4096 };

static const char *const properties[] = {"resolution", "range", "fov", "pantilt", "shade", NULL};

/* ---- Properties ------------------------------------------------------------------------------ */

static tp_status read_resolution(struct sim_reader *reader, tpi_cfg_section *section,
                                 struct sim_camera *config)
{
    double size[2] = {32, 32};
    tp_status status = tpi_sim_read_tuple(reader, section, "resolution", "FF", 2, size);

    if (status != TP_OK) {
        return status;
    }
    if (!(size[0] >= 1 && size[1] >= 1 && size[0] <= MOST_SIDE && size[1] <= MOST_SIDE &&
          floor(size[0]) * floor(size[1]) <= TPI_SIM_MOST_CAMERA_PIXELS)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "resolution")->place, reader->err,
                            "\"resolution\" is from 1 to %d pixels a side and up to %d in all",
                            MOST_SIDE, TPI_SIM_MOST_CAMERA_PIXELS);
    }
    config->width = (uint32_t)size[0];
    config->height = (uint32_t)size[1];
    return TP_OK;
}

static tp_status read_range(struct sim_reader *reader, tpi_cfg_section *section,
                            struct sim_camera *config)
{
    double range[2] = {0.2, 8};
    tp_status status = tpi_sim_read_tuple(reader, section, "range", "LL", 2, range);

    if (status == TP_OK &&
        !(range[0] >= 0.001 && range[0] < range[1] && range[1] <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "range")->place, reader->err,
                            "\"range\" begins at 1 mm at least and ends farther away");
    }
    config->near = range[0];
    config->far = range[1];
    return status;
}

/* The fields of view and where it looks, which are in degrees whatever the file's unit is, as in
 * Stage. */
static tp_status read_view(struct sim_reader *reader, tpi_cfg_section *section,
                           struct sim_camera *config)
{
    double fov[2] = {70, 40};
    double pan_tilt[2] = {0, 0};
    tp_status status = tpi_sim_read_tuple(reader, section, "fov", "FF", 2, fov);

    if (status == TP_OK && !(fov[0] >= 1 && fov[0] <= SIM_MOST_CAMERA_FOV && fov[1] >= 1 &&
                             fov[1] <= SIM_MOST_CAMERA_FOV)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "fov")->place, reader->err,
                            "\"fov\" is from 1 to %d degrees", SIM_MOST_CAMERA_FOV);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_tuple(reader, section, "pantilt", "FF", 2, pan_tilt);
    }
    if (status == TP_OK && !(fabs(pan_tilt[0]) <= 180 && fabs(pan_tilt[1]) <= SIM_MOST_TILT)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "pantilt")->place, reader->err,
                            "\"pantilt\" is up to 180 degrees to a side and %d up or down",
                            SIM_MOST_TILT);
    }
    config->fov_across = fov[0] * SIM_PI / 180;
    config->fov_up = fov[1] * SIM_PI / 180;
    config->lens = (tpi_sim_lens){.pan = pan_tilt[0] * SIM_PI / 180,
                                  .tilt = pan_tilt[1] * SIM_PI / 180,
                                  .fov = config->fov_across};
    return status;
}

static tp_status camera_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    struct sim_camera config;

    memset(&config, 0, sizeof config);
    config.shade = 0.4;
    tp_status status = read_resolution(reader, section, &config);
    if (status == TP_OK) {
        status = read_range(reader, section, &config);
    }
    if (status == TP_OK) {
        status = read_view(reader, section, &config);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "shade", 'F', 0, 1, &config.shade);
    }
    tpi_buf_put(settings, &config, sizeof config);
    return status;
}

/* A sample for each pixel: its depth is the value, its colour takes three bytes of the others. */
static uint32_t camera_sample_count(const void *settings)
{
    const struct sim_camera *config = settings;

    return config->width * config->height;
}

static void camera_start(const struct sim_view *view)
{
    ((struct sim_lens_state *)view->state)->lens = ((const struct sim_camera *)view->config)->lens;
}

/* ---- Sensing --------------------------------------------------------------------------------- */

tpi_sim_image tpi_sim_camera_image(const struct sim_view *view)
{
    const struct sim_camera *config = view->config;
    const tpi_sim_lens *lens = &((const struct sim_lens_state *)view->state)->lens;
    const double across = tan(lens->fov / 2);
    const double zoom = across / tan(config->fov_across / 2);

    return (tpi_sim_image){.rgb = (const uint8_t *)view->samples,
                           .depth = view->values,
                           .width = config->width,
                           .height = config->height,
                           .across = across,
                           .up = tan(config->fov_up / 2) * zoom,
                           .pan = lens->pan,
                           .rise = tan(lens->tilt),
                           .eye = tpi_sim_view_traits(view)->size[2] / 2,
                           .time_us = view->state->updated_us};
}

void tpi_sim_camera_take(const struct sim_view *view, double aside, uint8_t *rgb, float *depth)
{
    const struct sim_camera *config = view->config;
    const tpi_sim_image image = tpi_sim_camera_image(view);
    const tpi_sim_pose turn = {.z = image.eye, .a = image.pan};
    const tpi_sim_pose shift = {.y = aside};
    const struct sim_frame local = sim_frame_of(&turn);
    const struct sim_frame left = sim_frame_of(&shift);
    const struct sim_frame middle = sim_frame_join(&view->frame, &local);
    const struct sim_canvas canvas = {
        .view = view,
        .config = config,
        .eye = aside == 0 ? middle : sim_frame_join(&middle, &left),
        .across = image.across,
        .up = image.up,
        .rise = image.rise,
        .rgb = rgb,
        .depth = depth,
    };

    for (uint32_t i = 0; i < config->width; i++) {
        tpi_sim_draw_column(&canvas, i);
    }
    view->scratch->rays += config->width;
}

static void camera_sense(const struct sim_view *view)
{
    tpi_sim_camera_take(view, 0, (uint8_t *)view->samples, view->values);
}

static bool camera_check(const struct sim_common *common)
{
    const tpi_sim_lens *lens = &((const struct sim_lens_state *)common)->lens;

    return tpi_sim_is_lens(lens) && lens->fov < SIM_PI;
}

const tpi_sim_type tpi_sim_type_camera = {
    .kind = TPI_SIM_CAMERA,
    .name = "camera",
    .size = {0.1, 0.07, 0.05},
    .colour = 0x000000ff,
    .properties = properties,
    .state_size = sizeof(struct sim_lens_state),
    .read = camera_read,
    .sample_count = camera_sample_count,
    .start = camera_start,
    .sense = camera_sense,
    .check = camera_check,
};

tp_status tpi_sim_get_image(const tpi_sim *sim, tpi_sim_model model, tpi_sim_image *image,
                            tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_camera, &view, err);

    if (status == TP_OK) {
        *image = tpi_sim_camera_image(&view);
    }
    return status;
}
