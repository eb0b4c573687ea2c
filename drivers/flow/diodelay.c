/*
 * diodelay - passes digital values on some time after they have changed.
 *
 * Each bit waits by itself: it becomes 1 when it was wanted so for `wait_on_1`, 0 after
 * `wait_on_0`. A change of mind that lasts for less than `fade_out` does not begin the wait anew.
 * The bits come by commands, or from another dio (key "bits"); the result goes out as data, and as
 * commands to a dio with the key "state".
 *
 * If the program was frozen, nobody knows whether what waits is still wanted: it is forgotten, as
 * after a stop, and what is wanted from then on waits anew. Only a change to what a bit was at the
 * start is made, late: it is how the output rests.
 */
#include <math.h>
#include <string.h>

#include "troupe/driver/dio.h"

enum { MOST_BITS = 32 };

struct diodelay {
    tp_device *device;     /* borrowed */
    tp_link *bits, *state; /* borrowed; NULL if there is none */
    uint32_t count;
    uint32_t wanted, now;
    int64_t since_ns[MOST_BITS];   /* when the bit was first wanted to be another one; 0 if not */
    int64_t doubted_ns[MOST_BITS]; /* when it was last wanted as it is, while it waits; 0 if not */
    int64_t wait_ns[2];            /* before a bit becomes 0 or 1 */
    int64_t fade_ns;
    uint32_t first;    /* bits at the start */
    int64_t looked_ns; /* when changes that are due were made last */
    int64_t told_ns;   /* when readers have heard them last */
};

/* A driver looks more often than that, unless it is frozen; so long are its messages valid. */
static const int64_t old_ns = TP_NS_PER_S;

static const tp_param diodelay_params[] = {
    {"wait_on_0", "s", "0", "how long a bit was to be 0 before it is"},
    {"wait_on_1", "s", "0", "how long a bit was to be 1 before it is"},
    {"fade_out", "s", "0", "a change of mind has to last for so long"},
    {"init_state", NULL, "00000000000000000000000000000000",
     "bits at the start, the lowest one last; their number is that of the device"},
    {"sleep_nsec", "1", "10000000", "accepted; it looks as often as a wait ends"},
    {NULL, NULL, NULL, NULL},
};

static struct diodelay *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_of(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

static void tell_readers(const struct diodelay *d)
{
    const tp_dio_data data = {.count = d->count, .bits = d->now};

    tp_dio_publish_values(d->device, &data, 0);
}

static tp_status command(const struct diodelay *d)
{
    const tp_dio_cmd command = {.count = d->count, .digout = d->now};

    return d->state != NULL ? tp_link_command(d->state, TP_DIO_CMD_VALUES, &command) : TP_OK;
}

/* A command that follows from old data is refused: the bits stay as they were. They are wanted anew
 * by the next data, but for a change to what a bit was at the start, which is made, late. */
static void change_from(struct diodelay *d, uint32_t before)
{
    if (command(d) != TP_OK) {
        const uint32_t rests = ~(d->wanted ^ d->first);

        d->now = before;
        d->wanted = (d->wanted & rests) | (before & ~rests);
        return;
    }
    tell_readers(d);
}

/* One bit: begin to wait, go on, or end. */
static void look_at(struct diodelay *d, uint32_t i, int64_t now_ns)
{
    const uint32_t bit = 1u << i;
    const bool other = (d->wanted & bit) != (d->now & bit);
    const bool up = (d->now & bit) == 0;

    if (d->since_ns[i] == 0) {
        d->since_ns[i] = other ? now_ns : 0;
    }
    if (d->since_ns[i] == 0) {
        return;
    }
    if (other) {
        d->doubted_ns[i] = 0;
    } else if (d->doubted_ns[i] == 0) {
        d->doubted_ns[i] = now_ns;
    }
    if (!other && now_ns - d->doubted_ns[i] >= d->fade_ns) {
        d->since_ns[i] = d->doubted_ns[i] = 0;
    } else if (other && now_ns - d->since_ns[i] >= d->wait_ns[up]) {
        d->now ^= bit;
        d->since_ns[i] = d->doubted_ns[i] = 0;
    }
}

static void forget_if_frozen(tp_instance *self)
{
    struct diodelay *d = tp_instance_state(self);

    if (now_of(self) - d->looked_ns <= old_ns) {
        return;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const uint32_t bit = 1u << i;
        if ((d->now & bit) == (d->first & bit)) {
            d->wanted = (d->wanted & ~bit) | (d->now & bit);
            d->since_ns[i] = d->doubted_ns[i] = 0;
        }
    }
}

static void look(tp_instance *self)
{
    struct diodelay *d = tp_instance_state(self);
    const uint32_t before = d->now;

    d->looked_ns = now_of(self);
    for (uint32_t i = 0; i < d->count; i++) {
        look_at(d, i, now_of(self));
    }
    if (d->now != before) {
        change_from(d, before);
    }
}

static void want(tp_instance *self, uint32_t count, uint32_t bits)
{
    struct diodelay *d = tp_instance_state(self);
    const uint32_t mask = count >= 32 ? UINT32_MAX : (1u << count) - 1;

    forget_if_frozen(self);
    d->wanted = (d->wanted & ~mask) | (bits & mask);
    look(self);
}

static tp_status set(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    const struct diodelay *d = state_of(device);

    if (ask->count > d->count) {
        return tp_fail(err, TP_E_RANGE, "there are %u bits, not %u", d->count, ask->count);
    }
    want(tp_device_instance(device), ask->count, ask->digout);
    return TP_OK;
}

static const tp_dio_ops diodelay_dio = {.cmd_values = set};

static void diodelay_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct diodelay *d = tp_instance_state(self);

    if (from == d->bits && tp_msg_header(msg)->subtype == TP_DIO_DATA_VALUES &&
        tp_msg_payload(msg) != NULL) {
        const tp_dio_data *data = tp_msg_payload(msg);
        want(self, data->count, data->bits);
    }
}

