/*
 * rangertolaser - offers a ranger as a laser, for clients of the older interface.
 *
 * A laser's scan has its angles and intensities with it; a ranger tells its settings apart and its
 * intensities in a message of their own, behind the ranges. So the settings are asked for at the
 * start, and once intensities have been seen a scan waits for them: until they come, or until the
 * next ranges show that they do not.
 */
#include <stdlib.h>

#include "forward.h"
#include "ranging.h"

enum { MOST_MISSES = 2 };

struct rangertolaser {
    tp_device *laser; /* borrowed */
    tp_link *ranger;  /* borrowed */
    tp_laser_config config;
    bool settled; /* the ranger has told its settings, or will not */

    tp_laser_data_scanpose scan; /* being put together; its arrays are owned */
    uint32_t range_capacity;
    uint32_t intensity_capacity;
    double timestamp_s;
    bool posed;      /* the scan has a pose */
    bool waiting;    /* for its intensities */
    bool pairs;      /* ranges are followed by intensities */
    unsigned misses; /* scans in a row without them */
    uint32_t number;
};

/* ---- Settings -------------------------------------------------------------------------------- */

static void learn(struct rangertolaser *r, const tp_ranger_config *config)
{
    r->config = ranging_of_ranger(config, r->config.intensity != 0);
    r->settled = true;
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Ask the ranger; the asker waits until `done` answers the ticket. */
static tp_status ask_ranger(tp_device *device, unsigned code, const void *value, tp_link_done *done,
                            tp_error *err)
{
    const struct rangertolaser *r = tp_instance_state(tp_device_instance(device));

    return tpi_forward_ask(device, r->ranger, code, value, FORWARD_TIMEOUT_NS, done, err);
}

static void got_geom(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                     const char *why)
{
    const tp_ranger_geom *geom = tpi_forward_payload(ticket, status, answer, why, "ranger");

    (void)self;
    if (geom == NULL) {
        return;
    }
    const tp_laser_geom told = {.pose = geom->pose, .size = geom->size};
    tp_ticket_answer(ticket, &told);
}

static void got_config(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct rangertolaser *r = tp_instance_state(self);
    const tp_ranger_config *config = tpi_forward_payload(ticket, status, answer, why, "ranger");

    if (config == NULL) {
        return;
    }
    learn(r, config);
    tp_ticket_answer(ticket, &r->config);
}

/* The laser's own question at the start; a ranger that does not answer is taken as it is. */
static void settle(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                   const char *why)
{
    struct rangertolaser *r = tp_instance_state(self);
    const tp_ranger_config *config = status == TP_OK ? tp_msg_payload(answer) : NULL;

    (void)context;
    (void)why;
    if (config != NULL) {
        learn(r, config);
    }
    r->settled = true;
}

static void intensities_on(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                           const char *why)
{
    struct rangertolaser *r = tp_instance_state(self);

    (void)context;
    (void)answer;
    (void)why;
    r->config.intensity = status == TP_OK;
}

static void intensities_off(tp_instance *self, void *context, tp_status status,
                            const tp_msg *answer, const char *why)
{
    struct rangertolaser *r = tp_instance_state(self);

    (void)context;
    (void)status;
    (void)answer;
    (void)why;
    r->config.intensity = 0;
}

static tp_status get_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    (void)answer;
    return ask_ranger(device, TP_RANGER_REQ_GET_GEOM, NULL, got_geom, err);
}

static tp_status get_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    (void)answer;
    return ask_ranger(device, TP_RANGER_REQ_GET_CONFIG, NULL, got_config, err);
}

