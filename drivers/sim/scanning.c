/* scanning.c - see scanning.h. */
#include "scanning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Room ------------------------------------------------------------------------------------ */

tp_status tpi_simd_scan_room_create(simd *s, tp_error *err)
{
    const size_t samples = (size_t)s->most_samples + 1;
    const size_t sensors = (size_t)s->most_sensors + 1;
    simd_scan_room *room = calloc(1, sizeof *room);

    s->scan_room = room;
    if (room == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    room->ranges = calloc(samples, sizeof *room->ranges);
    room->intensities = calloc(samples, sizeof *room->intensities);
    room->values = calloc(samples, sizeof *room->values);
    room->voltages = calloc(samples, sizeof *room->voltages);
    room->echoes = calloc(samples, sizeof *room->echoes);
    room->poses = calloc(sensors, sizeof *room->poses);
    room->sizes = calloc(sensors, sizeof *room->sizes);
    return room->ranges == NULL || room->intensities == NULL || room->values == NULL ||
                   room->voltages == NULL || room->echoes == NULL || room->poses == NULL ||
                   room->sizes == NULL
               ? tp_fail(err, TP_E_NOMEM, "out of memory")
               : TP_OK;
}

void tpi_simd_scan_room_destroy(simd_scan_room *room)
{
    if (room == NULL) {
        return;
    }
    free(room->ranges);
    free(room->intensities);
    free(room->values);
    free(room->voltages);
    free(room->echoes);
    free(room->poses);
    free(room->sizes);
    free(room);
}

/* ---- What there is to see -------------------------------------------------------------------- */

bool tpi_simd_is_scanner(const simd *s, tpi_sim_model model)
{
    tpi_sim_sensor sensor;

    return tpi_sim_sensor_count(s->world, model) == 1 &&
           tpi_sim_get_sensor(s->world, model, 0, &sensor, NULL) == TP_OK && sensor.samples > 1;
}

bool tpi_simd_is_beam(const simd *s, tpi_sim_model model)
{
    return tpi_sim_sensor_count(s->world, model) == 1;
}

bool tpi_simd_is_eyes(const simd *s, tpi_sim_model model)
{
    return tpi_sim_sensor_count(s->world, model) > 0 && !tpi_simd_is_scanner(s, model);
}

/* Its room is made when all rangers are known. */
static void ask_for_room(simd *s, const simd_view *view)
{
    s->most_samples = view->sample_count > s->most_samples ? view->sample_count : s->most_samples;
    s->most_sensors = view->sensor_count > s->most_sensors ? view->sensor_count : s->most_sensors;
}

tp_status tpi_simd_view_init(simd_view *view, const simd_device *d, tp_error *err)
{
    const tpi_sim *world = d->owner->world;

    *view = (simd_view){.sensor_count = tpi_sim_sensor_count(world, d->model), .stride = 1};
    if (view->sensor_count == 0) {
        return TP_OK; /* it never sees anything */
    }
    tp_status status = tpi_sim_get_sensor(world, d->model, 0, &view->sensor, err);
    view->sample_count = view->sensor_count > 1 ? view->sensor_count : view->sensor.samples;
    view->count = view->sample_count;
    if (view->sensor_count == 1 && view->sensor.samples > 1) {
        view->step = view->sensor.fov / (view->sensor.samples - 1);
    }
    ask_for_room(d->owner, view);
    return status;
}

tp_status tpi_simd_view_place(const simd_view *view, const simd_device *d, bool on_robot,
                              tp_error *err)
{
    const tpi_sim_pose base = tpi_sim_pose_on_root(d->owner->world, d->model);
    simd_scan_room *room = d->owner->scan_room;
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < view->sensor_count && status == TP_OK; i++) {
        tpi_sim_sensor sensor;
        status = tpi_sim_get_sensor(d->owner->world, d->model, i, &sensor, err);
        if (status == TP_OK) {
            const tpi_sim_pose pose = on_robot ? tpi_sim_compose(&base, &sensor.pose) : sensor.pose;
            room->poses[i] = tpi_simd_pose3d(&pose);
            room->sizes[i] = tpi_simd_bbox3d(sensor.size);
        }
    }
    return status;
}

static double range_max(const simd_view *view, const simd_device *d)
{
    const double most = d->profile != NULL ? d->profile->range_max : 0;

    return most > 0 && most < view->sensor.range_max ? most : view->sensor.range_max;
}

void tpi_simd_view_get(const simd_view *view, const simd_device *d, simd_scanning *scanning)
{
    tpi_sim_info info;
    const double begin = view->step > 0 ? -view->sensor.fov / 2 : 0;
    const int64_t step_us = tpi_sim_interval_us(d->owner->world);

    tpi_simd_info(d, &info);
    *scanning = (simd_scanning){
        .min_angle = begin + view->step * view->first,
        .max_angle = begin,
        .resolution = view->step * view->stride,
        .max_range = range_max(view, d),
        .range_res = d->profile != NULL ? d->profile->range_res : 0,
        .frequency = 1e6 / (double)(info.update_us > step_us ? info.update_us : step_us),
    };
    if (view->step == 0) {                              /* one ray, or sensors all around */
        scanning->min_angle = 0 - view->sensor.fov / 2; /* of nothing it is 0, not -0 */
        scanning->max_angle = view->sensor.fov / 2;
        scanning->resolution = view->sensor.fov; /* as Stage has it; programs divide by it */
    } else if (view->count > 0) {
        scanning->max_angle += view->step * (view->first + view->stride * (view->count - 1));
    }
}

