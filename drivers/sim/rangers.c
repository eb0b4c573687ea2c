/*
 * rangers.c - ranger and sonar.
 *
 * As in Stage, a ranger with one sensor sends all its rays, one with several the first ray of each;
 * ranges first, then intensities.
 */
#include <stdlib.h>

#include "scanning.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"

struct ranger {
    simd_view view;
    double *ranges;      /* owned: room for what cannot be sent as it is */
    double *intensities; /* owned */
    bool no_intensities;
    tp_pose3d *poses; /* owned: of elements */
    tp_bbox3d *sizes; /* owned */
};

/* ---- ranger ---------------------------------------------------------------------------------- */

static tp_status fill_elements(const simd_device *d, struct ranger *r, tp_error *err)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < r->view.sensor_count && status == TP_OK; i++) {
        tpi_sim_sensor sensor;
        status = tpi_sim_get_sensor(d->owner->world, d->model, i, &sensor, err);
        if (status == TP_OK) {
            r->poses[i] = simd_pose3d(&sensor.pose);
            r->sizes[i] = simd_bbox3d(sensor.size);
        }
    }
    return status;
}

static tp_status ranger_begin(simd_device *d, tp_error *err)
{
    struct ranger *r = d->state;
    tp_status status = simd_view_init(&r->view, d, err);

    if (status != TP_OK) {
        return status;
    }
    r->ranges = calloc(r->view.sample_count + 1, sizeof *r->ranges);
    r->intensities = calloc(r->view.sample_count + 1, sizeof *r->intensities);
    r->poses = calloc(r->view.sensor_count + 1, sizeof *r->poses);
    r->sizes = calloc(r->view.sensor_count + 1, sizeof *r->sizes);
    return r->ranges == NULL || r->intensities == NULL || r->poses == NULL || r->sizes == NULL
               ? tp_fail(err, TP_E_NOMEM, "out of memory")
               : fill_elements(d, r, err);
}

static void ranger_end(simd_device *d)
{
    struct ranger *r = d->state;

    free(r->ranges);
    free(r->intensities);
    free(r->poses);
    free(r->sizes);
}

static void ranger_publish(simd_device *d)
{
    struct ranger *r = d->state;
    int64_t time_us = -1;
    const double *ranges = simd_view_borrow(&r->view, d, &time_us);

    if (ranges == NULL) {
        time_us = simd_view_read(&r->view, d, r->ranges, NULL);
        ranges = r->ranges;
    }
    if (r->view.off || !simd_is_new(d, time_us)) {
        return;
    }
    const tp_ranger_data_range data = {.ranges_count = r->view.count,
                                       .ranges = (double *)(uintptr_t)ranges};
    tp_publish(d->device, TP_RANGER_DATA_RANGE, &data, (double)time_us / 1e6);
    if (!r->no_intensities) {
        (void)simd_view_read(&r->view, d, NULL, r->intensities);
        const tp_ranger_data_intns intensities = {.intensities_count = r->view.count,
                                                  .intensities = r->intensities};
        tp_publish(d->device, TP_RANGER_DATA_INTNS, &intensities, (double)time_us / 1e6);
    }
}

static tp_status ranger_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    const simd_device *d = simd_of(device);
    const struct ranger *r = d->state;
    const tpi_sim_pose pose = simd_pose_on_robot(d->owner, d->model);
    tpi_sim_info info;

    (void)err;
    simd_info(d, &info);
    answer->pose = simd_pose3d(&pose);
    answer->size = simd_bbox3d(info.size);
    answer->element_poses_count = r->view.sensor_count;
    answer->element_poses = r->poses;
    answer->element_sizes_count = r->view.sensor_count;
    answer->element_sizes = r->sizes;
    return TP_OK;
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
    simd_view_get(&r->view, d, &scanning);
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
    tp_status status = simd_view_set(&r->view, d, &wanted, err);

    return status == TP_OK ? ranger_get_config(device, answer, err) : status;
}

static const tp_ranger_ops ranger_ops = {
    .req_get_geom = ranger_geom,
    .req_power = ranger_power,
    .req_intns = ranger_intensities,
    .req_set_config = ranger_set_config,
    .req_get_config = ranger_get_config,
};

/* ---- sonar ----------------------------------------------------------------------------------- */

struct sonar {
    simd_view view;
    double *ranges;   /* owned */
    float *sent;      /* owned: the same */
    tp_pose3d *poses; /* owned: on the robot */
};

/* Sensors around a robot, each with a ray or two. */
static bool sonar_suits(const simd *s, tpi_sim_model model)
{
    return tpi_sim_sensor_count(s->world, model) > 1;
}

static tp_status sonar_begin(simd_device *d, tp_error *err)
{
    struct sonar *r = d->state;
    const tpi_sim_pose base = simd_pose_on_robot(d->owner, d->model);
    tp_status status = simd_view_init(&r->view, d, err);

    r->ranges = calloc(r->view.sample_count + 1, sizeof *r->ranges);
    r->sent = calloc(r->view.sample_count + 1, sizeof *r->sent);
    r->poses = calloc(r->view.sensor_count + 1, sizeof *r->poses);
    if (status == TP_OK && (r->ranges == NULL || r->sent == NULL || r->poses == NULL)) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < r->view.sensor_count && status == TP_OK; i++) {
        tpi_sim_sensor sensor;
        status = tpi_sim_get_sensor(d->owner->world, d->model, i, &sensor, err);
        if (status == TP_OK) {
            const tpi_sim_pose pose = simd_compose(&base, &sensor.pose);
            r->poses[i] = simd_pose3d(&pose);
        }
    }
    return status;
}

static void sonar_end(simd_device *d)
{
    struct sonar *r = d->state;

    free(r->ranges);
    free(r->sent);
    free(r->poses);
}

static void sonar_publish(simd_device *d)
{
    struct sonar *r = d->state;
    const int64_t time_us = simd_view_read(&r->view, d, r->ranges, NULL);

    if (r->view.off || !simd_is_new(d, time_us)) {
        return;
    }
    for (uint32_t i = 0; i < r->view.count; i++) {
        r->sent[i] = (float)r->ranges[i];
    }
    const tp_sonar_data data = {.ranges_count = r->view.count, .ranges = r->sent};
    tp_publish(d->device, TP_SONAR_DATA_RANGES, &data, (double)time_us / 1e6);
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    const struct sonar *r = simd_state(device);

    (void)err;
    answer->poses_count = r->view.sensor_count;
    answer->poses = r->poses;
    return TP_OK;
}

static tp_status sonar_power(tp_device *device, const tp_sonar_power_config *ask, tp_error *err)
{
    (void)err;
    ((struct sonar *)simd_state(device))->view.off = ask->state == 0;
    return TP_OK;
}

static const tp_sonar_ops sonar_ops = {
    .req_get_geom = sonar_geom,
    .req_power = sonar_power,
};

const simd_kind simd_rangers[] = {
    {
        .interface = &tp_interface_ranger,
        .ops = &ranger_ops,
        .models = SIMD_MODEL(RANGER),
        .state_size = sizeof(struct ranger),
        .begin = ranger_begin,
        .publish = ranger_publish,
        .end = ranger_end,
    },
    {
        .interface = &tp_interface_sonar,
        .ops = &sonar_ops,
        .models = SIMD_MODEL(RANGER),
        .asked_only = true,
        .state_size = sizeof(struct sonar),
        .suits = sonar_suits,
        .begin = sonar_begin,
        .publish = sonar_publish,
        .end = sonar_end,
    },
    {0},
};
