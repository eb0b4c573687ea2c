/*
 * stereo.c - the model `stereocamera`: two cameras side by side.
 *
 * It is a camera twice (camera.h), half its baseline to the left and to the right of its pose, at
 * the same instant. The pictures are kept one behind the other, the left one first.
 */
#include <string.h>

#include "sim/sense/camera.h"

struct stereo {
    struct sim_camera camera;
    double baseline;
};

static const char *const properties[] = {"resolution", "range",    "fov", "pantilt",
                                         "shade",      "baseline", NULL};

static tp_status stereo_read(struct sim_reader *reader, tpi_cfg_section *section, tpi_buf *settings)
{
    tpi_buf camera = {0};
    struct stereo c;

    memset(&c, 0, sizeof c);
    c.baseline = 0.12;
    tp_status status = tpi_sim_type_camera.read(reader, section, &camera);
    if (camera.length == sizeof c.camera) {
        memcpy(&c.camera, camera.data, sizeof c.camera);
    }
    settings->failed |= camera.failed;
    tpi_buf_fini(&camera);
    if (status == TP_OK && c.camera.width * c.camera.height > TPI_SIM_MOST_STEREO_PIXELS) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "resolution")->place, reader->err,
                            "\"resolution\" of a stereo camera is up to %d pixels in all",
                            TPI_SIM_MOST_STEREO_PIXELS);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, section, "baseline", 'L', 1e-4, 1e3, &c.baseline);
    }
    tpi_buf_put(settings, &c, sizeof c);
    return status;
}

static size_t pixels_of(const struct sim_view *view)
{
    const struct stereo *c = view->config;

    return (size_t)c->camera.width * c->camera.height;
}

static uint32_t stereo_sample_count(const void *config)
{
    const struct stereo *c = config;

    return 2 * c->camera.width * c->camera.height;
}

static void stereo_start(const struct sim_view *view)
{
    ((struct sim_lens_state *)view->state)->lens =
        ((const struct stereo *)view->config)->camera.lens;
}

static void stereo_sense(const struct sim_view *view)
{
    const double half = ((const struct stereo *)view->config)->baseline / 2;
    const size_t second = pixels_of(view);

    tpi_sim_camera_take(view, half, (uint8_t *)view->samples, view->values);
    tpi_sim_camera_take(view, -half, (uint8_t *)(view->samples + second), view->values + second);
}

static bool stereo_check(const struct sim_common *common)
{
    return tpi_sim_type_camera.check(common);
}

const tpi_sim_type tpi_sim_type_stereo = {
    .kind = TPI_SIM_STEREO,
    .name = "stereocamera",
    .size = {0.05, 0.16, 0.05},
    .colour = 0x000000ff,
    .base = &tpi_sim_type_camera,
    .properties = properties,
    .state_size = sizeof(struct sim_lens_state),
    .read = stereo_read,
    .sample_count = stereo_sample_count,
    .start = stereo_start,
    .sense = stereo_sense,
    .check = stereo_check,
};

tp_status tpi_sim_get_stereo(const tpi_sim *sim, tpi_sim_model model, tpi_sim_stereo *stereo,
                             tp_error *err)
{
    struct sim_view view;
    tp_status status = tpi_sim_find_device(sim, model, &tpi_sim_type_stereo, &view, err);

    if (status != TP_OK) {
        return status;
    }
    const size_t second = pixels_of(&view);
    stereo->baseline = ((const struct stereo *)view.config)->baseline;
    stereo->left = stereo->right = tpi_sim_camera_image(&view);
    stereo->right.rgb = (const uint8_t *)(view.samples + second);
    stereo->right.depth = view.values + second;
    return TP_OK;
}