void tpi_simd_view_as_stage(const simd_view *view, const simd_device *d, simd_scanning *scanning)
{
    static const double cell_m = 0.02;

    if (d->profile != NULL || view->step == 0 || view->count != view->sample_count) {
        return;
    }
    scanning->resolution = view->sensor.fov / view->sample_count;
    scanning->range_res = cell_m;
}

/* ---- Properties ------------------------------------------------------------------------------ */

static const tp_property_plan scanner_properties[] = {
    {"min_range", TP_PROPERTY_DOUBLE, false, "m", "The nearest that it can see.", NULL, NULL},
    {"max_range", TP_PROPERTY_DOUBLE, false, "m", "The farthest that it can see.", NULL, NULL},
    {"fov", TP_PROPERTY_DOUBLE, false, "rad", "How wide it sees, from edge to edge.", NULL, NULL},
    {"resolution", TP_PROPERTY_DOUBLE, false, "rad", "Angle between readings.", NULL, NULL},
    {"readings", TP_PROPERTY_INT, false, "", "How many ranges a scan has.", NULL, NULL},
    {0},
};

static const tp_property_plan eyes_properties[] = {
    {"min_range", TP_PROPERTY_DOUBLE, false, "m", "The nearest that it can see.", NULL, NULL},
    {"max_range", TP_PROPERTY_DOUBLE, false, "m", "The farthest that it can see.", NULL, NULL},
    {"fov", TP_PROPERTY_DOUBLE, false, "rad", "How wide its sensors see together.", NULL, NULL},
    {"sensors", TP_PROPERTY_INT, false, "", "How many sensors it has.", NULL, NULL},
    {0},
};

/* What all sensors of a ranger reach together. */
struct reach {
    double nearest, farthest;
    double right, left; /* directions of the edges */
};

static struct reach reach_of(const simd_view *view, const simd_device *d)
{
    struct reach reach = {HUGE_VAL, 0, HUGE_VAL, -HUGE_VAL};
    tpi_sim_sensor sensor;

    for (uint32_t i = 0; i < view->sensor_count; i++) {
        if (tpi_sim_get_sensor(d->owner->world, d->model, i, &sensor, NULL) == TP_OK) {
            reach.nearest = fmin(reach.nearest, sensor.range_min);
            reach.farthest = fmax(reach.farthest, sensor.range_max);
            reach.right = fmin(reach.right, sensor.pose.a - sensor.fov / 2);
            reach.left = fmax(reach.left, sensor.pose.a + sensor.fov / 2);
        }
    }
    return view->sensor_count > 0 ? reach : (struct reach){0};
}

void tpi_simd_view_show(const simd_view *view, const simd_device *d)
{
    const double circle = 2 * SIMD_PI;
    const struct reach reach = reach_of(view, d);
    const double most = d->profile != NULL ? d->profile->range_max : 0;
    simd_scanning scanning;

    tpi_simd_view_get(view, d, &scanning);
    tp_device_set_property_number(d->device, "min_range", reach.nearest);
    tp_device_set_property_number(d->device, "max_range",
                                  most > 0 ? fmin(most, reach.farthest) : reach.farthest);
    tp_device_set_property_number(d->device, "fov",
                                  view->sensor_count == 1 ? scanning.max_angle - scanning.min_angle
                                                          : fmin(circle, reach.left - reach.right));
    tp_device_set_property_number(d->device, "resolution", scanning.resolution);
    tp_device_set_property_number(d->device, "readings", view->count);
    tp_device_set_property_number(d->device, "sensors", view->sensor_count);
}

tp_status tpi_simd_view_tell(const simd_view *view, const simd_device *d, bool eyes, tp_error *err)
{
    const tp_property_plan *plan = eyes ? eyes_properties : scanner_properties;
    tp_status status = TP_OK;

    for (; plan->key != NULL && status == TP_OK; plan++) {
        status = tp_device_add_property(d->device, plan, err);
    }
    if (status == TP_OK) {
        tpi_simd_view_show(view, d);
    }
    return status;
}

/* ---- What is shown --------------------------------------------------------------------------- */

