/* lens.c - where cameras and blobfinders look. */
#include <math.h>

#include "sim/maths.h"
#include "sim/sense/sense.h"

static const double most_tilt = SIM_MOST_TILT * SIM_PI / 180;
static const double least_fov = SIM_PI / 180;
static const double most_camera_fov = SIM_MOST_CAMERA_FOV * SIM_PI / 180;

bool tpi_sim_is_lens(const tpi_sim_lens *lens)
{
    return fabs(lens->pan) <= SIM_PI && fabs(lens->tilt) <= most_tilt && lens->fov > 0 &&
           lens->fov <= 2 * SIM_PI;
}

static tp_status find_lens(const tpi_sim *sim, tpi_sim_model model, struct sim_view *view,
                           tp_error *err)
{
    if (tpi_sim_find_device(sim, model, &tpi_sim_type_camera, view, NULL) != TP_OK &&
        tpi_sim_find_device(sim, model, &tpi_sim_type_blobfinder, view, NULL) != TP_OK) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the model is no camera and no blobfinder");
    }
    return TP_OK;
}

tp_status tpi_sim_get_lens(const tpi_sim *sim, tpi_sim_model model, tpi_sim_lens *lens,
                           tp_error *err)
{
    struct sim_view view;
    tp_status status = find_lens(sim, model, &view, err);

    if (status == TP_OK) {
        *lens = ((const struct sim_lens_state *)view.state)->lens;
    }
    return status;
}

static double cut(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

tp_status tpi_sim_set_lens(tpi_sim *sim, tpi_sim_model model, const tpi_sim_lens *lens,
                           tp_error *err)
{
    struct sim_view view;
    tp_status status = find_lens(sim, model, &view, err);

    if (status != TP_OK) {
        return status;
    }
    if (!isfinite(lens->pan) || !isfinite(lens->tilt) || !isfinite(lens->fov)) {
        return tp_fail(err, TP_E_INVALID, "the angles of a camera are finite");
    }
    const bool camera = view.device->type == &tpi_sim_type_camera;
    ((struct sim_lens_state *)view.state)->lens =
        (tpi_sim_lens){.pan = cut(lens->pan, -SIM_PI, SIM_PI),
                       .tilt = camera ? cut(lens->tilt, -most_tilt, most_tilt) : 0,
                       .fov = cut(lens->fov, least_fov, camera ? most_camera_fov : 2 * SIM_PI)};
    return TP_OK;
}
