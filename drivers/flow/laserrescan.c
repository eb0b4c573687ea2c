/*
 * laserrescan - a laser at other angles: readings between two of the laser are interpolated.
 *
 * Where the laser does not look, or does not see anything on one side, nothing is seen.
 */
#include <math.h>
#include <stdlib.h>

#include "forward.h"
#include "troupe/interfaces/laser.h"

struct rescan {
    tp_device *device;  /* borrowed */
    tp_link *laser;     /* borrowed */
    double least, most; /* angles */
    uint32_t count;
    float *ranges; /* owned */
};

static const tp_param rescan_params[] = {
    {"min_angle", "rad", "-1.5708", "the first angle"},
    {"max_angle", "rad", "1.5708", "the last one"},
    {"scan_count", "1", "181", "how many readings there are"},
    {NULL, NULL, NULL, NULL},
};

static double step(const struct rescan *r)
{
    return (r->most - r->least) / (r->count - 1);
}

/* The range at an angle: between its two neighbours. */
static double range_at(const tp_laser_data *scan, double angle)
{
    const double at = (angle - (double)scan->min_angle) / (double)scan->resolution;
    const double below = floor(at + 1e-6);
    const double share = fmax(at - below, 0);

    if (!(below >= 0 && below < scan->ranges_count)) {
        return (double)scan->max_range;
    }
    const uint32_t i = (uint32_t)below;
    const double near = (double)scan->ranges[i];
    const double far = (double)scan->ranges[i + 1 < scan->ranges_count ? i + 1 : i];
    /* The middle between a thing and what is behind it is nothing: the nearer one counts. */
    return fabs(near - far) < 0.3 ? near + share * (far - near) : share < 0.5 ? near : far;
}

static void rescan_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct rescan *r = tp_instance_state(self);
    const tp_laser_data *scan = tp_msg_payload(msg);

    (void)from;
    if (tp_msg_header(msg)->subtype != TP_LASER_DATA_SCAN) {
        if (tp_interface_message(&tp_interface_common, TP_KIND_DATA, tp_msg_header(msg)->subtype) !=
            NULL) {
            tpi_forward_data(r->device, msg);
        }
        return;
    }
    if (scan == NULL || scan->ranges_count == 0 || !((double)scan->resolution > 0)) {
        return;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        r->ranges[i] = (float)range_at(scan, r->least + i * step(r));
    }
    const tp_laser_data out = {.min_angle = (float)r->least,
                               .max_angle = (float)r->most,
                               .resolution = (float)step(r),
                               .max_range = scan->max_range,
                               .ranges_count = r->count,
                               .ranges = r->ranges,
                               .id = scan->id};
    tp_publish(r->device, TP_LASER_DATA_SCAN, &out, tp_msg_header(msg)->timestamp);
}

/* The laser's own settings, at these angles. */
static void got_config(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                       const char *why)
{
    const struct rescan *r = tp_instance_state(self);
    const tp_laser_config *config = tpi_forward_payload(ticket, status, answer, why, "laser");

    if (config != NULL) {
        tp_laser_config own = *config;
        own.min_angle = (float)r->least;
        own.max_angle = (float)r->most;
        own.resolution = (float)step(r);
        tp_ticket_answer(ticket, &own);
    }
}

static tp_status rescan_handle(tp_device *device, const tp_message *what, const void *ask,
                               void *answer, tp_error *err)
{
    struct rescan *r = tp_instance_state(tp_device_instance(device));

    (void)answer;
    if (!tpi_forward_is_common(what) && what->code == TP_LASER_REQ_GET_CONFIG) {
        return tpi_forward_ask(device, r->laser, what->code, ask, FORWARD_TIMEOUT_NS, got_config,
                               err);
    }
    if (!tpi_forward_is_common(what) && what->code == TP_LASER_REQ_SET_CONFIG) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the configuration sets the angles of laserrescan");
    }
    return tpi_forward_message(device, r->laser, what, ask, FORWARD_TIMEOUT_NS, err);
}

static tp_status rescan_init(tp_instance *self, tp_error *err)
{
    struct rescan *r = tp_instance_state(self);
    const double count = tp_param_double(self, "scan_count");

    r->least = tp_param_double(self, "min_angle");
    r->most = tp_param_double(self, "max_angle");
    if (!(r->least < r->most && r->most - r->least <= 6.3)) {
        return tp_fail(err, TP_E_RANGE, "min_angle is not below max_angle by at most a turn");
    }
    if (!(count >= 2 && count <= 65536)) {
        return tp_fail(err, TP_E_RANGE, "scan_count is not between 2 and 65536");
    }
    r->count = (uint32_t)count;
    r->ranges = calloc(r->count, sizeof *r->ranges);
    if (r->ranges == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tp_status status = tp_require(self, &tp_interface_laser, NULL, &r->laser, err);
    return status == TP_OK
               ? tp_offer(self, &tp_interface_laser, NULL, NULL, rescan_handle, &r->device, err)
               : status;
}

static void rescan_fini(tp_instance *self)
{
    free(((struct rescan *)tp_instance_state(self))->ranges);
}

static const tp_driver_ops rescan_ops = {
    .init = rescan_init, .data = rescan_data, .fini = rescan_fini};

TP_API const tp_driver tp_driver_laserrescan = {
    .abi = TP_DRIVER_ABI,
    .name = "laserrescan",
    .summary = "a laser at other angles",
    .state_size = sizeof(struct rescan),
    .params = rescan_params,
    .ops = &rescan_ops,
};