/* One of those that the profile has, if it has any; it may be typed with a few digits. */
static tp_status check_resolution(const simd_device *d, double resolution, tp_error *err)
{
    static const double none[1];
    const double *known = d->profile != NULL ? d->profile->resolutions : none;
    const size_t most = sizeof d->profile->resolutions / sizeof known[0];
    char list[64] = "";

    for (size_t i = 0; known[0] > 0 && i < most && known[i] > 0; i++) {
        const size_t length = strlen(list);
        if (fabs(known[i] - resolution) < 0.01 * known[i]) {
            return TP_OK;
        }
        snprintf(list + length, sizeof list - length, "%s%.4g", i == 0 ? "" : ", ", known[i]);
    }
    return known[0] == 0 ? TP_OK
                         : tp_fail(err, TP_E_RANGE, "a %s has no resolution of %.4g rad, but %s",
                                   d->profile->name, resolution, list);
}

/* The rays of the file, or every n-th of them. A request within the device's limits is granted, or
 * refused with what the model lacks. */
static tp_status check_rays(const simd_view *view, const simd_device *d, double resolution,
                            tp_error *err)
{
    const double shown = fmax(rint(resolution / view->step), 1) * view->step;

    if (d->profile == NULL || d->profile->resolutions[0] == 0 ||
        fabs(shown - resolution) < 0.02 * resolution) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_UNSUPPORTED,
                   "its model has a ray for each %.4g rad; for %.4g rad write \"samples %.0f\"",
                   view->step, resolution, rint(view->sensor.fov / resolution) + 1);
}

tp_status tpi_simd_view_set(simd_view *view, const simd_device *d, const simd_scanning *wanted,
                            tp_error *err)
{
    const double begin = -view->sensor.fov / 2;
    const double rounding = 1e-2; /* of a step: angles come as floats, or are typed */

    if (view->step == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "it does not scan, so there is nothing to change");
    }
    if (!(wanted->min_angle >= -7 && wanted->max_angle <= 7 &&
          wanted->min_angle < wanted->max_angle && wanted->resolution > 0)) {
        return tp_fail(err, TP_E_RANGE,
                       "a scan from %g to %g rad in steps of %g rad makes no sense",
                       wanted->min_angle, wanted->max_angle, wanted->resolution);
    }
    tp_status status = check_resolution(d, wanted->resolution, err);
    status = status == TP_OK ? check_rays(view, d, wanted->resolution, err) : status;
    if (status != TP_OK) {
        return status;
    }
    const double last = view->sample_count - 1;
    const double stride = fmin(fmax(rint(wanted->resolution / view->step), 1), last);
    const double first =
        fmin(fmax(ceil((wanted->min_angle - begin) / view->step - rounding), 0), last);
    const double end =
        fmin(fmax(floor((wanted->max_angle - begin) / view->step + rounding), first), last);
    view->stride = (uint32_t)stride;
    view->first = (uint32_t)first;
    view->count = (uint32_t)((end - first) / stride) + 1;
    tpi_simd_view_show(view, d);
    return TP_OK;
}

double tpi_simd_view_range(const simd_device *d, double range)
{
    const simd_profile *profile = d->profile;

    if (profile == NULL || profile->range_max == 0) {
        return range;
    }
    if (range >= profile->range_max) {
        return isnan(profile->none) ? profile->range_max : profile->none;
    }
    return profile->range_res > 0 ? rint(range / profile->range_res) * profile->range_res : range;
}

/* One sensor gives all that is shown. */
static int64_t read_one(const simd_view *view, const simd_device *d, double *ranges,
                        double *intensities)
{
    tpi_sim_scan scan;

    if (tpi_sim_get_scan(d->owner->world, d->model, 0, &scan, NULL) != TP_OK) {
        return -1;
    }
    for (uint32_t i = 0, k = view->first; i < view->count; i++, k += view->stride) {
        if (ranges != NULL) {
            ranges[i] = tpi_simd_view_range(d, scan.ranges[k]);
        }
        if (intensities != NULL) {
            intensities[i] = (double)scan.intensities[k];
        }
    }
    return scan.time_us;
}

int64_t tpi_simd_view_read(const simd_view *view, const simd_device *d, double *ranges,
                           double *intensities)
{
    tpi_sim_scan scan = {.time_us = -1};

    if (view->sensor_count == 1) {
        return read_one(view, d, ranges, intensities);
    }
    for (uint32_t i = 0; i < view->count; i++) {
        if (tpi_sim_get_scan(d->owner->world, d->model, i, &scan, NULL) != TP_OK) {
            return -1;
        }
        if (ranges != NULL) {
            ranges[i] = tpi_simd_view_range(d, scan.ranges[0]);
        }
        if (intensities != NULL) {
            intensities[i] = (double)scan.intensities[0];
        }
    }
    return scan.time_us;
}

const double *tpi_simd_view_borrow(const simd_view *view, const simd_device *d, int64_t *time_us)
{
    tpi_sim_scan scan;

    if (view->sensor_count != 1 || view->stride != 1 ||
        (d->profile != NULL && d->profile->range_max > 0) ||
        tpi_sim_get_scan(d->owner->world, d->model, 0, &scan, NULL) != TP_OK) {
        return NULL;
    }
    *time_us = scan.time_us;
    return scan.ranges + view->first;
}
