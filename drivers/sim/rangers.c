/*
 * rangers.c - ranger: range sensors of every kind.
 *
 * As in Stage, a ranger with one sensor sends all its rays, one with several the first ray of each;
 * ranges first, then intensities.
 */
#include "scanning.h"
#include "troupe/interfaces/ranger.h"

struct ranger {
    simd_view view;
    bool no_intensities;
};

static tp_status ranger_begin(simd_device *d, tp_error *err)
{
    simd_view *view = &((struct ranger *)d->state)->view;
    tp_status status = tpi_simd_view_init(view, d, err);

    return status == TP_OK ? tpi_simd_view_tell(view, d, false, err) : status;
}

static void ranger_publish(simd_device *d)
{
    struct ranger *r = d->state;
    simd_scan_room *room = d->owner->scan_room;
    int64_t time_us = -1;
    const double *ranges = tpi_simd_view_borrow(&r->view, d, &time_us);

    if (ranges == NULL) {
        time_us = tpi_simd_view_read(&r->view, d, room->ranges, NULL);
        ranges = room->ranges;
    }
    if (r->view.off || !tpi_simd_is_new(d, time_us)) {
        return;
    }
    const tp_ranger_data_range data = {.ranges_count = r->view.count,
                                       .ranges = (double *)(uintptr_t)ranges};
    tp_publish(d->device, TP_RANGER_DATA_RANGE, &data, (double)time_us / 1e6);
    if (!r->no_intensities) {
        (void)tpi_simd_view_read(&r->view, d, NULL, room->intensities);
        const tp_ranger_data_intns intensities = {.intensities_count = r->view.count,
                                                  .intensities = room->intensities};
        tp_publish(d->device, TP_RANGER_DATA_INTNS, &intensities, (double)time_us / 1e6);
    }
}

static tp_status ranger_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct ranger *r = d->state;

    tpi_simd_place(d, &answer->pose, &answer->size);
    answer->element_poses_count = r->view.sensor_count;
    answer->element_poses = d->owner->scan_room->poses;
    answer->element_sizes_count = r->view.sensor_count;
    answer->element_sizes = d->owner->scan_room->sizes;
    return tpi_simd_view_place(&r->view, d, false, err);
}

static tp_status ranger_power(tp_device *device, const tp_ranger_power_config *ask, tp_error *err)
{
    (void)err;
    ((struct ranger *)simd_state(device))->view.off = ask->state == 0;
    return TP_OK;
}

static tp_status ranger_intensities(tp_device *device, const tp_ranger_intns_config *ask,
                                    tp_error *err)
{
    (void)err;
    ((struct ranger *)simd_state(device))->no_intensities = ask->state == 0;
    return TP_OK;
}

static tp_status ranger_get_config(tp_device *device, tp_ranger_config *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct ranger *r = d->state;
    simd_scanning scanning;

    (void)err;
    tpi_simd_view_get(&r->view, d, &scanning);
    tpi_simd_view_as_stage(&r->view, d, &scanning);
    *answer = (tp_ranger_config){
        .min_angle = scanning.min_angle,
        .max_angle = scanning.max_angle,
        .angular_res = scanning.resolution,
        .min_range = r->view.sensor.range_min,
        .max_range = scanning.max_range,
        .range_res = scanning.range_res,
        .frequency = scanning.frequency,
    };
    return TP_OK;
}

static tp_status ranger_set_config(tp_device *device, const tp_ranger_config *ask,
                                   tp_ranger_config *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct ranger *r = d->state;
    const simd_scanning wanted = {
        .min_angle = ask->min_angle, .max_angle = ask->max_angle, .resolution = ask->angular_res};
    tp_status status = tpi_simd_view_set(&r->view, d, &wanted, err);

    return status == TP_OK ? ranger_get_config(device, answer, err) : status;
}

static const tp_ranger_ops ranger_ops = {
    .req_get_geom = ranger_geom,
    .req_power = ranger_power,
    .req_intns = ranger_intensities,
    .req_set_config = ranger_set_config,
    .req_get_config = ranger_get_config,
};

const simd_kind tpi_simd_rangers[] = {
    {
        .interface = &tp_interface_ranger,
        .ops = &ranger_ops,
        .models = SIMD_MODEL(RANGER),
        .state_size = sizeof(struct ranger),
        .begin = ranger_begin,
        .publish = ranger_publish,
    },
    {0},
};
