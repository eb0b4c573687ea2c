/*
 * laserptzcloud - points in space from a laser that sits on a pan-tilt unit.
 *
 * Each scan gets the tilt (or pan) of its own time, from the poses of the unit before and after it;
 * it waits until the later one is there.
 */
#include <math.h>
#include <stdlib.h>

#include "troupe/driver/pointcloud3d.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ptz.h"

enum { MOST_SCANS = 1000 };

struct cloud {
    tp_device *device;    /* borrowed */
    tp_link *laser, *ptz; /* borrowed */
    double nearest, farthest;
    bool pans;      /* by pan instead of tilt */
    tp_msg **scans; /* owned: those that wait, the oldest first */
    size_t waiting, most;
    double angles[2], times[2];      /* the last two poses */
    unsigned known;                  /* how many there are */
    tp_pointcloud3d_element *points; /* owned: room for a cloud */
    size_t room;
};

static const tp_param cloud_params[] = {
    {"max_distance", "m", "10", "points from here on are left out"},
    {"min_distance", "m", "0.02", "nearer points are left out"},
    {"max_scans", "1", "100", "so many scans wait for the unit; the oldest is left out"},
    {"ptz_pan_or_tilt", "1", "1", "0 if the unit turns the laser by its pan"},
    {NULL, NULL, NULL, NULL},
};

/* The angle of the unit at a time between the two poses. */
static double angle_at(const struct cloud *c, double time)
{
    const double span = c->times[1] - c->times[0];
    const double share = span > 0 ? fmin(fmax((time - c->times[0]) / span, 0), 1) : 1;

    return c->angles[0] + share * (c->angles[1] - c->angles[0]);
}

static bool make_room(struct cloud *c, size_t count)
{
    if (count <= c->room) {
        return true;
    }
    tp_pointcloud3d_element *points = realloc(c->points, count * sizeof *points);
    if (points != NULL) {
        c->points = points;
        c->room = count;
    }
    return points != NULL;
}

/* x is ahead, y to the left, z up; a positive tilt looks up. */
static tp_point_3d point_of(const struct cloud *c, double range, double bearing, double turn)
{
    const double x = range * cos(bearing);
    const double y = range * sin(bearing);

    return c->pans ? (tp_point_3d){.px = x * cos(turn) - y * sin(turn),
                                   .py = x * sin(turn) + y * cos(turn)}
                   : (tp_point_3d){.px = x * cos(turn), .py = y, .pz = x * sin(turn)};
}

static void send(struct cloud *c, const tp_msg *msg)
{
    const tp_laser_data *scan = tp_msg_payload(msg);
    const double time = tp_msg_header(msg)->timestamp;
    const double turn = angle_at(c, time);
    uint32_t count = 0;

    if (!make_room(c, scan->ranges_count)) {
        return;
    }
    for (uint32_t i = 0; i < scan->ranges_count; i++) {
        const double range = (double)scan->ranges[i];
        if (range > c->nearest && range < c->farthest) {
            c->points[count++] = (tp_pointcloud3d_element){
                .point = point_of(c, range, (double)scan->min_angle + (double)scan->resolution * i,
                                  turn)};
        }
    }
    const tp_pointcloud3d_data data = {.points_count = count, .points = c->points};
    tp_pointcloud3d_publish_state(c->device, &data, time);
}

static void drop(struct cloud *c)
{
    tp_msg_unref(c->scans[0]);
    c->waiting--;
    for (size_t i = 0; i < c->waiting; i++) {
        c->scans[i] = c->scans[i + 1];
    }
}

/* Send what is not newer than the newest pose. */
static void flush(struct cloud *c)
{
    while (c->waiting > 0 && c->known == 2 &&
           tp_msg_header(c->scans[0])->timestamp <= c->times[1] + 1e-9) {
        send(c, c->scans[0]);
        drop(c);
    }
}

static void take_pose(struct cloud *c, const tp_msg *msg)
{
    const tp_ptz_data *data = tp_msg_payload(msg);
    const double angle = data == NULL ? 0 : (double)(c->pans ? data->pan : data->tilt);

    if (tp_msg_header(msg)->subtype != TP_PTZ_DATA_STATE || data == NULL || !isfinite(angle)) {
        return;
    }
    c->angles[0] = c->angles[1];
    c->times[0] = c->times[1];
    c->angles[1] = angle;
    c->times[1] = tp_msg_header(msg)->timestamp;
    c->known += c->known < 2;
}

static void cloud_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct cloud *c = tp_instance_state(self);

    if (from == c->ptz) {
        take_pose(c, msg);
    } else if (tp_msg_header(msg)->subtype == TP_LASER_DATA_SCAN && tp_msg_payload(msg) != NULL) {
        if (c->waiting == c->most) {
            drop(c);
        }
        c->scans[c->waiting++] = tp_msg_ref(msg);
    }
    flush(c);
}

static tp_status cloud_init(tp_instance *self, tp_error *err)
{
    struct cloud *c = tp_instance_state(self);
    const double most = tp_param_double(self, "max_scans");
    tp_status status = tp_require(self, &tp_interface_laser, NULL, &c->laser, err);

    c->nearest = tp_param_double(self, "min_distance");
    c->farthest = tp_param_double(self, "max_distance");
    c->pans = tp_param_double(self, "ptz_pan_or_tilt") == 0;
    status = status == TP_OK ? tp_require(self, &tp_interface_ptz, NULL, &c->ptz, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (!(most >= 1 && most <= MOST_SCANS)) {
        return tp_fail(err, TP_E_RANGE, "max_scans is not between 1 and %d", MOST_SCANS);
    }
    if (!(c->nearest >= 0 && c->farthest > c->nearest)) {
        return tp_fail(err, TP_E_RANGE, "max_distance is not above min_distance");
    }
    c->most = (size_t)most;
    c->scans = calloc(c->most, sizeof(tp_msg *));
    return c->scans != NULL ? tp_offer_pointcloud3d(self, NULL, &c->device, err)
                            : tp_fail(err, TP_E_NOMEM, "out of memory");
}

static void cloud_stop(tp_instance *self)
{
    struct cloud *c = tp_instance_state(self);

    while (c->waiting > 0) {
        drop(c);
    }
    c->known = 0;
}

static void cloud_fini(tp_instance *self)
{
    struct cloud *c = tp_instance_state(self);

    free(c->scans);
    free(c->points);
}

static const tp_driver_ops cloud_ops = {
    .init = cloud_init, .data = cloud_data, .stop = cloud_stop, .fini = cloud_fini};

TP_API const tp_driver tp_driver_laserptzcloud = {
    .abi = TP_DRIVER_ABI,
    .name = "laserptzcloud",
    .summary = "points in space from a laser on a pan-tilt unit",
    .state_size = sizeof(struct cloud),
    .params = cloud_params,
    .ops = &cloud_ops,
};
