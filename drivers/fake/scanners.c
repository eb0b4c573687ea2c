/* scanners.c - laser and ranger: a beam that scans the room. */
#include <math.h>

#include "fake.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"

enum { MOST_READINGS = 1081 };

static const double degree = 0.017453292519943295;
static const double least_m = 0.02;
static const double most_m = 30;

/* A scan at even angles; the resolution divides it without a rest. */
struct scan {
    double first;
    double last;
    double step;
    double most_m;
    uint32_t count;
};

struct scanner {
    struct scan scan;
    bool silent; /* about intensities */
    float range_res;
    uint32_t number;
    float ranges[MOST_READINGS];
    uint8_t intensity[MOST_READINGS];
    double wide_ranges[MOST_READINGS];
    double wide_intensity[MOST_READINGS];
    tp_pose3d element_pose;
    tp_bbox3d element_size;
};

static const tp_property_plan scanner_properties[] = {
    {"min_range", TP_PROPERTY_DOUBLE, false, "m", "The nearest that it can see.", "0.02", NULL},
    {"max_range", TP_PROPERTY_DOUBLE, false, "m", "The farthest that it can see.", "8", NULL},
    {"fov", TP_PROPERTY_DOUBLE, false, "rad", "How wide it sees, from edge to edge.", NULL, NULL},
    {"resolution", TP_PROPERTY_DOUBLE, false, "rad", "Angle between readings.", NULL, NULL},
    {"readings", TP_PROPERTY_INT, false, "", "How many ranges a scan has.", NULL, NULL},
    {0},
};

static void show_scan(fake_device *d)
{
    const struct scan *scan = &((const struct scanner *)d->state)->scan;

    tp_device_set_property_number(d->device, "max_range", scan->most_m);
    tp_device_set_property_number(d->device, "fov", scan->last - scan->first);
    tp_device_set_property_number(d->device, "resolution", scan->step);
    tp_device_set_property_number(d->device, "readings", scan->count);
}

static tp_status scanner_begin(fake_device *d, tp_error *err)
{
    struct scanner *s = d->state;

    (void)err;
    s->scan = (struct scan){-90 * degree, 90 * degree, 0.5 * degree, 8, 361};
    s->range_res = 0.001f;
    show_scan(d);
    return TP_OK;
}

/* The nearest scan to the one asked for that the device can do. */
static void choose_scan(struct scan *scan, double first, double last, double step, double range_m)
{
    first = fmax(-135 * degree, fmin(135 * degree, first));
    last = fmax(first, fmin(135 * degree, last));
    step = fmin(degree, fmax(0.25 * degree, fabs(step)));
    scan->count = (uint32_t)((last - first) / step + 1.0001);
    scan->step = step;
    scan->first = first;
    scan->last = first + step * (scan->count - 1);
    scan->most_m = range_m > 0 ? fmax(1, fmin(most_m, range_m)) : scan->most_m;
}

static void scanner_measure(fake_device *d)
{
    struct scanner *s = d->state;
    const tp_pose2d eye = tpi_fake_eye(d);

    for (uint32_t i = 0; i < s->scan.count; i++) {
        const double angle = s->scan.first + i * s->scan.step;
        const double range = tpi_fake_room_ray(&d->owner->room, &eye, angle, s->scan.most_m);
        const double told = fmax(least_m, fmin(s->scan.most_m, tpi_fake_measure(d, range)));
        s->wide_ranges[i] = told;
        s->ranges[i] = (float)told;
        s->intensity[i] = (uint8_t)(range < s->scan.most_m ? 255 / (1 + range) : 0);
        s->wide_intensity[i] = s->intensity[i];
    }
    s->number++;
}

/* ---- laser ----------------------------------------------------------------------------------- */

static void laser_publish(fake_device *d)
{
    struct scanner *s = d->state;

    scanner_measure(d);
    const tp_laser_data data = {
        .min_angle = (float)s->scan.first,
        .max_angle = (float)s->scan.last,
        .resolution = (float)s->scan.step,
        .max_range = (float)s->scan.most_m,
        .ranges_count = s->scan.count,
        .ranges = s->ranges,
        .intensity_count = s->silent ? 0 : s->scan.count,
        .intensity = s->intensity,
        .id = s->number,
    };
    tp_publish(d->device, TP_LASER_DATA_SCAN, &data, 0);
}

