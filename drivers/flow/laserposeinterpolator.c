/*
 * laserposeinterpolator - scans together with the pose at which they were taken (SCANPOSE).
 *
 * A scan waits until the robot has said where it was before and after; the pose is between the two.
 */
#include <math.h>
#include <stdlib.h>

#include "forward.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

struct poser {
    tp_device *device;         /* borrowed */
    tp_link *laser, *position; /* borrowed */
    bool interpolates, all;
    size_t most;
    double way, turn, interval; /* of a new scan; below 0 for none */
    tp_msg **scans;             /* owned, each counted: a ring of those that wait */
    size_t first, waiting;
    tp_pose2d poses[2]; /* the last two, the newest one last */
    double times[2];
    int known;
    bool has_sent;
    tp_pose2d sent;
    double sent_s;
};

static const tp_param poser_params[] = {
    {"interpolate", "1", "1", "0 to take the newest pose instead of one in between"},
    {"max_scans", "1", "100", "so many scans wait for a second pose"},
    {"update_thresh", "m rad", "-1 -1", "motion after which a scan is sent; -1 for any"},
    {"update_interval", "s", "-1", "time after which a scan is sent anyway; -1 for never"},
    {"send_all_scans", "1", "1", "1 to send every scan"},
    {NULL, NULL, NULL, NULL},
};

static tp_pose2d between(const struct poser *p, double time)
{
    const tp_pose2d *a = &p->poses[0];
    const tp_pose2d *b = &p->poses[1];
    const double span = p->times[1] - p->times[0];
    const double share = span > 0 ? fmin(fmax((time - p->times[0]) / span, 0), 1) : 1;
    const double turn = remainder(b->pa - a->pa, 6.283185307179586);

    return p->interpolates
               ? (tp_pose2d){a->px + share * (b->px - a->px), a->py + share * (b->py - a->py),
                             remainder(a->pa + share * turn, 6.283185307179586)}
               : *b;
}

static bool is_due(const struct poser *p, const tp_pose2d *pose, double time)
{
    if (p->all || !p->has_sent || (p->interval >= 0 && time - p->sent_s >= p->interval)) {
        return true;
    }
    const bool far = p->way < 0 || hypot(pose->px - p->sent.px, pose->py - p->sent.py) >= p->way;
    const bool turned =
        p->turn < 0 || fabs(remainder(pose->pa - p->sent.pa, 6.283185307179586)) >= p->turn;
    return (p->way < 0 && p->turn < 0) || (p->way >= 0 && far) || (p->turn >= 0 && turned);
}

static void send(struct poser *p, const tp_msg *msg)
{
    const double time = tp_msg_header(msg)->timestamp;
    const tp_laser_data_scanpose out = {.scan = *(const tp_laser_data *)tp_msg_payload(msg),
                                        .pose = between(p, time)};

    if (is_due(p, &out.pose, time)) {
        p->has_sent = true;
        p->sent = out.pose;
        p->sent_s = time;
        tp_publish(p->device, TP_LASER_DATA_SCANPOSE, &out, time);
    }
}

static void drop(struct poser *p)
{
    tp_msg_unref(p->scans[p->first]);
    p->first = (p->first + 1) % p->most;
    p->waiting--;
}

/* Send what is not newer than the newest pose. */
static void flush(struct poser *p)
{
    while (
        p->waiting > 0 && p->known >= (p->interpolates ? 2 : 1) &&
        (!p->interpolates || tp_msg_header(p->scans[p->first])->timestamp <= p->times[1] + 1e-9)) {
        send(p, p->scans[p->first]);
        drop(p);
    }
}

static void take_pose(struct poser *p, const tp_msg *msg)
{
    const tp_position2d_data *data = tp_msg_payload(msg);

    if (tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE && data != NULL &&
        isfinite(data->pos.px + data->pos.py + data->pos.pa)) {
        p->poses[0] = p->poses[1];
        p->times[0] = p->times[1];
        p->poses[1] = data->pos;
        p->times[1] = tp_msg_header(msg)->timestamp;
        p->known += p->known < 2;
        flush(p);
    }
}

static void take_scan(struct poser *p, const tp_msg *msg)
{
    if (tp_msg_header(msg)->subtype != TP_LASER_DATA_SCAN) {
        tpi_forward_data(p->device, msg);
        return;
    }
    if (tp_msg_payload(msg) == NULL) {
        return;
    }
    if (p->waiting == p->most) {
        drop(p); /* the oldest one */
    }
    p->scans[(p->first + p->waiting) % p->most] = tp_msg_ref(msg);
    p->waiting++;
    flush(p);
}

static void poser_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct poser *p = tp_instance_state(self);

    if (from == p->position) {
        take_pose(p, msg);
    } else {
        take_scan(p, msg);
    }
}

static tp_status poser_handle(tp_device *device, const tp_message *what, const void *ask,
                              void *answer, tp_error *err)
{
    struct poser *p = tp_instance_state(tp_device_instance(device));

    (void)answer;
    return tpi_forward_message(device, p->laser, what, ask, FORWARD_TIMEOUT_NS, err);
}

static tp_status poser_init(tp_instance *self, tp_error *err)
{
    struct poser *p = tp_instance_state(self);
    const double most = tp_param_double(self, "max_scans");

    p->interpolates = tp_param_double(self, "interpolate") != 0;
    p->all = tp_param_double(self, "send_all_scans") != 0;
    p->way = tp_param_double_at(self, "update_thresh", 0);
    p->turn = tp_param_double_at(self, "update_thresh", 1);
    p->interval = tp_param_double(self, "update_interval");
    if (!(most >= 1 && most <= 10000)) {
        return tp_fail(err, TP_E_RANGE, "max_scans is not between 1 and 10000");
    }
    if (tp_param_count(self, "update_thresh") != 2) {
        return tp_fail(err, TP_E_INVALID, "update_thresh needs a length and an angle");
    }
    p->most = (size_t)most;
    p->scans = calloc(p->most, sizeof(tp_msg *));
    if (p->scans == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = tp_require(self, &tp_interface_laser, NULL, &p->laser, err);
    status = status == TP_OK ? tp_require(self, &tp_interface_position2d, NULL, &p->position, err)
                             : status;
    return status == TP_OK
               ? tp_offer(self, &tp_interface_laser, NULL, NULL, poser_handle, &p->device, err)
               : status;
}

static void poser_stop(tp_instance *self)
{
    struct poser *p = tp_instance_state(self);

    while (p->waiting > 0) {
        drop(p);
    }
    p->known = 0;
    p->has_sent = false;
}

static void poser_fini(tp_instance *self)
{
    free(((struct poser *)tp_instance_state(self))->scans);
}

static const tp_driver_ops poser_ops = {
    .init = poser_init, .data = poser_data, .stop = poser_stop, .fini = poser_fini};

TP_API const tp_driver tp_driver_laserposeinterpolator = {
    .abi = TP_DRIVER_ABI,
    .name = "laserposeinterpolator",
    .summary = "scans of a laser with the poses at which they were taken",
    .state_size = sizeof(struct poser),
    .params = poser_params,
    .ops = &poser_ops,
};
