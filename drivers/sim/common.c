/* common.c - what the devices of a world have in common: when to send, poses, colours, names. */
#include <math.h>
#include <string.h>

#include "simulator.h"

bool tpi_simd_is_due(const simd_device *d)
{
    return tpi_sim_is_due(d->owner->world, d->model);
}

bool tpi_simd_is_new(simd_device *d, int64_t time_us)
{
    if (time_us < 0 || time_us < d->next_us) {
        return false;
    }
    d->next_us = time_us + 1;
    return true;
}

void tpi_simd_info(const simd_device *d, tpi_sim_info *info)
{
    tpi_sim_model_info(d->owner->world, d->model, info);
}

/* ---- Poses ----------------------------------------------------------------------------------- */

tp_pose3d tpi_simd_pose3d(const tpi_sim_pose *pose)
{
    return (tp_pose3d){.px = pose->x, .py = pose->y, .pz = pose->z, .pyaw = pose->a};
}

tp_bbox3d tpi_simd_bbox3d(const double size[3])
{
    return (tp_bbox3d){.sl = size[0], .sw = size[1], .sh = size[2]};
}

void tpi_simd_place(const simd_device *d, tp_pose3d *pose, tp_bbox3d *size)
{
    const tpi_sim_pose place = tpi_sim_pose_on_root(d->owner->world, d->model);
    tpi_sim_info info;

    tpi_simd_info(d, &info);
    *pose = tpi_simd_pose3d(&place);
    *size = tpi_simd_bbox3d(info.size);
}

/* ---- Colours --------------------------------------------------------------------------------- */

uint32_t tpi_simd_colour(const tp_color *colour)
{
    return (uint32_t)colour->red << 24 | (uint32_t)colour->green << 16 |
           (uint32_t)colour->blue << 8 | colour->alpha;
}

tp_status tpi_simd_fail_unknown(const simd *s, const char *name, tp_error *err)
{
    tpi_buf hint = {0};

    tpi_sim_put_hint(s->world, name, &hint);
    tp_fail(err, TP_E_UNKNOWN, "there is no model \"%.60s\" in the world %.80s%s", name,
            tpi_sim_name(s->world), tpi_buf_text(&hint));
    tpi_buf_fini(&hint);
    return TP_E_UNKNOWN;
}
