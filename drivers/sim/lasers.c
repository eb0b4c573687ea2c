/*
 * lasers.c - laser: a ranger that scans, for clients that know no ranger.
 *
 * If there is nothing better, a single beam is offered as a scan of one range, straight ahead.
 */
#include <math.h>

#include "scanning.h"
#include "troupe/interfaces/laser.h"

struct laser {
    simd_view view;
    bool intensities; /* a client has asked for them; Stage's lasers have none at first */
};

static tp_status laser_begin(simd_device *d, tp_error *err)
{
    simd_view *view = &((struct laser *)d->state)->view;
    tp_status status = tpi_simd_view_init(view, d, err);

    return status == TP_OK ? tpi_simd_view_tell(view, d, false, err) : status;
}

/* By the time of the world, so that a world that goes back goes on with the same scans. */
static uint32_t number_of(int64_t time_us, const simd_scanning *scanning)
{
    const int64_t period_us = llround(1e6 / scanning->frequency);

    return (uint32_t)(time_us / period_us - 1);
}

/* One ray has no width; what programs divide by stays. */
static void get_scanning(const struct laser *l, const simd_device *d, simd_scanning *scanning)
{
    tpi_simd_view_get(&l->view, d, scanning);
    if (l->view.sample_count == 1) {
        scanning->min_angle = scanning->max_angle = 0;
    }
}

static void laser_publish(simd_device *d)
{
    struct laser *l = d->state;
    simd_scan_room *room = d->owner->scan_room;
    const int64_t time_us = tpi_simd_view_read(&l->view, d, room->ranges, room->intensities);
    simd_scanning scanning;

    if (l->view.off || !tpi_simd_is_new(d, time_us)) {
        return;
    }
    for (uint32_t i = 0; i < l->view.count; i++) {
        room->values[i] = (float)room->ranges[i];
        room->echoes[i] = (uint8_t)fmin(fmax(room->intensities[i], 0), 255);
    }
    get_scanning(l, d, &scanning);
    const tp_laser_data data = {
        .min_angle = (float)scanning.min_angle,
        .max_angle = (float)scanning.max_angle,
        .resolution = (float)scanning.resolution,
        .max_range = (float)scanning.max_range,
        .ranges_count = l->view.count,
        .ranges = room->values,
        .intensity_count = l->intensities ? l->view.count : 0,
        .intensity = room->echoes,
        .id = number_of(time_us, &scanning),
    };
    tp_publish(d->device, TP_LASER_DATA_SCAN, &data, (double)time_us / 1e6);
}

/* Beams leave from the sensor, and it says where straight ahead is. */
static tpi_sim_pose laser_within(const simd_device *d)
{
    tpi_sim_sensor sensor = {0};

    (void)tpi_sim_get_sensor(d->owner->world, d->model, 0, &sensor, NULL);
    return sensor.pose;
}

/* The same in space: they leave at half the sensor's height. */
static tpi_sim_pose beams_within(const simd_device *d)
{
    tpi_sim_sensor sensor = {0};

    (void)tpi_sim_get_sensor(d->owner->world, d->model, 0, &sensor, NULL);
    sensor.pose.z += sensor.size[2] / 2;
    return sensor.pose;
}

static tp_status laser_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const tpi_sim_pose base = tpi_sim_pose_on_root(d->owner->world, d->model);
    const tpi_sim_pose within = laser_within(d);
    const tpi_sim_pose pose = tpi_sim_compose(&base, &within);
    tpi_sim_info info;

    (void)err;
    tpi_simd_info(d, &info);
    answer->pose = tpi_simd_pose3d(&pose);
    answer->size = tpi_simd_bbox3d(info.size);
    return TP_OK;
}

static tp_status laser_get_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct laser *l = d->state;
    simd_scanning scanning;

    (void)err;
    get_scanning(l, d, &scanning);
    tpi_simd_view_as_stage(&l->view, d, &scanning);
    *answer = (tp_laser_config){
        .min_angle = (float)scanning.min_angle,
        .max_angle = (float)scanning.max_angle,
        .resolution = (float)scanning.resolution,
        .max_range = (float)scanning.max_range,
        .range_res = (float)scanning.range_res,
        .intensity = l->intensities,
        .scanning_frequency = (float)scanning.frequency,
    };
    return TP_OK;
}

static tp_status laser_set_config(tp_device *device, const tp_laser_config *ask,
                                  tp_laser_config *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    struct laser *l = d->state;
    const simd_scanning wanted = {.min_angle = (double)ask->min_angle,
                                  .max_angle = (double)ask->max_angle,
                                  .resolution = (double)ask->resolution};
    tp_status status = tpi_simd_view_set(&l->view, d, &wanted, err);

    if (status != TP_OK) {
        return status;
    }
    l->intensities = ask->intensity != 0;
    return laser_get_config(device, answer, err);
}

static tp_status laser_power(tp_device *device, const tp_laser_power_config *ask, tp_error *err)
{
    (void)err;
    ((struct laser *)simd_state(device))->view.off = ask->state == 0;
    return TP_OK;
}

static tp_status laser_id(tp_device *device, tp_laser_get_id_config *answer, tp_error *err)
{
    (void)err;
    answer->serial_number = simd_of(device)->model;
    return TP_OK;
}

static const tp_laser_ops laser_ops = {
    .req_get_geom = laser_geom,
    .req_set_config = laser_set_config,
    .req_get_config = laser_get_config,
    .req_power = laser_power,
    .req_get_id = laser_id,
};

const simd_kind tpi_simd_lasers[] = {
    {
        .interface = &tp_interface_laser,
        .ops = &laser_ops,
        .models = SIMD_MODEL(RANGER),
        .needs = "a ranger with one sensor",
        .state_size = sizeof(struct laser),
        .has = tpi_simd_is_beam,
        .suits = tpi_simd_is_scanner,
        .makeshift = true,
        .within = beams_within,
        .begin = laser_begin,
        .publish = laser_publish,
    },
    {0},
};