static tp_status laser_get_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    const struct scanner *s = fake_state(device);

    (void)err;
    *answer = (tp_laser_config){
        .min_angle = (float)s->scan.first,
        .max_angle = (float)s->scan.last,
        .resolution = (float)s->scan.step,
        .max_range = (float)s->scan.most_m,
        .range_res = s->range_res,
        .intensity = !s->silent,
        .scanning_frequency = (float)fake_of(device)->owner->rate_hz,
    };
    return TP_OK;
}

static tp_status laser_set_config(tp_device *device, const tp_laser_config *ask,
                                  tp_laser_config *answer, tp_error *err)
{
    struct scanner *s = fake_state(device);

    choose_scan(&s->scan, (double)ask->min_angle, (double)ask->max_angle, (double)ask->resolution,
                (double)ask->max_range);
    show_scan(fake_of(device));
    s->silent = ask->intensity == 0;
    s->range_res = ask->range_res > 0 && ask->range_res <= 1 ? ask->range_res : s->range_res;
    return laser_get_config(device, answer, err);
}

static tp_status laser_get_id(tp_device *device, tp_laser_get_id_config *answer, tp_error *err)
{
    const fake_device *d = fake_of(device);

    (void)err;
    answer->serial_number = (uint32_t)(d->owner->seed * 100 + tp_device_addr(device)->index);
    return TP_OK;
}

static const tp_laser_ops laser_ops = {
    .req_set_config = laser_set_config,
    .req_get_config = laser_get_config,
    .req_get_id = laser_get_id,
};

/* ---- ranger ---------------------------------------------------------------------------------- */

static void ranger_publish(fake_device *d)
{
    struct scanner *s = d->state;

    scanner_measure(d);
    const tp_ranger_data_range ranges = {.ranges_count = s->scan.count, .ranges = s->wide_ranges};
    const tp_ranger_data_intns intensities = {.intensities_count = s->scan.count,
                                              .intensities = s->wide_intensity};
    tp_publish(d->device, TP_RANGER_DATA_RANGE, &ranges, 0);
    if (!s->silent) {
        tp_publish(d->device, TP_RANGER_DATA_INTNS, &intensities, 0);
    }
}

static tp_status ranger_get_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    struct scanner *s = fake_state(device);

    (void)err;
    answer->pose = tpi_fake_pose(fake_of(device));
    answer->size = tpi_fake_size(fake_of(device));
    s->element_pose = (tp_pose3d){0};
    s->element_size = answer->size;
    answer->element_poses = &s->element_pose;
    answer->element_poses_count = 1;
    answer->element_sizes = &s->element_size;
    answer->element_sizes_count = 1;
    return TP_OK;
}

static tp_status ranger_get_config(tp_device *device, tp_ranger_config *answer, tp_error *err)
{
    const struct scanner *s = fake_state(device);

    (void)err;
    *answer = (tp_ranger_config){
        .min_angle = s->scan.first,
        .max_angle = s->scan.last,
        .angular_res = s->scan.step,
        .min_range = least_m,
        .max_range = s->scan.most_m,
        .range_res = 0.001,
        .frequency = fake_of(device)->owner->rate_hz,
    };
    return TP_OK;
}

static tp_status ranger_set_config(tp_device *device, const tp_ranger_config *ask,
                                   tp_ranger_config *answer, tp_error *err)
{
    struct scanner *s = fake_state(device);

    choose_scan(&s->scan, ask->min_angle, ask->max_angle, ask->angular_res, ask->max_range);
    show_scan(fake_of(device));
    return ranger_get_config(device, answer, err);
}

static tp_status ranger_intns(tp_device *device, const tp_ranger_intns_config *ask, tp_error *err)
{
    (void)err;
    ((struct scanner *)fake_state(device))->silent = ask->state == 0;
    return TP_OK;
}

static const tp_ranger_ops ranger_ops = {
    .req_get_geom = ranger_get_geom,
    .req_intns = ranger_intns,
    .req_set_config = ranger_set_config,
    .req_get_config = ranger_get_config,
};

const fake_kind tpi_fake_scanners[] = {
    {
        .interface = &tp_interface_laser,
        .ops = &laser_ops,
        .state_size = sizeof(struct scanner),
        .size = {.sw = 0.16, .sl = 0.15, .sh = 0.21},
        .properties = scanner_properties,
        .begin = scanner_begin,
        .publish = laser_publish,
    },
    {
        .interface = &tp_interface_ranger,
        .ops = &ranger_ops,
        .state_size = sizeof(struct scanner),
        .size = {.sw = 0.16, .sl = 0.15, .sh = 0.21},
        .publishes = 1u << TP_RANGER_DATA_INTNS,
        .properties = scanner_properties,
        .begin = scanner_begin,
        .publish = ranger_publish,
    },
    {0},
};
