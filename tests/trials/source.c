/*
 * source.c - a plug-in for trials: a device that sends numbered messages of one size at a rate.
 *
 * It is late when the machine is, and catches up in small steps; no number is left out. One reader
 * sends it the last number that it has read (the command DATA). The source begins with the first
 * such command, when that reader surely gets everything, and runs only so far ahead of it: other
 * readers lose messages only if they are slow.
 */
#include <stdbool.h>
#include <string.h>

#include "troupe/driver/opaque.h"

enum { MOST_SIZE = 1 << 16, MOST_AHEAD = 48 };

struct source {
    tp_device *device; /* borrowed */
    double rate_hz;
    uint32_t size;
    uint32_t sent;
    uint32_t read; /* the last number that the reader has sent */
    bool begun;
    int64_t begun_ns;
    unsigned char bytes[MOST_SIZE];
};

static const tp_param source_params[] = {
    {"rate", "Hz", "1000", "messages a second"},
    {"size", "1", "1460", "bytes of each"},
    {NULL, NULL, NULL, NULL},
};

static tp_status source_hear(tp_device *device, const tp_opaque_data *ask, tp_error *err)
{
    struct source *s = tp_instance_state(tp_device_instance(device));

    if (ask->data_count != 4) {
        return tp_fail(err, TP_E_INVALID, "that is no number");
    }
    s->read = (uint32_t)ask->data[0] << 24 | (uint32_t)ask->data[1] << 16 |
              (uint32_t)ask->data[2] << 8 | ask->data[3];
    if (!s->begun) {
        s->begun = true;
        s->begun_ns = tp_clock_now_ns(tp_instance_clock(tp_device_instance(device)));
    }
    return TP_OK;
}

static const tp_opaque_ops source_device = {.cmd_data = source_hear};

static tp_status source_init(tp_instance *self, tp_error *err)
{
    struct source *s = tp_instance_state(self);

    s->rate_hz = tp_param_double(self, "rate");
    s->size = (uint32_t)tp_param_int(self, "size");
    if (s->size < 4 || s->size > MOST_SIZE || !(s->rate_hz > 0)) {
        return tp_fail(err, TP_E_RANGE, "size is from 4 to %d, rate above 0", MOST_SIZE);
    }
    tp_instance_set_period(self, TP_NS_PER_MS);
    return tp_offer_opaque(self, NULL, &source_device, &s->device, err);
}

static tp_status source_start(tp_instance *self, tp_error *err)
{
    struct source *s = tp_instance_state(self);

    (void)err;
    s->begun = false;
    s->sent = s->read = 0;
    return TP_OK;
}

static tp_status source_poll(tp_instance *self, tp_error *err)
{
    struct source *s = tp_instance_state(self);
    const int64_t age_ns = tp_clock_now_ns(tp_instance_clock(self)) - s->begun_ns;
    const double due = (double)age_ns * s->rate_hz / (double)TP_NS_PER_S;
    const tp_opaque_data data = {.data_count = s->size, .data = s->bytes};

    (void)err;
    while (s->begun && s->sent < due && s->sent < s->read + MOST_AHEAD) {
        for (int k = 0; k < 4; k++) {
            s->bytes[k] = (unsigned char)(s->sent >> (24 - 8 * k));
        }
        if (tp_opaque_publish_state(s->device, &data, 0) != TP_OK) {
            break; /* the same number again, later */
        }
        s->sent++;
    }
    return TP_OK;
}

static const tp_driver_ops source_ops = {
    .init = source_init, .start = source_start, .poll = source_poll};

extern const tp_driver tp_driver_source;

TP_API const tp_driver tp_driver_source = {
    .abi = TP_DRIVER_ABI,
    .name = "source",
    .summary = "sends numbered messages",
    .state_size = sizeof(struct source),
    .params = source_params,
    .ops = &source_ops,
};
