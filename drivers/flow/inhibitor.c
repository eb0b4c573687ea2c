/*
 * inhibitor - passes commands on only while a switch is on.
 *
 * The switch is a dio that it offers (key "switch"), and another dio that it may read. It is on if
 * any bit of the mask is set. When it goes off, what moves is stopped: nobody could stop it by a
 * command any more.
 */
#include <math.h>
#include <string.h>

#include "forward.h"
#include "troupe/driver/dio.h"
#include "troupe/interfaces/player.h"

struct inhibitor {
    tp_device *device; /* borrowed */
    tp_device *button; /* borrowed; NULL if it is not offered */
    tp_link *link;     /* borrowed */
    tp_link *source;   /* borrowed; NULL if there is no other switch */
    uint32_t mask;
    bool on;
    bool negated;
    bool blocks_data;
    int64_t interval_ns; /* between commands; 0 for all */
    int64_t passed_ns;   /* when the last one was passed on */
};

static const tp_param inhibitor_params[] = {
    {"init_state", "1", "1", "1 if the switch is on at first"},
    {"bitmask", NULL, "00000000000000000000000000000001",
     "bits that switch it on, the lowest one last"},
    {"neg", "1", "0", "1 to pass commands on while the switch is off"},
    {"block_data", "1", "0", "1 if data does not pass either"},
    {"msg_interval", "s", "0", "commands that come sooner are dropped; 0 for none"},
    {NULL, NULL, NULL, NULL},
};

static struct inhibitor *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static bool passes(const struct inhibitor *h)
{
    return h->on != h->negated;
}

static void tell(const struct inhibitor *h)
{
    const tp_dio_data data = {.count = 1, .bits = h->on ? 1 : 0};

    if (h->button != NULL) {
        tp_dio_publish_values(h->button, &data, 0);
    }
}

static void set(struct inhibitor *h, uint32_t count, uint32_t bits)
{
    const bool passed = passes(h);

    if (count == 0) {
        return;
    }
    h->on = (bits & h->mask) != 0;
    if (passed && !passes(h)) {
        tp_link_halt(h->link);
    }
    tell(h);
}

static tp_status button_set(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    (void)err;
    set(state_of(device), ask->count, ask->digout);
    return TP_OK;
}

static const tp_dio_ops button_ops = {.cmd_values = button_set};

static tp_status inhibitor_handle(tp_device *device, const tp_message *what, const void *ask,
                                  void *answer, tp_error *err)
{
    struct inhibitor *h = state_of(device);

    (void)answer;
    if (what->kind == TP_KIND_COMMAND) {
        const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(tp_device_instance(device)));
        if (!passes(h)) {
            return tp_fail(err, TP_E_DENIED, "the switch of the inhibitor is %s",
                           h->on ? "on" : "off");
        }
        if (now_ns - h->passed_ns < h->interval_ns) {
            return TP_OK; /* msg_interval wants it so */
        }
        h->passed_ns = now_ns;
    }
    return tpi_forward_message(device, h->link, what, ask, FORWARD_TIMEOUT_NS, err);
}

static void inhibitor_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct inhibitor *h = tp_instance_state(self);
    const bool own = tp_msg_header(msg)->subtype == TP_DIO_DATA_VALUES;

    if (from == h->source && own && tp_msg_payload(msg) != NULL) {
        const tp_dio_data *data = tp_msg_payload(msg);
        set(h, data->count, data->bits);
    }
    if (from == h->link && (!h->blocks_data || passes(h) || tpi_forward_is_failure(msg))) {
        tpi_forward_data(h->device, msg);
    }
}

/* "0110" as bits, the lowest one last. */
static tp_status read_mask(tp_instance *self, uint32_t *out, tp_error *err)
{
    const char *text = tp_param_string(self, "bitmask");
    const size_t length = strlen(text);

    tp_param_blame(self, "bitmask");
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        *out = *out << 1 | (text[i] == '1');
    }
    return length >= 1 && length <= 32 && strspn(text, "01") == length
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "bitmask \"%s\" is not 1 to 32 digits 0 or 1", text);
}

/* The device with the key "comm", or the only one besides the switch. */
static tp_status offer(tp_instance *self, struct inhibitor *h, tp_error *err)
{
    for (size_t i = 0; i < tp_provides_count(self); i++) {
        const tp_interface *interface = tp_provides_interface(self, i);
        const char *key = tp_provides_key(self, i);
        if (strcmp(key, "switch") == 0 ||
            (interface == &tp_interface_dio && strcmp(key, "comm") != 0 && h->button != NULL)) {
            continue;
        }
        if (interface->code <= TP_PLAYER_CODE) {
            return tp_fail(err, TP_E_UNSUPPORTED, "%s is the server's own", interface->name);
        }
        tp_status status = tp_require(self, interface, "comm", &h->link, err);
        status = status == TP_E_UNKNOWN ? tp_require(self, interface, NULL, &h->link, err) : status;
        return status == TP_OK ? tp_offer_at(self, i, NULL, inhibitor_handle, &h->device, err)
                               : status;
    }
    return tp_fail(err, TP_E_INVALID, "`provides` has no device besides the switch");
}

static tp_status inhibitor_init(tp_instance *self, tp_error *err)
{
    struct inhibitor *h = tp_instance_state(self);
    const double interval = tp_param_double(self, "msg_interval");
    tp_status status = read_mask(self, &h->mask, err);

    h->on = tp_param_double(self, "init_state") != 0;
    h->negated = tp_param_double(self, "neg") != 0;
    h->blocks_data = tp_param_double(self, "block_data") != 0;
    h->passed_ns = INT64_MIN / 2;
    if (status == TP_OK && !(interval >= 0 && interval <= 1e6)) {
        tp_param_blame(self, "msg_interval");
        return tp_fail(err, TP_E_RANGE, "msg_interval is not a number of seconds");
    }
    h->interval_ns = (int64_t)(interval * (double)TP_NS_PER_S);
    if (status == TP_OK && tp_provides(self, &tp_interface_dio, "switch")) {
        status = tp_offer_dio(self, "switch", &button_ops, &h->button, err);
    }
    status = status == TP_OK ? offer(self, h, err) : status;
    if (status == TP_OK) {
        status = tp_require(self, &tp_interface_dio, "switch", &h->source, NULL);
        status = status == TP_E_UNKNOWN ? TP_OK : status;
    }
    return status;
}

static tp_status inhibitor_start(tp_instance *self, tp_error *err)
{
    (void)err;
    tell(tp_instance_state(self));
    tp_instance_set_period(self, TP_NS_PER_S);
    return TP_OK;
}

static tp_status inhibitor_poll(tp_instance *self, tp_error *err)
{
    (void)err;
    tell(tp_instance_state(self));
    return TP_OK;
}

static void inhibitor_halt(tp_device *device, tp_halt how)
{
    struct inhibitor *h = state_of(device);

    (void)how; /* the other device's own configuration says */
    if (device == h->device) {
        tp_link_halt(h->link);
    }
}

static const tp_driver_ops inhibitor_ops = {
    .init = inhibitor_init,
    .start = inhibitor_start,
    .poll = inhibitor_poll,
    .data = inhibitor_data,
    .halt = inhibitor_halt,
};

TP_API const tp_driver tp_driver_inhibitor = {
    .abi = TP_DRIVER_ABI,
    .name = "inhibitor",
    .summary = "passes commands on only while a switch is on",
    .state_size = sizeof(struct inhibitor),
    .params = inhibitor_params,
    .ops = &inhibitor_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