static tp_status read_bits(tp_instance *self, struct diodelay *d, tp_error *err)
{
    const char *text = tp_param_string(self, "init_state");
    const size_t length = strlen(text);

    tp_param_blame(self, "init_state");
    if (length < 1 || length > MOST_BITS || strspn(text, "01") != length) {
        return tp_fail(err, TP_E_INVALID, "init_state \"%s\" is not 1 to 32 digits 0 or 1", text);
    }
    for (size_t i = 0; i < length; i++) {
        d->first = d->first << 1 | (text[i] == '1');
    }
    d->count = (uint32_t)length;
    return TP_OK;
}

static tp_status read_time(tp_instance *self, const char *name, int64_t *out, tp_error *err)
{
    const double seconds = tp_param_double(self, name);

    tp_param_blame(self, name);
    *out = (int64_t)(fmin(fmax(seconds, 0), 1e6) * (double)TP_NS_PER_S);
    return seconds >= 0 && seconds <= 1e6
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "%s is not a number of seconds", name);
}

/* It is not there unless `requires` has it. */
static tp_status require(tp_instance *self, const char *key, tp_link **out)
{
    const tp_status status = tp_require(self, &tp_interface_dio, key, out, NULL);

    return status == TP_E_UNKNOWN ? TP_OK : status;
}

static tp_status diodelay_init(tp_instance *self, tp_error *err)
{
    struct diodelay *d = tp_instance_state(self);
    tp_status status = read_bits(self, d, err);

    status = status == TP_OK ? read_time(self, "wait_on_0", &d->wait_ns[0], err) : status;
    status = status == TP_OK ? read_time(self, "wait_on_1", &d->wait_ns[1], err) : status;
    status = status == TP_OK ? read_time(self, "fade_out", &d->fade_ns, err) : status;
    status = status == TP_OK ? require(self, "state", &d->state) : status;
    status = status == TP_OK ? require(self, "bits", &d->bits) : status;
    if (d->state != NULL) {
        tp_link_report(d->state);
    }
    return status == TP_OK ? tp_offer_dio(self, NULL, &diodelay_dio, &d->device, err) : status;
}

static tp_status diodelay_start(tp_instance *self, tp_error *err)
{
    struct diodelay *d = tp_instance_state(self);

    (void)err;
    d->now = d->wanted = d->first;
    d->told_ns = d->looked_ns = now_of(self);
    memset(d->since_ns, 0, sizeof d->since_ns);
    memset(d->doubted_ns, 0, sizeof d->doubted_ns);
    (void)command(d);
    tell_readers(d);
    tp_instance_set_period(self, TP_NS_PER_S / 50);
    return TP_OK;
}

/* Readers hear the bits now and then, also if nothing changes. */
static tp_status diodelay_poll(tp_instance *self, tp_error *err)
{
    struct diodelay *d = tp_instance_state(self);

    (void)err;
    forget_if_frozen(self);
    look(self);
    if (now_of(self) - d->told_ns >= TP_NS_PER_S / 10) {
        d->told_ns = now_of(self);
        tell_readers(d);
    }
    return TP_OK;
}

/* What waits is forgotten; what was passed on stays as it is. */
static void diodelay_halt(tp_device *device, tp_halt how)
{
    struct diodelay *d = state_of(device);

    (void)how;
    d->wanted = d->now;
    memset(d->since_ns, 0, sizeof d->since_ns);
    if (d->state != NULL) {
        tp_link_halt(d->state);
    }
}

static const tp_driver_ops diodelay_ops = {
    .init = diodelay_init,
    .start = diodelay_start,
    .poll = diodelay_poll,
    .data = diodelay_data,
    .halt = diodelay_halt,
};

TP_API const tp_driver tp_driver_diodelay = {
    .abi = TP_DRIVER_ABI,
    .name = "diodelay",
    .summary = "digital values some time after they have changed",
    .state_size = sizeof(struct diodelay),
    .params = diodelay_params,
    .ops = &diodelay_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