/* Intensities are switched first, so that the answer shows what came of it. */
static tp_status set_config(tp_device *device, const tp_laser_config *ask, tp_laser_config *answer,
                            tp_error *err)
{
    struct rangertolaser *r = tp_instance_state(tp_device_instance(device));
    const tp_ranger_intns_config intensities = {.state = ask->intensity};
    const tp_ranger_config config = ranging_of_laser(ask);
    tp_status status =
        tp_link_request(r->ranger, TP_RANGER_REQ_INTNS, &intensities, FORWARD_TIMEOUT_NS,
                        ask->intensity != 0 ? intensities_on : intensities_off, NULL);

    (void)answer;
    return status == TP_OK ? ask_ranger(device, TP_RANGER_REQ_SET_CONFIG, &config, got_config, err)
                           : status;
}

static tp_status power(tp_device *device, const tp_laser_power_config *ask, tp_error *err)
{
    const tp_ranger_power_config config = {.state = ask->state};

    return ask_ranger(device, TP_RANGER_REQ_POWER, &config, tpi_forward_answer, err);
}

static const tp_laser_ops laser_ops = {
    .req_get_geom = get_geom,
    .req_set_config = set_config,
    .req_get_config = get_config,
    .req_power = power,
};

static const forward_front front = {
    .interface = &tp_interface_laser,
    .ops = &laser_ops,
    .sends = 1u << TP_LASER_DATA_SCAN | 1u << TP_LASER_DATA_SCANPOSE,
};

