/* scans.c - from scans to the space that is free for the robot. */
#include <math.h>
#include <stdlib.h>

#include "cspace.h"

static const double circle = 6.283185307179586;

static bool make_room(struct cspace *c, uint32_t count)
{
    if (count <= c->capacity) {
        return true;
    }
    space_point *points = realloc(c->points, count * sizeof *points);
    c->points = points == NULL ? c->points : points;
    double *ways = realloc(c->ways, count * sizeof *ways);
    c->ways = ways == NULL ? c->ways : ways;
    float *ranges = realloc(c->ranges, count * sizeof *ranges);
    c->ranges = ranges == NULL ? c->ranges : ranges;
    c->capacity = points == NULL || ways == NULL || ranges == NULL ? c->capacity : count;
    return count <= c->capacity;
}

static bool is_good(const space_fan *fan)
{
    return fan->count > 0 && fabs(fan->first) <= 2 * circle && fan->step > 0 &&
           fan->step * (fan->count - 1) <= 1.001 * circle; /* some tell their step in few digits */
}

/* A range in a scan, whatever its kind. */
static double range_at(const float *narrow, const double *wide, uint32_t i)
{
    return narrow != NULL ? (double)narrow[i] : wide[i];
}

/* The places that were measured, from the robot's centre. A range of 0 or less is no reading, and
 * one of the greatest range is nothing seen. Returns the way where nothing is in it. */
static double measure(struct cspace *c, const space_fan *fan, const float *narrow,
                      const double *wide, uint32_t *count)
{
    const double most = c->config.max_range;
    double farthest = 0;

    *count = 0;
    for (uint32_t i = 0; i < fan->count; i++) {
        const double range = range_at(narrow, wide, i);
        const double angle = fan->first + fan->step * i;
        if (!(range > 0 && isfinite(range)) || (most > 0 && range >= most)) {
            continue;
        }
        c->points[(*count)++] =
            (space_point){range * cos(angle) - c->centre.x, range * sin(angle) - c->centre.y};
        farthest = fmax(farthest, range);
    }
    return most > 0 ? most : farthest;
}

/* False if this scan cannot be used. The result is in c->ways. */
static bool compute(struct cspace *c, const space_fan *fan, const float *narrow, const double *wide)
{
    uint32_t count = 0;

    if (!is_good(fan) || !make_room(c, fan->count)) {
        return false;
    }
    const double most = measure(c, fan, narrow, wide, &count);
    return tpi_cspace_space_clear(&c->space, &c->outline, c->points, count, fan, most, c->ways);
}

static tp_laser_data laser_scan(struct cspace *c, const space_fan *fan, uint32_t number)
{
    for (uint32_t i = 0; i < fan->count; i++) {
        c->ranges[i] = (float)c->ways[i];
    }
    return (tp_laser_data){.min_angle = (float)fan->first,
                           .max_angle = (float)(fan->first + fan->step * (fan->count - 1)),
                           .resolution = (float)fan->step,
                           .max_range = (float)c->config.max_range,
                           .ranges_count = fan->count,
                           .ranges = c->ranges,
                           .id = number};
}

static void publish_ranger(struct cspace *c, const space_fan *fan, double timestamp_s)
{
    const tp_ranger_data_range data = {.ranges_count = fan->count, .ranges = c->ways};

    if (c->ranger != NULL) {
        tp_publish(c->ranger, TP_RANGER_DATA_RANGE, &data, timestamp_s);
    }
}

/* `pose` is where the sensor was in the world; NULL if it did not say. */
static void take_laser(struct cspace *c, const tp_laser_data *scan, const tp_pose2d *pose,
                       double timestamp_s)
{
    const space_fan fan = {(double)scan->min_angle, (double)scan->resolution, scan->ranges_count};

    c->config.min_angle = (double)scan->min_angle;
    c->config.max_angle = (double)scan->max_angle;
    c->config.angular_res = (double)scan->resolution;
    c->config.max_range = (double)scan->max_range;
    if (!compute(c, &fan, scan->ranges, NULL)) {
        return;
    }
    publish_ranger(c, &fan, timestamp_s);
    if (c->laser == NULL) {
        return;
    }
    tp_laser_data_scanpose out = {.scan = laser_scan(c, &fan, scan->id)};
    if (pose == NULL) {
        tp_publish(c->laser, TP_LASER_DATA_SCAN, &out.scan, timestamp_s);
        return;
    }
    out.pose = *pose;
    out.pose.px += cos(pose->pa) * c->centre.x - sin(pose->pa) * c->centre.y;
    out.pose.py += sin(pose->pa) * c->centre.x + cos(pose->pa) * c->centre.y;
    tp_publish(c->laser, TP_LASER_DATA_SCANPOSE, &out, timestamp_s);
}

static void take_ranger(tp_instance *self, const tp_ranger_data_range *data, double timestamp_s)
{
    struct cspace *c = tp_instance_state(self);
    const space_fan fan = {c->config.min_angle, c->config.angular_res, data->ranges_count};

    if (data->ranges_count > 1 && !(fan.step > 0)) {
        tp_instance_fail(self, TP_E_UNSUPPORTED,
                         "the ranger does not say at which angles it measures");
        return;
    }
    if (!compute(c, &fan, NULL, data->ranges)) {
        return;
    }
    publish_ranger(c, &fan, timestamp_s);
    if (c->laser != NULL) {
        const tp_laser_data scan = laser_scan(c, &fan, 0);
        tp_publish(c->laser, TP_LASER_DATA_SCAN, &scan, timestamp_s);
    }
}

void tpi_cspace_take(tp_instance *self, unsigned code, const void *payload, double timestamp_s)
{
    struct cspace *c = tp_instance_state(self);
    const tp_laser_data_scanpose *posed = payload;
    const tp_ranger_data_rangestamped *stamped = payload;

    if (cspace_of_laser(c) && code == TP_LASER_DATA_SCAN) {
        take_laser(c, payload, NULL, timestamp_s);
    } else if (cspace_of_laser(c) && code == TP_LASER_DATA_SCANPOSE) {
        take_laser(c, &posed->scan, &posed->pose, timestamp_s);
    } else if (!cspace_of_laser(c) && code == TP_RANGER_DATA_RANGE) {
        take_ranger(self, payload, timestamp_s);
    } else if (!cspace_of_laser(c) && code == TP_RANGER_DATA_RANGESTAMPED) {
        tpi_cspace_learn_config(c, stamped->have_config != 0 ? &stamped->config : NULL);
        take_ranger(self, &stamped->data, timestamp_s);
    }
}
