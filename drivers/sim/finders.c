/* finders.c - fiducial and blobfinder: what is marked, and what has a colour. */
#include "sim/sense/sensors.h"
#include "simulator.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/fiducial.h"

/* ---- fiducial -------------------------------------------------------------------------------- */

static void fiducial_publish(simd_device *d)
{
    tpi_sim_fiducials seen;
    tp_fiducial_item items[TPI_SIM_MOST_FIDUCIALS];

    if (tpi_sim_get_fiducials(d->owner->world, d->model, &seen, NULL) != TP_OK ||
        !tpi_simd_is_new(d, seen.time_us)) {
        return;
    }
    for (uint32_t i = 0; i < seen.count; i++) {
        items[i] = (tp_fiducial_item){.id = seen.items[i].id,
                                      .pose = tpi_simd_pose3d(&seen.items[i].pose)};
    }
    const tp_fiducial_data data = {.fiducials_count = seen.count, .fiducials = items};
    tp_publish(d->device, TP_FIDUCIAL_DATA_SCAN, &data, (double)seen.time_us / 1e6);
}

static tp_status fiducial_geom(tp_device *device, tp_fiducial_geom *answer, tp_error *err)
{
    (void)err;
    tpi_simd_place(simd_of(device), &answer->pose, &answer->size);
    return TP_OK;
}

static tp_status get_fov(tp_device *device, tp_fiducial_fov *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_fiducial_view view;
    tp_status status = tpi_sim_get_fiducial_view(d->owner->world, d->model, &view, err);

    if (status == TP_OK) {
        *answer = (tp_fiducial_fov){.min_range = (float)view.range_min,
                                    .max_range = (float)view.range_max,
                                    .view_angle = (float)view.fov};
    }
    return status;
}

static tp_status set_fov(tp_device *device, const tp_fiducial_fov *ask, tp_error *err)
{
    const simd_device *d = simd_of(device);
    tpi_sim_fiducial_view view;
    tp_status status = tpi_sim_get_fiducial_view(d->owner->world, d->model, &view, err);

    view.range_min = (double)ask->min_range;
    view.range_max = (double)ask->max_range;
    view.fov = (double)ask->view_angle;
    return status == TP_OK ? tpi_sim_set_fiducial_view(d->owner->world, d->model, &view, err)
                           : status;
}

static tp_status get_id(tp_device *device, tp_fiducial_id *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    int32_t id = 0;
    tp_status status = tpi_sim_get_fiducial_id(d->owner->world, d->model, &id, err);

    answer->id = (uint32_t)id;
    return status;
}

static tp_status set_id(tp_device *device, const tp_fiducial_id *ask, tp_fiducial_id *answer,
                        tp_error *err)
{
    const simd_device *d = simd_of(device);
    tp_status status = tpi_sim_set_fiducial_id(d->owner->world, d->model, (int32_t)ask->id, err);

    return status == TP_OK ? get_id(device, answer, err) : status;
}

static const tp_fiducial_ops fiducial_ops = {
    .req_get_geom = fiducial_geom,
    .req_get_fov = get_fov,
    .req_set_fov = set_fov,
    .req_get_id = get_id,
    .req_set_id = set_id,
};

/* ---- blobfinder ------------------------------------------------------------------------------ */

static tp_blobfinder_blob to_blob(const tpi_sim_blob *blob)
{
    return (tp_blobfinder_blob){
        .id = blob->channel,
        .color = blob->colour,
        .area = (blob->right - blob->left + 1) * (blob->bottom - blob->top + 1),
        .x = (blob->left + blob->right) / 2,
        .y = (blob->top + blob->bottom) / 2,
        .left = blob->left,
        .right = blob->right,
        .top = blob->top,
        .bottom = blob->bottom,
        .range = (float)blob->range,
    };
}

static void blobfinder_publish(simd_device *d)
{
    tpi_sim_blobs seen;
    tp_blobfinder_blob blobs[TPI_SIM_MOST_BLOBS];

    if (tpi_sim_get_blobs(d->owner->world, d->model, &seen, NULL) != TP_OK ||
        !tpi_simd_is_new(d, seen.time_us)) {
        return;
    }
    for (uint32_t i = 0; i < seen.count; i++) {
        blobs[i] = to_blob(&seen.items[i]);
    }
    const tp_blobfinder_data data = {
        .width = seen.width, .height = seen.height, .blobs_count = seen.count, .blobs = blobs};
    tp_publish(d->device, TP_BLOBFINDER_DATA_BLOBS, &data, (double)seen.time_us / 1e6);
}

const simd_kind tpi_simd_finders[] = {
    {
        .interface = &tp_interface_fiducial,
        .ops = &fiducial_ops,
        .models = SIMD_MODEL(FIDUCIAL),
        .publish = fiducial_publish,
    },
    {
        .interface = &tp_interface_blobfinder,
        .models = SIMD_MODEL(BLOBFINDER),
        .publish = blobfinder_publish,
    },
    {0},
};