static tp_status rangertolaser_handle(tp_device *device, const tp_message *what, const void *ask,
                                      void *answer, tp_error *err)
{
    const struct rangertolaser *r = tp_instance_state(tp_device_instance(device));

    return tpi_forward_or_operate(&front, device, r->ranger, what, ask, answer, err);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static void publish(struct rangertolaser *r)
{
    tp_laser_data *scan = &r->scan.scan;

    scan->min_angle = r->config.min_angle;
    scan->max_angle = r->config.max_angle;
    scan->resolution = r->config.resolution;
    scan->max_range = r->config.max_range;
    scan->id = ++r->number;
    r->waiting = false;
    if (r->posed) {
        tp_publish(r->laser, TP_LASER_DATA_SCANPOSE, &r->scan, r->timestamp_s);
    } else {
        tp_publish(r->laser, TP_LASER_DATA_SCAN, scan, r->timestamp_s);
    }
}

static bool make_room_for_ranges(struct rangertolaser *r, uint32_t count)
{
    if (count <= r->range_capacity) {
        return true;
    }
    float *ranges = realloc(r->scan.scan.ranges, count * sizeof *ranges);
    if (ranges != NULL) {
        r->scan.scan.ranges = ranges;
        r->range_capacity = count;
    }
    return ranges != NULL;
}

static bool make_room_for_intensities(struct rangertolaser *r, uint32_t count)
{
    if (count <= r->intensity_capacity) {
        return true;
    }
    uint8_t *intensity = realloc(r->scan.scan.intensity, count);
    if (intensity != NULL) {
        r->scan.scan.intensity = intensity;
        r->intensity_capacity = count;
    }
    return intensity != NULL;
}

/* A scan whose intensities did not come goes without them. If that happens again at once, the next
 * ones do not wait any more. */
static void flush(struct rangertolaser *r)
{
    if (!r->waiting) {
        return;
    }
    publish(r);
    r->misses++;
    if (r->misses == MOST_MISSES) {
        r->pairs = false;
        r->config.intensity = 0;
    }
}

static void take_ranges(struct rangertolaser *r, const tp_ranger_data_range *data,
                        double timestamp_s)
{
    tp_laser_data *scan = &r->scan.scan;

    if (!make_room_for_ranges(r, data->ranges_count)) {
        return;
    }
    scan->ranges_count = data->ranges_count;
    scan->intensity_count = 0;
    for (uint32_t i = 0; i < data->ranges_count; i++) {
        scan->ranges[i] = (float)data->ranges[i];
    }
    r->timestamp_s = timestamp_s;
    r->waiting = r->pairs;
    if (!r->pairs) {
        publish(r);
    }
}

static void take_intensities(struct rangertolaser *r, const tp_ranger_data_intns *data)
{
    tp_laser_data *scan = &r->scan.scan;

    r->pairs = true;
    r->misses = 0;
    r->config.intensity = 1;
    if (!r->waiting || !make_room_for_intensities(r, data->intensities_count)) {
        return;
    }
    scan->intensity_count = data->intensities_count;
    for (uint32_t i = 0; i < data->intensities_count; i++) {
        const double strength = data->intensities[i];
        scan->intensity[i] = strength > 0 ? (uint8_t)(strength < 255 ? strength : 255) : 0;
    }
    publish(r);
}

/* Stamped data brings along where it was taken and with which settings. */
static void take_stamp(struct rangertolaser *r, const tp_ranger_data_rangestamped *data)
{
    const tp_pose3d *pose = &data->geom.pose;

    r->posed = data->have_geom != 0;
    r->scan.pose = (tp_pose2d){.px = pose->px, .py = pose->py, .pa = pose->pyaw};
    if (data->have_config != 0) {
        learn(r, &data->config);
    }
}

static void take(struct rangertolaser *r, unsigned code, const void *payload, double timestamp_s)
{
    const tp_ranger_data_rangestamped *stamped = payload;

    switch (code) {
    case TP_RANGER_DATA_RANGE:
        flush(r);
        r->posed = false;
        take_ranges(r, payload, timestamp_s);
        break;
    case TP_RANGER_DATA_RANGESTAMPED:
        flush(r);
        take_stamp(r, stamped);
        take_ranges(r, &stamped->data, timestamp_s);
        break;
    case TP_RANGER_DATA_INTNS:
        take_intensities(r, payload);
        break;
    case TP_RANGER_DATA_INTNSSTAMPED:
        take_intensities(r, &((const tp_ranger_data_intnsstamped *)payload)->data);
        break;
    default:
        break; /* a changed geometry has no form as laser data */
    }
}

/* Scans that come before the settings are known would have no angles. */
static void rangertolaser_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct rangertolaser *r = tp_instance_state(self);
    const tp_msghdr *header = tp_msg_header(msg);
    const void *payload = tp_msg_payload(msg);

    (void)from;
    if (tp_interface_message(&tp_interface_common, TP_KIND_DATA, header->subtype) != NULL) {
        tpi_forward_data(r->laser, msg);
    } else if (r->settled && payload != NULL) {
        take(r, header->subtype, payload, header->timestamp);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status rangertolaser_init(tp_instance *self, tp_error *err)
{
    struct rangertolaser *r = tp_instance_state(self);
    tp_status status = tp_require(self, &tp_interface_ranger, NULL, &r->ranger, err);

    return status == TP_OK ? tp_offer(self, &tp_interface_laser, NULL, NULL, rangertolaser_handle,
                                      &r->laser, err)
                           : status;
}

static tp_status rangertolaser_start(tp_instance *self, tp_error *err)
{
    struct rangertolaser *r = tp_instance_state(self);
    tp_status status = tp_link_request(r->ranger, TP_RANGER_REQ_GET_CONFIG, NULL,
                                       FORWARD_TIMEOUT_NS, settle, NULL);

    r->waiting = false;
    r->pairs = false;
    return status == TP_OK ? TP_OK : tp_fail(err, status, "the ranger cannot be asked");
}

static void rangertolaser_fini(tp_instance *self)
{
    struct rangertolaser *r = tp_instance_state(self);

    free(r->scan.scan.ranges);
    free(r->scan.scan.intensity);
}

static const tp_driver_ops rangertolaser_ops = {
    .init = rangertolaser_init,
    .start = rangertolaser_start,
    .data = rangertolaser_data,
    .fini = rangertolaser_fini,
};

TP_API const tp_driver tp_driver_rangertolaser = {
    .abi = TP_DRIVER_ABI,
    .name = "rangertolaser",
    .summary = "offers a ranger as a laser",
    .state_size = sizeof(struct rangertolaser),
    .ops = &rangertolaser_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
