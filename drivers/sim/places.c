/*
 * places.c - where devices are on their robots, for the server's tree of frames.
 *
 * What stands on a joint (an actuator, the paddles of a gripper) moves on its robot: its readers
 * receive its geometry when that has changed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulator.h"

static const double least_m = 1e-4; /* and radians: changes below that are not sent */

/* The base of an aircraft flies with it. */
static double base_height(const simd_device *d)
{
    tpi_sim_info info;

    tpi_sim_model_info(d->owner->world, d->robot, &info);
    return info.kind == TPI_SIM_AIRCRAFT ? tpi_sim_global_pose(d->owner->world, d->robot).z : 0;
}

/* Where it is, from the base of its robot or from the world. Its height is the true one: a base is
 * on the floor, while world files count from the top of what a model stands on. */
static tpi_sim_pose place_of(const simd_device *d)
{
    const tpi_sim_pose there = {0};

    if (d->model == TPI_SIM_NONE || (d->base >= 0 && d->model == d->robot)) {
        return there;
    }
    tpi_sim_pose model = tpi_sim_global_pose(d->owner->world, d->model);
    if (d->base >= 0) {
        const double height = model.z - base_height(d);
        model = tpi_sim_pose_on_root(d->owner->world, d->model);
        model.z = height;
    }
    const tpi_sim_pose within = d->kind->within == NULL ? there : d->kind->within(d);
    return tpi_sim_compose(&model, &within);
}

/* The model itself or something that it stands on is a joint. */
static bool is_jointed(const simd_device *d)
{
    tpi_sim_info info = {.parent = d->model};

    while (info.parent != TPI_SIM_NONE) {
        tpi_sim_model_info(d->owner->world, info.parent, &info);
        if (info.kind == TPI_SIM_ACTUATOR) {
            return true;
        }
    }
    return false;
}

static tp_status tell(simd_device *d, tp_error *err)
{
    tpi_sim_info info = {0};
    char parent[24] = "map";

    if (d->base == 0) {
        snprintf(parent, sizeof parent, "base");
    } else if (d->base > 0) {
        snprintf(parent, sizeof parent, "base%u", (unsigned)d->base);
    }
    if (d->model != TPI_SIM_NONE) {
        tpi_simd_info(d, &info);
    }
    d->place = place_of(d);
    const tp_geometry geometry = {.known = TP_GEOMETRY_MEASURED,
                                  .pose = tpi_simd_pose3d(&d->place),
                                  .size = tpi_simd_bbox3d(info.size),
                                  .parent_count = (uint32_t)strlen(parent) + 1,
                                  .parent = parent};
    return tp_device_set_geometry(d->device, &geometry) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_status tpi_simd_place_begin(simd_device *d, const simd_device *vehicle, tp_error *err)
{
    d->base = vehicle == NULL ? -1 : (int32_t)tp_device_addr(vehicle->device)->index;
    if (d->kind->show != NULL) { /* it moves the frames by itself */
        return TP_OK;
    }
    d->jointed = d->model != TPI_SIM_NONE && is_jointed(d);
    return tell(d, err);
}

void tpi_simd_place_update(simd_device *d)
{
    if (!d->jointed || !tpi_simd_is_due(d)) {
        return;
    }
    const tpi_sim_pose now = place_of(d);
    if (fabs(now.x - d->place.x) > least_m || fabs(now.y - d->place.y) > least_m ||
        fabs(now.z - d->place.z) > least_m || fabs(now.a - d->place.a) > least_m) {
        (void)tell(d, NULL);
    }
}
